"""A booth with real files and a scripted ear: what it hears, and whether it hears at all, the files in FOLDER say.

`says` holds the words it writes down; while `deaf` is there it fails, while `slow` is there it does not come to an end.
"""

from __future__ import annotations

import time
import wave
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tests.fakes import FakeTranscriber
from tutor.errors import AudioRefused, EngineDown
from tutor.ports import SAMPLE_RATE_HZ, Recording
from tutor.spoken import Transcript

SPOKEN = (
    "Every step has to stream all the weights from memory, so decode is bound by bandwidth and not by compute. "
    "With page detention the cache is stored in blocks. Prefill is different, it has many tokens."
)


class WaveReader:
    """Reads WAV files; anything else is no recording to it, and less than half a second is too short."""

    def read(self, path: str) -> Recording:
        try:
            with wave.open(path) as file:
                samples = np.frombuffer(file.readframes(file.getnframes()), dtype=np.int16)
                n_samples = round(file.getnframes() / file.getframerate() * SAMPLE_RATE_HZ)
        except (wave.Error, EOFError) as error:
            raise AudioRefused(
                "unreadable", "This file cannot be read as a recording. Record again or upload another file."
            ) from error
        if n_samples < SAMPLE_RATE_HZ / 2:
            raise AudioRefused("too_short", "This recording is too short to be an answer. Record again.")
        if not np.any(np.abs(samples) > 50):
            raise AudioRefused("silence", "No speech was heard. Check the microphone, then record again.")
        return Recording(samples=np.zeros(n_samples, dtype=np.float32))


class ScriptedEar:
    """Writes down what the folder says."""

    name = "fake-ear"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def transcribe(self, recording: Recording, terms: Sequence[str]) -> Transcript:
        while (self._folder / "slow").exists():
            time.sleep(0.05)
        if (self._folder / "deaf").exists():
            raise EngineDown("The speech recogniser does not answer.")
        says = self._folder / "says"
        return FakeTranscriber(says.read_text() if says.exists() else SPOKEN).transcribe(recording, terms)
