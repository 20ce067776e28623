"""The practice page in Gradio: each event is one move, whose frames become values of the widgets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr
from gradio.components import Component
from markupsafe import Markup

from tutor import view
from tutor.web.frame import (
    ALL_BUTTONS,
    BUTTONS,
    CHECKING_STAGES,
    MAX_DRAFTS,
    QUIET_STAGES,
    SPEAKING_STAGES,
    WRITING_STAGES,
    Frame,
    Seat,
    Stage,
    read_drafts,
)
from tutor.web.layout import BOX_CHARACTERS, Widgets, lay_out
from tutor.web.moves import Moves
from tutor.web.trouble import in_words

_KEEP_DRAFT = f"""(text, seat, drafts) => {{
  const {{[seat?.question_id || ""]: before, ...others}} = drafts || {{}};
  const kept = Object.entries(others).slice(-{MAX_DRAFTS - 1});
  if (text && seat?.question_id) kept.push([seat.question_id, text]);
  return Object.fromEntries(kept.map(([id, words]) => [id, words.slice(0, {BOX_CHARACTERS})]));
}}"""
_WRITE_HINT = "Answer as you would out loud. Ctrl+Enter grades, Enter starts a new line."
_CHECK_HINT = "Correct what was misheard. Ctrl+Enter grades, Enter starts a new line."

Updates = dict[Component, Any]


def practice_page(page: gr.Blocks, moves: Moves) -> None:
    """Lay out the practice page inside the Blocks that are open; nothing of it is offered as an API."""
    widgets = lay_out()
    _connect(page, widgets, moves)


def updates(widgets: Widgets, frame: Frame | None) -> Updates:
    """A frame as new values of the widgets; parts that stay are left out."""
    if frame is None:
        return {widgets.said: gr.skip()}
    changed: Updates = {
        widgets.thread: [{"role": role, "content": str(content)} for role, content in frame.thread],
        widgets.recorder: _html(frame.recorder),
        widgets.take: _html(frame.take),
        widgets.note: _html(frame.note),
        widgets.banner: _html(frame.banner),
        widgets.said: frame.said and str(view.safe(frame.said)),
        widgets.answer: _box(frame),
        # Empty again: what came in by it is kept elsewhere before the next frame.
        widgets.microphone: gr.Audio(value=None, visible=frame.stage in SPEAKING_STAGES),
    }
    if frame.seat is not None:
        changed[widgets.seat] = vars(frame.seat)
    if frame.drafts is not None:
        changed[widgets.drafts] = dict(frame.drafts)
    if frame.past is not None:
        changed[widgets.past] = str(frame.past)
    return changed | _buttons(widgets, frame.stage)


def _html(markup: Markup) -> gr.HTML:
    return gr.HTML(value=str(markup), visible=bool(markup))


def _box(frame: Frame) -> gr.Textbox:
    hint = _CHECK_HINT if frame.stage in CHECKING_STAGES else _WRITE_HINT
    shown: dict[str, Any] = {"visible": frame.stage in WRITING_STAGES, "info": hint}
    return gr.Textbox(**shown) if frame.draft is None else gr.Textbox(value=frame.draft, **shown)


def _buttons(widgets: Widgets, stage: Stage) -> Updates:
    words = BUTTONS[stage]
    primary = None if stage in QUIET_STAGES else next(iter(words), None)
    return {
        widgets.buttons[button]: gr.Button(
            value=words.get(button, ""),
            visible=button in words,
            variant="primary" if button in (primary, "stop") else "secondary",
        )
        for button in ALL_BUTTONS
    }


Move = Callable[..., Iterator[Frame | None]]
# What the browser sends with a click, in this order: any part of it may be anything.
_READERS: tuple[Callable[[object], Any], ...] = (Seat.read, read_drafts, lambda text: str(text or ""))


def _connect(page: gr.Blocks, widgets: Widgets, moves: Moves) -> None:
    w = widgets
    shown: dict[str, Any] = {"outputs": w.all(), "api_visibility": "private", "show_progress": "hidden"}
    place, words = [w.seat, w.drafts], [w.seat, w.drafts, w.answer]

    def opened(seat: object, drafts: object, request: gr.Request) -> Iterator[Updates]:
        query = {key: str(value) for key, value in dict(request.query_params).items()}
        yield from _shown(w, lambda: moves.open(Seat.read(seat), read_drafts(drafts), query))

    kept = _move(w, moves.spoken.keep)

    def recorded(seat: object, drafts: object, source: object) -> Iterator[Updates]:
        # A microphone that was cleared says so as well, and has nothing to keep.
        yield from kept(seat, drafts, source) if source else (updates(w, None),)

    watching: list[Any] = [page.load(opened, place, **shown)]
    for button, move, inputs in (
        ("grade", moves.grade, words),
        ("insist", moves.insist, words),
        ("retry", moves.retry, [w.seat]),
        ("again", moves.again, place),
        ("next", moves.next, place),
        ("type", moves.write, place),
        ("speak", moves.spoken.speak, [w.seat]),
        ("redo", moves.spoken.redo, [w.seat]),
        ("back", moves.spoken.back, place),
        ("hear", moves.spoken.hear, place),
    ):
        watching.append(w.buttons[button].click(_move(w, move), inputs, **shown))
    # Who watches a grading would otherwise show its end once more, over what the person does next.
    w.buttons["cancel"].click(_move(w, moves.cancel), [w.seat], cancels=watching, **shown)
    # Always, also while the last recording's move still waits to clean up: Gradio would drop this one without a word.
    shown["trigger_mode"] = "multiple"
    w.microphone.stop_recording(recorded, [*place, w.microphone], **shown)
    w.upload.upload(recorded, [*place, w.upload], **shown)
    # Not `input`, which a paste does not set off. Every frame that sets the words sets the seat with them.
    w.answer.change(None, [w.answer, w.seat, w.drafts], [w.drafts], js=_KEEP_DRAFT, api_visibility="private")


def _move(widgets: Widgets, move: Move) -> Callable[..., Iterator[Updates]]:
    """A move as Gradio calls it: with the claims of the browser, which become a seat, drafts and text."""

    def moved(*claims: object) -> Iterator[Updates]:
        read = [reader(claim) for reader, claim in zip(_READERS, claims, strict=False)]
        yield from _shown(widgets, lambda: move(*read))

    return moved


def _shown(widgets: Widgets, move: Callable[[], Iterator[Frame | None]]) -> Iterator[Updates]:
    """The frames of a move as widget values; an error becomes a sentence, never a lost page."""
    try:
        for frame in move():
            yield updates(widgets, frame)
    except Exception as error:  # noqa: BLE001 - the boundary: whatever it is, the person gets a sentence
        # Nobody knows here what was stored, so nothing is said to be.
        yield _trouble(widgets, in_words(error, "Copy words you have not sent yet, then reload the page."))


def _trouble(widgets: Widgets, sentence: str) -> Updates:
    note = view.markup('<p class="refused">{sentence}</p>', sentence=sentence)
    return {widgets.note: gr.HTML(value=str(note), visible=True), widgets.said: str(view.safe(sentence))}
