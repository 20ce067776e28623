"""Commands on fake verbs: formats, exit codes, and sentences instead of traces."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.grades import graded
from tutor import __version__
from tutor.cli import Verbs, app
from tutor.cli.speech import delivery_line
from tutor.drafting import imported
from tutor.errors import AudioRefused, BankError, EngineDown
from tutor.labelled import AnswerLine
from tutor.lint import Checked
from tutor.spoken import Delivery, Doubt, Hearing, Word
from tutor.states import Check
from tutor.values import Grade, Verdict

LINES = (
    AnswerLine(question_id="q1", answer_id="a", answer="one two", labels={"c0": 1.0}, overall=1.0, style="a_x"),
    AnswerLine(question_id="q1", answer_id="b", answer="one", labels={"c0": 0.0}, overall=0.0, style="b_x"),
)

HEARING = Hearing(
    text="Page detention keeps blocks.",
    language="en",
    words=(Word(text="Page", start_s=0.5, end_s=1.0, probability=0.4),),
    doubtful=(Doubt(start=0, end=14, heard="Page detention", likely="PagedAttention"),),
    delivery=Delivery(
        duration_s=60.2,
        target_s=120,
        speech_s=40,
        n_words=100,
        words_per_minute=99.7,
        words_per_minute_of_speech=150,
        first_word_s=0.5,
        n_pauses=7,
        n_long_pauses=2,
        longest_pause_s=3.14,
    ),
    duration_s=60.2,
    seconds=4.5,
)


def grade_all(answers: Sequence[AnswerLine], bank: Path | None) -> Iterator[Grade]:
    for line in answers:
        yield graded(line.question_id, line.answer_id, [Verdict.MET], score=1.0)


def verbs(**changed: object) -> Verbs:
    plain = Verbs(
        serve=lambda port, browser: None,
        setup=lambda report: report("done"),
        read_answers=lambda path, with_labels: LINES,
        grade_all=grade_all,
        transcribe=lambda file, question_id, bank: HEARING,
        checks=lambda: iter([Check(name="weights", ok=True, detail="there")]),
        check_bank=lambda bank: Checked(questions=0, criteria=0, families=0, sets={}, errors=(), warnings=()),
        verify_bank=lambda bank, only, earlier: iter([]),
        import_file=lambda file, set_name, replace, dry_run: imported((), "mine", stored=not dry_run),
    )
    return replace(plain, **changed)


@pytest.fixture
def tutor() -> Callable[..., Result]:
    return lambda *words, **changed: CliRunner().invoke(app, list(words), obj=verbs(**changed))


def test_the_version(tutor: Callable[..., Result]) -> None:
    assert tutor("--version").stdout == f"tutor {__version__}\n"


def test_help_names_every_command(tutor: Callable[..., Result]) -> None:
    shown = tutor("--help").stdout
    commands = ("serve", "setup", "grade", "evaluate", "transcribe", "bank", "import", "doctor")
    assert all(command in shown for command in commands)


def test_grade_writes_a_line_an_answer_in_input_order(tutor: Callable[..., Result], tmp_path: Path) -> None:
    out = tmp_path / "grades.jsonl"
    run = tutor("grade", "--answers", "x.jsonl", "--out", str(out))
    assert run.exit_code == 0
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [r["answer_id"] for r in rows] == ["a", "b"]
    assert set(rows[0]) == {
        "question_id", "answer_id", "score", "band", "judged_share", "gate", "flags", "fingerprint", "seconds",
        "criteria", "figures", "misconceptions",
    }  # fmt: skip
    assert set(rows[0]["criteria"][0]) == {
        "id", "text", "verdict", "credit", "probability", "quote", "start", "end", "reason"
    }  # fmt: skip
    assert list(tmp_path.iterdir()) == [out]


def test_without_out_the_grades_are_on_standard_output_alone(tutor: Callable[..., Result]) -> None:
    run = tutor("grade", "--answers", "x.jsonl")
    assert [json.loads(line)["answer_id"] for line in run.stdout.splitlines()] == ["a", "b"]
    assert "graded 2 of 2" in run.stderr


def test_an_engine_that_fails_half_way_leaves_no_finished_file(tutor: Callable[..., Result], tmp_path: Path) -> None:
    def dies(answers: Sequence[AnswerLine], bank: Path | None) -> Iterator[Grade]:
        yield graded("q1", "a", [Verdict.MET])
        raise EngineDown("The model server stopped.")

    out = tmp_path / "grades.jsonl"
    run = tutor("grade", "--answers", "x.jsonl", "--out", str(out), grade_all=dies)
    assert run.exit_code == 1
    assert f"tutor: The model server stopped. The lines finished so far are in {out}.partial." in run.stderr
    assert not out.exists()


def test_ctrl_c_says_where_the_finished_lines_are(tutor: Callable[..., Result], tmp_path: Path) -> None:
    def stopped(answers: Sequence[AnswerLine], bank: Path | None) -> Iterator[Grade]:
        yield graded("q1", "a", [Verdict.MET])
        raise KeyboardInterrupt

    out = tmp_path / "grades.jsonl"
    run = tutor("grade", "--answers", "x.jsonl", "--out", str(out), grade_all=stopped)
    assert run.exit_code == 1
    assert f"finished so far are in {out}.partial" in run.stderr
    assert len(Path(f"{out}.partial").read_text(encoding="utf-8").splitlines()) == 1


def test_a_folder_that_does_not_exist_is_a_sentence(tutor: Callable[..., Result], tmp_path: Path) -> None:
    for target in (tmp_path / "no" / "grades.jsonl", tmp_path):
        for command in ("grade", "evaluate"):
            run = tutor(command, "--answers", "x", "--out", str(target), grade_all=None)
            assert run.exit_code == 1
            assert "cannot be written" in run.stderr


def test_a_link_stays_a_link(tutor: Callable[..., Result], tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "grades.jsonl")
    assert tutor("grade", "--answers", "x", "--out", str(link)).exit_code == 0
    assert link.is_symlink()
    assert len((tmp_path / "grades.jsonl").read_text(encoding="utf-8").splitlines()) == 2


def test_a_quote_with_a_unicode_line_break_is_still_one_line(tutor: Callable[..., Result], tmp_path: Path) -> None:
    grades = tmp_path / "grades.jsonl"
    rows = [graded("q1", a, [Verdict.MET], quote="one\u2028two\x85") for a in ("a", "b")]
    grades.write_text("".join(g.model_dump_json() + "\n" for g in rows), encoding="utf-8")
    assert tutor("evaluate", "--answers", "x", "--grades", str(grades)).exit_code == 0


def test_evaluate_prints_the_report_of_fresh_grades(tutor: Callable[..., Result]) -> None:
    report = json.loads(tutor("evaluate", "--answers", "x.jsonl").stdout)
    assert report["n_answers"] == 2
    assert report["overall"]["accuracy"] == 0.5
    assert set(report) == {
        "n_answers", "n_labels", "fingerprint", "overall", "intervals", "by_style", "seconds_per_answer"
    }  # fmt: skip


def test_evaluate_takes_a_finished_grade_file(tutor: Callable[..., Result], tmp_path: Path) -> None:
    grades, out = tmp_path / "grades.jsonl", tmp_path / "report.json"
    assert tutor("grade", "--answers", "x", "--out", str(grades)).exit_code == 0
    run = tutor("evaluate", "--answers", "x", "--grades", str(grades), "--out", str(out), grade_all=None)
    assert run.exit_code == 0
    assert json.loads(out.read_text(encoding="utf-8"))["n_labels"] == 2
    assert "accuracy" in run.stdout


def test_a_grade_file_of_other_answers_is_refused(tutor: Callable[..., Result], tmp_path: Path) -> None:
    grades = tmp_path / "grades.jsonl"
    grades.write_text(graded("q9", "z", [Verdict.MET]).model_dump_json() + "\n", encoding="utf-8")
    run = tutor("evaluate", "--answers", "x", "--grades", str(grades))
    assert run.exit_code == 1
    assert "do not belong to these answers" in run.stderr


def test_answers_without_labels_are_refused_before_anything_is_graded(tutor: Callable[..., Result]) -> None:
    bare = (AnswerLine(question_id="q1", answer_id="a", answer="one"),)
    run = tutor("evaluate", "--answers", "x", read_answers=lambda path, with_labels: bare, grade_all=None)
    assert run.exit_code == 1
    assert "nothing to compare with" in run.stderr


def test_a_broken_grade_file_names_the_line(tutor: Callable[..., Result], tmp_path: Path) -> None:
    grades = tmp_path / "grades.jsonl"
    grades.write_text("\n{}\n", encoding="utf-8")
    run = tutor("evaluate", "--answers", "x", "--grades", str(grades))
    assert "line 2" in run.stderr
    missing = tutor("evaluate", "--answers", "x", "--grades", str(tmp_path / "none"))
    assert "cannot be read" in missing.stderr


def test_a_mistake_in_a_file_is_its_sentence(tutor: Callable[..., Result]) -> None:
    def broken(path: Path, with_labels: bool) -> tuple[AnswerLine, ...]:
        raise BankError("answers.jsonl", "expected an object", line=3)

    run = tutor("grade", "--answers", "x", read_answers=broken)
    assert (run.exit_code, run.stderr) == (1, "tutor: answers.jsonl, line 3: expected an object\n")


def test_doctor_says_what_is_wrong_and_how_to_mend_it(tutor: Callable[..., Result]) -> None:
    broken = Check(name="weights", ok=False, detail="a file is missing", fix="Run `make setup`.")
    run = tutor("doctor", checks=lambda: iter([broken]))
    assert run.exit_code == 1
    assert "FAIL  weights: a file is missing\n      Run `make setup`." in run.stdout


def test_doctor_as_json(tutor: Callable[..., Result]) -> None:
    run = tutor("doctor", "--json")
    assert json.loads(run.stdout) == {
        "ok": True,
        "checks": [{"name": "weights", "ok": True, "detail": "there", "fix": ""}],
    }


def test_setup_and_serve_call_their_verbs(tutor: Callable[..., Result]) -> None:
    served: list[tuple[int | None, bool]] = []
    assert tutor("setup").stdout == "done\n"
    assert tutor("serve", "--port", "8123", "--no-browser", serve=lambda *a: served.append(a)).exit_code == 0
    assert served == [(8123, False)]


def test_transcribe_prints_the_text_and_one_line_of_how_it_was_spoken(tutor: Callable[..., Result]) -> None:
    assert tutor("transcribe", "a.wav").stdout == (
        "Page detention keeps blocks.\n"
        "60 s of 120 s; 100 words; 100 words a minute, 150 while speaking; "
        "7 pauses, 2 of them long, the longest 3.1 s\n"
    )


def test_a_recording_without_length_or_target_has_no_pace() -> None:
    bare = Delivery(duration_s=0, speech_s=0, n_words=0, n_pauses=0, n_long_pauses=0, longest_pause_s=0)
    assert delivery_line(bare) == "0 s; 0 words; 0 pauses, 0 of them long, the longest 0.0 s"


def test_transcribe_as_json_has_the_documented_keys(tutor: Callable[..., Result], tmp_path: Path) -> None:
    out = tmp_path / "heard.json"
    assert tutor("transcribe", "a.wav", "--json", "--out", str(out)).exit_code == 0
    heard = json.loads(out.read_text(encoding="utf-8"))
    assert set(heard) == {"text", "language", "words", "doubtful", "delivery", "duration_s", "seconds"}
    assert heard["words"] == [{"text": "Page", "start_s": 0.5, "end_s": 1.0, "probability": 0.4}]
    assert heard["doubtful"] == [{"start": 0, "end": 14, "heard": "Page detention", "likely": "PagedAttention"}]


def test_transcribe_hands_over_the_question_and_the_bank(tutor: Callable[..., Result]) -> None:
    asked: list[object] = []

    def transcribe(*given: object) -> Hearing:
        asked.extend(given)
        return HEARING

    assert tutor("transcribe", "a.wav", "--question", "q01", "--bank", "b", transcribe=transcribe).exit_code == 0
    assert asked == [Path("a.wav"), "q01", Path("b")]


def test_a_file_without_speech_is_a_sentence(tutor: Callable[..., Result]) -> None:
    def silent(*_: object) -> Hearing:
        raise AudioRefused("silence", "No speech was heard.")

    run = tutor("transcribe", "a.wav", transcribe=silent)
    assert (run.exit_code, run.stdout, run.stderr) == (1, "", "tutor: No speech was heard.\n")


def test_a_recording_that_is_not_whole_is_told_beside_the_transcript(tutor: Callable[..., Result]) -> None:
    part = HEARING.model_copy(update={"is_whole": False})
    for words in (("a.wav",), ("a.wav", "--json")):
        run = tutor("transcribe", *words, transcribe=lambda *_: part)
        assert run.exit_code == 0
        assert run.stdout == tutor("transcribe", *words).stdout
        assert run.stderr.startswith("tutor: a.wav: part of this recording could not be read")
    assert tutor("transcribe", "a.wav").stderr == ""


def never(*_: object) -> Hearing:
    raise AssertionError("the target was not looked at first")


@pytest.mark.parametrize("out", ["a.wav", "folder/../a.wav", "link.wav", "twin.wav"])
def test_a_recording_is_never_overwritten_by_its_transcript(
    out: str, tutor: Callable[..., Result], tmp_path: Path
) -> None:
    file = tmp_path / "a.wav"
    file.write_bytes(b"sound")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.wav").symlink_to(file)
    (tmp_path / "twin.wav").hardlink_to(file)
    run = tutor("transcribe", str(file), "--out", str(tmp_path / out), transcribe=never)
    assert run.exit_code == 1
    assert "would overwrite what is read here" in run.stderr
    assert file.read_bytes() == b"sound"
    assert {path.name for path in tmp_path.iterdir()} == {"a.wav", "folder", "link.wav", "twin.wav"}


@pytest.mark.parametrize(
    "words", [("grade", "--answers"), ("evaluate", "--answers"), ("evaluate", "--answers", "x.jsonl", "--grades")]
)
@pytest.mark.parametrize("ending", ["", ".partial"])
def test_answers_and_grades_are_never_overwritten_by_what_is_made_of_them(
    words: tuple[str, ...], ending: str, tutor: Callable[..., Result], tmp_path: Path
) -> None:
    file = tmp_path / f"lines.jsonl{ending}"
    file.write_text("mine", encoding="utf-8")
    run = tutor(*words, str(file), "--out", str(tmp_path / "lines.jsonl"))
    assert (run.exit_code, "would overwrite" in run.stderr) == (1, True)
    assert file.read_text(encoding="utf-8") == "mine"
