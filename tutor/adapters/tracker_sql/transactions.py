"""A database that is open: reading and writing transactions, and rows that are inserted once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Table, make_url
from sqlalchemy.dialects import postgresql, sqlite

from tutor.adapters.tracker_sql.engine import open_engine, sentences
from tutor.adapters.tracker_sql.opening import bring_up_to_date
from tutor.errors import TrackerError

_INSERT: Mapping[str, Callable[[Table], sqlite.Insert | postgresql.Insert]] = {
    "sqlite": sqlite.insert,
    "postgresql": postgresql.insert,
}


class Transactions:
    """What every verb over the database stands on.

    Attributes:
        engine: The SQLAlchemy engine, for backups and checks.
    """

    def __init__(self, place: Path | str, now: datetime) -> None:
        """Check, back up and migrate the database, then open it.

        Args:
            place: Path of the SQLite file (made if missing), or an SQLAlchemy URL.
            now: Names the backup, in UTC.

        Raises:
            TrackerError: Damaged, foreign, not writable, or from a newer version; the file is untouched.
        """
        url = make_url(place) if isinstance(place, str) else URL.create("sqlite", database=str(place))
        if url.get_backend_name() not in _INSERT:
            raise TrackerError(
                f"A database of kind {url.get_backend_name()} is not supported; use SQLite or PostgreSQL."
            )
        bring_up_to_date(url, now)
        self._where = url.database or url.render_as_string(hide_password=True)
        self.engine = open_engine(url)

    def close(self) -> None:
        """Close every connection. The tracker may not be used afterwards."""
        self.engine.dispose()

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with sentences(self._where), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with sentences(self._where), self.engine.connect() as connection:
            yield connection.execution_options(reading=True)

    def _insert_once(self, connection: Connection, table: Table, row: dict[str, Any]) -> bool:
        """Insert a row; False when its id is there already."""
        once = _INSERT[connection.dialect.name](table).values(row).on_conflict_do_nothing(index_elements=["id"])
        return connection.execute(once.returning(table.c.id)).first() is not None
