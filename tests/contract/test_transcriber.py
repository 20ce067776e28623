"""What every Transcriber promises, on the fake, a server and the embedded model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fake_openai_server import FakeOpenAIServer
from tests.fakes import FakeTranscriber
from tests.voice import spoken
from tutor.adapters.audio_pyav import PyAvReader
from tutor.adapters.endpoint import SPEECH as SPEECH_ERRAND
from tutor.adapters.endpoint import Endpoint
from tutor.adapters.speech_openai import OpenAISpeech
from tutor.adapters.speech_whisper import WhisperSpeech
from tutor.adapters.weights import SPEECH, Weights
from tutor.ports import SAMPLE_RATE_HZ, Recording, Transcriber

SAID = "Decode is limited by memory bandwidth."


@pytest.fixture(params=["fake", "server", pytest.param("whisper", marks=pytest.mark.real)])
def ear(request: pytest.FixtureRequest) -> Iterator[Transcriber]:
    if request.param == "fake":
        yield FakeTranscriber(SAID)
    elif request.param == "whisper":
        folder: Path = request.getfixturevalue("weights_dir")
        yield WhisperSpeech(lambda: Weights(folder).require(SPEECH), title="whisper base")
    else:
        with FakeOpenAIServer() as server, OpenAISpeech(Endpoint(server.endpoint.url, errand=SPEECH_ERRAND)) as remote:
            yield remote


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    return PyAvReader().read(str(spoken(SAID, tmp_path_factory.mktemp("said") / "said.wav")))


def test_a_transcript_has_text_and_everything_in_it_lies_in_the_recording(ear: Transcriber, samples: Recording) -> None:
    transcript = ear.transcribe(samples, ("memory bandwidth",))
    assert "memory bandwidth" in transcript.text
    assert transcript.transcriber == ear.name
    assert transcript.duration_s == len(samples.samples) / SAMPLE_RATE_HZ
    assert transcript.is_whole
    assert transcript.speech
    spans = [*transcript.speech, *((w.start_s, w.end_s) for w in transcript.words or ())]
    assert all(0 <= start <= end <= transcript.duration_s for start, end in spans)
    assert list(transcript.speech) == sorted(transcript.speech)


def test_a_recording_that_was_cut_is_told(ear: Transcriber, samples: Recording) -> None:
    assert not ear.transcribe(Recording(samples.samples, is_whole=False), ()).is_whole
