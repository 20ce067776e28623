"""The library page: all sets, and one question in an editor with live lint and a preview grade."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import gradio as gr

from tutor import view
from tutor.errors import BankError, EngineError
from tutor.library import Draft, Library, Listed
from tutor.ports import Entry
from tutor.view import library as shown
from tutor.web.library_layout import Widgets, draft_of, lay_out
from tutor.web.trouble import in_words

SAVED = "Saved."
REVIEWED = "Saved and marked as reviewed."
DELETED = "Deleted."
RESTORED = "Your copy is deleted; this is the question that comes with the program."
UNKNOWN = "what this page showed is no longer known. Copy what you want to keep, then reload the page"
_ADVICE = "Copy what you want to keep, then reload the page."

Updates = dict[Any, Any]
T = TypeVar("T")


def library_page(library: Library) -> None:
    """Lay out the page inside the route that is open; nothing of it is offered as an API."""
    _connect(lay_out(), library)


def opened(library: Library, widgets: Widgets, query: Mapping[str, str]) -> Updates:
    """The question that the address names in the editor, or all sets.

    Args:
        library: The verbs.
        widgets: What changes on the page.
        query: Of the address: `q` an id, else `words` and `drafts` as the filter.
    """
    if wanted := query.get("q"):
        listed = library.found(wanted)
        return {widgets.listing: str(shown.missing_question())} if listed is None else edit(library, widgets, listed)
    words = " ".join(query.get("words", "").split())[:200]
    rows = shown.question_list(library.sets(), words, "drafts" in query, library.left_out())
    return {widgets.listing: str(rows)}


def edit(library: Library, widgets: Widgets, listed: Listed, note: str = "") -> Updates:
    """A question as it is stored in the editor, and what the lint says of it."""
    draft = library.opened(listed.entry)
    return {
        widgets.seen: listed.entry,
        widgets.listing: "",
        widgets.editor: gr.Column(visible=True),
        widgets.rubric: draft.rubric,
        **lint(library, widgets, draft, listed.entry),
        **{widgets.fields[name]: text for name, text in draft.texts.items()},
        **_told(library, widgets, listed, note),
    }


def lint(library: Library, widgets: Widgets, draft: Draft, seen: Entry | None) -> Updates:
    """What is to be said of an unsaved edit, and where a draft's criteria come from; nothing before one is open."""
    if seen is None:
        return {widgets.notes: "", widgets.drawn: ""}
    notes, drawn = library.remarks(draft, seen), library.drawn(draft, seen)
    return {widgets.notes: str(shown.note_list(notes)), widgets.drawn: str(shown.drawn_list(drawn))}


def save(library: Library, widgets: Widgets, draft: Draft, seen: Entry | None, *, reviewed: bool) -> Updates:
    """Store an edit; with mistakes nothing is stored, and they stand below the rubric."""
    entry = _known(seen)
    notes = library.remarks(draft, entry)
    n = sum(note.is_mistake for note in notes)
    changed = lint(library, widgets, draft, entry)
    if n:
        why = f"Nothing was saved: {'one mistake needs' if n == 1 else f'{n} mistakes need'} another look."
        return changed | {widgets.outcome: _outcome(why, "mistake")}
    stored = library.save(draft, entry, reviewed=reviewed)
    listed = library.found(stored.question.id)
    told = _told(library, widgets, listed, REVIEWED if reviewed else SAVED) if listed else {}
    # The words stay as they were typed: who goes on typing while it is saved loses nothing.
    return {widgets.seen: stored} | lint(library, widgets, draft, stored) | told


def remove(library: Library, widgets: Widgets, seen: Entry | None) -> Updates:
    """Delete an own question; the original of an edited one is in the editor again."""
    original = library.remove(_known(seen))
    if original:
        return edit(library, widgets, original, RESTORED)
    gone = view.markup('{missing}<p class="done" role="status">{done}</p>', missing=shown.back_link(), done=DELETED)
    return {widgets.seen: None, widgets.listing: str(gone), widgets.editor: gr.Column(visible=False)}


