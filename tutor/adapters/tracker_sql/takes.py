"""Recordings as rows: a take is appended once, and only ever moves forward through its states."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, select, update

from tutor.adapters.tracker_sql import tables
from tutor.adapters.tracker_sql.rows import take_row, to_take
from tutor.adapters.tracker_sql.transactions import Transactions
from tutor.spoken import Take, TakeState, Transcript

_STATE = tables.take.c.state


class SqlTakes(Transactions):
    """`ports.Takes` over SQL."""

    def keep(self, take: Take) -> Take:
        """See `ports.Takes.keep`. Raises TrackerError."""
        with self._writing() as connection:
            self._insert_once(connection, tables.take, take_row(take))
            return self._take(connection, take.id)

    def take(self, take_id: str) -> Take:
        """See `ports.Takes.take`. Raises KeyError or TrackerError."""
        with self._reading() as connection:
            return self._take(connection, take_id)

    def stopped(self, take_id: str, file_name: str, at: datetime) -> Take:
        """See `ports.Takes.stopped`. Raises KeyError or TrackerError."""
        only_if = _STATE == TakeState.RECORDING
        return self._moved(take_id, only_if, state=TakeState.STOPPED, file_name=file_name, stopped_at=at)

    def is_answered(self, take_id: str) -> bool:
        """See `ports.Takes.is_answered`. Raises TrackerError."""
        named = select(tables.answer.c.id).where(tables.answer.c.take_id == take_id).limit(1)
        with self._reading() as connection:
            return connection.execute(named).first() is not None

    def recording(self) -> tuple[Take, ...]:
        """See `ports.Takes.recording`. Raises TrackerError."""
        return self._oldest_first(_STATE == TakeState.RECORDING)

    def transcribed(self, take_id: str, transcript: Transcript) -> Take:
        """See `ports.Takes.transcribed`. Raises KeyError or TrackerError."""
        return self._moved(
            take_id,
            _STATE == TakeState.STOPPED,
            state=TakeState.TRANSCRIBED,
            transcript=transcript.model_dump_json(),
            transcriber=transcript.transcriber,
            duration_s=transcript.duration_s,
        )

    def discard(self, take_id: str) -> Take:
        """See `ports.Takes.discard`. Raises KeyError or TrackerError."""
        return self._moved(take_id, state=TakeState.DISCARDED, file_name=None, transcript=None, transcriber=None)

    def forget_recording(self, take_id: str) -> Take:
        """See `ports.Takes.forget_recording`. Raises KeyError or TrackerError."""
        return self._moved(take_id, file_name=None)

    def recorded_before(self, moment: datetime) -> tuple[Take, ...]:
        """See `ports.Takes.recorded_before`. Raises TrackerError."""
        return self._oldest_first(tables.take.c.file_name.is_not(None), tables.take.c.started_at < moment)

    # -- inside a transaction ----------------------------------------------------------------

    def _take(self, connection: Connection, take_id: str) -> Take:
        row = connection.execute(select(tables.take).where(tables.take.c.id == take_id)).first()
        if row is None:
            raise KeyError(take_id)
        return to_take(row)

    def _moved(self, take_id: str, *only_if: ColumnElement[bool], **changes: Any) -> Take:
        with self._writing() as connection:
            connection.execute(update(tables.take).where(tables.take.c.id == take_id, *only_if).values(**changes))
            return self._take(connection, take_id)

    def _oldest_first(self, *wanted: ColumnElement[bool]) -> tuple[Take, ...]:
        oldest = select(tables.take).where(*wanted).order_by(tables.take.c.started_at, tables.take.c.id)
        with self._reading() as connection:
            return tuple(to_take(row) for row in connection.execute(oldest))
