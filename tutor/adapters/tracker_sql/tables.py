"""The tables: take, answer, job, attempt, correction.

Whole values (question, rubric, grade) are JSON, exactly as they were on the day; the columns beside
them are only what is searched for. Facts are appended; `job` is the one table whose rows change.
"""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)
from sqlalchemy.types import TypeDecorator

from tutor.spoken import TakeState
from tutor.states import JobState


class UtcMoment(TypeDecorator[datetime]):
    """A moment in UTC; naive datetimes are refused, aware ones come back (SQLite itself forgets the zone)."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Convert to UTC. Raises ValueError for a naive datetime."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value} has no time zone; store UTC")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Give the zone back."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


# Names for every constraint from the first revision on: an unnamed one can never be altered later.
NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_name)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}

metadata = MetaData(naming_convention=NAMES)


def _one_of(column: str, *words: str) -> CheckConstraint:
    return CheckConstraint(f"{column} IN ({', '.join(repr(str(word)) for word in words)})", name=column)


take = Table(
    "take",
    metadata,
    Column("id", String(120), primary_key=True),
    Column("state", String(20), nullable=False),
    Column("question_id", String(120), nullable=False),
    Column("started_at", UtcMoment, nullable=False),
    Column("stopped_at", UtcMoment),
    Column("duration_s", Float),
    Column("file_name", Text),
    Column("transcript", Text),
    Column("transcriber", Text),
    _one_of("state", *TakeState),
)

answer = Table(
    "answer",
    metadata,
    Column("id", String(120), primary_key=True),
    Column("question_id", String(120), nullable=False, index=True),
    Column("text", Text, nullable=False),
    Column("spoken", Boolean, nullable=False),
    Column("take_id", String(120), ForeignKey("take.id", ondelete="SET NULL"), index=True),
    Column("created_at", UtcMoment, nullable=False),
)

# `number` is the order of arrival: the clock of a laptop may step back, this cannot.
job = Table(
    "job",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("id", String(120), nullable=False, unique=True),
    Column("answer_id", String(120), ForeignKey("answer.id"), nullable=False, index=True),
    Column("state", String(20), nullable=False, index=True),
    Column("tries", Integer, nullable=False),
    Column("owner", String(120)),
    Column("lease_until", UtcMoment),
    Column("reason", Text),
    Column("created_at", UtcMoment, nullable=False),
    Column("updated_at", UtcMoment, nullable=False),
    _one_of("state", *JobState),
)

# A job leaves at most one attempt (the unique job_id); another job may grade the same answer again.
attempt = Table(
    "attempt",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("id", String(120), nullable=False, unique=True),
    Column("job_id", String(120), ForeignKey("job.id"), nullable=False, unique=True),
    Column("answer_id", String(120), ForeignKey("answer.id"), nullable=False, index=True),
    Column("question_id", String(120), nullable=False, index=True),
    Column("topic", Text, nullable=False, index=True),
    Column("created_at", UtcMoment, nullable=False, index=True),
    Column("score", Float),
    Column("fingerprint_id", String(120), nullable=False, index=True),
    Column("rubric_hash", String(64), nullable=False),
    Column("transcriber", Text),
    Column("question", JSON, nullable=False),
    Column("rubric", JSON, nullable=False),
    Column("grade", JSON, nullable=False),
    CheckConstraint("score IS NULL OR (score >= 0 AND score <= 1)", name="score"),
)

correction = Table(
    "correction",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("id", String(120), nullable=False, unique=True),
    Column("attempt_id", String(120), ForeignKey("attempt.id"), nullable=False, index=True),
    Column("kind", String(20), nullable=False),
    Column("criterion_id", String(120)),
    Column("note", Text, nullable=False),
    Column("created_at", UtcMoment, nullable=False),
    _one_of("kind", "correction", "appeal"),
)