def preview(library: Library, draft: Draft, answer: str, seen: Entry | None) -> Iterator[str]:
    """A grade of the answer under the unsaved edit, or the sentence why there is none."""
    yield _outcome("Grading. On a small machine this takes up to a minute.", "quiet")
    try:
        grade, rubric = library.preview(draft, _known(seen), answer)
        yield str(view.preview_card(grade, rubric))
    except EngineError as error:
        yield _outcome(f"No grade: {error}", "mistake")
    except BankError:
        yield _outcome("No grade: mend the mistakes first.", "mistake")


def _told(library: Library, widgets: Widgets, listed: Listed, note: str) -> Updates:
    """Head and buttons of a question as it is stored."""
    b, can_edit = widgets.buttons, library.can_edit
    return {
        widgets.head: str(shown.question_head(listed, can_edit=can_edit)),
        widgets.outcome: _outcome(note, "done") if note else "",
        b["save"]: gr.Button(visible=can_edit),
        b["reviewed"]: gr.Button(visible=can_edit and listed.is_draft),
        b["delete"]: gr.Button(
            value="Back to the original" if listed.origin == "edited" else "Delete",
            visible=can_edit and listed.origin != "shipped",
        ),
        b["sure"]: gr.Button(visible=False),
        b["keep"]: gr.Button(visible=False),
    }


def _known(seen: Entry | None) -> Entry:
    if seen is None:
        raise BankError("library", UNKNOWN)
    return seen


def _outcome(sentence: str, style: str) -> str:
    return str(view.markup('<p class="{style}">{sentence}</p>', style=style, sentence=sentence))


def _connect(w: Widgets, library: Library) -> None:
    b = w.buttons
    private: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
    # One at a time: between looking for what another tab saved and saving there is room for nobody else.
    writing = {**private, "outputs": w.all(), "concurrency_limit": 1, "concurrency_id": "library"}
    typed = [w.seen, w.rubric, *w.fields.values()]

    def arrived(request: gr.Request) -> Updates:
        query = {key: str(value) for key, value in dict(request.query_params).items()}
        return _safely(lambda: opened(library, w, query), lambda why: {w.listing: _outcome(why, "refused")})

    def saved(seen: Entry | None, *said: object) -> Updates:
        return _safely(lambda: save(library, w, draft_of(said), seen, reviewed=False), at_buttons)

    def reviewed(seen: Entry | None, *said: object) -> Updates:
        return _safely(lambda: save(library, w, draft_of(said), seen, reviewed=True), at_buttons)

    def removed(seen: Entry | None) -> Updates:
        return _safely(lambda: remove(library, w, seen), at_buttons)

    def linted(seen: Entry | None, *said: object) -> Updates:
        return _safely(lambda: lint(library, w, draft_of(said), seen), lambda why: {w.notes: _outcome(why, "mistake")})

    def at_buttons(sentence: str) -> Updates:
        return {w.outcome: _outcome(sentence, "mistake")}

    # Without triggers it runs when the page opens.
    gr.on(None, arrived, None, w.all(), **private)
    changes = [box.change for box in (w.rubric, *w.fields.values())]
    # While one lint runs, only the newest words wait for the next.
    gr.on(changes, linted, typed, [w.notes, w.drawn], trigger_mode="always_last", **private)
    b["save"].click(saved, typed, **writing)
    b["reviewed"].click(reviewed, typed, **writing)
    b["sure"].click(removed, [w.seen], **writing)
    b["preview"].click(_trying(library), [w.answer, *typed], [w.grade], **private)
    asked = [b[name] for name in ("delete", "sure", "keep")]
    b["delete"].click(lambda: _asking(True), None, asked, **private)
    b["keep"].click(lambda: _asking(False), None, asked, **private)


def _trying(library: Library) -> Callable[..., Iterator[str]]:
    def tried(answer: object, seen: Entry | None, *said: object) -> Iterator[str]:
        try:
            yield from preview(library, draft_of(said), str(answer or ""), seen)
        except Exception as error:  # noqa: BLE001 - the boundary: whatever it is, the person gets a sentence
            yield _outcome(in_words(error, _ADVICE), "mistake")

    return tried


def _safely(move: Callable[[], T], otherwise: Callable[[str], T]) -> T:
    try:
        return move()
    except Exception as error:  # noqa: BLE001 - the boundary: whatever it is, the person gets a sentence
        return otherwise(in_words(error, _ADVICE))


def _asking(is_asked: bool) -> list[gr.Button]:
    return [gr.Button(visible=visible) for visible in (not is_asked, is_asked, is_asked)]
