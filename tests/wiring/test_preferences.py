"""The settings page's verbs: what holds, changes that are safe to start with, tests of engines one at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest

from tests.fake_openai_server import FakeOpenAIServer, fails
from tests.fakes import FakeClock, FakeEmbedder
from tutor.adapters.chat_openai import OpenAIChat
from tutor.errors import AudioRefused, EngineDown, SettingsError, TutorError
from tutor.settings import Settings, load, settings_file
from tutor.states import EngineState
from tutor.wiring import open_house
from tutor.wiring import preferences as wiring
from tutor.wiring.preferences import CHANGEABLE, STARS, Preferences


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("TUTOR_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("TUTOR_DATA_DIR", str(tmp_path))
    return settings_file()


def verbs(
    file: Path,
    looks: Mapping[str, Callable[[], str]] = {},
    states: Callable[[], tuple[EngineState, ...]] = tuple,
    **given: object,
) -> Preferences:
    return Preferences(
        load(**given),
        file=file,
        given=given,
        facts=lambda: wiring.data_facts(load(), file.parent / "tutor.sqlite", file.parent / "takes"),
        states=states,
        looks=looks,
    )


def told(file: Path, **given: object) -> dict[str, tuple[str, str]]:
    return {line.name: (line.value, line.origin) for line in verbs(file, **given).lines()}


def save(preferences: Preferences, **changes: str) -> None:
    """Saved by somebody who was shown the file as it is."""
    preferences.save(changes, preferences.marks())


def test_every_setting_is_told_with_who_decided_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('chat_model = "a"\ntakes_days = 7\n', encoding="utf-8")
    monkeypatch.setenv("TUTOR_CHAT_MODEL", "b")
    lines = told(file, port=8001)
    assert set(lines) == set(Settings.model_fields)
    assert lines["chat_model"] == ("b", "environment")
    assert lines["takes_days"] == ("7", "settings file")
    assert lines["port"] == ("8001", "command line")
    assert lines["open_browser"] == ("true", "default")
    assert lines["bank"] == ("", "default")
    assert all(line.help for line in verbs(file).lines())


def test_no_secret_is_told_also_not_one_in_an_address(file: Path) -> None:
    file.write_text('chat_key = "canary1"\nchat_url = "http://me:canary2@localhost:9/v1?k=canary3"\n', encoding="utf-8")
    lines, saved = told(file), verbs(file).saved()
    assert lines["chat_key"] == (STARS, "settings file")
    assert saved == {"chat_key": STARS, "chat_url": "http://localhost:9/v1"}
    assert "canary" not in str(lines) + str(saved)
    open_now = verbs(file)
    for damaged in ('chat_url = "ftp://me:canary@host"', 'chat_url = ["http://me:canary@h"]', 'chat_key = ["canary"]'):
        file.write_text(f"{damaged}\n", encoding="utf-8")
        assert "canary" not in str(open_now.saved())


def test_a_change_holds_from_the_next_start_and_blank_takes_it_back(file: Path) -> None:
    open_now = verbs(file)
    open_now.save({"port": " 8001 ", "open_browser": "false", "speech_language": "de"}, open_now.marks())
    assert {line.name: line.value for line in open_now.lines()}["port"] == "7860"
    assert open_now.saved() == {"port": "8001", "open_browser": "false", "speech_language": "de"}
    assert (load().port, load().open_browser) == (8001, False)
    open_now.save({"port": "  "}, open_now.marks())
    assert load().port == 7860
    assert load().speech_language == "de"


@pytest.mark.parametrize(
    ("changes", "at", "says"),
    [
        ({"data_dir": "/elsewhere"}, "data_dir", "cannot be changed here"),
        ({"__class__": "x"}, "__class__", "cannot be changed here"),
        ({"chat_threads": "3"}, "chat_threads", "cannot be changed here"),
        ({"chat_model": "x" * 2001}, "chat_model", "Shorten"),
        ({"chat_url": "http://[bad"}, "chat_url", "no address"),
        ({"chat_url": "http://"}, "chat_url", "no address"),
        ({"chat_gguf": "/none/x.gguf"}, "chat_gguf", "no such file"),
        ({"chat_gguf": "bad\0name"}, "chat_gguf", "no such file"),
        ({"speech_model": "/none"}, "speech_model", "neither a folder"),
        ({"chat_key": f"sk{STARS}"}, "chat_key", "whole key"),
        ({"speech_key": STARS}, "speech_key", "whole key"),
        ({"chat_key": "a\nb"}, "chat_key", "invisible"),
        ({"chat_key": "schlüssel"}, "chat_key", "accents"),
        ({"takes_days": "-1"}, "takes_days", "greater than or equal to 0"),
        ({"port": "70000"}, "port", "65535"),
    ],
)
def test_what_would_not_work_is_refused_at_its_field_and_nothing_is_written(
    file: Path, changes: dict[str, str], at: str, says: str
) -> None:
    with pytest.raises(SettingsError, match=says) as refused:
        save(verbs(file), **{"chat_deadline_s": "90"} | changes)
    assert list(refused.value.mistakes) == [at]
    assert not list(file.parent.iterdir())


def test_what_was_changed_meanwhile_is_told_at_its_field_and_nothing_is_written(file: Path) -> None:
    file.write_text('chat_model = "a"\nchat_key = "sk-1"\n', encoding="utf-8")
    open_now = verbs(file)
    seen = open_now.marks()
    file.write_text(now := 'chat_model = "b"\nchat_key = "sk-2"\ntakes_days = 7\n', encoding="utf-8")
    with pytest.raises(SettingsError) as refused:
        open_now.save({"chat_model": "", "chat_key": "sk-3", "takes_days": "9", "port": "8001"}, seen)
    assert sorted(refused.value.mistakes) == ["chat_key", "chat_model", "takes_days"]
    assert "Reload the page" in refused.value.mistakes["chat_key"]
    assert file.read_text(encoding="utf-8") == now
    open_now.save({"port": "8001"}, seen)
    assert file.read_text(encoding="utf-8") == f"{now}port = 8001\n"


def test_who_was_shown_nothing_changes_nothing(file: Path) -> None:
    with pytest.raises(SettingsError, match="meanwhile"):
        verbs(file).save({"port": "8001"}, {})
    assert not file.exists()


def test_marks_give_no_value_away_and_are_of_no_use_in_the_next_run(file: Path) -> None:
    file.write_text('chat_key = "canary"\n', encoding="utf-8")
    open_now = verbs(file)
    assert set(open_now.marks()) == set(CHANGEABLE)
    assert open_now.marks() == open_now.marks() != verbs(file).marks()
    assert "canary" not in str(open_now.marks())


@pytest.mark.parametrize("given", [{}, {"port": 8003}])
def test_what_the_environment_decides_cannot_be_changed_whoever_asks(
    file: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, int]
) -> None:
    monkeypatch.setenv("TUTOR_PORT", "8002")
    with pytest.raises(SettingsError) as refused:
        save(verbs(file, **given), port="8001", takes_days="7")
    assert list(refused.value.mistakes) == ["port"]
    assert "TUTOR_PORT of the environment decides this" in refused.value.mistakes["port"]
    assert not file.exists()


def test_a_model_file_that_is_there_can_be_chosen(file: Path, tmp_path: Path) -> None:
    (tmp_path / "x.gguf").write_bytes(b"GGUF\x03")
    save(verbs(file), chat_gguf=str(tmp_path / "x.gguf"))
    assert load().chat_gguf == tmp_path / "x.gguf"


def test_two_servers_at_once_are_refused_as_at_the_start(file: Path, tmp_path: Path) -> None:
    (tmp_path / "x.gguf").write_bytes(b"GGUF\x03")
    with pytest.raises(SettingsError, match="not both"):
        save(verbs(file), chat_gguf=str(tmp_path / "x.gguf"), chat_url="http://127.0.0.1:9/v1")
    assert not file.exists()


def test_the_page_offers_exactly_what_can_be_changed() -> None:
    from tutor.web.settings_page import DATA, KEYS, MODELS, PRACTICE, SWITCHES

    groups = (*MODELS, PRACTICE, DATA)
    assert sorted(name for group in groups for name in group.fields) == sorted(CHANGEABLE)
    assert sorted(name for group in groups for name in (*group.fields, *group.rows)) == sorted(Settings.model_fields)
    assert set(KEYS) == {name for name in CHANGEABLE if name.endswith("_key")}
    assert all(Settings.model_fields[name].default is True for name in SWITCHES)


def test_a_test_that_goes_well_says_what_it_found_and_one_that_does_not_says_why(file: Path) -> None:
    def down() -> str:
        raise EngineDown("The server is not there. Start it.")

    tests = verbs(file, {"good": lambda: "All is well.", "bad": down}).tests
    assert (tests["good"]().ok, tests["good"]().detail) == (True, "All is well.")
    assert (tests["bad"]().ok, tests["bad"]().detail) == (False, "The server is not there. Start it.")


def test_an_unforeseen_error_reaches_the_page_and_the_next_test_runs(file: Path) -> None:
    def broken() -> str:
        raise ZeroDivisionError

    tests = verbs(file, {"broken": broken, "good": lambda: "fine"}).tests
    with pytest.raises(ZeroDivisionError):
        tests["broken"]()
    assert tests["good"]().ok


def test_a_model_that_is_loading_is_not_called(file: Path) -> None:
    def never() -> str:
        raise AssertionError

    check = verbs(file, {"m": never}, lambda: (EngineState("m", "loading"),)).tests["m"]()
    assert (check.ok, check.detail) == (False, "The m is still loading.")


def test_tests_run_one_at_a_time_and_each_ends_at_its_deadline(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = Event(), Event()

    def slow() -> str:
        begun.set()
        go_on.wait(30)
        return "late"

    tests = verbs(file, {"slow": slow, "other": lambda: "fine"}).tests
    first: list[object] = []
    running = Thread(target=lambda: first.append(tests["slow"]()))
    running.start()
    begun.wait(30)
    assert tests["other"]().detail == "Another test is running."
    go_on.set()
    running.join(30)
    assert first[0].detail == "late"
    monkeypatch.setattr(wiring, "TEST_S", 0.01)
    go_on.clear()
    assert "no outcome" in tests["slow"]().detail
    assert tests["other"]().detail == "Another test is running.", "the one given up has not ended yet"
    go_on.set()


def test_the_grading_model_is_really_asked(clock: FakeClock) -> None:
    with FakeOpenAIServer() as server, OpenAIChat(lambda: server.endpoint) as chat:
        found = wiring.look_at_chat(chat, clock)
        assert "log probabilities yes" in found
        assert "One ruling took" in found
        server.always = fails(500, "broken")
        with pytest.raises(TutorError, match="broken"):
            wiring.look_at_chat(chat, clock)


class Backwards(FakeEmbedder):
    name = "backwards"

    def embed(self, texts: object) -> np.ndarray:
        return np.eye(3, dtype=np.float32)[[0, 1, 0]]


def test_an_embedder_that_finds_the_wrong_sentence_nearer_does_not_work() -> None:
    assert "0." in wiring.look_at_embedder(FakeEmbedder())
    assert "fake-bag-of-words, 256 dimensions" in wiring.look_at_embedder(FakeEmbedder())
    with pytest.raises(TutorError, match="unrelated sentence nearer"):
        wiring.look_at_embedder(Backwards())


class Listener:
    name = "listener"

    def __init__(self, outcome: Exception | None) -> None:
        self.outcome = outcome

    def load(self) -> None:
        if isinstance(self.outcome, EngineDown):
            raise self.outcome

    def transcribe(self, recording: object, terms: object) -> object:
        if self.outcome:
            raise self.outcome
        return object()


def test_a_speech_model_that_hears_nothing_in_silence_works(clock: FakeClock) -> None:
    found = wiring.look_at_speech(Listener(AudioRefused("silence", "There is nothing to hear.")), clock)
    assert "silent second" in found
    assert "listener" in found
    with pytest.raises(TutorError, match="hears words in silence"):
        wiring.look_at_speech(Listener(None), clock)
    with pytest.raises(EngineDown):
        wiring.look_at_speech(Listener(EngineDown("down")), clock)


def test_the_house_hands_out_the_verbs_over_its_own_engines(file: Path, tmp_path: Path) -> None:
    given = {"chat_url": "http://127.0.0.1:9/v1", "embedder": tmp_path, "speech_model": str(tmp_path / "none")}
    with open_house(Settings(data_dir=tmp_path, **given), given=given) as house:
        assert sorted(house.preferences.tests) == ["embedding model", "grading model", "speech model"]
        assert {line.name: line.origin for line in house.preferences.lines()}["chat_url"] == "command line"
        assert house.preferences.facts().database_bytes > 0
        save(house.preferences, takes_days="7")
    assert file.read_text(encoding="utf-8") == "takes_days = 7\n"


def test_facts_tell_sizes_counts_and_hosts(file: Path, tmp_path: Path) -> None:
    look = verbs(file).facts
    assert look().n_recordings == look().recordings_bytes == look().n_backups == look().database_bytes == 0
    assert look().hosts == ()
    (tmp_path / "tutor.sqlite").write_bytes(b"x" * 10)
    (tmp_path / "tutor.sqlite-wal").write_bytes(b"x" * 5)
    (tmp_path / "takes" / "part").mkdir(parents=True)
    (tmp_path / "takes" / "a.wav").write_bytes(b"x" * 7)
    (tmp_path / "backups").mkdir()
    (tmp_path / "backups" / "tutor-before-r0001-20260101.sqlite").touch()
    file.write_text('chat_url = "https://me:word@models.example/v1"\nspeech_url = "http://localhost:9/v1"\n')
    facts = look()
    assert (facts.database_bytes, facts.n_recordings, facts.recordings_bytes, facts.n_backups) == (15, 1, 7, 1)
    assert facts.hosts == ("models.example",)
    assert facts.free_bytes > 0
