"""One's own questions as files: readable, private, whole or not at all, and damage that stops nothing else."""

from __future__ import annotations

import stat
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from filelock import FileLock

from tests.contract.test_own_bank import entry
from tutor.adapters.bank_yaml import OwnFolder, open_bank, own_bank, shipped_bank, writing
from tutor.errors import BankError
from tutor.ports import Entry
from tutor.values import Criterion, Figure, Kind, Misconception, Question, Rubric

NASTY = (
    "no", "1e5", "12:30", "~", "null", "3.10", "0x1F", "- dash", "# hash", "a: b", "{x}", "[x]", "*star", "&amp",
    "!tag", "%percent", "'quote'", '"double"', "back\\slash", "two\nlines", "two\n\n  indented\nlines\n",
    " space before", "space behind ", "\ttab", "line\u2028break", "emoji 🙂", "日本語", "word " * 60 + "end",
    "very" * 100, "\nbreak first", "- a\n- b: c\n# d", "ends with colon:", "<b>tag</b>", "...", "---", "a\n---\nb",
    "x\n\n\n\ny", "no \n trailing \nspaces",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "bank"


def question_of(text: str, name: str = "q") -> Entry:
    question = Question(id=name, question=text, reference_answer=text, kind=Kind.NUMERICAL, topic=text, title=text)
    rubric = Rubric(
        question_id=name,
        criteria=(Criterion(id="c1", text=text, weight=2, opposite=text),),
        figures=(Figure(criterion_id="c1", label=text, value=1e-7, source=text, unit="%", rel_tol=0.1),),
        misconceptions=(Misconception(id="m1", text=text, correction=text),),
        terms=(text,),
    )
    return Entry("mine", question, rubric)


def damage(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("text", NASTY)
def test_any_text_is_read_back_as_it_is(folder: Path, text: str) -> None:
    OwnFolder(folder).put("mine", [question_of(text)])
    assert OwnFolder(folder).entries() == (question_of(text),)
    assert open_bank(folder).questions() == (question_of(text).question,)


def test_the_bank_that_comes_along_can_be_stored_and_read_back(folder: Path) -> None:
    bank = shipped_bank()
    entries = tuple(Entry("mine", question, bank.rubric(question.id)) for question in bank.questions())
    OwnFolder(folder).put("mine", entries)
    assert OwnFolder(folder).entries() == entries


def test_a_person_can_read_the_files(folder: Path) -> None:
    question = Question(
        id="q1", question="Why? " * 30, reference_answer="First.\n- a\n- b", kind=Kind.NUMERICAL, topic="T"
    )
    rubric = Rubric(
        question_id="q1",
        criteria=(Criterion(id="c1", text="So.", weight=1),),
        figures=(Figure(criterion_id="c1", label="n", formula="2 * n", inputs={"n": 3}, unit="1"),),
    )
    OwnFolder(folder).put("mine", [Entry("mine", question.model_copy(update={"question": "Why?"}), rubric)])
    assert (folder / "data" / "mine.yaml").read_text(encoding="utf-8") == (
        "- id: q1\n  question: Why?\n  reference_answer: |-\n    First.\n    - a\n    - b\n"
        "  kind: numerical\n  topic: T\n"
    )
    assert (folder / "rubrics" / "q1.yaml").read_text(encoding="utf-8") == (
        "criteria:\n- id: c1\n  text: So.\n  weight: 1\n"
        'figures:\n- criterion_id: c1\n  label: n\n  formula: 2 * n\n  inputs:\n    n: 3\n  unit: "1"\n'
    )
    OwnFolder(folder).put("mine", [Entry("mine", question.model_copy(update={"question": "Why " * 30 + "?"}), rubric)])
    assert "question: >-\n    Why Why" in (folder / "data" / "mine.yaml").read_text(encoding="utf-8")


def test_nobody_else_can_look_into_it(folder: Path) -> None:
    OwnFolder(folder).put("mine", [entry("a")])
    for path in (folder, *folder.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_what_another_program_writes_is_seen_without_a_restart(folder: Path) -> None:
    here, there = OwnFolder(folder), OwnFolder(folder)
    assert here.entries() == ()
    there.put("mine", [entry("a")])
    assert here.entries() == (entry("a"),)
    damage(folder, "rubrics/a.yaml", (folder / "rubrics" / "a.yaml").read_text().replace("So.", "Or."))
    assert here.entries()[0].rubric.criteria[0].text == "Or."
    there.remove("a")
    assert here.entries() == ()
    assert not list(folder.rglob("*.yaml"))


def test_only_the_files_that_changed_are_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = OwnFolder(folder)
    own.put("mine", [entry("a"), entry("b")])
    own.entries()
    read: list[str] = []
    original = own_bank.file_rubric
    monkeypatch.setattr(own_bank, "file_rubric", lambda path: (read.append(path.name), original(path))[1])
    OwnFolder(folder).put("mine", [entry("b", "Because.")])
    read.clear()
    assert own.entries()[1] == entry("b", "Because.")
    assert read == ["b.yaml"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("rubrics/a.yaml", "criteria: [", "a.yaml, line 2"),
        ("rubrics/a.yaml", "criteria: []\n", "a.yaml, line 1, criteria: needs at least 1"),
        ("rubrics/a.yaml", "x: &b [*b]\n", "anchor"),
        ("rubrics/a.yaml", "\x00", "UTF-16"),
    ],
)
def test_a_damaged_rubric_leaves_out_its_question_alone(folder: Path, name: str, text: str, said: str) -> None:
    own = OwnFolder(folder)
    own.put("mine", [entry("a"), entry("b")])
    damage(folder, name, text)
    assert own.entries() == (entry("b"),)
    (mistake,) = own.mistakes()
    assert said in str(mistake)
    own.put("mine", [entry("c")])
    assert own.entries() == (entry("b"), entry("c"))
    own.put("mine", [entry("a", "Because.")])
    assert own.entries() == (entry("a", "Because."), entry("b"), entry("c"))
    assert own.mistakes() == ()


def test_a_missing_rubric_is_told_with_the_line_of_its_question(folder: Path) -> None:
    own = OwnFolder(folder)
    own.put("mine", [entry("a")])
    (folder / "rubrics" / "a.yaml").unlink()
    assert own.entries() == ()
    assert "mine.yaml, line 1, 0.id: the question 'a' has no rubric" in str(own.mistakes()[0])


def test_a_damaged_set_is_never_written_over(folder: Path) -> None:
    own = OwnFolder(folder)
    own.put("mine", [entry("a"), entry("b")])
    own.put("sound", [entry("c", set_name="sound")])
    text = (folder / "data" / "mine.yaml").read_text().replace("kind: concept", "kind: essay", 1)
    damage(folder, "data/mine.yaml", text)
    assert [found.question.id for found in own.entries()] == ["b", "c"]
    for change in (lambda: own.put("mine", [entry("d")], whole=True), lambda: own.remove("b")):
        with pytest.raises(BankError, match=r"mine.yaml, line 4: has a mistake \(expected .* mend it first"):
            change()
    assert (folder / "data" / "mine.yaml").read_text() == text
    own.put("sound", [entry("d")])
    assert [found.question.id for found in own.entries()] == ["b", "c", "d"]


def test_an_id_that_somebody_wrote_twice_counts_where_it_stands_first(folder: Path) -> None:
    own = OwnFolder(folder)
    own.put("mine", [entry("a")])
    damage(folder, "data/other.yaml", (folder / "data" / "mine.yaml").read_text())
    assert own.entries() == (entry("a"),)
    assert "other.yaml, line 1, 0.id: the question 'a' stands already in" in str(own.mistakes()[0])


@pytest.mark.parametrize("text", ["zero\u200bwidth", "bell\x07", "turn\u202earound"])
def test_a_text_that_could_not_be_read_back_is_refused_before_anything_is_written(folder: Path, text: str) -> None:
    own = OwnFolder(folder)
    with pytest.raises(BankError, match="contains the unusable character U"):
        own.put("mine", [entry("a"), question_of(text)])
    assert not list(folder.rglob("*.yaml"))


def test_a_reviewed_rubric_without_hints_is_refused(folder: Path) -> None:
    reviewed = entry("a").rubric.model_copy(update={"status": "reviewed"})
    with pytest.raises(BankError, match="three hints"):
        OwnFolder(folder).put("mine", [Entry("mine", entry("a").question, reviewed)])


def test_a_set_too_large_to_be_read_again_is_refused(folder: Path) -> None:
    with pytest.raises(BankError, match="would be larger than 2 MB; split the set"):
        OwnFolder(folder).put("mine", [question_of("word " * 500_000)])


def test_a_file_in_place_of_the_folder_is_a_sentence_and_no_stop(tmp_path: Path) -> None:
    (tmp_path / "bank").write_text("mine")
    own = OwnFolder(tmp_path / "bank")
    assert own.entries() == ()
    assert "cannot be read as a folder" in str(own.mistakes()[0])
    with pytest.raises(BankError, match="cannot be written"):
        own.put("mine", [entry("a")])


def test_another_writer_is_waited_for_and_then_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_bank, "_WAIT_S", 0.01)
    folder.mkdir()
    with FileLock(folder / ".lock"), pytest.raises(BankError, match="another window is writing"):
        OwnFolder(folder).put("mine", [entry("a")])


def test_a_write_that_fails_half_way_leaves_the_old_question(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = OwnFolder(folder)
    own.put("mine", [entry("a")])
    original = writing.os.fsync
    calls: list[int] = []

    def full(file: int) -> None:
        calls.append(file)
        if len(calls) == 1:
            raise OSError(28, "No space left on device")
        original(file)

    monkeypatch.setattr(writing.os, "fsync", full)
    with pytest.raises(BankError, match="No space left on device"):
        own.put("mine", [entry("a", "Because.")])
    assert own.entries() == OwnFolder(folder).entries() == (entry("a"),)
    own.put("mine", [entry("a", "Because.")])
    assert own.entries() == (entry("a", "Because."),)


@pytest.mark.parametrize("n_written", range(4))
def test_a_disk_that_is_full_at_any_file_changes_none(
    folder: Path, monkeypatch: pytest.MonkeyPatch, n_written: int
) -> None:
    own = OwnFolder(folder)
    own.put("mine", [entry(name) for name in "abc"])
    original = writing.os.fsync
    calls: list[int] = []

    def full(file: int) -> None:
        calls.append(file)
        if len(calls) > n_written:
            raise OSError(28, "No space left on device")
        original(file)

    monkeypatch.setattr(writing.os, "fsync", full)
    with pytest.raises(BankError, match="No space left on device"):
        own.put("mine", [entry(name, "Because.") for name in "abc"], whole=True)
    assert OwnFolder(folder).entries() == tuple(entry(name) for name in "abc")
    assert not list(folder.rglob("*.part"))


def test_a_link_in_a_circle_is_the_mistake_of_one_file_and_no_other_set_is_lost(folder: Path) -> None:
    own = OwnFolder(folder)
    own.put("mine", [entry("a"), entry("b")])
    (folder / "data" / "loop.yaml").symlink_to("loop.yaml")
    assert [Path(mistake.file).name for mistake in own.mistakes()] == ["loop.yaml"]
    own.put("mine", [entry("a", "Because.")])
    assert OwnFolder(folder).entries() == (entry("a", "Because."), entry("b"))


WRITER = """
import sys
from pathlib import Path
from tests.contract.test_own_bank import entry
from tutor.adapters.bank_yaml import OwnFolder
own = OwnFolder(Path(sys.argv[1]))
for n in range(20):
    own.put("mine", [entry(name, f"Round {n}.") for name in "abc"])
    own.put("extra", [entry(f"x{n}", set_name="extra")])
    own.remove(f"x{n}")
"""


def test_who_reads_while_another_program_writes_sees_old_or_new_and_never_a_mistake(folder: Path) -> None:
    own = OwnFolder(folder)
    own.put("mine", [entry(name) for name in "abc"])
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(folder)])
    seen = 0
    while writer.poll() is None:
        ids = [found.question.id for found in own.entries() if found.set_name == "mine"]
        assert (ids, own.mistakes()) == (["a", "b", "c"], ())
        seen += 1
    assert writer.returncode == 0
    assert seen
    assert [found.question.reference_answer for found in own.entries()] == ["Round 19."] * 3


def test_writers_in_threads_lose_nothing(folder: Path) -> None:
    own = OwnFolder(folder)

    def write(names: Sequence[str]) -> None:
        for name in names:
            own.put("mine", [entry(name)])

    threads = [threading.Thread(target=write, args=([f"{letter}{n}" for n in range(8)],)) for letter in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(own.entries()) == 24
