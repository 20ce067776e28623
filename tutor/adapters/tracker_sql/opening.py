"""Before the first query: is it ours, whole, and of this version? Then backup and migrate."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, inspect

from tutor.adapters.tracker_sql.engine import BUSY_S, open_engine, sentences
from tutor.errors import TrackerError

MIGRATIONS = "tutor.adapters:migrations"
FOREIGN = "holds the tables of another program; it was left as it is. Choose another data folder"


def alembic_config() -> Config:
    """Alembic's settings, without an ini file: the revisions travel inside the package."""
    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    config.set_main_option("path_separator", "os")
    return config


def bring_up_to_date(url: URL, now: datetime) -> None:
    """Check the database, save a copy if its shape must change, and migrate it to this version.

    Raises:
        TrackerError: It is damaged, foreign, not writable, or from a newer version; the file is untouched.
    """
    where = url.database if url.get_backend_name() == "sqlite" else url.render_as_string(hide_password=True)
    config = alembic_config()
    script = ScriptDirectory.from_config(config)
    with sentences(str(where)):
        file = _own_file(url)
        found = _revision_of_file(file) if file else None
        _refuse_newer(script, found, str(where))
        engine = open_engine(url, migrating=True)
        try:
            if file is None:
                with engine.connect() as connection:
                    found = _revision(connection, str(where))
                _refuse_newer(script, found, str(where))
            head = script.get_current_head()
            if found == head:
                return
            if file and found:
                backup(file, f"before-{head}", now)
            with engine.begin() as connection:
                _upgrade(config, connection, str(where))
        finally:
            engine.dispose()


def _upgrade(config: Config, connection: Connection, where: str) -> None:
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
    if connection.dialect.name != "sqlite":
        return
    # Foreign keys were off while tables were rebuilt: make sure that nothing points into the void.
    if strays := connection.exec_driver_sql("PRAGMA foreign_key_check").all():
        raise TrackerError(f"The database {where} was left as it was: {len(strays)} rows would point nowhere.")


def _own_file(url: URL) -> Path | None:
    """The SQLite file, made readable for its owner only; None for a database server."""
    if url.get_backend_name() != "sqlite":
        return None
    if not url.database or url.database == ":memory:":
        raise TrackerError("The database needs a file: answers kept only in memory would be lost.")
    file = Path(url.database)
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if file.is_dir():
        raise TrackerError(f"The database {file} is a folder, not a file. Move it away or choose another data folder.")
    if not file.exists():
        file.touch(mode=0o600)
    return file


def _refuse_newer(script: ScriptDirectory, found: str | None, where: str) -> None:
    known = [revision.revision for revision in script.walk_revisions()]
    if found is not None and found not in known:
        raise TrackerError(
            f"The database {where} has schema {found}, but this version of the program knows schemas up to "
            f"{known[0]}. It was left as it is; use the newer version of the program."
        )


def _revision(connection: Connection, where: str) -> str | None:
    found = MigrationContext.configure(connection).get_current_revision()
    if found is None and set(inspect(connection).get_table_names()) - {"alembic_version"}:
        raise TrackerError(f"The database {where} {FOREIGN}.")
    return found


def _revision_of_file(file: Path) -> str | None:
    """The schema revision of a whole and own SQLite file, None for an empty one.

    Opens it read-only first, so that whatever is wrong with it stays as it was found. A file whose
    last writer died in the middle may need a rollback, which only a writer can do.
    """
    try:
        return _look(file, "ro")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
            raise
    return _look(file, "rw")


def _look(file: Path, mode: str) -> str | None:
    with closing(_connect(file, mode)) as connection:
        try:
            complaint = _complaint(connection)
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT:
                raise
            complaint = str(error)
        if complaint:
            raise TrackerError(f"The database {file} is damaged ({complaint}) and was left as it is. {_way_back(file)}")
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if "alembic_version" not in tables:
            if tables:
                raise TrackerError(f"The database {file} {FOREIGN}.")
            return None
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        return str(row[0]) if row else None


def _connect(file: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode={mode}", uri=True, timeout=BUSY_S, isolation_level=None)


def _complaint(connection: sqlite3.Connection) -> str:
    """The first finding of SQLite's quick check, empty when it is content."""
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    return "" if found == "ok" else str(found).replace("\n", " ")


def _way_back(file: Path) -> str:
    whole = next((copy for copy in backups(file) if _is_whole(copy)), None)
    if whole is None:
        return "There is no backup; move the file away to start anew."
    return f"The newest good backup is {whole}: move the damaged file away and copy the backup to its place."


def _is_whole(copy: Path) -> bool:
    try:
        with closing(_connect(copy, "ro")) as connection:
            return not _complaint(connection)
    except sqlite3.Error:
        return False


def backups(file: Path) -> list[Path]:
    """Backups of a database file, newest first."""
    found = (file.parent / "backups").glob(f"{file.stem}-*{file.suffix}")
    return sorted(found, key=lambda copy: copy.name.rsplit("-", 1)[-1], reverse=True)


def backup(file: Path, label: str, now: datetime) -> Path:
    """Write a whole, checked copy of a database in use to `backups/` beside it.

    The copy gets its name last, so that a half written one is never mistaken for a backup.

    Raises:
        TrackerError: It could not be written or does not pass the check.
    """
    folder = file.parent / "backups"
    copy = folder / f"{file.stem}-{label}-{now:%Y%m%dT%H%M%SZ}{file.suffix}"
    half = copy.with_name(f"{copy.name}.{os.getpid()}.part")
    with sentences(str(copy)):
        folder.mkdir(exist_ok=True, mode=0o700)
        half.unlink(missing_ok=True)
        with closing(_connect(file, "rw")) as connection:
            connection.execute("VACUUM INTO ?", (str(half),))
        half.chmod(0o600)
        with half.open("rb+") as written:
            os.fsync(written.fileno())
        if not _is_whole(half):
            raise TrackerError(f"The backup {half} does not pass its check. Check the disk; nothing was changed.")
        half.replace(copy)
    return copy
