"""A spoken answer before it is an answer: the take, its transcript, doubtful words, and how it was delivered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import Field, model_validator

from tutor.values import Id, Moment, Share, Value

Seconds = Annotated[float, Field(ge=0.0)]
Span = tuple[Seconds, Seconds]


class Word(Value):
    """One recognised word with its place in the recording."""

    text: str
    start_s: Seconds
    end_s: Seconds
    probability: Share


class Transcript(Value):
    """What was heard in a take, exactly as the recogniser wrote it."""

    text: str
    language: str
    words: tuple[Word, ...] | None
    """None where a server gives no times."""
    speech: tuple[Span, ...]
    """Where voice activity detection heard speech, in seconds from the start, in order, without overlap."""
    duration_s: Seconds
    transcriber: str
    """Model, precision and library, for the attempt's record."""
    is_whole: bool = True
    """False when part of the recording could not be read."""


class TakeState(StrEnum):
    """Where a recording stands."""

    RECORDING = "recording"
    STOPPED = "stopped"
    TRANSCRIBED = "transcribed"
    DISCARDED = "discarded"


class Take(Value):
    """One recording of one answer; its file is kept apart and may be gone before the row."""

    id: Id
    """Made by the page, so that one Stop is one take."""
    state: TakeState
    question_id: Id
    started_at: Moment
    stopped_at: Moment | None = None
    duration_s: Seconds | None = None
    file_name: str | None = None
    """Name in the folder of takes; None when the recording was deleted."""
    transcript: Transcript | None = None

    @model_validator(mode="after")
    def _says_what_it_is(self) -> Take:
        if (self.state is TakeState.TRANSCRIBED) and self.transcript is None:
            raise ValueError("a transcribed take has its transcript")
        return self


class Doubt(Value):
    """Words of a transcript that were probably another term: `text[start:end]` is `heard`."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    heard: str
    likely: str
    """The term as the rubric spells it."""


class Delivery(Value):
    """Facts about how an answer was spoken; they never change its grade."""

    duration_s: Seconds
    """From start to stop."""
    target_s: Seconds | None = None
    speech_s: Seconds
    """Time with speech in it, by voice activity detection."""
    n_words: int = Field(ge=0)
    words_per_minute: float | None = Field(default=None, ge=0)
    """Words over the whole take; None for a take without length."""
    words_per_minute_of_speech: float | None = Field(default=None, ge=0)
    """Words over the time with speech in it; None without speech."""
    first_word_s: Seconds | None = None
    """Silence before the first speech; None without speech."""
    n_pauses: int = Field(ge=0)
    """Silences of at least .25 s between two stretches of speech."""
    n_long_pauses: int = Field(ge=0)
    """Those of at least 2 s."""
    longest_pause_s: Seconds


class Hearing(Value):
    """What `tutor transcribe` says of a file."""

    text: str
    language: str
    words: tuple[Word, ...] | None
    """None where a server gives no times."""
    doubtful: tuple[Doubt, ...]
    """Words that were probably a term of the question; none without a question."""
    delivery: Delivery
    duration_s: Seconds
    seconds: Seconds
    """Time the transcription took, without loading the model."""
    is_whole: bool = Field(default=True, exclude=True)
    """False when part of the recording could not be read; told apart from what is printed."""


@dataclass(frozen=True)
class Heard:
    """A transcribed take ready to be checked by the person.

    Attributes:
        take: With its transcript.
        doubts: Words that were probably a term of the rubric.
        delivery: How it was spoken.
        unheard: Stretches of speech for which no word was written, in seconds.
    """

    take: Take
    doubts: tuple[Doubt, ...]
    delivery: Delivery
    unheard: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Spoken:
    """What a graded spoken answer shows besides its grade.

    Attributes:
        take: Its recording; `file_name` is None when that was deleted.
        delivery: How it was spoken.
        starts_s: When the quote of a criterion was said, in seconds, by criterion id; unknown ones are absent.
    """

    take: Take
    delivery: Delivery
    starts_s: Mapping[str, float]
