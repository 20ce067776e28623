"""JSON lines: banks and answers files as other people write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tutor.adapters.bank_yaml import JsonlBank, open_bank, read_answers, shipped_bank
from tutor.adapters.bank_yaml.jsonl_bank import _UNIT_ALIASES
from tutor.errors import BankError
from tutor.formula import UNITS, figure_value

QUESTION: dict[str, Any] = {
    "id": "q1",
    "question": "How large is it?",
    "reference_answer": "Twice as large.",
    "kind": "numerical",
    "topic": "size of things",
    "criteria": [{"id": "c1", "text": "It is twice as large.", "weight": 3}],
    "figures": [{"criterion_id": "c1", "label": "size", "value": 6.0, "unit": "byte", "rel_tol": 0.1}],
}
ANSWER: dict[str, Any] = {
    "question_id": "q1",
    "answer_id": "q1_a",
    "style": "a_excellent_typed",
    "spoken": False,
    "answer": "Twice as large.",
    "labels": {"c1": 1},
    "overall": 1,
}


def lines(path: Path, *objects: Any) -> Path:
    path.write_text("".join((o if isinstance(o, str) else json.dumps(o)) + "\n" for o in objects))
    return path


def told(read: Any) -> list[tuple[int | None, str, str]]:
    with pytest.raises(BankError) as caught:
        read()
    for mistake in caught.value.mistakes:
        assert str(mistake) in str(caught.value)
        assert mistake.file in str(mistake)
    return [(m.line, m.field, m.message) for m in caught.value.mistakes]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "set.jsonl"


def test_a_line_is_a_question_with_its_rubric(path: Path) -> None:
    bank = open_bank(lines(path, QUESTION, "", {**QUESTION, "id": "q2", "title": "Short"}))
    first, second = bank.questions()
    assert (first.id, first.topic, first.title, second.title) == ("q1", "size of things", "size of things", "Short")
    rubric = bank.rubric("q2")
    assert (rubric.question_id, rubric.criteria[0].weight, rubric.status) == ("q2", 3, "draft")


def test_a_figure_gets_the_file_as_its_source_and_a_unit_of_the_list(path: Path) -> None:
    (figure,) = JsonlBank(lines(path, QUESTION)).rubric("q1").figures
    assert (figure.value, figure.unit, figure.source, figure.rel_tol) == (6.0, "B", "set.jsonl", 0.1)


def test_a_unit_outside_the_list_becomes_a_plain_number_with_the_unit_in_its_label(path: Path) -> None:
    figure = {**QUESTION["figures"][0], "unit": "heads"}
    (read,) = JsonlBank(lines(path, {**QUESTION, "figures": [figure]})).rubric("q1").figures
    assert (read.unit, read.label) == ("1", "size (heads)")


def test_a_figure_without_a_unit_is_a_plain_number(path: Path) -> None:
    figure = {name: value for name, value in QUESTION["figures"][0].items() if name != "unit"}
    for written in (figure, figure | {"unit": ""}):
        (read,) = JsonlBank(lines(path, {**QUESTION, "figures": [written]})).rubric("q1").figures
        assert (read.unit, read.label) == ("1", "size")


def test_other_spellings_lead_to_units_of_the_list() -> None:
    assert set(_UNIT_ALIASES.values()) <= set(UNITS)
    assert not set(_UNIT_ALIASES) & set(UNITS)


def test_a_formula_is_read_as_well(path: Path) -> None:
    figure = {"criterion_id": "c1", "label": "size", "formula": "2 * base", "inputs": {"base": 3}, "unit": "GB"}
    (read,) = JsonlBank(lines(path, {**QUESTION, "figures": [figure]})).rubric("q1").figures
    assert (figure_value(read), read.source) == (6.0, None)


def test_unknown_keys_are_ignored_at_every_level(path: Path) -> None:
    criterion, figure = QUESTION["criteria"][0] | {"note": 1}, QUESTION["figures"][0] | {"note": [1]}
    noted = QUESTION | {"criteria": [criterion], "figures": [figure], "labels": {"c1": "?"}, "note": None}
    assert JsonlBank(lines(path, noted)).questions() == JsonlBank(lines(path, QUESTION)).questions()


def changed(part: str, n: int, **fields: Any) -> dict[str, Any]:
    members = [dict(member) for member in QUESTION[part]]
    members[n] |= fields
    return QUESTION | {part: members}


@pytest.mark.parametrize(
    ("second", "field", "sentence"),
    [
        (QUESTION | {"kind": "essay"}, "kind", "'concept', 'numerical' or 'synthesis'; found \"essay\""),
        ({k: v for k, v in QUESTION.items() if k != "criteria"}, "criteria", "is missing; add it"),
        ({k: v for k, v in QUESTION.items() if k != "id"}, "id", "is missing; add it"),
        (QUESTION | {"id": "a b"}, "id", "use only letters, digits"),
        (QUESTION | {"criteria": "c1"}, "criteria", "expected a list"),
        (QUESTION | {"criteria": ["c1"]}, "criteria.0", "expected named fields"),
        (QUESTION | {"figures": ["c1"]}, "figures.0", "expected named fields"),
        (QUESTION | {"title": None}, "title", "expected text; found nothing"),
        (QUESTION | {"topic": " "}, "topic", "is blank"),
        (QUESTION | {"topic": "a\u200bb"}, "topic", "unusable character U+200B"),
        (changed("criteria", 0, weight=7), "criteria.0.weight", "must be at most 3; found 7"),
        (changed("criteria", 0, weight="3"), "criteria.0.weight", 'expected a whole number; found "3"'),
        (changed("figures", 0, criterion_id="c9"), "figures.0.criterion_id", "there is no criterion 'c9'"),
        (changed("figures", 0, value=None), "figures.0", "needs either formula and inputs"),
        (changed("figures", 0, value=10**400), "figures.0.value", "neither infinite nor NaN"),
        (changed("figures", 0, unit=3), "figures.0.unit", "expected text; found 3"),
        (changed("figures", 0, accept=["s"]), "figures.0.accept.0", "s does not measure the same as B"),
        (QUESTION, "id", "the question 'q1' stands already in"),
    ],
)
def test_a_mistake_in_a_bank_is_told_with_line_and_field(
    path: Path, second: dict[str, Any], field: str, sentence: str
) -> None:
    ((line, found, message),) = told(lambda: JsonlBank(lines(path, QUESTION, second)))
    assert (line, found) == (2, field)
    assert sentence in message


BAD_LINES = [
    ("cut", '{"id": "q1", ', "is not JSON at column 14"),
    ("two objects", "{} {}", "write one whole object a line"),
    ("pretty printed", "{", "is not JSON"),
    ("list", "[1]", "expected an object"),
    ("text", '"q1"', "expected an object"),
    ("NaN", '{"overall": NaN}', "NaN is no number"),
    ("infinity", '{"overall": -Infinity}', "-Infinity is no number"),
    ("same key", '{"id": "a", "id": "b"}', "the key 'id' stands twice"),
    ("odd key", '{"\\ud800": 1}', "a key contains the unusable character U+D800"),
    ("deep", "[" * 100_000, "is nested too deep"),
    ("long number", '{"overall": ' + "9" * 5000 + "}", "Exceeds the limit"),
]


@pytest.mark.parametrize("read", [JsonlBank, read_answers])
@pytest.mark.parametrize(("text", "sentence"), [bad[1:] for bad in BAD_LINES], ids=[bad[0] for bad in BAD_LINES])
def test_a_line_that_is_no_object_is_told_by_its_number(path: Path, read: Any, text: str, sentence: str) -> None:
    good = QUESTION if read is JsonlBank else ANSWER
    ((line, field, message),) = told(lambda: read(lines(path, good, "", text)))
    assert (line, field) == (3, "")
    assert sentence in message


@pytest.mark.parametrize("read", [JsonlBank, read_answers])
@pytest.mark.parametrize(
    ("raw", "line", "sentence"),
    [
        (b"", None, "write one JSON object a line"),
        (b"\n\r\n", None, "write one JSON object a line"),
        ('{"a": "b"}'.encode("utf-16"), None, "saved as UTF-16"),
        (b'{}\n{"a": "\xff"}\n', 2, "is not UTF-8 here"),
    ],
)
def test_a_file_that_is_no_text_or_empty_is_told(
    path: Path, read: Any, raw: bytes, line: int | None, sentence: str
) -> None:
    path.write_bytes(raw)
    ((found, _, message),) = told(lambda: read(path))
    assert found == line
    assert sentence in message


@pytest.mark.parametrize("read", [JsonlBank, read_answers])
def test_a_file_that_is_missing_or_a_folder_is_told(tmp_path: Path, read: Any) -> None:
    assert told(lambda: read(tmp_path / "none.jsonl"))[0][2] == "there is no such file"
    assert told(lambda: read(tmp_path))[0][2] == "is not an ordinary file"


def test_a_file_that_may_not_be_read_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    lines(path, ANSWER)
    monkeypatch.setattr(Path, "open", refuse)
    assert told(lambda: read_answers(path))[0][2] == "cannot be read: Permission denied"


def test_a_huge_file_is_refused_before_it_is_parsed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tutor.adapters.bank_yaml.jsonlines.MAX_BYTES", 2_000_000)
    path.write_bytes(b"x" * 2_000_001)
    assert told(lambda: read_answers(path))[0][2] == "is larger than 2 MB; split it into several files"


def test_answers_are_read_in_the_files_order(path: Path) -> None:
    bare = {"question_id": "q1", "answer_id": "b", "answer": "", "extra": {"deep": [1]}}
    first, second = read_answers(lines(path, ANSWER, bare))
    assert (first.style, first.labels, first.overall) == ("a_excellent_typed", {"c1": 1.0}, 1.0)
    assert (second.answer, second.spoken, second.style, second.labels, second.overall) == ("", False, "", None, None)


def test_byte_order_mark_windows_lines_and_odd_separators_inside_texts_are_accepted(path: Path) -> None:
    odd = json.dumps(ANSWER | {"answer": "a\u2028b\x85c\x0cd"}, ensure_ascii=False)
    path.write_bytes(b"\xef\xbb\xbf" + odd.encode() + b"\r\n")
    assert read_answers(path)[0].answer == "a\u2028b\x85c\x0cd"


def test_a_megabyte_of_words_and_marks_arrives_unchanged(path: Path) -> None:
    words = "a" + "\u0301" * 100_000 + "\u202e\u200b" + "word " * 200_000
    assert read_answers(lines(path, ANSWER | {"answer": words}))[0].answer == words


@pytest.mark.parametrize(
    ("second", "field", "sentence"),
    [
        (ANSWER | {"answer": 3}, "answer", "expected text; found 3"),
        (ANSWER | {"answer": "a\x00b"}, "answer", "unusable character U+0000"),
        ({"question_id": "q1", "answer_id": "b"}, "answer", "is missing; add it"),
        ({"question_id": "q1", "answer": "b"}, "answer_id", "is missing; add it"),
        ({"answer_id": "q1", "answer": "b"}, "question_id", "is missing; add it"),
        (ANSWER | {"answer_id": "b", "spoken": "no"}, "spoken", 'expected true or false; found "no"'),
        (ANSWER | {"answer_id": "b", "labels": {"c1": 0.7}}, "labels.c1", "a label is 1, 0.5, 0 or -1"),
        (ANSWER | {"answer_id": "b", "labels": {"c1": "1"}}, "labels.c1", 'expected a number; found "1"'),
        (ANSWER | {"answer_id": "b", "labels": [1]}, "labels", "expected named fields; found a list"),
        (ANSWER | {"answer_id": "b", "overall": 1.5}, "overall", "must be at most 1.0; found 1.5"),
        (ANSWER, "answer_id", "the answer 'q1_a' to 'q1' stands already in line 1"),
    ],
)
def test_a_mistake_in_an_answer_is_told_with_line_and_field(
    path: Path, second: dict[str, Any], field: str, sentence: str
) -> None:
    ((line, found, message),) = told(lambda: read_answers(lines(path, ANSWER, second)))
    assert (line, found) == (2, field)
    assert sentence in message


def test_half_of_a_surrogate_pair_is_told(path: Path) -> None:
    ((line, field, message),) = told(lambda: read_answers(lines(path, ANSWER | {"answer": "x \ud83d"})))
    assert (line, field) == (1, "answer")
    assert "U+D83D" in message


def test_a_pit_of_lists_in_a_known_field_is_told(path: Path) -> None:
    pit = json.dumps(ANSWER).replace('{"c1": 1}', "[" * 200 + "]" * 200)
    assert told(lambda: read_answers(lines(path, pit))) == [(1, "labels", "nested more than 20 deep")]


def test_the_same_answer_id_may_stand_under_two_questions(path: Path) -> None:
    assert len(read_answers(lines(path, ANSWER, ANSWER | {"question_id": "q2"}))) == 2


def test_labels_are_not_even_looked_at_when_nobody_wants_them(path: Path) -> None:
    (answer,) = read_answers(lines(path, ANSWER | {"labels": "broken", "overall": "broken"}), with_labels=False)
    assert (answer.labels, answer.overall) == (None, None)


@pytest.mark.parametrize("read", [JsonlBank, read_answers])
def test_a_file_of_something_else_is_given_up_after_fifty_mistakes(path: Path, read: Any) -> None:
    assert 50 <= len(told(lambda: read(lines(path, *["nonsense"] * 500)))) < 60


def test_the_labelled_set_is_read_whole(devset_dir: Path) -> None:
    bank, answers = JsonlBank(devset_dir / "bank.jsonl"), read_answers(devset_dir / "answers.jsonl")
    rubrics = {question.id: bank.rubric(question.id) for question in bank.questions()}
    assert (len(rubrics), sum(len(r.criteria) for r in rubrics.values())) == (20, 123)
    assert sum(len(r.figures) for r in rubrics.values()) == 23
    assert (len(answers), sum(len(a.labels or {}) for a in answers)) == (160, 984)
    for answer in answers:
        assert set(answer.labels or {}) == {c.id for c in rubrics[answer.question_id].criteria}


# The labelled reference shares eight words in a row with the page it was learnt from.
TOLD_ANEW = {"q08"}


def test_our_own_files_say_what_the_labelled_set_was_labelled_by(devset_dir: Path) -> None:
    ours, theirs = shipped_bank(), JsonlBank(devset_dir / "bank.jsonl")
    labelled = {question.id: question for question in theirs.questions()}
    for question in ours.questions():
        if question.id not in labelled:
            continue
        told_by = labelled[question.id]
        assert (question.question, question.kind) == (told_by.question, told_by.kind)
        if question.id not in TOLD_ANEW:
            assert question.reference_answer == told_by.reference_answer
        mine, other = ours.rubric(question.id), theirs.rubric(question.id)
        assert [(c.id, c.text, c.weight) for c in mine.criteria] == [(c.id, c.text, c.weight) for c in other.criteria]
        for figure, measured in zip(mine.figures, other.figures, strict=True):
            assert (figure.criterion_id, figure.unit, figure.rel_tol) == (
                measured.criterion_id,
                measured.unit,
                measured.rel_tol,
            )
            assert figure_value(figure) == pytest.approx(figure_value(measured), rel=0.001)
