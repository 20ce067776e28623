"""Any server's transcriptions: what is sent, what is made of the reply, and a sentence for each failure."""

from __future__ import annotations

import io
import json
import wave
from collections.abc import Iterator

import numpy as np
import pytest

from tests.fake_openai_server import Abilities, FakeOpenAIServer, fails, floods, hangs, hears, sends
from tests.sounds import speechlike
from tutor.adapters import speech_openai
from tutor.adapters.chat_openai_transport import Transport
from tutor.adapters.endpoint import SPEECH, Endpoint
from tutor.adapters.speech_openai import OpenAISpeech
from tutor.errors import AudioRefused, EngineDown, EngineReply, EngineTimeout
from tutor.ports import SAMPLE_RATE_HZ, Recording

TERMS = ("KV cache", "PagedAttention")
SPOKEN = Recording(speechlike(4.0))


@pytest.fixture(autouse=True)
def heard_speech(monkeypatch: pytest.MonkeyPatch) -> None:
    """Speech is found without the model, which these tests are not about."""
    monkeypatch.setattr(speech_openai, "speech_spans", lambda samples: ((0.5, 3.5),))


@pytest.fixture
def server() -> Iterator[FakeOpenAIServer]:
    with FakeOpenAIServer() as server:
        yield server


def at(server: FakeOpenAIServer, model: str = "", key: str = "k") -> Endpoint:
    return Endpoint(server.endpoint.url, key=key, model=model, fix="Start it or unset TUTOR_SPEECH_URL.", errand=SPEECH)


@pytest.fixture
def ear(server: FakeOpenAIServer) -> Iterator[OpenAISpeech]:
    with OpenAISpeech(at(server), transport=Transport(pause_s=0.01)) as ear:
        yield ear


def test_a_recording_becomes_words_with_times_and_the_stretches_of_speech_found_here(ear: OpenAISpeech) -> None:
    transcript = ear.transcribe(SPOKEN, TERMS)
    assert transcript.text == "Decode is limited by memory bandwidth."
    assert transcript.words is not None
    assert [(w.text, w.start_s) for w in transcript.words][:2] == [("Decode", 0.0), ("is", 0.5)]
    assert transcript.speech == ((0.5, 3.5),)
    assert transcript.duration_s == 4.0
    assert (transcript.language, transcript.is_whole) == ("en", True)


def test_the_server_gets_a_small_wav_the_model_the_language_and_the_terms(
    server: FakeOpenAIServer, ear: OpenAISpeech
) -> None:
    ear.transcribe(SPOKEN, TERMS)
    (call,) = server.calls
    assert call.handler.path == "/v1/audio/transcriptions"
    assert call.key == "k"
    sent = {name: value for name, value in call.body.items() if name != "file"}
    assert sent == {
        "model": ["whisper-1"],
        "language": ["en"],
        "response_format": ["verbose_json"],
        "temperature": ["0"],
        "prompt": ["KV cache, PagedAttention"],
        "hotwords": ["KV cache, PagedAttention"],
        "timestamp_granularities[]": ["word", "segment"],
    }
    with wave.open(io.BytesIO(call.body["file"])) as file:
        assert (file.getnchannels(), file.getframerate(), file.getsampwidth()) == (1, SAMPLE_RATE_HZ, 2)
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2")
    assert np.allclose(samples / 32767, SPOKEN.samples, atol=1e-4)


def test_without_terms_nothing_is_suggested(server: FakeOpenAIServer, ear: OpenAISpeech) -> None:
    ear.transcribe(SPOKEN, ())
    assert not {"prompt", "hotwords"} & server.calls[0].body.keys()


def test_the_record_names_the_model_and_the_server_without_its_password(server: FakeOpenAIServer) -> None:
    url = server.endpoint.url.replace("//", "//me:secret@")
    with OpenAISpeech(Endpoint(url, model="large-v3", errand=SPEECH)) as ear:
        assert ear.name == f"large-v3 at {server.endpoint.url}"


def test_a_server_that_knows_no_word_times_is_asked_for_plain_text_from_then_on(
    server: FakeOpenAIServer, ear: OpenAISpeech
) -> None:
    server.abilities = Abilities(word_times=False)
    for _ in range(2):
        transcript = ear.transcribe(SPOKEN, TERMS)
        assert (transcript.text, transcript.words) == ("Decode is limited by memory bandwidth.", None)
        assert transcript.speech == ((0.5, 3.5),), "pauses are known all the same"
    asked = [call.body["response_format"] for call in server.calls]
    assert asked == [["verbose_json"], ["json"], ["json"]]
    assert "hotwords" not in server.calls[1].body
    assert server.calls[1].body["prompt"] == ["KV cache, PagedAttention"]


def test_a_recording_that_is_refused_twice_is_a_sentence_and_decides_nothing(
    server: FakeOpenAIServer, ear: OpenAISpeech
) -> None:
    server.then(fails(413, "too large"), fails(413, "too large"))
    with pytest.raises(EngineReply, match=r"speech server .* \(status 413: .*too large.*TUTOR_SPEECH_URL.*it is kept"):
        ear.transcribe(SPOKEN, TERMS)
    assert ear.transcribe(SPOKEN, TERMS).words is not None


