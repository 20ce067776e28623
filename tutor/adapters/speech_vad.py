"""Where a recording has speech in it: the voice activity detection that every recogniser's transcript brings along."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from tutor.errors import AudioRefused, EngineDown
from tutor.ports import SAMPLE_RATE_HZ
from tutor.spoken import Span

# The shortest silence that counts as a pause (spoken.Delivery) must part two stretches.
PAUSE_MS = 250
# Shorter sounds are clicks, breaths and keys.
SOUND_MS = 100
AGAIN = "Transcribe the recording again, it is kept; if it fails again, run `make setup`."
SILENCE = "No speech was heard in this recording. Check the microphone and its level, then record again."


def speech_spans(samples: NDArray[np.float32]) -> tuple[Span, ...]:
    """Stretches of speech by the Silero model, to the 32 ms of its windows, without padding.

    Args:
        samples: Mono, 16,000 a second, in [-1, 1]; shape (n,).

    Returns:
        Start and end in seconds, in order, without overlap; silences of 0.25 s or more lie between them.

    Raises:
        AudioRefused: There is no speech in it.
        EngineDown: The library failed.
    """
    # The import brings the inference library along, a second that the page must not wait for.
    from faster_whisper.vad import VadOptions, get_speech_timestamps

    options = VadOptions(min_silence_duration_ms=PAUSE_MS, min_speech_duration_ms=SOUND_MS, speech_pad_ms=0)
    with failures_told("The detection of speech"):
        found = get_speech_timestamps(samples, options)
    if not found:
        raise AudioRefused("silence", SILENCE)
    length = len(samples)
    return tuple((s["start"] / SAMPLE_RATE_HZ, min(s["end"], length) / SAMPLE_RATE_HZ) for s in found)


@contextmanager
def failures_told(what: str, fix: str = AGAIN) -> Iterator[None]:
    """Any failure of a speech library as EngineDown with a sentence: the libraries raise bare exceptions."""
    try:
        yield
    except Exception as error:
        said = " ".join(str(error).split())[:200]
        raise EngineDown(f"{what} failed ({type(error).__name__}: {said}). {fix}") from error
