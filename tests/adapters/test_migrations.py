"""The history of the database's shape leads where the tables stand, and back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from tests.fakes import FakeClock
from tutor.adapters.tracker_sql import SqlTracker
from tutor.adapters.tracker_sql.engine import open_engine
from tutor.adapters.tracker_sql.opening import alembic_config
from tutor.adapters.tracker_sql.tables import NAMES, metadata


@pytest.fixture
def history(tmp_path: Path) -> Iterator[Config]:
    """Alembic's settings on an empty database."""
    engine = open_engine(sa.make_url(f"sqlite:///{tmp_path}/history.db"), migrating=True)
    config = alembic_config()
    config.attributes["connection"] = engine
    yield config
    engine.dispose()


def shape(history: Config) -> dict[str, list[str]]:
    return ddl(history.attributes["connection"])


def revisions(history: Config) -> list[str]:
    """From the first to the newest."""
    return [script.revision for script in ScriptDirectory.from_config(history).walk_revisions()][::-1]


def test_the_history_has_one_end(history: Config) -> None:
    assert len(ScriptDirectory.from_config(history).get_heads()) == 1
    assert revisions(history)[0] == "0001"


def test_each_step_of_the_history_can_be_undone_and_done_again(history: Config) -> None:
    shapes = [shape(history)]
    for revision in revisions(history):
        command.upgrade(history, revision)
        shapes.append(shape(history))
    assert all(before != after for before, after in pairwise(shapes))
    for n, _ in enumerate(revisions(history)):
        command.downgrade(history, "-1")
        undone = shape(history)
        if n == len(shapes) - 2:
            assert undone.keys() == {"alembic_version"}
        else:
            assert undone == shapes[-2 - n]
    command.upgrade(history, "head")
    assert shape(history) == shapes[-1]


def test_a_generated_revision_would_be_empty_and_names_no_type_of_ours(history: Config, tmp_path: Path) -> None:
    history.set_main_option("version_locations", str(tmp_path))
    history.set_main_option("revision_environment", "true")
    script = command.revision(history, "everything", autogenerate=True, version_path=str(tmp_path))
    written = Path(script.path).read_text()
    assert "sa.DateTime(timezone=True)" in written
    assert "tutor" not in written
    compile(written, script.path, "exec")
    Path(script.path).unlink()
    history.remove_main_option("version_locations")
    command.upgrade(history, "head")
    produced: list[bool] = []

    def look(_context: object, _revision: object, directives: list[Any]) -> None:
        produced.append(directives[0].upgrade_ops.is_empty())
        directives.clear()

    command.revision(history, "nothing", autogenerate=True, process_revision_directives=look)
    assert produced == [True]


def test_a_new_database_has_exactly_the_tables_of_the_program(tmp_path: Path, clock: FakeClock) -> None:
    tracker = SqlTracker(tmp_path / "tutor.db", clock)
    with tracker.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    tracker.close()


def ddl(engine: sa.Engine) -> dict[str, list[str]]:
    with engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").all()
    # Order and spelling of clauses inside a table do not matter, only which there are.
    return {name: sorted(line.strip(" ,\t") for line in sql.splitlines()) for name, sql in rows}


def test_history_and_tables_agree_on_every_constraint_too(tmp_path: Path, clock: FakeClock) -> None:
    # Alembic's comparison does not see CHECK constraints; the SQL itself does.
    tracker = SqlTracker(tmp_path / "tutor.db", clock)
    direct = sa.create_engine(f"sqlite:///{tmp_path}/direct.db")
    metadata.create_all(direct)
    migrated = ddl(tracker.engine)
    migrated.pop("alembic_version")
    assert migrated == ddl(direct)
    assert sum("CHECK" in line for lines in migrated.values() for line in lines) == 4
    direct.dispose()
    tracker.close()


def test_every_constraint_has_a_name_so_that_it_can_be_altered_later() -> None:
    assert set(NAMES) == {"ix", "uq", "ck", "fk", "pk"}
    for table in metadata.tables.values():
        assert all(constraint.name for constraint in table.constraints)