@pytest.mark.parametrize(
    "words",
    [
        [],
        None,
        [{"word": "no times"}],
        [{"word": "x", "start": -1, "end": 2}],
        [{"word": "x", "start": 1, "end": float("nan")}],
        "words",
        [None],
        7,
    ],
)
def test_words_that_make_no_sense_are_no_words(server: FakeOpenAIServer, ear: OpenAISpeech, words: object) -> None:
    server.then(hears("A cache of keys.", words))
    transcript = ear.transcribe(SPOKEN, ())
    assert (transcript.text, transcript.words) == ("A cache of keys.", None)


def test_times_stay_inside_the_recording_and_probabilities_are_taken_over(
    server: FakeOpenAIServer, ear: OpenAISpeech
) -> None:
    server.then(hears("so end", [
        {"word": " so", "start": 3.0, "end": 2.0, "probability": 0.4}, {"word": "end", "start": 9.0, "end": 30.0},
    ]))  # fmt: skip
    words = ear.transcribe(SPOKEN, ()).words
    assert words is not None
    assert [(w.text, w.start_s, w.end_s, w.probability) for w in words] == [
        ("so", 3.0, 3.0, 0.4),
        ("end", 4.0, 4.0, 1.0),
    ]


def test_a_text_over_several_lines_becomes_one(server: FakeOpenAIServer, ear: OpenAISpeech) -> None:
    server.then(hears(" One.\n Two. \n"))
    assert ear.transcribe(SPOKEN, ()).text == "One. Two."


def test_silence_is_not_sent_anywhere(
    server: FakeOpenAIServer, ear: OpenAISpeech, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(samples: object) -> object:
        raise AudioRefused("silence", "No speech was heard.")

    monkeypatch.setattr(speech_openai, "speech_spans", silent)
    with pytest.raises(AudioRefused):
        ear.transcribe(SPOKEN, TERMS)
    assert server.calls == []


def test_noise_without_words_is_refused_as_silence(server: FakeOpenAIServer, ear: OpenAISpeech) -> None:
    server.then(hears("  "))
    with pytest.raises(AudioRefused) as refused:
        ear.transcribe(SPOKEN, ())
    assert refused.value.reason == "silence"


def test_a_recording_larger_than_servers_take_is_refused_before_it_is_sent(
    server: FakeOpenAIServer, ear: OpenAISpeech
) -> None:
    with pytest.raises(AudioRefused, match="13 minutes") as refused:
        ear.transcribe(Recording(np.zeros(14 * 60 * SAMPLE_RATE_HZ, dtype=np.float32)), ())
    assert refused.value.reason == "too_long"
    assert server.calls == []


@pytest.mark.parametrize("body", [b"no json", b"[]", b'{"words": []}', json.dumps({"text": 7}).encode()])
def test_a_reply_without_a_transcript_is_a_sentence(server: FakeOpenAIServer, ear: OpenAISpeech, body: bytes) -> None:
    server.then(sends(body))
    with pytest.raises(EngineReply, match=r"without a transcript.*TUTOR_SPEECH_URL.*it is kept"):
        ear.transcribe(SPOKEN, ())


def test_a_server_that_does_not_answer_in_time_is_left(server: FakeOpenAIServer) -> None:
    server.then(hangs)
    with OpenAISpeech(at(server), deadline_s=0.3) as ear, pytest.raises(EngineTimeout, match="speech server"):
        ear.transcribe(SPOKEN, ())
    assert server.abandoned.wait(5)


def test_a_flood_is_cut_off(server: FakeOpenAIServer, ear: OpenAISpeech) -> None:
    server.then(floods())
    with pytest.raises(EngineReply, match="TUTOR_SPEECH_URL offers transcription"):
        ear.transcribe(SPOKEN, ())


def test_a_server_that_is_not_there_says_which_setting_to_look_at() -> None:
    endpoint = Endpoint("http://127.0.0.1:9/v1", fix="Start it or unset TUTOR_SPEECH_URL.", errand=SPEECH)
    with OpenAISpeech(endpoint) as ear, pytest.raises(EngineDown, match=r"does not answer.*TUTOR_SPEECH_URL"):
        ear.transcribe(SPOKEN, ())


def test_a_wrong_key_is_told_without_the_key(server: FakeOpenAIServer) -> None:
    server.then(fails(401, "bad key sk-canary-123"))
    with OpenAISpeech(at(server, key="sk-canary-123")) as ear, pytest.raises(EngineDown) as down:
        ear.transcribe(SPOKEN, ())
    assert "TUTOR_SPEECH_KEY" in str(down.value)
    assert "canary" not in str(down.value)


def test_a_server_without_the_route_names_the_setting(server: FakeOpenAIServer, ear: OpenAISpeech) -> None:
    server.then(fails(404, "no such route"))
    with pytest.raises(EngineDown, match=r"no transcription there.*TUTOR_SPEECH_URL.*TUTOR_SPEECH_MODEL"):
        ear.transcribe(SPOKEN, ())


def test_a_failure_is_not_tried_again_behind_the_persons_back(server: FakeOpenAIServer, ear: OpenAISpeech) -> None:
    server.always = fails(500, "out of memory")
    with pytest.raises(EngineDown, match="out of memory"):
        ear.transcribe(SPOKEN, ())
    assert len(server.calls) == 1


def test_loading_sends_a_second_of_silence_and_accepts_an_empty_transcript(
    server: FakeOpenAIServer, ear: OpenAISpeech
) -> None:
    server.then(hears(""))
    ear.load()
    with wave.open(io.BytesIO(server.calls[0].body["file"])) as file:
        assert file.getnframes() == SAMPLE_RATE_HZ
