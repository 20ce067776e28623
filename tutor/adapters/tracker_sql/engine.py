"""One engine with the durability settings, and SQL errors as sentences."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from tutor.errors import TrackerError

BUSY_S = 30.0
"""How long a writer waits for another writer before it says "busy"."""

JOURNAL_LIMIT_BYTES = 64 * 1024 * 1024

PRAGMAS = (
    # Readers do not block the writer, and a killed process loses nothing.
    "journal_mode=WAL",
    # A commit that returned survives a power cut.
    "synchronous=FULL",
    "trusted_schema=OFF",
    "cell_size_check=ON",
    f"journal_size_limit={JOURNAL_LIMIT_BYTES}",
)


def open_engine(url: URL, *, migrating: bool = False) -> Engine:
    """An engine whose transactions lock before they read; opens no connection yet.

    Args:
        url: Where the database is.
        migrating: For schema changes: one connection at a time, and on SQLite without foreign key
            enforcement, because rebuilding a table drops the old one while others point to it.
    """
    if url.get_backend_name() != "sqlite":
        return create_engine(url, poolclass=NullPool) if migrating else create_engine(url, pool_pre_ping=True)
    engine = create_engine(url, connect_args={"timeout": BUSY_S}, poolclass=NullPool if migrating else None)

    @event.listens_for(engine, "connect")
    def _settings(connection: sqlite3.Connection, _record: Any) -> None:
        # The driver must not begin transactions of its own: it would do so too late, after the read.
        connection.isolation_level = None
        for pragma in (*PRAGMAS, f"foreign_keys={'OFF' if migrating else 'ON'}"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # A deferred read-then-write loses updates or fails at the write; see RELIABILITY in the design.
        reading = connection.get_execution_options().get("reading", False)
        connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")

    return engine


_SENTENCES = {
    sqlite3.SQLITE_BUSY: "is busy: another program has been writing to it for {busy:.0f} s. Close it or try again",
    sqlite3.SQLITE_LOCKED: "is busy: another program has been writing to it for {busy:.0f} s. Close it or try again",
    sqlite3.SQLITE_FULL: "cannot grow, the disk is full. Nothing saved earlier is lost; free some space and try again",
    sqlite3.SQLITE_READONLY: "cannot be written. Give yourself write permission for the file and its folder",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened. Check that its folder exists and that you may write in it",
    sqlite3.SQLITE_IOERR: "cannot be read or written ({detail}). Check the disk and that the folder is still there",
    sqlite3.SQLITE_NOTADB: "is not a database; it was left as it is. Move it away or choose another data folder",
    sqlite3.SQLITE_CORRUPT: "is damaged ({detail}); it was left as it is. Stop the program and restore a backup",
}


def sentence(error: Exception, where: str) -> str:
    """What to tell a person about an SQL or file error of the database at `where`."""
    origin = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    detail = str(origin) or type(origin).__name__
    code = getattr(origin, "sqlite_errorcode", None)
    # The low byte is the kind of error, the rest its variety.
    template = _SENTENCES.get(code & 0xFF) if code is not None else None
    said = template.format(busy=BUSY_S, detail=detail) if template else f"cannot be used ({detail})"
    return f"The database {where} {said}."


@contextmanager
def sentences(where: str) -> Iterator[None]:
    """Turn SQL and file errors into TrackerError; everything else passes."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, OSError) as error:
        raise TrackerError(sentence(error, where)) from error
