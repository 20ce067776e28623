"""The practice page in Gradio: its widgets, and each event as one move whose frames become widget values."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any
from uuid import uuid4

import gradio as gr
from gradio.components import Component

from tutor import view
from tutor.errors import TutorError
from tutor.practice import MAX_CHARACTERS
from tutor.web.frame import (
    ALL_BUTTONS,
    BUTTONS,
    MAX_DRAFTS,
    QUIET_STAGES,
    WRITING_STAGES,
    Frame,
    Seat,
    Stage,
    read_drafts,
)
from tutor.web.moves import Moves

log = logging.getLogger(__name__)
# Every open page that watches a grading holds one of Gradio's 40 threads.
WATCHERS = 16
QUEUE_LENGTH = 64
# Fixed, so that drafts and places in the practice outlive a restart of the program. The browser's storage is
# readable to this machine's user anyway; this is no secret.
_STORAGE_KEY = "tutor"
# The box takes a little more than the limit, so that a paste that is too long is refused and not silently cut short.
BOX_CHARACTERS = MAX_CHARACTERS + 1000
_KEEP_DRAFT = f"""(text, seat, drafts) => {{
  const {{[seat?.question_id || ""]: before, ...others}} = drafts || {{}};
  const kept = Object.entries(others).slice(-{MAX_DRAFTS - 1});
  if (text && seat?.question_id) kept.push([seat.question_id, text]);
  return Object.fromEntries(kept.map(([id, words]) => [id, words.slice(0, {BOX_CHARACTERS})]));
}}"""
_ANSWER_HINT = "Answer as you would out loud. Ctrl+Enter grades, Enter starts a new line."

Updates = dict[Component, Any]


@dataclass(frozen=True)
class Widgets:
    """Everything on the page that changes."""

    seat: gr.BrowserState
    drafts: gr.BrowserState
    banner: gr.HTML
    thread: gr.Chatbot
    answer: gr.Textbox
    note: gr.HTML
    grade: gr.Button
    insist: gr.Button
    cancel: gr.Button
    retry: gr.Button
    next: gr.Button
    again: gr.Button
    said: gr.HTML
    past: gr.HTML

    def all(self) -> list[Component]:
        """The widgets in a fixed order."""
        return [getattr(self, field.name) for field in fields(self)]


def practice_page(moves: Moves, version: str) -> gr.Blocks:
    """The page as Blocks, ready to be mounted; nothing of it is offered as an API."""
    page: gr.Blocks
    with gr.Blocks(title="Tutor", analytics_enabled=False, delete_cache=(3600, 86400)) as page:
        gr.HTML('<header><h1>Tutor</h1><p id="engines"></p></header>', elem_id="top", js_on_load=None)
        widgets = _lay_out()
        gr.HTML(view.markup("<p>Tutor {v}. Runs on this machine only.</p>", v=version), elem_id="foot", js_on_load=None)
        _connect(page, widgets, moves)
    page.queue(default_concurrency_limit=WATCHERS, max_size=QUEUE_LENGTH, api_open=False)
    return page


def updates(widgets: Widgets, frame: Frame | None) -> Updates:
    """A frame as new values of the widgets; parts that stay are left out."""
    if frame is None:
        return {widgets.said: gr.skip()}
    writing = frame.stage in WRITING_STAGES
    changed: Updates = {
        widgets.thread: [{"role": role, "content": str(content)} for role, content in frame.thread],
        widgets.note: gr.HTML(value=str(frame.note), visible=bool(frame.note)),
        widgets.banner: gr.HTML(value=str(frame.banner), visible=bool(frame.banner)),
        widgets.said: frame.said and str(view.safe(frame.said)),
        widgets.answer: gr.Textbox(visible=writing),
    }
    if frame.draft is not None:
        changed[widgets.answer] = gr.Textbox(value=frame.draft, visible=writing)
    if frame.seat is not None:
        changed[widgets.seat] = vars(frame.seat)
    if frame.drafts is not None:
        changed[widgets.drafts] = dict(frame.drafts)
    if frame.past is not None:
        changed[widgets.past] = str(frame.past)
    return changed | _buttons(widgets, frame.stage)


def _buttons(widgets: Widgets, stage: Stage) -> Updates:
    words = BUTTONS[stage]
    primary = None if stage in QUIET_STAGES else next(iter(words), None)
    return {
        getattr(widgets, button): gr.Button(
            value=words.get(button, ""),
            visible=button in words,
            variant="primary" if button == primary else "secondary",
        )
        for button in ALL_BUTTONS
    }


def _lay_out() -> Widgets:
    seat = gr.BrowserState({}, storage_key="tutor-seat", secret=_STORAGE_KEY)
    drafts = gr.BrowserState({}, storage_key="tutor-drafts", secret=_STORAGE_KEY)
    banner = gr.HTML(elem_id="banner", visible=False, js_on_load=None)
    thread = gr.Chatbot(
        elem_id="thread",
        label="Interview",
        show_label=False,
        container=False,
        height="auto",
        autoscroll=False,
        layout="bubble",
        buttons=[],
        feedback_options=None,
        latex_delimiters=[],
        sanitize_html=True,
        group_consecutive_messages=False,
    )
    note = gr.HTML(elem_id="note", visible=False, js_on_load=None)
    answer = _answer_box()
    with gr.Row(elem_id="actions"):
        buttons = {name: gr.Button("", elem_id=name, visible=False, min_width=120) for name in ALL_BUTTONS}
    said = gr.HTML(elem_id="said", js_on_load=None)
    gr.HTML("<h2>Your attempts</h2>", elem_id="past-title", js_on_load=None)
    past = gr.HTML(elem_id="past", js_on_load=None)
    return Widgets(
        seat=seat,
        drafts=drafts,
        banner=banner,
        thread=thread,
        answer=answer,
        note=note,
        said=said,
        past=past,
        **buttons,
    )


def _answer_box() -> gr.Textbox:
    return gr.Textbox(
        elem_id="answer",
        label="Your answer",
        info=_ANSWER_HINT,
        lines=7,
        max_lines=22,
        max_length=BOX_CHARACTERS,
        visible=False,
        buttons=[],
    )


def _connect(page: gr.Blocks, widgets: Widgets, moves: Moves) -> None:
    w = widgets
    shown: dict[str, Any] = {"outputs": w.all(), "api_visibility": "private", "show_progress": "hidden"}

    def opened(seat: object, drafts: object, request: gr.Request) -> Iterator[Updates]:
        query = {key: str(value) for key, value in dict(request.query_params).items()}
        yield from _shown(w, lambda: moves.open(Seat.read(seat), read_drafts(drafts), query))

    def graded(seat: object, drafts: object, text: object) -> Iterator[Updates]:
        yield from _shown(w, lambda: moves.grade(Seat.read(seat), read_drafts(drafts), str(text or "")))

    def insisted(seat: object, drafts: object, text: object) -> Iterator[Updates]:
        yield from _shown(w, lambda: moves.insist(Seat.read(seat), read_drafts(drafts), str(text or "")))

    def cancelled(seat: object) -> Iterator[Updates]:
        yield from _shown(w, lambda: moves.cancel(Seat.read(seat)))

    def retried(seat: object) -> Iterator[Updates]:
        yield from _shown(w, lambda: moves.retry(Seat.read(seat)))

    def begun_again(seat: object, drafts: object) -> Iterator[Updates]:
        yield from _shown(w, lambda: moves.again(Seat.read(seat), read_drafts(drafts)))

    def gone_on(seat: object, drafts: object) -> Iterator[Updates]:
        yield from _shown(w, lambda: moves.next(Seat.read(seat), read_drafts(drafts)))

    page.load(opened, [w.seat, w.drafts], **shown)
    w.grade.click(graded, [w.seat, w.drafts, w.answer], **shown)
    w.insist.click(insisted, [w.seat, w.drafts, w.answer], **shown)
    w.cancel.click(cancelled, [w.seat], **shown)
    w.retry.click(retried, [w.seat], **shown)
    w.again.click(begun_again, [w.seat, w.drafts], **shown)
    w.next.click(gone_on, [w.seat, w.drafts], **shown)
    # Not `input`, which a paste does not set off. Every frame that sets the words sets the seat with them.
    w.answer.change(None, [w.answer, w.seat, w.drafts], [w.drafts], js=_KEEP_DRAFT, api_visibility="private")


def _shown(widgets: Widgets, move: Callable[[], Iterator[Frame | None]]) -> Iterator[Updates]:
    """The frames of a move as widget values; an error becomes a sentence, never a lost page."""
    try:
        for frame in move():
            yield updates(widgets, frame)
    except TutorError as error:
        yield _trouble(widgets, str(error))
    except Exception as error:  # noqa: BLE001 - the boundary: whatever it is, the person gets a sentence
        number = uuid4().hex[:8]
        # No traceback: its values may hold the candidate's words.
        log.error("error %s: %s at %s", number, type(error).__name__, _place(error))
        # Nobody knows here what was stored, so nothing is said to be.
        yield _trouble(
            widgets,
            f"Something went wrong here (error {number}). Copy words you have not sent yet, then reload the page.",
        )


def _trouble(widgets: Widgets, sentence: str) -> Updates:
    note = view.markup('<p class="refused">{sentence}</p>', sentence=sentence)
    return {widgets.note: gr.HTML(value=str(note), visible=True), widgets.said: str(view.safe(sentence))}


def _place(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "an unknown place" if trace is None else f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
