"""What a job, an engine or a check stands at: the values that a screen watches."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from pydantic import Field

from tutor.values import Attempt, CriterionVerdict, Id, Moment, Question, Text, Value


class JobState(StrEnum):
    """Where the grading of an answer stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Job(Value):
    """The grading of one answer: the only row that changes."""

    id: Id
    answer_id: Id
    state: JobState
    tries: int = Field(default=0, ge=0)
    owner: str | None = None
    lease_until: Moment | None = None
    reason: str | None = None
    """The sentence shown when it failed."""
    attempt_id: Id | None = None
    created_at: Moment
    updated_at: Moment


@dataclass(frozen=True)
class Progress:
    """What a page sees of a job while it is graded."""

    job: Job
    verdicts: tuple[CriterionVerdict, ...]
    n_criteria: int
    attempt: Attempt | None = None


@dataclass(frozen=True)
class EngineState:
    """One engine as the screen shows it: `loading`, `ready` or `failed`."""

    name: str
    state: Literal["loading", "ready", "failed"]
    detail: str = ""


@dataclass(frozen=True)
class Suggestion:
    """The question to pose next.

    Attributes:
        question: One of the bank.
        why: The reason in one sentence for the screen.
    """

    question: Question
    why: str


@dataclass(frozen=True)
class SettingLine:
    """One setting as the settings page shows it.

    Attributes:
        name: As in `settings.toml`; the environment variable is TUTOR_ and the name in capitals.
        value: What holds now, as text; stars for a secret, empty when not set.
        origin: Who decided.
        help: What it does.
    """

    name: str
    value: str
    origin: Literal["environment", "settings file", "default", "command line"]
    help: str


@dataclass(frozen=True)
class DataFacts:
    """What lies in the data folder, and whom the program talks to.

    Attributes:
        database: The database file.
        database_bytes: Its size with what is not merged into it yet.
        n_recordings: Recordings of spoken answers that are kept.
        recordings_bytes: Their size.
        n_backups: Copies of the database.
        free_bytes: Room that the disk has left.
        hosts: Names of other machines that are contacted, empty for none.
    """

    database: str
    database_bytes: int
    n_recordings: int
    recordings_bytes: int
    n_backups: int
    free_bytes: int
    hosts: tuple[str, ...]


class Check(Value):
    """One line of `tutor doctor`."""

    name: Text
    ok: bool
    detail: str
    fix: str = ""
    """What to do when it is not ok."""
