"""The widgets of the library page: all sets, or an editor from the question down to the buttons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import gradio as gr

from tutor.library import Draft
from tutor.values import Kind
from tutor.view import library as shown

BOX_CHARACTERS = 200_000
"""Wide enough for any rubric; a box that cuts words short in silence would lose them."""
_HEAD = '<link rel="stylesheet" href="own/library.css"><script src="own/library.js"></script>'
# The lint reads every question once after a start.
_LOOKING = '<p class="quiet">Looking through the questions.</p>'
_AS_STATUS = "element.setAttribute('role', 'status')"
_LINES = {"question": 3, "reference_answer": 7}
_FACTS = (("title", "topic"), ("kind", "difficulty"), ("chapter", "section", "target_s"))
_ORDER = (*_LINES, *(name for row in _FACTS for name in row))
_BUTTONS: dict[str, tuple[str, Literal["primary", "secondary", "stop"]]] = {
    "save": ("Save", "primary"),
    "reviewed": ("Mark as reviewed", "secondary"),
    "delete": ("Delete", "secondary"),
    "sure": ("Yes, delete it", "stop"),
    "keep": ("Keep it", "secondary"),
}


@dataclass(frozen=True)
class Widgets:
    """Everything on the page that changes."""

    seen: gr.State
    listing: gr.HTML
    editor: gr.Column
    head: gr.HTML
    fields: dict[str, gr.Textbox | gr.Radio]
    rubric: gr.Textbox
    notes: gr.HTML
    drawn: gr.HTML
    answer: gr.Textbox
    grade: gr.HTML
    buttons: dict[str, gr.Button]
    outcome: gr.HTML

    def all(self) -> list[Any]:
        """The widgets in a fixed order."""
        texts = (self.head, self.rubric, self.notes, self.drawn, self.answer, self.grade, self.outcome)
        return [self.seen, self.listing, self.editor, *texts, *self.fields.values(), *self.buttons.values()]


def lay_out() -> Widgets:
    """Lay the page out inside the route that is open; the editor starts hidden."""
    gr.HTML("", head=_HEAD, visible="hidden", js_on_load=None)
    with gr.Column(elem_id="library"):
        listing = gr.HTML(_LOOKING, elem_id="sets", js_on_load=None)
        with gr.Column(visible=False, elem_id="editor") as editor:
            return _editor(gr.State(), listing, editor)


def draft_of(said: tuple[object, ...]) -> Draft:
    """What the browser claims was typed: whatever it is, it is text; what it does not tell stays as it is."""
    rubric, *texts = said
    named = zip(_ORDER, texts, strict=True)
    return Draft({name: str(text) for name, text in named if text is not None}, str(rubric or ""))


def _editor(seen: gr.State, listing: gr.HTML, editor: gr.Column) -> Widgets:
    head = gr.HTML(elem_id="question-head", js_on_load=None)
    with gr.Column(elem_classes="card"):
        fields: dict[str, gr.Textbox | gr.Radio] = {name: _box(name) for name in _LINES}
        for row in _FACTS:
            with gr.Row(elem_classes="facts"):
                fields |= {name: _choice(name) or _box(name) for name in row}
    with gr.Column(elem_classes="card"):
        rubric = gr.Textbox(
            label="Rubric",
            info="As YAML: criteria with weights 1 to 3, then figures, misconceptions, terms and three hints.",
            elem_id="rubric",
            lines=18,
            max_lines=28,
            max_length=BOX_CHARACTERS,
            interactive=True,
            html_attributes=gr.InputHTMLAttributes(spellcheck=False, autocapitalize="off"),
        )
        notes = gr.HTML(elem_id="notes", js_on_load=_AS_STATUS)
        drawn = gr.HTML(elem_id="drawn", js_on_load=None)
    with gr.Column(elem_classes="card"):
        answer = gr.Textbox(
            label="Answer to try",
            info="Left empty, the reference answer is graded. Nothing of it is stored.",
            elem_id="try",
            lines=3,
            max_lines=12,
            max_length=BOX_CHARACTERS,
            interactive=True,
        )
        buttons = {"preview": gr.Button("Preview grade", elem_id="preview", min_width=120)}
        grade = gr.HTML(elem_id="grade", js_on_load=_AS_STATUS)
    with gr.Row(elem_id="keeping"):
        for name, (text, variant) in _BUTTONS.items():
            buttons[name] = gr.Button(text, elem_id=name, variant=variant, visible=False, min_width=100)
        outcome = gr.HTML(elem_id="outcome", js_on_load=_AS_STATUS)
    return Widgets(seen, listing, editor, head, fields, rubric, notes, drawn, answer, grade, buttons, outcome)


def _box(name: str) -> gr.Textbox:
    lines = _LINES.get(name, 1)
    return gr.Textbox(
        label=shown.FIELD_NAMES[name],
        elem_id=name,
        lines=lines,
        max_lines=20 if lines > 1 else 1,
        max_length=BOX_CHARACTERS,
        interactive=True,
        html_attributes=gr.InputHTMLAttributes(autocomplete="off"),
    )


def _choice(name: str) -> gr.Radio | None:
    """A field with a few values."""
    choices = {"kind": [(kind.capitalize(), kind.value) for kind in Kind], "difficulty": [(n, n) for n in "12345"]}
    if name not in choices:
        return None
    return gr.Radio(choices[name], label=shown.FIELD_NAMES[name], elem_id=name, interactive=True)
