"""The library page without a browser: what is shown, saved, refused, previewed; and its words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes import FakeOwnBank
from tests.test_library import KV, MINE, Q2, Grading, JsonForm, edited, entry
from tutor import view
from tutor.errors import BankError
from tutor.library import FIELDS, Draft, Library, Note
from tutor.ports import Entry
from tutor.values import MisconceptionFinding
from tutor.view.library import note_list, place_name, question_head, question_list
from tutor.web.library_layout import Widgets, draft_of
from tutor.web.library_page import lint, opened, preview, remove, save

HOSTILE = "<img src=x onerror=alert(1)>"
BUTTONS = ("save", "reviewed", "delete", "sure", "keep", "preview")
# The widgets stand for themselves.
W = Widgets(
    *("seen", "listing", "editor", "head"),
    {name: name for name in FIELDS},
    *("rubric", "notes", "drawn", "answer", "grade"),
    {name: f"{name} button" for name in BUTTONS},
    "outcome",
)


@pytest.fixture
def own() -> FakeOwnBank:
    return FakeOwnBank(MINE)


@pytest.fixture
def grading() -> Grading:
    return Grading()


@pytest.fixture
def library(own: FakeOwnBank, grading: Grading) -> Library:
    return Library((KV, Q2), own, JsonForm(), grading)


def plain(markup: object) -> str:
    """Our escapes as the characters they stand for."""
    text = str(markup)
    for sign in ":.,?'":
        text = text.replace(f"&#{ord(sign)};", sign)
    return text


def test_the_address_names_a_question_a_filter_or_nothing(library: Library) -> None:
    page = opened(library, W, {"q": "kv"})
    assert (page["seen"], page["topic"], page["listing"]) == (KV, KV.question.topic, "")
    assert page["editor"].visible
    assert "no such question" in opened(library, W, {"q": "<b>"})["listing"]
    everything = opened(library, W, {})["listing"]
    assert everything.count("<details><summary>") == 3
    drafts = plain(opened(library, W, {"drafts": "1", "words": "  mine \n"})["listing"])
    assert "1 question found." in drafts
    assert drafts.count("<details open>") == 1
    assert 'value="mine"' in drafts
    assert "No question is like that." in plain(opened(library, W, {"words": "unheard"})["listing"])


def test_buttons_are_those_that_can_be_used(library: Library) -> None:
    def visible(name: str, *, named: bool = False) -> set[str]:
        shelf = Library((KV, MINE), None, JsonForm(), Grading()) if named else library
        page = opened(shelf, W, {"q": name})
        return {b for b in BUTTONS if (button := page.get(f"{b} button")) and button.visible}

    assert visible("kv") == {"save"}
    assert visible("my-1") == {"save", "reviewed", "delete"}
    assert visible("my-1", named=True) == set()


def test_a_saved_edit_is_what_the_tab_has_seen_from_then_on(library: Library, own: FakeOwnBank) -> None:
    page = save(library, W, edited(library, MINE, title="One"), MINE, reviewed=False)
    assert page["seen"] in own.entries()
    assert "rubric" not in page, "the words stay as they were typed"
    again = save(library, W, edited(library, MINE, title="Two"), page["seen"], reviewed=True)
    assert "marked as reviewed" in again["outcome"]
    assert not again["reviewed button"].visible


def test_mistakes_stand_below_and_a_page_that_is_not_known_is_refused(library: Library, own: FakeOwnBank) -> None:
    page = save(library, W, Draft({"kind": "riddle"}, "{"), MINE, reviewed=False)
    assert "2 mistakes need another look" in page["outcome"]
    assert page["notes"].count("Mistake") == 2
    assert "one mistake needs" in save(library, W, Draft({}, "{"), MINE, reviewed=False)["outcome"]
    for unknown in (lambda: save(library, W, Draft({}, ""), None, reviewed=False), lambda: remove(library, W, None)):
        with pytest.raises(BankError, match="reload the page"):
            unknown()
    assert own.entries() == (MINE,)


def test_a_deleted_question_leaves_the_way_back_and_an_original_is_opened(library: Library) -> None:
    page = remove(library, W, MINE)
    assert not page["editor"].visible
    assert "Deleted" in page["listing"]
    assert page["seen"] is None
    copy = save(library, W, edited(library, KV, title="Mine"), KV, reviewed=False)["seen"]
    page = remove(library, W, copy)
    assert (page["seen"], page["title"]) == (KV, KV.question.title)
    assert "comes with the program" in page["outcome"]


def test_lint_is_silent_before_a_question_is_open(library: Library) -> None:
    assert lint(library, W, library.opened(KV), None) == {"notes": "", "drawn": ""}
    assert "Nothing to remark" in lint(library, W, library.opened(KV), KV)["notes"]
    assert "Mistake" in lint(library, W, Draft({}, "{"), KV)["notes"]


def test_a_draft_says_which_words_each_criterion_was_drawn_from(library: Library) -> None:
    assert lint(library, W, library.opened(KV), KV)["drawn"] == "", "reviewed"
    told = plain(lint(library, W, edited(library, MINE, reference_answer=f"So {_first(MINE)}!"), MINE)["drawn"])
    assert f"<q>{_first(MINE)}</q>" in told
    told = plain(lint(library, W, edited(library, MINE, reference_answer="Something else."), MINE)["drawn"])
    assert "<q>" not in told
    assert "not word for word" in told


def _first(entry: Entry) -> str:
    return entry.rubric.criteria[0].text.rstrip(".")


def test_a_preview_is_a_grade_or_a_sentence(library: Library, grading: Grading) -> None:
    first, last = preview(library, library.opened(KV), "", KV)
    assert "Grading" in first
    assert last.count("made") >= len(KV.rubric.criteria)
    *_, last = preview(library, Draft({}, "{"), "", KV)
    assert "mend the mistakes first" in last
    grading.fails = True
    *_, last = preview(library, library.opened(KV), "", KV)
    assert "No grade: The model server does not answer." in plain(last)


def test_whatever_the_browser_sends_is_text_and_what_it_does_not_tell_stays() -> None:
    draft = draft_of((["x"], *[None] * (len(FIELDS) - 1), 3))
    assert draft.rubric == "['x']"
    assert draft.texts == {"target_s": "3"}
    assert draft_of((None, *["a"] * len(FIELDS))).texts.keys() == set(FIELDS)


def test_places_read_as_words() -> None:
    assert place_name(Note("rubric", "", 3, "", True)) == "Rubric, line 3:"
    assert place_name(Note("rubric", "figures.1.rel_tol", None, "", False)) == "Rubric, figure 2, rel_tol:"
    assert (
        place_name(Note("rubric", "figures.0.inputs.layers", 9, "", True))
        == "Rubric, line 9, figure 1, inputs, layers:"
    )
    assert place_name(Note("question", "", None, "", True)) == "Question:"


def test_everything_shown_is_escaped(library: Library, own: FakeOwnBank, grading: Grading) -> None:
    own.wrong = (BankError(HOSTILE, HOSTILE),)
    bad = entry("bad", status="draft", **dict.fromkeys(("question", "title", "topic", "section"), HOSTILE))
    own.put("mine", [bad])
    notes = [Note("rubric", HOSTILE, 1, HOSTILE, True), Note("question", HOSTILE, None, HOSTILE, False)]
    grade, rubric = library.preview(library.opened(bad), bad, HOSTILE + " more words than that")
    found = MisconceptionFinding(id="m1", quote=HOSTILE, start=0, end=1)
    grade = grade.model_copy(update={"misconceptions": (found,), "gate": HOSTILE})
    parts = (
        question_list(library.sets(), HOSTILE, True, library.left_out()),
        question_list(library.sets(), "", False, library.left_out()),
        question_head(library.found("bad"), can_edit=True),
        question_head(library.found("bad"), can_edit=False),
        note_list(notes),
        view.preview_card(grade, rubric),
    )
    assert not [part for part in parts if "<img" in part]
    assert "Misconceptions heard" in parts[-1]
    assert "left out" in parts[0]


def test_remarks_in_the_rubric_lead_to_their_line(library: Library) -> None:
    draft = replace(library.opened(KV), rubric="{")
    assert 'data-line="1"' in note_list(library.remarks(draft, KV))
