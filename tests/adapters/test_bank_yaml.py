"""A folder of questions and rubrics: what is read, and how each mistake is told."""

from __future__ import annotations

import doctest
import os
from pathlib import Path

import pytest

from tests.adapters.bank_folder import QUESTION, RUBRIC, Write, mistakes, only
from tutor.adapters.bank_yaml import YamlBank, open_bank, sentences, shipped_bank, tree
from tutor.errors import BankError, BankErrors
from tutor.formula import figure_value
from tutor.values import Kind


def test_the_worked_examples_of_the_modules_hold() -> None:
    for module in (tree, sentences):
        outcome = doctest.testmod(module)
        assert outcome.attempted > 0
        assert outcome.failed == 0


def test_a_bank_is_read_whole(write_bank: Write) -> None:
    bank = open_bank(write_bank())
    (question,) = bank.questions()
    assert (question.id, question.kind, question.topic, question.target_s) == ("q1", Kind.NUMERICAL, "Sizes", 120)
    rubric = bank.rubric("q1")
    assert rubric.question_id == "q1"
    assert [c.weight for c in rubric.criteria] == [3, 1]
    assert figure_value(rubric.figures[0]) == 6.0
    assert rubric.status == "reviewed"


def test_an_unknown_question_is_a_sentence(write_bank: Write) -> None:
    with pytest.raises(BankError, match="there is no question 'q9'"):
        open_bank(write_bank()).rubric("q9")


def test_files_are_read_in_the_order_of_their_names(write_bank: Write) -> None:
    second = QUESTION.replace("q1", "q0")
    folder = write_bank(
        data__more=second, rubrics__q0=RUBRIC, data__advanced=QUESTION.replace("q1", "q2"), rubrics__q2=RUBRIC
    )
    assert [q.id for q in open_bank(folder).questions()] == ["q2", "q1", "q0"]


def test_other_files_beside_the_bank_are_left_alone(write_bank: Write) -> None:
    folder = write_bank()
    (folder / "data" / "answers.jsonl").write_text("not for us")
    (folder / "data" / ".hidden.yaml").write_text("[")
    (folder / "rubrics" / "README.md").write_text("# read me")
    assert len(open_bank(folder).questions()) == 1


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("no", "no"),
        ("12:30", "12:30"),
        ("2024-01-01", "2024-01-01"),
        ("1_000", "1_000"),
        ("0x1F", "0x1F"),
        ("<<", "<<"),
    ],
)
def test_words_that_other_readers_turn_into_something_else_stay_text(write_bank: Write, word: str, text: str) -> None:
    (question,) = open_bank(write_bank(QUESTION.replace("Size\n", f"{word}\n"))).questions()
    assert question.title == text


def test_quoted_numbers_and_blocks_are_text(write_bank: Write) -> None:
    quoted = QUESTION.replace("title: Size", "title: '3.10'\n  section: |\n    1\n    2")
    (question,) = open_bank(write_bank(quoted)).questions()
    assert (question.title, question.section) == ("3.10", "1\n2\n")


def test_byte_order_mark_and_windows_line_ends_are_accepted(write_bank: Write) -> None:
    windows = b"\xef\xbb\xbf" + QUESTION.replace("\n", "\r\n").encode()
    assert open_bank(write_bank(windows)).questions() == open_bank(write_bank()).questions()


def test_a_scientific_number_is_a_number(write_bank: Write) -> None:
    rubric = open_bank(write_bank(rubric=RUBRIC.replace("base: 3", "base: 989e12"))).rubric("q1")
    assert rubric.figures[0].inputs == {"base": 989e12}


def test_all_mistakes_of_all_files_are_told_at_once_in_order(write_bank: Write) -> None:
    rubric = (
        RUBRIC.replace("weight: 1", "weight: 7").replace("id: c2", "id: c1").replace("unit: GB", "unit: GB\n    x: 1")
    )
    found = mistakes(write_bank(QUESTION.replace("numerical", "essay").replace("Size\n", "3\n"), rubric))
    assert [(file, line) for file, line, _, _ in found] == [
        ("data/basics.yaml", 4),
        ("data/basics.yaml", 6),
        ("rubrics/q1.yaml", 5),
        ("rubrics/q1.yaml", 7),
        ("rubrics/q1.yaml", 14),
    ]
    with pytest.raises(BankErrors) as caught:
        open_bank(write_bank(QUESTION.replace("numerical", "essay"), rubric))
    assert str(caught.value).count("\n") == len(caught.value.mistakes) - 1
    assert caught.value.line == caught.value.mistakes[0].line


