"""What a job, an engine or a check stands at: the values that a screen watches."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from pydantic import Field

from tutor.values import Attempt, CriterionVerdict, Id, Moment, Text, Value


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


class Check(Value):
    """One line of `tutor doctor`."""

    name: Text
    ok: bool
    detail: str
    fix: str = ""
    """What to do when it is not ok."""
