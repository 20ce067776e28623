"""`tutor bank verify`: the table, the file that grows, and going on from it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from typer.testing import CliRunner, Result

from tests.grades import FINGERPRINT
from tests.test_cli import verbs
from tests.test_verification import BANK, FakeGrading
from tutor.cli import app
from tutor.errors import EngineDown
from tutor.verification import Verification, Verified, run


def bank_verify(*words: str, **changed: object) -> Result:
    return CliRunner().invoke(app, ["bank", "verify", *words], obj=verbs(**changed))


class FakeVerify:
    """The real fold over fake grades; raises an error after so many questions."""

    def __init__(self, grading: FakeGrading, error: BaseException | None = None, after: int = 0) -> None:
        self.grading, self.error, self.after = grading, error, after
        self.asked: tuple[Path | None, list[str], int] | None = None

    def __call__(self, bank: Path | None, only: Sequence[str], earlier: Sequence[Verified]) -> Iterator[Verification]:
        self.asked = bank, list(only), len(earlier)
        for n, report in enumerate(run(BANK, only, FINGERPRINT, self.grading, earlier)):
            yield report
            if self.error and n == self.after:
                raise self.error


def test_sets_and_questions_below_the_marks_are_printed() -> None:
    grading = FakeGrading(a=0.0, **{"": 0.2, "answer to a": 0.25})
    outcome = bank_verify(verify_bank=FakeVerify(grading))
    assert outcome.exit_code == 0
    assert outcome.stdout.splitlines() == [
        "a: its reference answer gets 0.00",
        "    missed c0: text of c0",
        "a: an empty answer gets 0.20",
        "b: an empty answer gets 0.20",
        "c: an empty answer gets 0.20",
        "c: the answer to a gets 0.25",
        "    met c0: text of c0 <- 'one'",
        "          verified    median    lowest     other     below",
        "basics         2/2      0.50      0.00      0.00         2",
        "more           1/1      1.00      1.00      0.25         1",
        "3 of 3 questions verified, 3 below a mark; median 1.00, 0.90 is wanted",
    ]
    assert outcome.stderr.splitlines()[-1] == "verified 3 of 3"


def test_a_question_that_could_not_be_graded_is_told() -> None:
    report = [r for r in run(BANK, ["a"], FINGERPRINT, FakeGrading(a=None), ())][-1]
    (unclear,) = report.questions
    told = report.model_copy(update={"questions": (unclear.model_copy(update={"trouble": "No point was judged."}),)})
    outcome = bank_verify(verify_bank=lambda bank, only, earlier: iter([told]))
    assert outcome.stdout.splitlines()[0] == "a: could not be graded: No point was judged."
    assert "lowest" in outcome.stdout
    assert " - " in outcome.stdout


def test_the_report_is_written_after_every_question_and_gone_on_with(tmp_path: Path) -> None:
    out = tmp_path / "verified.json"
    stopped = bank_verify("--out", str(out), verify_bank=FakeVerify(FakeGrading(), KeyboardInterrupt(), after=2))
    assert stopped.exit_code == 1
    assert f"tutor: Stopped. 2 of 3 questions are in {out}; the same command goes on from there." in stopped.stderr
    assert [found["question_id"] for found in json.loads(out.read_text())["questions"]] == ["a", "b"]
    grading = FakeGrading()
    verify = FakeVerify(grading)
    assert bank_verify("--out", str(out), verify_bank=verify).exit_code == 0
    assert verify.asked == (None, [], 2)
    assert {question_id for question_id, _ in grading.asked} == {"c"}
    assert len(json.loads(out.read_text())["questions"]) == 3
    assert list(tmp_path.iterdir()) == [out]


def test_a_failing_engine_leaves_what_was_done(tmp_path: Path) -> None:
    out = tmp_path / "verified.json"
    verify = FakeVerify(FakeGrading(), EngineDown("The model server stopped."), after=1)
    outcome = bank_verify("--out", str(out), verify_bank=verify)
    assert (outcome.exit_code, outcome.stderr.splitlines()[-1]) == (1, "tutor: The model server stopped.")
    assert len(json.loads(out.read_text())["questions"]) == 1


def test_ctrl_c_says_what_is_kept(tmp_path: Path) -> None:
    def at_once(bank: Path | None, only: Sequence[str], earlier: Sequence[Verified]) -> Iterator[Verification]:
        raise KeyboardInterrupt
        yield

    assert "nothing was kept" in bank_verify(verify_bank=at_once).stderr
    out = str(tmp_path / "verified.json")
    assert f"Nothing new is in {out}" in bank_verify("--out", out, verify_bank=at_once).stderr


def test_only_some_questions_of_a_named_bank() -> None:
    verify = FakeVerify(FakeGrading())
    outcome = bank_verify("--bank", "mine", "--only", "a", "--only", "c", verify_bank=verify)
    assert verify.asked == (Path("mine"), ["a", "c"], 0)
    assert "2 of 3 questions verified" in outcome.stdout


def test_a_file_that_is_no_report_is_not_written_over(tmp_path: Path) -> None:
    for text in ("{}", "a letter", "\x00"):
        out = tmp_path / "letter"
        out.write_text(text)
        outcome = bank_verify("--out", str(out), verify_bank=None)
        assert outcome.exit_code == 1
        assert "is no report of `tutor bank verify`" in outcome.stderr
        assert out.read_text() == text
