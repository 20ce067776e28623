"""A recording named in a terminal: read in place, written down, and nothing of it kept."""

from __future__ import annotations

import os
from pathlib import Path

from tutor.adapters.audio_pyav import IN_PLACE, PyAvReader
from tutor.errors import AudioRefused, BankError
from tutor.settings import Settings
from tutor.speaking import delivery, doubts
from tutor.spoken import Hearing, Transcript
from tutor.wiring.bank import question_bank
from tutor.wiring.engines import SystemClock
from tutor.wiring.speech import SpeechEngine

MOST_IDS = 100
"""So many ids of questions are named to somebody who names another."""


def transcribe_file(settings: Settings, file: Path, question_id: str | None, bank: Path | None) -> Hearing:
    """What is said in a recording, and how.

    Args:
        settings: Which speech model.
        file: The recording.
        question_id: The question that it answers: its terms are expected and its target is compared with.
        bank: Another bank than that of the settings.

    Raises:
        AudioRefused: The file is no recording, or has no speech in it.
        BankError: The bank has no such question.
        EngineError: The speech model is missing or failed.
    """
    terms, target_s = _expected(settings, question_id, bank)
    try:
        transcript, seconds = _heard(settings, file, terms)
    except AudioRefused as refused:
        raise AudioRefused(refused.reason, f"{file}: {refused}") from refused
    return Hearing(
        text=transcript.text,
        language=transcript.language,
        words=transcript.words,
        doubtful=doubts(transcript, terms),
        delivery=delivery(transcript, target_s),
        duration_s=transcript.duration_s,
        seconds=seconds,
        is_whole=transcript.is_whole,
    )


def _heard(settings: Settings, file: Path, terms: tuple[str, ...]) -> tuple[Transcript, float]:
    """What is said, and how many seconds it took to find out."""
    clock = SystemClock()
    # The reader opens no links, because on the page somebody else could have made them; this one was named by hand.
    recording = PyAvReader(advice=IN_PLACE).read(os.path.realpath(file))
    engine = SpeechEngine(settings)
    try:
        engine.load()
        started_s = clock.elapsed_s()
        transcript = engine.transcribe(recording, terms)
        return transcript, clock.elapsed_s() - started_s
    finally:
        engine.close()


def _expected(settings: Settings, question_id: str | None, bank: Path | None) -> tuple[tuple[str, ...], float | None]:
    if question_id is None:
        return (), None
    folder = bank or settings.bank
    source = question_bank(settings, bank)
    question = source.question(question_id)
    if question is None:
        ids = [listed.id for listed in source.questions()]
        known = ", ".join(ids[:MOST_IDS]) + (" ..." if len(ids) > MOST_IDS else "")
        where = str(folder) if folder else "the bank that comes along"
        raise BankError(where, f"there is no question {question_id!r}; its {len(ids)} questions are {known}")
    return source.rubric(question_id).terms, question.target_s
