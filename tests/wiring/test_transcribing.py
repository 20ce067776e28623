"""A file named in a terminal is read in place, and what is missing is told before anything is loaded."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.fake_openai_server import Abilities, FakeOpenAIServer
from tests.sounds import silence, speechlike
from tests.voice import spoken
from tutor.adapters import speech_openai
from tutor.adapters.speech_openai import as_wav
from tutor.errors import AudioRefused, BankError, EngineError, TutorError
from tutor.settings import Settings
from tutor.wiring import transcribe_file, transcribing


@pytest.fixture
def server() -> Iterator[FakeOpenAIServer]:
    with FakeOpenAIServer(Abilities(hears="We use page detention here.")) as server:
        yield server


@pytest.fixture
def settings(server: FakeOpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setattr(speech_openai, "speech_spans", lambda samples: ((0.5, 2.0), (2.5, 3.5)))
    return Settings(data_dir=tmp_path / "own", speech_url=server.endpoint.url)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "answer.wav"
    file.write_bytes(as_wav(speechlike(4.0)))
    return file


def test_the_terms_of_the_question_are_told_and_doubts_and_target_are_its_own(
    server: FakeOpenAIServer, settings: Settings, file: Path
) -> None:
    hearing = transcribe_file(settings, file, "q04", None)
    assert hearing.text == "We use page detention here."
    assert "PagedAttention" in server.calls[-1].body["hotwords"][0]
    assert [(d.heard, d.likely) for d in hearing.doubtful] == [("page detention", "PagedAttention")]
    assert (hearing.delivery.target_s, hearing.delivery.speech_s) == (120, 2.5)
    assert (hearing.duration_s, hearing.language) == (4.0, "en")
    assert hearing.words is not None
    assert len(hearing.words) == 5


def test_without_a_question_there_is_nothing_to_doubt_or_to_aim_at(settings: Settings, file: Path) -> None:
    hearing = transcribe_file(settings, file, None, None)
    assert (hearing.doubtful, hearing.delivery.target_s) == ((), None)


def test_the_file_stays_where_it_is_and_nothing_is_kept(settings: Settings, file: Path) -> None:
    before = file.read_bytes(), os.stat(file).st_mtime_ns
    transcribe_file(settings, file, "q04", None)
    assert (file.read_bytes(), os.stat(file).st_mtime_ns) == before
    assert not settings.data_dir.exists()


@pytest.mark.parametrize(
    ("question", "content", "kind"),
    [("q99", speechlike(2), BankError), (None, silence(2), AudioRefused), (None, None, AudioRefused)],
)
def test_what_cannot_be_heard_is_a_sentence_before_the_model_is_asked(
    server: FakeOpenAIServer, settings: Settings, tmp_path: Path, question: str | None, content: object, kind: type
) -> None:
    file = tmp_path / "x.wav"
    if content is not None:
        file.write_bytes(as_wav(content))
    with pytest.raises(kind):
        transcribe_file(settings, file, question, None)
    assert server.calls == []


def test_a_link_that_was_named_by_hand_is_followed(settings: Settings, file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.wav"
    link.symlink_to(file)
    assert transcribe_file(settings, link, None, None).text == "We use page detention here."


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: Path(path).symlink_to("gone"), lambda path: None])
def test_what_is_no_file_is_named_and_nobody_is_told_to_upload(
    make: Callable[[str], object], settings: Settings, tmp_path: Path
) -> None:
    make(str(tmp_path / "x.wav"))
    with pytest.raises(AudioRefused) as refused:
        transcribe_file(settings, tmp_path / "x.wav", None, None)
    assert refused.value.reason == "missing"
    assert str(refused.value).startswith(f"{tmp_path / 'x.wav'}: There is no recording")
    assert "upload" not in str(refused.value)


def test_a_file_with_sound_but_no_speech_is_named_as_well(
    settings: Settings, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wordless(samples: object) -> None:
        raise AudioRefused("silence", "No speech was heard.")

    monkeypatch.setattr(speech_openai, "speech_spans", wordless)
    with pytest.raises(AudioRefused, match="No speech was heard") as refused:
        transcribe_file(settings, file, None, None)
    assert str(refused.value).startswith(f"{file}: ")


def test_an_unknown_question_is_told_which_there_are(settings: Settings, file: Path) -> None:
    with pytest.raises(
        BankError, match=r"bank that comes along: there is no question 'nope'; its \d+ questions are \w+, \w+"
    ):
        transcribe_file(settings, file, "nope", None)


def test_of_a_large_bank_not_every_question_is_told(
    settings: Settings, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcribing, "MOST_IDS", 2)
    with pytest.raises(BankError, match=r"questions are \w+, \w+ \.\.\.$"):
        transcribe_file(settings, file, "nope", None)


def test_a_recording_that_is_not_whole_is_heard_and_said_to_be_part(settings: Settings, file: Path) -> None:
    assert transcribe_file(settings, file, None, None).is_whole
    file.write_bytes(file.read_bytes()[:80_000])
    hearing = transcribe_file(settings, file, None, None)
    assert not hearing.is_whole
    assert "is_whole" not in hearing.model_dump()


def test_a_missing_model_is_a_sentence(tmp_path: Path, file: Path) -> None:
    with pytest.raises(TutorError, match="make setup") as missing:
        transcribe_file(Settings(data_dir=tmp_path), file, None, None)
    assert not isinstance(missing.value, EngineError)


@pytest.mark.real
def test_a_file_is_written_down_by_the_embedded_model(tmp_path: Path, weights_dir: Path) -> None:
    file = spoken("A draft model proposes several tokens. The target model checks them.", tmp_path / "said.wav")
    hearing = transcribe_file(Settings(data_dir=tmp_path, weights_dir=weights_dir), file, "q07", None)
    assert "target model" in hearing.text.lower()
    assert hearing.words
    assert hearing.delivery.n_words >= 8
    assert hearing.seconds > 0
