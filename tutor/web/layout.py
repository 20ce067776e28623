"""The widgets of the practice page, laid out from the question down to the list of attempts."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import gradio as gr
from gradio.components import Component

from tutor.ports import SAMPLE_RATE_HZ
from tutor.practice import MAX_CHARACTERS
from tutor.web.frame import ALL_BUTTONS

# Fixed, so that drafts and places in the practice outlive a restart of the program. The browser's storage is
# readable to this machine's user anyway; this is no secret.
_STORAGE_KEY = "tutor"
# The box takes a little more than the limit, so that a paste that is too long is refused and not silently cut short.
BOX_CHARACTERS = MAX_CHARACTERS + 1000


@dataclass(frozen=True)
class Widgets:
    """Everything on the page that changes."""

    seat: gr.BrowserState
    drafts: gr.BrowserState
    banner: gr.HTML
    thread: gr.Chatbot
    recorder: gr.HTML
    microphone: gr.Audio
    take: gr.HTML
    answer: gr.Textbox
    note: gr.HTML
    buttons: dict[str, gr.Button]
    upload: gr.UploadButton
    said: gr.HTML
    past: gr.HTML

    def all(self) -> list[Component]:
        """The widgets that a frame may change, in a fixed order."""
        values = [getattr(self, field.name) for field in fields(self) if field.name not in ("buttons", "upload")]
        return values + list(self.buttons.values())


def lay_out() -> Widgets:
    """Lay the page out inside the Blocks that are open; everything that depends on the state starts hidden."""
    seat = gr.BrowserState({}, storage_key="tutor-seat", secret=_STORAGE_KEY)
    drafts = gr.BrowserState({}, storage_key="tutor-drafts", secret=_STORAGE_KEY)
    banner, thread = _html("banner"), _thread()
    recorder, microphone, take = _html("recorder"), _microphone(), _html("take")
    answer, note = _answer_box(), _html("note")
    with gr.Row(elem_id="actions"):
        buttons: dict[str, gr.Button] = {}
        for name in ALL_BUTTONS:
            if name == "type":
                upload = _upload()
            buttons[name] = gr.Button("", elem_id=name, visible=False, min_width=120)
    said = gr.HTML(elem_id="said", js_on_load=None)
    gr.HTML("<h2>Your latest attempts</h2>", elem_id="past-title", js_on_load=None)
    past = gr.HTML(elem_id="past", js_on_load=None)
    return Widgets(seat, drafts, banner, thread, recorder, microphone, take, answer, note, buttons, upload, said, past)


def _html(elem_id: str) -> gr.HTML:
    return gr.HTML(elem_id=elem_id, visible=False, js_on_load=None)


def _thread() -> gr.Chatbot:
    return gr.Chatbot(
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


def _microphone() -> gr.Audio:
    """Gradio's microphone, unseen: the page's own buttons press its buttons, its own clock watches them."""
    return gr.Audio(
        sources=["microphone"],
        type="filepath",
        format=None,
        editable=False,
        buttons=[],
        elem_id="microphone",
        visible=False,
        waveform_options=gr.WaveformOptions(sample_rate=SAMPLE_RATE_HZ, show_recording_waveform=False),
    )


def _upload() -> gr.UploadButton:
    """Shown by the style sheet beside Record: Gradio would replace a widget whose visibility changes."""
    button = gr.UploadButton("Upload a file", elem_id="upload", min_width=120)

    def path(payload: Any) -> str | None:
        return None if payload is None else str(payload.path)

    # Gradio's own step leaves an empty file behind for each upload.
    setattr(button, "preprocess", path)  # noqa: B010 - mypy forbids it as an assignment
    return button


def _answer_box() -> gr.Textbox:
    return gr.Textbox(
        elem_id="answer",
        label="Your answer",
        info=" ",
        lines=7,
        max_lines=22,
        max_length=BOX_CHARACTERS,
        visible=False,
        buttons=[],
    )
