"""The settings page: what holds, who decided it, and a test for every engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import gradio as gr
from gradio.components import Component
from markupsafe import Markup

from tutor import view
from tutor.errors import SettingsError
from tutor.states import Check, DataFacts, SettingLine
from tutor.view import preferences as shown
from tutor.web.trouble import in_words

# Wide enough for a long path, and the verb refuses what is longer still.
BOX_CHARACTERS = 4000
KEYS = ("chat_key", "speech_key")
SWITCHES = ("open_browser",)
"""Settings that are on unless somebody turned them off."""
SAVED = "Saved. It takes effect at the next start."
_HEAD = '<link rel="stylesheet" href="own/settings.css"><script src="own/settings.js"></script>'
_AS_STATUS = "element.setAttribute('role', 'status')"

Updates = dict[Component, Any]


class Preferences(Protocol):
    """The verbs that this page needs."""

    facts: Callable[[], DataFacts]
    tests: Mapping[str, Callable[[], Check]]

    def lines(self) -> tuple[SettingLine, ...]:
        """Every setting as it holds in this run."""

    def saved(self) -> dict[str, str]:
        """What the settings file says now. Raises SettingsError."""

    def marks(self) -> dict[str, str]:
        """A mark of what the settings file says now, by name. Raises SettingsError."""

    def save(self, changes: Mapping[str, str], seen: Mapping[str, str]) -> None:
        """Write changes to what had these marks; blank takes a setting out. Raises SettingsError."""


@dataclass(frozen=True)
class Group:
    """Settings that belong together.

    Attributes:
        title: Heading of the card.
        fields: Settings that can be changed here.
        rows: Settings that are only told.
        test: Name of the engine that is tested here, empty for none.
    """

    title: str
    fields: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    test: str = ""


MODELS = (
    Group(
        "Grading model",
        ("chat_url", "chat_model", "chat_key", "chat_gguf", "chat_deadline_s"),
        ("chat_threads",),
        "grading model",
    ),
    Group("Embedding model", (), ("embedder",), "embedding model"),
    Group(
        "Speech model",
        ("speech_url", "speech_model", "speech_key", "speech_language"),
        ("speech_deadline_s", "speech_threads"),
        "speech model",
    ),
)
PRACTICE = Group("", ("port", "open_browser", "takes_days"), ("bank",))
DATA = Group("", (), ("data_dir", "weights_dir"))


class Seen(NamedTuple):
    """What one tab was shown; kept here and never sent to it.

    Attributes:
        texts: What each field held, by name of the setting.
        marks: The marks of the settings file then.
    """

    texts: Mapping[str, str]
    marks: Mapping[str, str]


@dataclass(frozen=True)
class Widgets:
    """Everything on the page that changes: a field and the caption below it by name of the setting, and the rest."""

    seen: gr.State
    fields: dict[str, Component] = field(default_factory=dict)
    captions: dict[str, gr.HTML] = field(default_factory=dict)
    rows: dict[Group, gr.HTML] = field(default_factory=dict)
    notes: list[gr.HTML] = field(default_factory=list)

    def all(self) -> list[Component]:
        """The widgets in a fixed order."""
        return [self.seen, *self.fields.values(), *self.captions.values(), *self.rows.values(), *self.notes]


def settings_page(page: gr.Blocks, preferences: Preferences) -> None:
    """Lay out the page inside the route that is open; nothing of it is offered as an API."""
    offered = {line.name: line.help for line in preferences.lines() if line.origin != "environment"}
    widgets = Widgets(gr.State())
    gr.HTML("", head=_HEAD, visible="hidden", js_on_load=None)
    with gr.Column(elem_id="settings"):
        gr.HTML("<h2>Models</h2>", js_on_load=None)
        for group in MODELS:
            _card(group, widgets, offered, preferences.tests.get(group.test))
        with gr.Column(elem_classes="card"):
            gr.HTML(_MICROPHONE, js_on_load=None)
        gr.HTML("<h2>Practice</h2>", js_on_load=None)
        _card(PRACTICE, widgets, offered)
        gr.HTML("<h2>Your data</h2>", js_on_load=None)
        _card(DATA, widgets, offered)
        with gr.Row(elem_id="saving"):
            save = gr.Button("Save", elem_id="save", variant="primary", min_width=120)
            widgets.notes.append(gr.HTML(elem_id="outcome", js_on_load=_AS_STATUS))
    _connect(page, save, widgets, preferences)


def opened(preferences: Preferences, widgets: Widgets) -> Updates:
    """The page as it stands: what the file says in the fields, who decided below them, and facts."""
    lines = {line.name: line for line in preferences.lines()}
    saved, marks, trouble = _saved(preferences)
    fields = {name: _value(name, saved) for name in widgets.fields}
    changed: Updates = {widgets.fields[name]: value for name, value in fields.items()}
    changed[widgets.seen] = None if trouble else Seen({name: _text(value) for name, value in fields.items()}, marks)
    for group, rows in widgets.rows.items():
        changed[rows] = str(_rows(group, lines, widgets, preferences))
    return changed | _captions(preferences, widgets, saved) | dict.fromkeys(widgets.notes, str(trouble))


def save_typed(preferences: Preferences, widgets: Widgets, typed: Mapping[str, object], seen: Seen | None) -> Updates:
    """Save what differs from what this tab was shown; a mistake stands at its field, and then nothing is written.

    Args:
        preferences: The verbs.
        widgets: What changes on the page.
        typed: What the fields hold, as the browser claims; None for what it does not tell, which stays as it is.
        seen: What this tab was shown, None when that is not known.
    """
    try:
        preferences.saved()
        changes = _changes(typed, seen)
        if changes and seen:
            preferences.save(changes, seen.marks)
    except SettingsError as error:
        return _refused(preferences, widgets, error)
    note = _note(SAVED if changes else "Nothing was changed, so nothing was saved.", "done")
    return opened(preferences, widgets) | dict.fromkeys(widgets.notes, str(note))


def _changes(typed: Mapping[str, object], seen: Seen | None) -> dict[str, str]:
    if seen is None:
        raise SettingsError("What this page showed is no longer known. Reload it, then change it again.")
    told = {name: _text(value) for name, value in typed.items() if value is not None}
    return {name: text for name, text in told.items() if text != seen.texts.get(name)}


def _refused(preferences: Preferences, widgets: Widgets, error: SettingsError) -> Updates:
    here = {name: sentence for name, sentence in error.mistakes.items() if name in widgets.captions}
    n = len(here)
    where = f"Nothing was saved: {'one field needs' if n == 1 else f'{n} fields need'} another look."
    note = _note(where if here else f"Nothing was saved. {error}", "mistake")
    changed = _captions(preferences, widgets, _saved(preferences).texts)
    changed |= {widgets.captions[name]: str(shown.setting_mistake(here[name])) for name in here}
    return changed | dict.fromkeys(widgets.notes, str(note))


class _Saved(NamedTuple):
    texts: Mapping[str, str]
    marks: Mapping[str, str]
    trouble: Markup


def _saved(preferences: Preferences) -> _Saved:
    """What the settings file says, or why it cannot be read."""
    try:
        # The marks first: a change between the two is then told as one, and never overwritten.
        marks = preferences.marks()
        return _Saved(preferences.saved(), marks, Markup(""))
    except SettingsError as error:
        return _Saved({}, {}, _note(str(error), "mistake"))


def _captions(preferences: Preferences, widgets: Widgets, saved: Mapping[str, str]) -> Updates:
    lines = {line.name: line for line in preferences.lines()}
    return {
        caption: str(shown.setting_caption(lines[name], saved.get(name))) for name, caption in widgets.captions.items()
    }


def _value(name: str, saved: Mapping[str, str]) -> str | bool:
    return saved.get(name, "true") == "true" if name in SWITCHES else saved.get(name, "")


def _text(typed: object) -> str:
    """What was typed or ticked as the text that would stand in the file.

    >>> _text(True), _text(" 8001 "), _text(None)
    ('true', '8001', '')
    """
    return str(typed).lower() if isinstance(typed, bool) else str(typed or "").strip()


def _rows(group: Group, lines: Mapping[str, SettingLine], widgets: Widgets, preferences: Preferences) -> Markup:
    # What the environment decides is told and cannot be changed here.
    names = (*(name for name in group.fields if name not in widgets.fields), *group.rows)
    rows = shown.setting_rows(lines[name] for name in names)
    return shown.data_rows(preferences.facts()) + rows if group is DATA else rows


def _note(sentence: str, style: str) -> Markup:
    return view.markup('<p class="{style}">{sentence}</p>', style=style, sentence=sentence)


def _card(group: Group, widgets: Widgets, offered: Mapping[str, str], test: Callable[[], Check] | None = None) -> None:
    with gr.Column(elem_classes="card"):
        if group.title:
            _titled(group.title, test)
        for name in group.fields:
            if name in offered:
                widgets.fields[name] = _field(name, offered[name])
                widgets.captions[name] = gr.HTML(elem_classes="caption", js_on_load=None)
        widgets.rows[group] = gr.HTML(js_on_load=None)


def _field(name: str, told: str) -> Component:
    label = shown.setting_name(name)
    if name in SWITCHES:
        return gr.Checkbox(label=label, info=told, elem_id=name, interactive=True)
    return gr.Textbox(
        label=label,
        info=told,
        elem_id=name,
        type="password" if name in KEYS else "text",
        max_lines=1,
        max_length=BOX_CHARACTERS,
        interactive=True,
        buttons=[],
        html_attributes=gr.InputHTMLAttributes(autocomplete="new-password" if name in KEYS else "off"),
    )


def _titled(title: str, test: Callable[[], Check] | None) -> None:
    with gr.Row(elem_classes="titled"):
        gr.HTML(str(view.markup("<h3>{title}</h3>", title=title)), js_on_load=None)
        if test is None:
            return
        button = gr.Button("Test", size="sm", min_width=88, elem_id=f"test-{title.split()[0].lower()}")
    outcome = gr.HTML(elem_classes="outcome", js_on_load=_AS_STATUS)

    def tested() -> Iterator[str]:
        yield str(_note("Testing", "check"))
        try:
            yield str(shown.check_line(test()))
        except Exception as error:  # noqa: BLE001 - the boundary: whatever it is, the person gets a sentence
            yield str(_note(in_words(error), "check broken"))

    button.click(tested, None, [outcome], api_visibility="private", show_progress="hidden")


def _connect(page: gr.Blocks, save: gr.Button, widgets: Widgets, preferences: Preferences) -> None:
    private: dict[str, Any] = {"outputs": widgets.all(), "api_visibility": "private", "show_progress": "hidden"}

    def safely(move: Callable[[], Updates]) -> Updates:
        try:
            return move()
        except Exception as error:  # noqa: BLE001 - the boundary: whatever it is, the person gets a sentence
            return dict.fromkeys(widgets.notes, str(_note(in_words(error), "mistake")))

    def saved(seen: Seen | None, *typed: object) -> Updates:
        return safely(lambda: save_typed(preferences, widgets, dict(zip(widgets.fields, typed, strict=True)), seen))

    page.load(lambda: safely(lambda: opened(preferences, widgets)), None, **private)
    save.click(saved, [widgets.seen, *widgets.fields.values()], **private).then(
        None, js="() => window.tutorSettings?.showMistakes()", api_visibility="private"
    )


_MICROPHONE = (
    '<div class="titled"><h3>Microphone</h3><button type="button" id="test-microphone">Test</button></div>'
    '<p id="level" hidden><label>Level <meter min="0" max="1" value="0"></meter></label></p>'
    '<p id="heard" role="status">Listens for three seconds and shows the level. Nothing is recorded.</p>'
)