def test_a_question_without_a_rubric_is_told(write_bank: Write) -> None:
    file, line, field, message = only(write_bank(rubric=None))
    assert (file, line, field) == ("data/basics.yaml", 1, "0.id")
    assert "the question 'q1' has no rubric; write" in message
    assert message.endswith("q1.yaml")


def test_a_rubric_without_a_question_is_told(write_bank: Write) -> None:
    file, line, _, message = only(write_bank(rubrics__q11=RUBRIC))
    assert (file, line) == ("rubrics/q11.yaml", None)
    assert "there is no question 'q11'" in message


def test_a_broken_question_does_not_make_its_rubric_an_orphan(write_bank: Write) -> None:
    assert only(write_bank(QUESTION.replace("numerical", "essay")))[2] == "0.kind"


def test_an_unreadable_rubric_does_not_make_its_question_bare(write_bank: Write) -> None:
    assert only(write_bank(rubric="["))[0] == "rubrics/q1.yaml"


def test_an_id_in_two_files_is_told_with_both_places(write_bank: Write) -> None:
    file, line, field, message = only(write_bank(data__more="# more\n" + QUESTION))
    assert (file, line, field) == ("data/more.yaml", 2, "0.id")
    assert "stands already in" in message
    assert "basics.yaml, line 1" in message


def test_the_second_question_of_a_file_is_told_by_its_own_line(write_bank: Write) -> None:
    second = QUESTION.replace("q1", "q2").replace("numerical", "essay")
    assert only(write_bank(QUESTION + second, rubrics__q2=RUBRIC))[1:3] == (10, "1.kind")


def test_prerequisites_in_a_circle_are_told(write_bank: Write) -> None:
    first, second = QUESTION + "  prerequisites: [q2]\n", QUESTION.replace("q1", "q2") + "  prerequisites: [q1]\n"
    assert "go in a circle: q" in only(write_bank(first + second, rubrics__q2=RUBRIC))[3]


def test_a_draft_needs_no_hints(write_bank: Write) -> None:
    draft = RUBRIC.replace("reviewed", "draft").replace("hints: [a, b, c]\n", "")
    assert open_bank(write_bank(rubric=draft)).rubric("q1").hints == ()


def test_a_file_with_the_other_ending_is_not_silently_ignored(write_bank: Write) -> None:
    folder = write_bank()
    (folder / "data" / "more.yml").write_text(QUESTION)
    assert only(folder)[3] == "rename it to end in .yaml"


def test_a_folder_without_the_two_folders_is_told(tmp_path: Path) -> None:
    found = mistakes(tmp_path)
    assert [m[0] for m in found] == ["data", "rubrics"]
    assert all("cannot be read as a folder" in m[3] for m in found)


def test_things_that_are_no_files_are_told(write_bank: Write) -> None:
    folder = write_bank()
    os.mkfifo(folder / "rubrics" / "q2.yaml")
    (folder / "rubrics" / "q3.yaml").mkdir()
    (folder / "rubrics" / "q4.yaml").symlink_to(folder / "nowhere")
    told = {m[0]: m[3] for m in mistakes(folder) if "there is no question" not in m[3]}
    assert told == {
        "rubrics/q2.yaml": "is not an ordinary file",
        "rubrics/q3.yaml": "is not an ordinary file",
        "rubrics/q4.yaml": "there is no such file",
    }


def test_one_yaml_file_is_no_bank(write_bank: Write) -> None:
    with pytest.raises(BankError, match="give the folder that has `data` and `rubrics` in it"):
        open_bank(write_bank() / "data" / "basics.yaml")


def test_the_shipped_bank_is_the_checkouts_own() -> None:
    bank = shipped_bank()
    assert isinstance(bank, YamlBank)
    assert {q.kind for q in bank.questions()} == set(Kind)


def test_an_installed_package_reads_its_own_folders(
    tmp_path: Path, write_bank: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tutor.adapters.bank_yaml as room

    folder = write_bank()
    package = tmp_path / "site" / "tutor"
    (package / "adapters" / "bank_yaml").mkdir(parents=True)
    (package / "_shipped").symlink_to(folder)
    monkeypatch.setattr(room, "__file__", str(package / "adapters" / "bank_yaml" / "__init__.py"))
    assert [q.id for q in shipped_bank().questions()] == ["q1"]
