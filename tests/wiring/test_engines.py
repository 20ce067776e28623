"""Engines as the settings want them: what is loading, what failed, and nothing fetched from anywhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fake_openai_server import FakeOpenAIServer, fails
from tests.fakes import FakeEmbedder
from tutor.adapters.bank_yaml import shipped_bank
from tutor.errors import EngineDown, SettingsError, WeightsError
from tutor.settings import Settings
from tutor.values import Answer
from tutor.wiring.engines import Engines, SystemClock


@pytest.fixture
def server() -> Iterator[FakeOpenAIServer]:
    with FakeOpenAIServer() as server:
        yield server


def settings(folder: Path, **given: object) -> Settings:
    return Settings(data_dir=folder, **given)


def settled(engines: Engines) -> tuple[str, ...]:
    """The states once nothing loads any more."""
    until = time.monotonic() + 30
    while any(s.state == "loading" for s in engines.states()) and time.monotonic() < until:
        time.sleep(0.02)
    return tuple(s.state for s in engines.states())


def test_another_server_grades_with_its_own_model_and_names_itself(server: FakeOpenAIServer, tmp_path: Path) -> None:
    with Engines(settings(tmp_path, chat_url=server.endpoint.url, embedder=tmp_path)) as engines:
        engines.wait()
        print_ = engines.grader(SystemClock()).fingerprint()
    assert print_.chat_model == server.endpoint.model or print_.chat_model
    assert print_.server == server.endpoint.shown
    assert print_.chat_digest is None


def test_a_folder_that_is_no_model_is_a_failed_state_with_what_to_do(server: FakeOpenAIServer, tmp_path: Path) -> None:
    with Engines(settings(tmp_path, chat_url=server.endpoint.url, embedder=tmp_path)) as engines:
        assert settled(engines) == ("ready", "failed")
        assert "TUTOR_EMBEDDER" in engines.states()[1].detail
        with pytest.raises(EngineDown, match="TUTOR_EMBEDDER"):
            engines.embedder.embed(["x"])


def test_a_server_that_is_not_there_is_a_failed_state_and_not_a_wait(tmp_path: Path) -> None:
    with Engines(settings(tmp_path, chat_url="http://127.0.0.1:9/v1", embedder=tmp_path)) as engines:
        engines.wait()
        chat, _ = engines.states()
    assert chat.state == "failed"
    assert "TUTOR_CHAT_URL" in chat.detail


def test_what_the_screen_shows_follows_the_last_grading(server: FakeOpenAIServer, tmp_path: Path) -> None:
    server.always = fails(500, "broken")
    with Engines(settings(tmp_path, chat_url=server.endpoint.url, embedder=tmp_path)) as engines:
        assert settled(engines) == ("failed", "failed")
        engines.embedder = FakeEmbedder()
        grade = engines.grading(SystemClock())
        server.always = None
        question = shipped_bank().questions()[0]
        answer = Answer(
            id="a",
            question_id=question.id,
            text="Decode is limited by memory bandwidth and prefill by compute.",
            created_at=SystemClock().now(),
        )
        rubric = shipped_bank().rubric(question.id)
        grade(question, rubric, answer, lambda _: None)
        assert settled(engines) == ("ready", "ready")
        server.always = fails(500, "broken again")
        with pytest.raises(EngineDown, match="broken again"):
            grade(question, rubric, answer, lambda _: None)
        assert engines.states()[0].state == "failed"


def test_a_server_that_echoes_the_key_does_not_bring_it_to_the_screen(server: FakeOpenAIServer, tmp_path: Path) -> None:
    server.always = fails(500, "you sent Bearer sk-canary-123")
    with Engines(
        settings(tmp_path, chat_url=server.endpoint.url, chat_key="sk-canary-123", embedder=tmp_path)
    ) as engines:
        engines.wait()
        detail = engines.states()[0].detail
    assert "you sent" in detail
    assert "canary" not in detail


def test_missing_weights_are_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="make setup"):
        Engines(settings(tmp_path))


def test_a_setting_that_names_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"TUTOR_CHAT_GGUF: there is no .*none\.gguf"):
        Engines(settings(tmp_path, chat_gguf=tmp_path / "none.gguf"))


def test_the_clock_is_utc_and_its_durations_never_go_back() -> None:
    clock = SystemClock()
    first = clock.elapsed_s()
    assert clock.now().utcoffset().total_seconds() == 0
    assert clock.elapsed_s() >= first
