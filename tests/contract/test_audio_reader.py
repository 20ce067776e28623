"""One contract for every inhabitant of the AudioReader socket."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.adapters.bad_audio import tone as swelling
from tests.adapters.bad_audio import wav
from tests.fake_speech import FakeAudioReader, missing, tone
from tutor.adapters.audio_pyav import PyAvReader
from tutor.errors import AudioRefused
from tutor.ports import SAMPLE_RATE_HZ, AudioReader


@pytest.fixture
def take(tmp_path: Path) -> str:
    """Three seconds of sound."""
    path = tmp_path / "take.wav"
    path.write_bytes(wav(swelling(3).tobytes()))
    return str(path)


@pytest.fixture(params=["fake", "pyav"])
def reader(request: pytest.FixtureRequest) -> AudioReader:
    if request.param == "pyav":
        return PyAvReader()
    return FakeAudioReader(lambda path: tone() if path.endswith("take.wav") else missing())


def test_a_recording_is_mono_at_16_khz_between_minus_one_and_one(reader: AudioReader, take: str) -> None:
    recording = reader.read(take)
    assert recording.samples.shape == (3 * SAMPLE_RATE_HZ,)
    assert recording.samples.dtype == np.float32
    assert 0.1 < np.abs(recording.samples).max() <= 1
    assert recording.is_whole


def test_the_same_file_reads_the_same_twice(reader: AudioReader, take: str) -> None:
    assert np.array_equal(reader.read(take).samples, reader.read(take).samples)


def test_a_file_that_is_not_there_is_refused_as_missing_with_what_to_do(reader: AudioReader, tmp_path: Path) -> None:
    with pytest.raises(AudioRefused, match="Record again or upload") as caught:
        reader.read(str(tmp_path / "absent.wav"))
    assert caught.value.reason == "missing"
