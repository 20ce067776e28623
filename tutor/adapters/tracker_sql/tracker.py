"""The tracker and its queue of gradings over SQL: facts are appended, only jobs change."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from sqlalchemy import ColumnElement, Connection, Select, and_, insert, or_, select, update

from tutor.adapters.tracker_sql import tables
from tutor.adapters.tracker_sql.rows import attempt_row, to_answer, to_attempt, to_correction, to_job
from tutor.adapters.tracker_sql.takes import SqlTakes
from tutor.errors import AnswerConflict, TrackerError
from tutor.ports import Clock
from tutor.states import Job, JobState
from tutor.values import Answer, Attempt, Correction

MAX_TRIES = 3
TIRED = "Grading was interrupted three times and has stopped. Your answer is saved; you can try again."

_JOBS = select(tables.job, tables.attempt.c.id.label("attempt_id")).outerjoin(
    tables.attempt, tables.attempt.c.job_id == tables.job.c.id
)
_FREE = {"owner": None, "lease_until": None}


class SqlTracker(SqlTakes):
    """`ports.Tracker`, `ports.Jobs` and `ports.Takes` in one database.

    Several processes may write to one SQLite file: each writing transaction takes the write lock
    before it reads, and waits up to 30 s for it.

    Attributes:
        engine: The SQLAlchemy engine, for backups and checks.
    """

    def __init__(self, place: Path | str, clock: Clock) -> None:
        """Check, back up and migrate the database, then open it.

        Args:
            place: Path of the SQLite file (made if missing), or an SQLAlchemy URL.
            clock: Stamps jobs and their leases.

        Raises:
            TrackerError: Damaged, foreign, not writable, or from a newer version; the file is untouched.
        """
        super().__init__(place, clock.now())
        self._clock = clock

    # -- facts -------------------------------------------------------------------------------

    def submit(self, answer: Answer) -> Job:
        """See `ports.Tracker.submit`. Raises AnswerConflict, KeyError for an unknown take, or TrackerError."""
        with self._writing() as connection:
            if answer.take_id is not None:
                self._take(connection, answer.take_id)
            if self._insert_once(connection, tables.answer, answer.model_dump()):
                now = self._clock.now()
                fresh = {"id": uuid4().hex, "answer_id": answer.id, "state": JobState.QUEUED, "tries": 0}
                connection.execute(insert(tables.job).values(**fresh, created_at=now, updated_at=now))
            else:
                kept = self._answer(connection, answer.id)
                if (kept.question_id, kept.text) != (answer.question_id, answer.text):
                    raise AnswerConflict("This answer was already sent with other words. The first words are kept.")
            newest = _JOBS.where(tables.job.c.answer_id == answer.id).order_by(tables.job.c.number.desc()).limit(1)
            return to_job(connection.execute(newest).one())

    def answer(self, answer_id: str) -> Answer:
        """See `ports.Tracker.answer`. Raises KeyError or TrackerError."""
        with self._reading() as connection:
            return self._answer(connection, answer_id)

    def attempt(self, attempt_id: str) -> Attempt:
        """See `ports.Tracker.attempt`. Raises KeyError or TrackerError."""
        with self._reading() as connection:
            for attempt in self._attempts(connection, tables.attempt.c.id == attempt_id):
                return attempt
        raise KeyError(attempt_id)

    def attempts(self, question_id: str | None = None, limit: int | None = None) -> tuple[Attempt, ...]:
        """See `ports.Tracker.attempts`. Raises TrackerError."""
        wanted = () if question_id is None else (tables.attempt.c.question_id == question_id,)
        with self._reading() as connection:
            return tuple(self._attempts(connection, *wanted, limit=limit))

    def append(self, correction: Correction) -> None:
        """See `ports.Tracker.append`. Raises KeyError for an unknown attempt, or TrackerError."""
        with self._writing() as connection:
            known = select(tables.attempt.c.id).where(tables.attempt.c.id == correction.attempt_id)
            if connection.execute(known).first() is None:
                raise KeyError(correction.attempt_id)
            if not self._insert_once(connection, tables.correction, correction.model_dump()):
                raise TrackerError(f"The correction {correction.id} is already stored; give a new one another id.")

    def corrections(self, attempt_id: str) -> tuple[Correction, ...]:
        """See `ports.Tracker.corrections`. Raises TrackerError."""
        table = tables.correction
        with self._reading() as connection:
            wanted = select(table).where(table.c.attempt_id == attempt_id).order_by(table.c.number)
            return tuple(to_correction(row) for row in connection.execute(wanted))

    # -- jobs --------------------------------------------------------------------------------

    def job(self, job_id: str) -> Job:
        """See `ports.Jobs.job`. Raises KeyError or TrackerError."""
        with self._reading() as connection:
            return self._job(connection, job_id)

    def unfinished(self) -> tuple[Job, ...]:
        """See `ports.Jobs.unfinished`. Raises TrackerError."""
        states = (JobState.QUEUED, JobState.RUNNING, JobState.FAILED)
        wanted = _JOBS.where(tables.job.c.state.in_(states)).order_by(tables.job.c.number.desc())
        with self._reading() as connection:
            return tuple(to_job(row) for row in connection.execute(wanted))

    def claim(self, owner: str, lease_s: float) -> Job | None:
        """See `ports.Jobs.claim`. Raises TrackerError."""
        table, now = tables.job, self._clock.now()
        abandoned = and_(table.c.state == JobState.RUNNING, table.c.lease_until <= now)
        oldest = (
            select(table.c.id, table.c.tries)
            .where(or_(table.c.state == JobState.QUEUED, abandoned))
            .order_by(table.c.number)
            .limit(1)
            .with_for_update(skip_locked=True)
        )
        with self._writing() as connection:
            while (row := connection.execute(oldest).first()) is not None:
                if row.tries >= MAX_TRIES:
                    self._change(connection, row.id, state=JobState.FAILED, reason=TIRED, **_FREE)
                    continue
                lease = {"owner": owner, "lease_until": now + timedelta(seconds=lease_s)}
                self._change(connection, row.id, state=JobState.RUNNING, tries=row.tries + 1, reason=None, **lease)
                return self._job(connection, row.id)
        return None

    def renew(self, job_id: str, owner: str, lease_s: float) -> bool:
        """See `ports.Jobs.renew`. Raises TrackerError."""
        until = self._clock.now() + timedelta(seconds=lease_s)
        with self._writing() as connection:
            return self._change(connection, job_id, _held_by(owner), lease_until=until)

    def finish(self, job_id: str, owner: str, attempt: Attempt) -> bool:
        """See `ports.Jobs.finish`. Raises TrackerError."""
        ours = and_(_held_by(owner), tables.job.c.answer_id == attempt.answer.id)
        with self._writing() as connection:
            done = self._change(connection, job_id, ours, state=JobState.DONE, reason=None, **_FREE)
            if done:
                connection.execute(insert(tables.attempt).values(attempt_row(attempt, job_id)))
            return done

    def fail(self, job_id: str, owner: str, reason: str) -> bool:
        """See `ports.Jobs.fail`. Raises TrackerError."""
        with self._writing() as connection:
            return self._change(connection, job_id, _held_by(owner), state=JobState.FAILED, reason=reason, **_FREE)

    def give_back(self, job_id: str, owner: str) -> bool:
        """See `ports.Jobs.give_back`. Raises TrackerError."""
        with self._writing() as connection:
            fewer = tables.job.c.tries - 1
            return self._change(connection, job_id, _held_by(owner), state=JobState.QUEUED, tries=fewer, **_FREE)

    def reclaim(self, owner: str) -> int:
        """See `ports.Jobs.reclaim`. Raises TrackerError."""
        table = tables.job
        others = and_(table.c.state == JobState.RUNNING, table.c.owner != owner)
        changes = update(table).where(others).values(state=JobState.QUEUED, updated_at=self._clock.now(), **_FREE)
        with self._writing() as connection:
            return connection.execute(changes).rowcount

    def cancel(self, job_id: str) -> Job:
        """See `ports.Jobs.cancel`. Raises KeyError or TrackerError."""
        with self._writing() as connection:
            open_ = tables.job.c.state.in_((JobState.QUEUED, JobState.RUNNING))
            self._change(connection, job_id, open_, state=JobState.CANCELLED, **_FREE)
            return self._job(connection, job_id)

    def retry(self, job_id: str) -> Job:
        """See `ports.Jobs.retry`. Raises KeyError or TrackerError."""
        with self._writing() as connection:
            stopped = tables.job.c.state.in_((JobState.FAILED, JobState.CANCELLED))
            self._change(connection, job_id, stopped, state=JobState.QUEUED, tries=0, reason=None, **_FREE)
            return self._job(connection, job_id)

    # -- inside a transaction ----------------------------------------------------------------

    def _change(self, connection: Connection, job_id: str, *only_if: ColumnElement[bool], **changes: Any) -> bool:
        table = tables.job
        changed = update(table).where(table.c.id == job_id, *only_if).values(updated_at=self._clock.now(), **changes)
        return connection.execute(changed).rowcount == 1

    def _job(self, connection: Connection, job_id: str) -> Job:
        row = connection.execute(_JOBS.where(tables.job.c.id == job_id)).first()
        if row is None:
            raise KeyError(job_id)
        return to_job(row)

    def _answer(self, connection: Connection, answer_id: str) -> Answer:
        row = connection.execute(select(tables.answer).where(tables.answer.c.id == answer_id)).first()
        if row is None:
            raise KeyError(answer_id)
        return to_answer(row)

    def _attempts(
        self, connection: Connection, *wanted: ColumnElement[bool], limit: int | None = None
    ) -> Iterator[Attempt]:
        table = tables.attempt
        newest: Select[Any] = (
            select(table).where(*wanted).order_by(table.c.created_at.desc(), table.c.number.desc()).limit(limit)
        )
        answered = select(tables.answer).where(tables.answer.c.id.in_(newest.with_only_columns(table.c.answer_id)))
        answers = {row.id: to_answer(row) for row in connection.execute(answered)}
        for row in connection.execute(newest):
            yield to_attempt(row, answers[row.answer_id])


def _held_by(owner: str) -> ColumnElement[bool]:
    return and_(tables.job.c.state == JobState.RUNNING, tables.job.c.owner == owner)
