"""The embedded speech model on texts read aloud."""

from __future__ import annotations

import doctest
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests import listening
from tests.listening import missed_terms, n_times, word_error_rate
from tests.passages import PASSAGES
from tests.sounds import noise
from tests.voice import ESPEAK, JOE, spoken
from tutor.adapters.audio_pyav import PyAvReader
from tutor.adapters.bank_yaml import shipped_bank
from tutor.adapters.speech_vad import speech_spans
from tutor.adapters.speech_whisper import WhisperSpeech
from tutor.adapters.weights import SPEECH, Weights
from tutor.errors import AudioRefused
from tutor.ports import Recording
from tutor.speaking import delivery


@pytest.fixture(scope="module")
def ear(weights_dir: Path) -> WhisperSpeech:
    return WhisperSpeech(lambda: Weights(weights_dir).require(SPEECH), title="whisper base")


def read_aloud(question_id: str, folder: Path, voice: str) -> Recording:
    return PyAvReader().read(str(spoken(PASSAGES[question_id], folder / "said.wav", voice)))


@pytest.mark.real
@pytest.mark.parametrize(("voice", "worst"), [(ESPEAK, 0.25), (JOE, 0.15)])
def test_a_passage_is_written_down_with_most_of_its_terms_and_words(
    ear: WhisperSpeech, tmp_path: Path, voice: str, worst: float
) -> None:
    said, terms = PASSAGES["q07"], shipped_bank().rubric("q07").terms
    transcript = ear.transcribe(read_aloud("q07", tmp_path, voice), terms)
    missed = missed_terms(said, transcript.text, terms)
    assert sum(missed.values()) <= 0.25 * sum(n_times(said, term) for term in terms), (missed, transcript.text)
    assert word_error_rate(said, transcript.text) < worst, transcript.text
    how = delivery(transcript, 120)
    assert how.n_words == pytest.approx(len(said.split()), rel=0.15)
    assert how.n_pauses >= 4, "a pause between sentences"
    assert how.speech_s < how.duration_s


@pytest.mark.real
def test_noise_without_speech_is_refused(ear: WhisperSpeech) -> None:
    with pytest.raises(AudioRefused) as refused:
        ear.transcribe(Recording(noise(10, 0.05)), shipped_bank().rubric("q07").terms)
    assert refused.value.reason == "silence"


def test_speech_is_found_between_the_silences_around_it(tmp_path: Path) -> None:
    samples = PyAvReader().read(str(spoken("Decode is limited by memory bandwidth.", tmp_path / "s.wav"))).samples
    quiet = noise(2, 0.001)
    spans = speech_spans(np.concatenate([quiet, samples, quiet, samples]))
    starts = [start for start, end in spans]
    assert starts[0] == pytest.approx(2.0, abs=0.3)
    assert any(start == pytest.approx(4.0 + len(samples) / 16_000, abs=0.3) for start in starts)
    assert all(before[1] < after[0] for before, after in pairwise(spans))


def test_the_measures_of_listening_are_true() -> None:
    outcome = doctest.testmod(listening)
    assert outcome.attempted > 0
    assert outcome.failed == 0
    assert word_error_rate("one two three four", "One, two-three!") == 0.25
    assert missed_terms("KV cache, KV cache and RoPE", "kv cash, KV caches", ["KV cache", "RoPE", "GQA"]) == {
        "KV cache": 1,
        "RoPE": 1,
    }
