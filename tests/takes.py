"""A take in each of its states, and a transcript that fits it."""

from __future__ import annotations

from datetime import datetime

from tests.fakes import FakeClock
from tutor.spoken import Take, TakeState, Transcript, Word

NOON = FakeClock().now()

TRANSCRIPT = Transcript(
    text="one cache keeps keys and values, naïvely — 世界",
    language="en",
    words=(Word(text="one", start_s=0.25, end_s=0.5, probability=0.875),),
    speech=((0.25, 2.5), (3.0, 4.125)),
    duration_s=4.5,
    transcriber="base int8, whisper 1.2",
    is_whole=False,
)


def recording(id: str = "k1", at: datetime = NOON) -> Take:
    return Take(id=id, state=TakeState.RECORDING, question_id="kv-cache", started_at=at)


def stopped(id: str = "k1", at: datetime = NOON) -> Take:
    stop = {"state": TakeState.STOPPED, "stopped_at": at, "file_name": f"{id}.wav"}
    return recording(id, at).model_copy(update=stop)
