"""The settings page without a browser: what is shown, what is saved, and where a mistake stands."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import pytest

from tutor.errors import SettingsError
from tutor.states import Check, DataFacts, SettingLine
from tutor.view.preferences import check_line, data_rows, setting_caption, setting_mistake, setting_rows
from tutor.view.text import safe
from tutor.web.settings_page import DATA, SAVED, Widgets, opened, save_typed
from tutor.web.trouble import in_words

FACTS = DataFacts("/own/tutor.sqlite", 82_000, 1, 2_500_000, 0, 81_000_000_000, ())
HOSTILE = "<img src=x onerror=alert(1)>"


class FakePreferences:
    """A settings file in memory that refuses a port with letters."""

    def __init__(self, **saved: str) -> None:
        self.file, self.changes = saved, None
        self.broken = False
        self.tests = {}

    def facts(self) -> DataFacts:
        return FACTS

    def lines(self) -> tuple[SettingLine, ...]:
        return (
            SettingLine("port", "7860", "default", "Port of the page."),
            SettingLine("chat_model", "m", "settings file", "Name."),
            SettingLine("chat_key", "********", "settings file", "Key."),
            SettingLine("open_browser", "true", "default", "Open it."),
            SettingLine("data_dir", "/own", "environment", "Folder."),
            SettingLine("weights_dir", "", "default", "Weights."),
        )

    def saved(self) -> dict[str, str]:
        if self.broken:
            raise SettingsError("The settings file cannot be read: line 3. Mend it or move it away.")
        return dict(self.file)

    def marks(self) -> dict[str, str]:
        return {name: f"mark of {text}" for name, text in self.saved().items()}

    def save(self, changes: Mapping[str, str], seen: Mapping[str, str]) -> None:
        if mistakes := {name: "changed meanwhile." for name in changes if seen.get(name) != self.marks().get(name)}:
            raise SettingsError("changed meanwhile.", mistakes)
        if changes.get("port", "").isalpha():
            raise SettingsError("port: expected a whole number.", {"port": "expected a whole number."})
        if changes.get("chat_model") == "both":
            raise SettingsError("Settings: not both.")
        self.changes = dict(changes)
        self.file = {name: text for name, text in {**self.file, **changes}.items() if text}


NAMES = ("port", "chat_model", "chat_key", "open_browser")
# The widgets stand for themselves.
WIDGETS = Widgets(
    seen="seen",
    fields={name: name for name in NAMES},
    captions={name: f"below {name}" for name in NAMES},
    rows={DATA: "data"},
    notes=["note"],
)
AS_SAVED = {"port": "", "chat_model": "m", "chat_key": "********", "open_browser": True}


def save(preferences: FakePreferences, typed: Mapping[str, object]) -> dict[str, object]:
    """Saved in a tab that was opened just now."""
    return save_typed(preferences, WIDGETS, typed, opened(preferences, WIDGETS)["seen"])


@pytest.fixture
def preferences() -> FakePreferences:
    return FakePreferences(chat_model="m", chat_key="********")


def test_fields_hold_what_the_file_says_and_captions_who_decided(preferences: FakePreferences) -> None:
    page = opened(preferences, WIDGETS)
    assert {name: page[name] for name in NAMES} == AS_SAVED
    assert "Default&#58; 7860" in page["below port"]
    assert "From the settings file" in page["below chat_model"]
    assert "Default&#58; on" in page["below open_browser"]
    assert "TUTOR&#95;DATA&#95;DIR" in page["data"]
    assert page["note"] == ""


def test_only_what_differs_is_saved_and_a_key_that_was_not_touched_stays(preferences: FakePreferences) -> None:
    page = save(preferences, AS_SAVED | {"port": " 8001 ", "open_browser": False})
    assert preferences.changes == {"port": "8001", "open_browser": "false"}
    assert page["note"] == f'<p class="done">{safe(SAVED)}</p>'
    assert page["port"] == "8001"
    assert "next start" in page["below port"]


def test_nothing_changed_is_nothing_saved(preferences: FakePreferences) -> None:
    page = save(preferences, AS_SAVED)
    assert preferences.changes is None
    assert "Nothing was changed" in page["note"]


def test_an_emptied_field_is_taken_back(preferences: FakePreferences) -> None:
    page = save(preferences, AS_SAVED | {"chat_model": "", "chat_key": ""})
    assert preferences.changes == {"chat_model": "", "chat_key": ""}
    assert "Back to the default" in page["below chat_model"]


def test_a_tab_that_was_shown_an_empty_file_wipes_nothing_that_came_meanwhile() -> None:
    preferences = FakePreferences()
    seen = opened(preferences, WIDGETS)["seen"]
    preferences.file = {"chat_model": "m", "chat_key": "********", "open_browser": "false"}
    blank = {"port": "8001", "chat_model": "", "chat_key": "", "open_browser": True}
    page = save_typed(preferences, WIDGETS, blank, seen)
    assert preferences.changes == {"port": "8001"}
    assert preferences.file["chat_model"] == "m"
    assert {name: page[name] for name in NAMES} == AS_SAVED | {"port": "8001", "open_browser": False}


def test_the_stars_of_a_key_that_was_removed_meanwhile_are_not_saved(preferences: FakePreferences) -> None:
    seen = opened(preferences, WIDGETS)["seen"]
    preferences.file = {}
    save_typed(preferences, WIDGETS, AS_SAVED | {"port": "8001"}, seen)
    assert preferences.file == {"port": "8001"}


def test_of_two_tabs_the_second_is_told_where_the_first_was_quicker(preferences: FakePreferences) -> None:
    first = second = opened(preferences, WIDGETS)["seen"]
    page = save_typed(preferences, WIDGETS, AS_SAVED | {"chat_model": "n"}, first)
    late = save_typed(preferences, WIDGETS, AS_SAVED | {"chat_model": "o", "port": "8001"}, second)
    assert "Changed meanwhile" in late["below chat_model"]
    assert "chat_model" not in late, "what was typed stays"
    assert "seen" not in late, "and is held against the same file until the page is loaded again"
    assert preferences.file == {"chat_model": "n", "chat_key": "********"}
    save_typed(preferences, WIDGETS, AS_SAVED | {"chat_model": "o"}, page["seen"])
    assert preferences.file["chat_model"] == "o", "the first tab was shown its own change"


@pytest.mark.parametrize("typed", [{}, dict.fromkeys(NAMES)])
def test_what_the_browser_does_not_tell_stays_as_it_is(preferences: FakePreferences, typed: dict[str, object]) -> None:
    assert "Nothing was changed" in save(preferences, typed)["note"]
    assert preferences.changes is None


def test_a_browser_that_was_shown_nothing_changes_nothing(preferences: FakePreferences) -> None:
    page = save_typed(preferences, WIDGETS, AS_SAVED | {"port": "8001"}, None)
    assert "Reload it" in page["note"].replace("&#46;", ".")
    assert preferences.changes is None


def test_a_mistake_stands_at_its_field_and_the_typed_words_stay(preferences: FakePreferences) -> None:
    page = save(preferences, AS_SAVED | {"port": "abc"})
    assert "Expected a whole number" in page["below port"]
    assert "From the settings file" in page["below chat_model"]
    assert "Nothing was saved&#58; one field" in page["note"]
    assert "port" not in page
    assert preferences.changes is None


def test_a_mistake_of_no_one_field_stands_beside_the_button(preferences: FakePreferences) -> None:
    page = save(preferences, AS_SAVED | {"chat_model": "both"})
    assert "not both" in page["note"]
    assert "mistake" not in page["below chat_model"]


def test_a_file_that_was_damaged_meanwhile_is_told_and_not_overwritten(preferences: FakePreferences) -> None:
    seen = opened(preferences, WIDGETS)["seen"]
    preferences.broken = True
    assert "cannot be read" in opened(preferences, WIDGETS)["note"]
    for typed in (AS_SAVED, AS_SAVED | {"port": "8001"}):
        assert "cannot be read" in save_typed(preferences, WIDGETS, typed, seen)["note"]
    preferences.broken = False
    assert "Reload it" in save_typed(preferences, WIDGETS, AS_SAVED, None)["note"]
    assert preferences.changes is None


def test_whatever_the_browser_sends_is_text(preferences: FakePreferences) -> None:
    save(preferences, {"port": ["x"], "chat_model": {"a": 1}, "chat_key": 3, "open_browser": "true"})
    assert preferences.changes == {"port": "['x']", "chat_model": "{'a': 1}", "chat_key": "3"}


def test_captions_say_what_holds_until_the_next_start() -> None:
    line = SettingLine("port", "8001", "command line", "")
    assert "8001, by the command line" in setting_caption(line, None).replace("&#44;", ",")
    line = SettingLine("port", "8001", "settings file", "")
    assert "From the settings file" in setting_caption(line, "8001")
    assert "takes effect at the next start" in setting_caption(line, "8002")
    assert "Back to the default" in setting_caption(line, None)
    assert "Not set" in setting_caption(SettingLine("bank", "", "default", ""), None)


def test_everything_shown_is_escaped() -> None:
    line = SettingLine(HOSTILE, HOSTILE, "environment", f"{HOSTILE} `{HOSTILE}`")
    parts = (
        setting_rows([line]),
        setting_caption(SettingLine("port", HOSTILE, "default", HOSTILE), None),
        setting_mistake(HOSTILE),
        check_line(Check(name="x", ok=False, detail=HOSTILE, fix=HOSTILE)),
        data_rows(DataFacts(HOSTILE, 0, 0, 0, 0, 0, (HOSTILE,))),
    )
    assert not [part for part in parts if "<img" in part]


def test_facts_read_as_sentences() -> None:
    rows = data_rows(FACTS)
    for words in ("82 kB", "1 recording", "none but this machine", "81 GB"):
        assert words in rows.replace("&#44;", ",").replace("&#46;", ".")
    elsewhere = data_rows(DataFacts("x", 0, 0, 0, 2, 0, ("models.example", "speech.example")))
    assert "models&#46;example&#44; speech&#46;example" in elsewhere


def test_an_outcome_is_told_in_a_word_and_a_sign() -> None:
    good, bad = (check_line(Check(name="x", ok=ok, detail="d", fix="f")) for ok in (True, False))
    assert "✓" in good
    assert "Works" in good
    assert "✕" in bad
    assert "Does not work" in bad


def test_an_unforeseen_error_shows_a_number_and_logs_no_values(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        try:
            raise ValueError("sk-canary")
        except ValueError as error:
            sentence = in_words(error)
    assert "Reload the page" in sentence
    assert "ValueError" in caplog.text
    assert "test_settings_page.py" in caplog.text
    assert "canary" not in caplog.text + sentence
    in_words(ValueError())
    assert "an unknown place" in caplog.text
