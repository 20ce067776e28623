"""Word and term error rates of the speech model on two synthetic voices, with and without the terms it is told.

    .venv/bin/python -m scripts.measure_speech [--minutes]

Reads the texts of tests/passages.py aloud with espeak-ng and, after `make voice`, with piper, has the speech model
of the settings write them down, and prints a table: errors over all words, terms of the rubric missed over terms
said, and seconds for a minute of speech, by the clock and of processor time (all threads together), which other
programs do not lengthen. With --minutes also the time for takes of 1, 3 and 5 minutes.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.listening import missed_terms, n_times, normalised, word_error_rate
from tests.passages import PASSAGES
from tests.voice import VOICES, missing, spoken
from tutor.adapters.audio_pyav import PyAvReader
from tutor.adapters.bank_yaml import shipped_bank
from tutor.ports import SAMPLE_RATE_HZ, Recording
from tutor.settings import load
from tutor.wiring.engines import SystemClock
from tutor.wiring.speech import SpeechEngine


@dataclass(frozen=True)
class Hearing:
    """One passage written down once."""

    n_words: int
    word_errors: float
    n_terms: int
    missed: dict[str, int]
    speech_s: float
    work_s: float
    processor_s: float


def hearing(engine: SpeechEngine, recording: Recording, said: str, terms: Sequence[str], told: bool) -> Hearing:
    """Write a passage down, with or without telling the engine the terms."""
    clock = SystemClock()
    started_s, processor_s = clock.elapsed_s(), time.process_time()
    heard = engine.transcribe(recording, terms if told else ()).text
    n_words = len(normalised(said).split())
    return Hearing(
        n_words=n_words,
        word_errors=word_error_rate(said, heard) * n_words,
        n_terms=sum(n_times(said, term) for term in terms),
        missed=missed_terms(said, heard, terms),
        speech_s=len(recording.samples) / SAMPLE_RATE_HZ,
        work_s=clock.elapsed_s() - started_s,
        processor_s=time.process_time() - processor_s,
    )


def recordings(voice: str) -> Iterator[tuple[str, Recording]]:
    """Each passage read by a voice, with the question it belongs to."""
    with tempfile.TemporaryDirectory() as folder:
        for question_id, said in PASSAGES.items():
            yield question_id, PyAvReader().read(str(spoken(said, Path(folder) / f"{question_id}.wav", voice)))


def row(name: str, hearings: Sequence[Hearing]) -> str:
    """One line of the table."""
    wer = sum(h.word_errors for h in hearings) / sum(h.n_words for h in hearings)
    n_terms = sum(h.n_terms for h in hearings)
    n_missed = sum(sum(h.missed.values()) for h in hearings)
    minutes_said = sum(h.speech_s for h in hearings) / 60
    work_s = sum(h.work_s for h in hearings) / minutes_said
    processor_s = sum(h.processor_s for h in hearings) / minutes_said
    return f"{name:24}{wer:8.1%}{n_missed:8} of {n_terms:4}{n_missed / n_terms:8.1%}{work_s:14.1f}{processor_s:11.1f}"


def missed_line(hearings: Sequence[Hearing]) -> str:
    """The terms missed, most often first."""
    total: dict[str, int] = {}
    for h in hearings:
        for term, times in h.missed.items():
            total[term] = total.get(term, 0) + times
    return ", ".join(f"{term} {n}" for term, n in sorted(total.items(), key=lambda pair: -pair[1])) or "none"


def minutes(engine: SpeechEngine, one_after_another: NDArray[np.float32], terms: Sequence[str]) -> None:
    """Print the time for takes of 1, 3 and 5 minutes cut from all passages in a row."""
    clock = SystemClock()
    for length in (1, 3, 5):
        take = np.resize(one_after_another, length * 60 * SAMPLE_RATE_HZ)
        started_s, processor_s = clock.elapsed_s(), time.process_time()
        engine.transcribe(Recording(take), terms)
        took = f"{clock.elapsed_s() - started_s:.1f} s, {time.process_time() - processor_s:.1f} s of processor time"
        print(f"    {length} min of speech: {took}", flush=True)


def main(with_minutes: bool) -> None:
    """Print the table, the terms missed, and the times of whole takes when wanted."""
    engine, bank = SpeechEngine(load()), shipped_bank()
    engine.load()
    print(f"{engine.name}, {len(PASSAGES)} passages")
    print(f"{'':24}{'words':>8}{'terms missed':>24}{'s a minute':>14}{'processor':>11}", flush=True)
    for voice in VOICES:
        if reason := missing(voice):
            print(f"{voice}: {reason}")
            continue
        read = list(recordings(voice))
        for told in (False, True):
            found = [hearing(engine, r, PASSAGES[q], bank.rubric(q).terms, told) for q, r in read]
            print(row(f"{voice}, {'terms told' if told else 'nothing told'}", found))
            print(f"    missed: {missed_line(found)}", flush=True)
        if with_minutes:
            minutes(engine, np.concatenate([r.samples for _, r in read]), bank.rubric("q15").terms)


if __name__ == "__main__":
    main("--minutes" in sys.argv[1:])
