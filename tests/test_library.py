"""The library: sets, remarks on an unsaved edit, saving, removing, and a preview that stores nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from tests.fakes import FakeOwnBank
from tests.grades import graded
from tests.lint.rubrics import QUESTION, RUBRIC
from tutor.errors import AnswerRefused, BankError, BankErrors, EngineDown
from tutor.library import MAX_CHARACTERS, Draft, Library, Reading
from tutor.ports import Entry
from tutor.values import Grade, Question, Rubric, Verdict


class JsonForm:
    """Rubrics as JSON, whose every field stands in line 1."""

    def question(self, tree: Mapping[str, Any]) -> tuple[Question | None, tuple[BankError, ...]]:
        try:
            return Question.model_validate(tree), ()
        except ValidationError as trouble:
            fields = [str(detail["loc"][0]) for detail in trouble.errors()]
            return None, tuple(BankError("question", "is wrong", field=name) for name in fields)

    def rubric(self, text: str, question_id: str) -> Reading:
        try:
            rubric = Rubric.model_validate_json(text)
        except ValidationError:
            return Reading(None, (BankError("rubric", "is no rubric", line=1),))
        return Reading(rubric, (), {"criteria": 1, "status": 1})

    def rubric_text(self, rubric: Rubric) -> str:
        if rubric.status == "reviewed" and not rubric.hints:
            raise BankError("rubric", "a reviewed rubric has three hints", field="hints")
        return rubric.model_dump_json()


class Grading:
    """Meets every criterion, or fails; what it was asked is kept."""

    def __init__(self) -> None:
        self.asked: list[tuple[Question, Rubric, str]] = []
        self.fails = False

    def __call__(self, question: Question, rubric: Rubric, text: str) -> Grade:
        self.asked.append((question, rubric, text))
        if self.fails:
            raise EngineDown("The model server does not answer.")
        return graded(question.id, "preview", [Verdict.MET] * len(rubric.criteria), quote=text)


def entry(name: str, set_name: str = "basics", status: str = "reviewed", **changed: Any) -> Entry:
    question = Question.model_validate(QUESTION | {"id": name} | changed)
    return Entry(set_name, question, Rubric.model_validate(RUBRIC | {"question_id": name, "status": status}))


KV, Q2, MINE = entry("kv"), entry("q2", set_name="serving"), entry("my-1", "mine", "draft")


@pytest.fixture
def own() -> FakeOwnBank:
    return FakeOwnBank(MINE)


@pytest.fixture
def grading() -> Grading:
    return Grading()


@pytest.fixture
def library(own: FakeOwnBank, grading: Grading) -> Library:
    return Library((KV, Q2), own, JsonForm(), grading)


def edited(library: Library, seen: Entry, **texts: str) -> Draft:
    draft = library.opened(seen)
    return replace(draft, texts={**draft.texts, **texts})


def test_sets_tell_whose_each_question_is_and_what_is_to_be_reviewed(library: Library, own: FakeOwnBank) -> None:
    own.put("basics", [entry("kv", topic="Edited")])
    sets = library.sets()
    assert [(s.name, [q.entry.question.id for q in s.questions]) for s in sets] == [
        ("basics", ["kv"]),
        ("serving", ["q2"]),
        ("mine", ["my-1"]),
    ]
    assert [s.questions[0].origin for s in sets] == ["edited", "shipped", "own"]
    assert [s.questions[0].is_draft for s in sets] == [False, False, True]
    assert sets[0].questions[0].entry.question.topic == "Edited"


def test_remarks_are_counted_anew_when_a_question_changes(library: Library, own: FakeOwnBank) -> None:
    assert library.found("my-1").n_remarks == 0
    rubric = Rubric.model_validate(RUBRIC | {"question_id": "my-1", "misconceptions": [], "terms": []})
    own.put("mine", [Entry("mine", MINE.question, rubric)])
    assert library.found("my-1").n_remarks == library.found("my-1").n_remarks >= 2


def test_an_unknown_question_is_none_and_what_cannot_be_read_is_told(library: Library, own: FakeOwnBank) -> None:
    own.wrong = (BankError("mine.yaml", "is not YAML", line=2),)
    assert library.found("nobody") is None
    assert library.left_out() == own.wrong


def test_an_edit_opens_with_what_is_stored_and_without_a_status(library: Library) -> None:
    draft = library.opened(KV)
    assert draft.texts["kind"] == "numerical"
    assert draft.texts["difficulty"] == "3"
    assert Rubric.model_validate_json(draft.rubric).status == "draft"
    assert library.remarks(draft, KV) == ()


def test_mistakes_name_part_field_and_line_and_come_before_warnings(library: Library) -> None:
    wrong = Draft({"kind": "riddle", "question": " ", "target_s": "soon"}, "{")
    notes = library.remarks(wrong, KV)
    assert {(n.part, n.field, n.line) for n in notes} == {
        ("question", "kind", None),
        ("question", "question", None),
        ("question", "target_s", None),
        ("rubric", "", 1),
    }
    assert all(note.is_mistake for note in notes)


def test_warnings_have_the_line_of_the_nearest_part(library: Library) -> None:
    compound = RUBRIC["criteria"][0] | {"text": "A step is slow, and its weights are read once."}
    rubric = Rubric.model_validate(RUBRIC | {"criteria": [compound, *RUBRIC["criteria"][1:]], "terms": []})
    notes = library.remarks(Draft({}, rubric.model_copy(update={"status": "draft"}).model_dump_json()), KV)
    assert not any(note.is_mistake for note in notes)
    lines = {note.field: note.line for note in notes}
    assert lines["criteria.0.text"] == 1
    assert lines["terms"] is None


def test_the_status_is_no_text_to_type(library: Library) -> None:
    (note,) = library.remarks(Draft({}, KV.rubric.model_dump_json()), KV)
    assert (note.field, note.line, note.is_mistake) == ("status", 1, True)
    assert "Mark as reviewed" in note.message


def test_a_saved_edit_of_a_shipped_question_is_an_own_copy_in_its_set(library: Library, own: FakeOwnBank) -> None:
    saved = library.save(edited(library, Q2, topic=" Serving ", title="", target_s="90"), Q2)
    assert saved in own.entries()
    assert (saved.set_name, saved.question.topic, saved.question.target_s) == ("serving", "Serving", 90)
    assert saved.rubric.status == "reviewed"
    assert library.found("q2").origin == "edited"


def test_what_cannot_be_edited_stays(own: FakeOwnBank) -> None:
    more = {"prerequisites": ("q2",), "alternatives": ("Another answer.",), "chapter": "5"}
    seen = entry("kv", **more)
    library = Library((seen, Q2), own, JsonForm(), Grading())
    saved = library.save(edited(library, seen, chapter="", reference_answer="One.\r\nTwo."), seen).question
    assert (saved.prerequisites, saved.alternatives) == (("q2",), ("Another answer.",))
    assert (saved.chapter, saved.reference_answer) == ("", "One.\nTwo.")


def test_a_draft_stays_one_until_somebody_says_that_it_is_reviewed(library: Library) -> None:
    saved = library.save(edited(library, MINE, title="New"), MINE)
    assert saved.rubric.status == "draft"
    assert library.save(library.opened(saved), saved, reviewed=True).rubric.status == "reviewed"
    assert not library.found("my-1").is_draft


def test_more_is_asked_of_a_reviewed_rubric(library: Library, own: FakeOwnBank) -> None:
    rubric = MINE.rubric.model_copy(update={"hints": ()}).model_dump_json()
    draft = replace(library.opened(MINE), rubric=rubric)
    with pytest.raises(BankError, match="three hints"):
        library.save(draft, MINE, reviewed=True)
    assert own.entries() == (MINE,)
    library.save(draft, MINE)


def test_an_edit_with_mistakes_is_not_stored(library: Library, own: FakeOwnBank) -> None:
    with pytest.raises(BankErrors):
        library.save(Draft({"kind": "riddle"}, "{"), MINE)
    with pytest.raises(BankError, match="no rubric"):
        library.save(Draft({}, "{"), MINE)
    assert own.entries() == (MINE,)


def test_an_edit_that_was_overtaken_is_refused(library: Library, own: FakeOwnBank) -> None:
    saved = library.save(edited(library, MINE, title="First"), MINE)
    for late in (lambda: library.save(edited(library, MINE, title="Second"), MINE), lambda: library.remove(MINE)):
        with pytest.raises(BankError, match="changed elsewhere meanwhile"):
            late()
    assert own.entries() == (saved,)
    own.remove("my-1")
    with pytest.raises(BankError, match="changed elsewhere meanwhile"):
        library.save(library.opened(saved), saved)


def test_a_removed_question_is_gone_and_a_removed_edit_gives_the_original_back(library: Library) -> None:
    assert library.remove(MINE) is None
    assert library.found("my-1") is None
    saved = library.save(edited(library, KV, title="Edited"), KV)
    back = library.remove(saved)
    assert (back.entry, back.origin) == (KV, "shipped")
    with pytest.raises(BankError, match="cannot be deleted"):
        library.remove(KV)


def test_a_named_bank_is_read_and_not_edited(grading: Grading) -> None:
    library = Library((KV,), None, JsonForm(), grading)
    assert not library.can_edit
    assert library.left_out() == ()
    assert library.found("kv").origin == "shipped"
    for change in (lambda: library.save(library.opened(KV), KV), lambda: library.remove(KV)):
        with pytest.raises(BankError, match="edit its files"):
            change()


def test_a_preview_grades_the_unsaved_edit_and_stores_nothing(
    library: Library, own: FakeOwnBank, grading: Grading
) -> None:
    draft = edited(library, KV, reference_answer="It waits for memory.")
    grade, rubric = library.preview(draft, KV)
    assert grading.asked == [(grading.asked[0][0], rubric, "It waits for memory.")]
    assert len(grade.criteria) == len(rubric.criteria)
    library.preview(draft, KV, " My own words. ")
    assert grading.asked[-1][2] == "My own words."
    assert own.entries() == (MINE,)


def test_there_is_no_preview_of_mistakes_of_too_much_text_or_without_a_model(
    library: Library, grading: Grading
) -> None:
    with pytest.raises(BankError, match="no rubric"):
        library.preview(Draft({}, "{"), KV)
    with pytest.raises(AnswerRefused, match="Shorten it"):
        library.preview(library.opened(KV), KV, "w" * (MAX_CHARACTERS + 1))
    assert grading.asked == []
    grading.fails = True
    with pytest.raises(EngineDown):
        library.preview(library.opened(KV), KV)


def test_a_form_that_says_nothing_is_a_bug(grading: Grading) -> None:
    class Silent(JsonForm):
        def rubric(self, text: str, question_id: str) -> Reading:
            return Reading(None)

    library = Library((KV,), FakeOwnBank(), Silent(), grading)
    with pytest.raises(ValueError, match="must say why"):
        library.save(library.opened(KV), KV)
