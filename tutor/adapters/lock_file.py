"""One app process for one database file: a lock that vanishes with the process that holds it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout

from tutor.errors import TrackerError
from tutor.ports import Clock


class AppLock:
    """The right to be the app of a database file.

    The operating system holds the lock, so a killed process leaves nothing to clean up; the process
    number and start time inside `<database>.lock` are only for the sentence a second app shows. The
    command line does not take it: it may write beside the app.
    """

    def __init__(self, database: Path, clock: Clock) -> None:
        """Name the lock; nothing is locked yet.

        Args:
            database: Path of the SQLite file; it need not exist.
            clock: Tells the start time to be written down.
        """
        self._database, self._clock = database, clock
        self._file = database.with_name(database.name + ".lock")
        # Signals and the web server's threads may release what the main thread took.
        self._lock = FileLock(self._file, thread_local=False)

    def acquire(self) -> None:
        """Take the lock at once or not at all.

        Raises:
            TrackerError: Another app has it, or the folder cannot be written.
        """
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            holder = self._holder()
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise TrackerError(
                f"The tutor is already running on {self._database} ({holder}). Use its window, or close it first; "
                "to run a second one, give it another data folder with TUTOR_DATA_DIR."
            ) from error
        except OSError as error:
            raise TrackerError(
                f"The folder {self._file.parent} cannot be used ({error.strerror or error}). "
                "Check that it is a folder and that you may write in it."
            ) from error
        # Where locks are mandatory (Windows) the note cannot be written, and the lock is all the same.
        with suppress(OSError):
            self._file.write_text(f"process {os.getpid()}, started {self._clock.now():%Y-%m-%d %H:%M:%S} UTC\n")

    def release(self) -> None:
        """Give the lock up; without one, nothing happens."""
        self._lock.release(force=True)

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.release()

    def _holder(self) -> str:
        """What the last holder wrote about itself, read before the lock is tried."""
        with suppress(OSError, UnicodeDecodeError):
            if note := self._file.read_text().strip():
                return note
        return "another process"
