"""The speech model as the settings want it: loaded behind the page, never in the way of typed answers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fake_openai_server import FakeOpenAIServer, fails
from tests.sounds import silence
from tests.wiring.test_engines import settled
from tutor.adapters import speech_openai
from tutor.errors import AudioRefused, EngineDown, WeightsError
from tutor.ports import Recording
from tutor.settings import Settings
from tutor.wiring.engines import Engines
from tutor.wiring.speech import SpeechEngine

SECOND = Recording(silence(1))


@pytest.fixture
def server() -> Iterator[FakeOpenAIServer]:
    with FakeOpenAIServer() as server:
        yield server


@pytest.fixture
def elsewhere(server: FakeOpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Speech by the server; whatever is recorded sounds like speech."""
    monkeypatch.setattr(speech_openai, "speech_spans", lambda samples: ((0.0, 1.0),))
    return Settings(data_dir=tmp_path, speech_url=server.endpoint.url, speech_key="sk-canary-123")


@pytest.fixture
def engine(elsewhere: Settings) -> Iterator[SpeechEngine]:
    engine = SpeechEngine(elsewhere)
    yield engine
    engine.close()


def loaded(engine: SpeechEngine) -> str:
    until = time.monotonic() + 30
    while engine.state().state == "loading" and time.monotonic() < until:
        time.sleep(0.01)
    return engine.state().state


def test_a_server_is_asked_at_the_start_and_transcribes(server: FakeOpenAIServer, engine: SpeechEngine) -> None:
    engine.start()
    assert loaded(engine) == "ready"
    assert engine.transcribe(SECOND, ("KV cache",)).text == "Decode is limited by memory bandwidth."
    assert engine.name == f"whisper-1 at {server.endpoint.url}"
    assert server.calls[-1].key == "sk-canary-123"


def test_the_state_follows_what_happened_last(server: FakeOpenAIServer, engine: SpeechEngine) -> None:
    server.always = fails(500, "you sent sk-canary-123")
    with pytest.raises(EngineDown):
        engine.transcribe(SECOND, ())
    assert engine.state().state == "failed"
    assert "canary" not in engine.state().detail
    server.always = None
    engine.transcribe(SECOND, ())
    assert engine.state().state == "ready"


def test_a_silent_recording_says_nothing_against_the_engine(
    engine: SpeechEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(samples: object) -> object:
        raise AudioRefused("silence", "No speech was heard.")

    monkeypatch.setattr(speech_openai, "speech_spans", silent)
    with pytest.raises(AudioRefused):
        engine.transcribe(SECOND, ())
    assert engine.state().state == "ready"


@pytest.mark.parametrize(
    ("given", "says"), [({}, "make setup"), ({"speech_model": "smal"}, "'smal' is neither a folder nor")]
)
def test_a_missing_model_is_a_state_and_a_failure_of_the_engine_and_not_of_the_start(
    tmp_path: Path, given: dict[str, str], says: str
) -> None:
    engine = SpeechEngine(Settings(data_dir=tmp_path, **given))
    engine.start()
    assert loaded(engine) == "failed"
    assert says in engine.state().detail
    with pytest.raises(EngineDown, match=says):
        engine.transcribe(SECOND, ())


def test_what_is_missing_is_told_as_it_is_to_whoever_loads(tmp_path: Path) -> None:
    with pytest.raises(WeightsError):
        SpeechEngine(Settings(data_dir=tmp_path)).load()


def test_typed_answers_are_graded_without_a_speech_model(server: FakeOpenAIServer, tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, chat_url=server.endpoint.url, embedder=tmp_path)
    with Engines(settings, speech=True) as engines:
        assert settled(engines) == ("ready", "failed", "failed")
        assert engines.states()[2].name == "speech model"


def test_a_batch_of_typed_answers_loads_no_speech_model(server: FakeOpenAIServer, tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, chat_url=server.endpoint.url, embedder=tmp_path)
    with Engines(settings) as engines:
        assert settled(engines) == ("ready", "failed")
        assert engines.transcriber.state().state == "loading", "nobody has asked for it"


def test_a_named_folder_is_named_in_the_record(tmp_path: Path) -> None:
    other = SpeechEngine(Settings(data_dir=tmp_path, speech_model=str(tmp_path / "faster-whisper-small")))
    assert other.name.startswith("faster-whisper-small int8, faster-whisper ")
    own = SpeechEngine(Settings(data_dir=tmp_path))
    assert own.name.startswith("whisper base int8, faster-whisper ")


@pytest.mark.real
def test_the_embedded_model_loads_behind_the_page(weights_dir: Path, tmp_path: Path) -> None:
    engine = SpeechEngine(Settings(data_dir=tmp_path, weights_dir=weights_dir))
    engine.start()
    assert loaded(engine) == "ready", engine.state().detail
    with pytest.raises(AudioRefused, match="No speech"):
        engine.transcribe(SECOND, ())
