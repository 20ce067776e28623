"""The database: its settings, what it refuses, its backups, and its errors as sentences."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateTable

from tests.fakes import FakeClock
from tests.faults.children import with_revision_2
from tests.samples import RUBRIC, answer, attempt
from tests.takes import TRANSCRIPT, stopped
from tutor.adapters.tracker_sql import SqlTracker, engine, opening, tables
from tutor.adapters.tracker_sql.rows import rubric_hash
from tutor.errors import TrackerError
from tutor.spoken import Transcript
from tutor.values import Correction


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tutor.db"


@pytest.fixture
def tracker(file: Path, clock: FakeClock) -> Iterator[SqlTracker]:
    plug = SqlTracker(file, clock)
    yield plug
    plug.close()


def one_attempt(tracker: SqlTracker) -> None:
    tracker.submit(answer())
    job = tracker.claim("me", 60)
    assert job is not None
    assert tracker.finish(job.id, "me", attempt(answer()))


def sql(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def refused(file: Path, clock: FakeClock) -> str:
    """The sentence of a refusal that left the file exactly as it was."""
    before = file.read_bytes()
    with pytest.raises(TrackerError) as caught:
        SqlTracker(file, clock)
    assert file.read_bytes() == before
    assert str(file) in str(caught.value)
    return str(caught.value)


# -- settings --------------------------------------------------------------------------------


def test_every_connection_has_the_durability_settings(tracker: SqlTracker) -> None:
    wanted = {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "busy_timeout": 30_000,
        "trusted_schema": 0,
        "cell_size_check": 1,
        "journal_size_limit": 64 * 1024 * 1024,
    }
    with tracker.engine.connect() as one, tracker.engine.connect() as other:
        for connection in (one.execution_options(reading=True), other.execution_options(reading=True)):
            found = {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in wanted}
            assert found == wanted


def test_a_writing_transaction_locks_before_it_reads(tracker: SqlTracker, file: Path) -> None:
    with tracker.engine.begin(), closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as other:
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
        assert other.execute("SELECT count(*) FROM answer").fetchone() == (0,)


def test_reading_takes_no_lock(tracker: SqlTracker, file: Path) -> None:
    with tracker._reading() as connection:
        connection.execute(sa.select(tables.answer)).all()
        sql(file, "BEGIN IMMEDIATE", "COMMIT")


def test_the_file_and_its_folder_are_for_their_owner_only(tmp_path: Path, clock: FakeClock) -> None:
    file = tmp_path / "new" / "folder" / "tutor.db"
    with closing(SqlTracker(file, clock)) as tracker:
        tracker.submit(answer())
        assert {path.name: path.stat().st_mode & 0o777 for path in file.parent.iterdir()} == {
            "tutor.db": 0o600,
            "tutor.db-wal": 0o600,
            "tutor.db-shm": 0o600,
        }
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_an_sqlalchemy_url_opens_the_same_database(file: Path, tracker: SqlTracker, clock: FakeClock) -> None:
    tracker.submit(answer())
    with closing(SqlTracker(f"sqlite:///{file}", clock)) as other:
        assert other.answer("a1") == answer()


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("sqlite://", "needs a file"),
        ("sqlite:///:memory:", "needs a file"),
        ("mysql://localhost/tutor", "kind mysql is not supported; use SQLite or PostgreSQL"),
    ],
)
def test_a_place_that_cannot_keep_answers_is_refused(url: str, sentence: str, clock: FakeClock) -> None:
    with pytest.raises(TrackerError, match=sentence):
        SqlTracker(url, clock)


# -- moments ---------------------------------------------------------------------------------


def test_a_naive_moment_is_refused_and_an_aware_one_comes_back_in_utc(tracker: SqlTracker) -> None:
    column = tables.UtcMoment()
    dialect = tracker.engine.dialect
    with pytest.raises(ValueError, match="no time zone"):
        column.process_bind_param(datetime(2026, 3, 1), dialect)
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    far_east = noon.astimezone(timezone(timedelta(hours=14)))
    assert column.process_bind_param(far_east, dialect) == noon
    for kept in (noon.replace(tzinfo=None), noon, far_east):
        back = column.process_result_value(kept, dialect)
        assert back == noon
        assert back.tzinfo is UTC
    assert column.process_bind_param(None, dialect) is None
    assert column.process_result_value(None, dialect) is None


# -- the rows --------------------------------------------------------------------------------


def test_an_attempt_can_be_searched_by_its_columns(tracker: SqlTracker) -> None:
    one_attempt(tracker)
    with tracker._reading() as connection:
        row = connection.execute(sa.select(tables.attempt)).one()
    assert (row.question_id, row.topic, row.score, row.fingerprint_id) == ("kv-cache", "memory", 0.625, "0123456789ab")
    assert row.rubric_hash == rubric_hash(RUBRIC)
    assert rubric_hash(RUBRIC) != rubric_hash(RUBRIC.model_copy(update={"status": "reviewed"}))
    assert row.grade == attempt(answer()).grade.model_dump(mode="json")


def test_another_job_may_grade_the_same_answer_again_but_no_job_leaves_two_attempts(
    tracker: SqlTracker, clock: FakeClock
) -> None:
    one_attempt(tracker)
    row = {"answer_id": "a1", "state": "queued", "tries": 0, "created_at": clock.now(), "updated_at": clock.now()}
    with tracker._writing() as connection:
        connection.execute(sa.insert(tables.job).values(id="again", **row))
    job = tracker.claim("me", 60)
    assert job is not None
    assert tracker.finish(job.id, "me", attempt(answer(), id="t2"))
    assert [fact.id for fact in tracker.attempts()] == ["t2", "t1"]
    assert tracker.submit(answer()).id == "again"
    with tracker._reading() as connection:
        copy = connection.execute(sa.select(tables.attempt).where(tables.attempt.c.id == "t2")).one()._asdict()
    third = sa.insert(tables.attempt).values({**copy, "id": "t3", "number": None})
    with pytest.raises(TrackerError, match=r"attempt\.job_id"), tracker._writing() as connection:
        connection.execute(third)


def test_an_attempt_that_cannot_be_stored_leaves_its_job_as_it_was(tracker: SqlTracker) -> None:
    one_attempt(tracker)
    tracker.submit(answer("a2"))
    job = tracker.claim("me", 60)
    assert job is not None
    with pytest.raises(TrackerError, match=r"attempt\.id"):
        tracker.finish(job.id, "me", attempt(answer("a2"), id="t1"))
    assert tracker.job(job.id) == job
    assert len(tracker.attempts()) == 1


def test_a_transcript_is_json_text_with_the_recogniser_beside_it(tracker: SqlTracker) -> None:
    tracker.keep(stopped())
    tracker.transcribed("k1", TRANSCRIPT)
    with tracker._reading() as connection:
        row = connection.execute(sa.select(tables.take)).one()
    assert (row.state, row.transcriber, row.duration_s) == ("transcribed", "base int8, whisper 1.2", 4.5)
    assert Transcript.model_validate_json(row.transcript) == TRANSCRIPT
    tracker.discard("k1")
    with tracker._reading() as connection:
        row = connection.execute(sa.select(tables.take)).one()
    assert (row.transcript, row.transcriber, row.file_name) == (None, None, None)


@pytest.mark.parametrize(
    ("statement", "field"),
    [
        ("UPDATE take SET transcript = json_remove(transcript, '$.language')", r"language: Field required"),
        ("UPDATE take SET transcript = 'one cache'", r"Invalid JSON"),
        ("UPDATE take SET transcript = NULL", r"a transcribed take has its transcript"),
        ("UPDATE take SET question_id = ''", r"question_id: "),
    ],
)  # fmt: skip
def test_a_take_that_cannot_be_read_is_a_sentence_that_names_it(
    tracker: SqlTracker, file: Path, statement: str, field: str
) -> None:
    tracker.keep(stopped())
    tracker.transcribed("k1", TRANSCRIPT)
    sql(file, statement)
    with pytest.raises(TrackerError, match=rf"take k1 in the database cannot be read \(.*{field}"):
        tracker.take("k1")


def test_an_answer_outlives_the_row_of_its_take(tracker: SqlTracker, file: Path) -> None:
    tracker.keep(stopped())
    spoken = answer().model_copy(update={"spoken": True, "take_id": "k1"})
    tracker.submit(spoken)
    sql(file, "PRAGMA foreign_keys = ON", "DELETE FROM take")
    assert tracker.answer("a1") == spoken.model_copy(update={"take_id": None})


@pytest.mark.parametrize(
    ("statement", "constraint"),
    [
        ("UPDATE job SET state = 'lost'", "ck_job_state"),
        ("UPDATE attempt SET score = 1.5", "ck_attempt_score"),
        ("INSERT INTO take (id, state, question_id, started_at) VALUES ('k', 'gone', 'q', '')", "ck_take_state"),
        ("INSERT INTO correction VALUES (1, 'n', 't1', 'joke', NULL, '', '')", "ck_correction_kind"),
        ("DELETE FROM answer", "FOREIGN KEY"),
        ("UPDATE attempt SET answer_id = 'nobody'", "FOREIGN KEY"),
        ("UPDATE answer SET take_id = 'nobody'", "FOREIGN KEY"),
    ],
)  # fmt: skip
def test_the_database_itself_refuses_what_may_not_be(tracker: SqlTracker, statement: str, constraint: str) -> None:
    one_attempt(tracker)
    with pytest.raises(sa.exc.IntegrityError, match=constraint), tracker.engine.begin() as connection:
        connection.exec_driver_sql(statement)


def test_a_row_of_another_version_is_a_sentence_that_names_it(
    tracker: SqlTracker, file: Path, clock: FakeClock
) -> None:
    one_attempt(tracker)
    tracker.append(Correction(id="n", attempt_id="t1", kind="appeal", note="no", created_at=clock.now()))
    sql(file, """UPDATE attempt SET grade = json_set(grade, '$.mood', 'calm')""")
    with pytest.raises(TrackerError, match=r"attempt t1 in the database cannot be read \(grade\.mood"):
        tracker.attempts()
    assert tracker.corrections("t1")[0].note == "no"


# -- what is refused at the start ------------------------------------------------------------


def test_a_newer_schema_is_refused_with_both_versions_named(file: Path, tracker: SqlTracker, clock: FakeClock) -> None:
    tracker.close()
    sql(file, "UPDATE alembic_version SET version_num = '0099'", "PRAGMA wal_checkpoint(TRUNCATE)")
    sentence = refused(file, clock)
    assert "schema 0099" in sentence
    assert "up to 0001" in sentence


def test_a_file_that_is_no_database_is_refused(file: Path, clock: FakeClock) -> None:
    file.write_text("Dear diary, " * 1000)
    assert "is not a database; it was left as it is" in refused(file, clock)


def test_the_database_of_another_program_is_refused(file: Path, clock: FakeClock) -> None:
    sql(file, "CREATE TABLE bookmark (id INTEGER PRIMARY KEY)")
    assert "tables of another program" in refused(file, clock)
    assert {path.name for path in file.parent.iterdir()} == {file.name}


def damage(file: Path) -> None:
    """Overwrite one page in the middle, as a bad sector would."""
    sql(file, "PRAGMA wal_checkpoint(TRUNCATE)")
    with file.open("rb+") as written:
        written.seek(4096 * 3)
        written.write(b"\xa5" * 4096)


def test_a_damaged_database_is_refused_with_the_way_to_the_newest_good_backup(
    file: Path, tracker: SqlTracker, clock: FakeClock
) -> None:
    one_attempt(tracker)
    tracker.close()
    older = opening.backup(file, "daily", clock.now())
    clock.move_s(3600)
    newer = opening.backup(file, "daily", clock.now())
    clock.move_s(3600)
    broken = opening.backup(file, "daily", clock.now())
    assert opening.backups(file) == [broken, newer, older]
    damage(broken)
    damage(file)
    sentence = refused(file, clock)
    assert "is damaged" in sentence
    assert f"newest good backup is {newer}:" in sentence
    shutil.copy(newer, file)
    with closing(SqlTracker(file, clock)) as restored:
        assert restored.attempts() == (attempt(answer()),)


def test_a_damaged_database_without_a_backup_says_so(file: Path, tracker: SqlTracker, clock: FakeClock) -> None:
    tracker.close()
    damage(file)
    assert "There is no backup; move the file away" in refused(file, clock)


def test_a_schema_that_cannot_be_read_is_damage_too_and_no_text_file_passes_for_a_backup(
    file: Path, tracker: SqlTracker, clock: FakeClock
) -> None:
    tracker.close()
    good = opening.backup(file, "daily", clock.now())
    good.with_name(good.name.replace("2026", "2027")).write_text("not a backup at all, " * 100)
    sql(file, "PRAGMA writable_schema = ON", "UPDATE sqlite_master SET sql = 'CREATE nonsense' WHERE name = 'job'")
    sentence = refused(file, clock)
    assert "is damaged (malformed database schema" in sentence
    assert f"newest good backup is {good}:" in sentence


def test_a_folder_in_the_place_of_the_file_is_a_sentence(file: Path, clock: FakeClock) -> None:
    file.mkdir()
    with pytest.raises(TrackerError, match="is a folder, not a file"):
        SqlTracker(file, clock)


def test_a_file_in_the_place_of_the_folder_is_a_sentence(tmp_path: Path, clock: FakeClock) -> None:
    (tmp_path / "folder").touch()
    with pytest.raises(TrackerError, match=r"cannot be used \(.*(Not a directory|File exists)"):
        SqlTracker(tmp_path / "folder" / "tutor.db", clock)


@contextmanager
def without_rights() -> Iterator[None]:
    """As a user who owns nothing, where the tests run as root; otherwise as oneself."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture
def read_only_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp())
    yield folder
    folder.chmod(0o700)
    shutil.rmtree(folder)


def test_a_read_only_database_is_a_sentence_and_not_a_trace(read_only_folder: Path, clock: FakeClock) -> None:
    file = read_only_folder / "tutor.db"
    with closing(SqlTracker(file, clock)) as tracker:
        tracker.submit(answer())
    file.chmod(0o444)
    read_only_folder.chmod(0o555)
    with without_rights(), pytest.raises(TrackerError, match=r"cannot be (written|opened)\. .*write"):
        SqlTracker(file, clock)


def test_a_folder_without_write_permission_is_a_sentence(read_only_folder: Path, clock: FakeClock) -> None:
    read_only_folder.chmod(0o555)
    with without_rights(), pytest.raises(TrackerError, match="Permission denied"):
        SqlTracker(read_only_folder / "tutor.db", clock)


# -- while it runs ---------------------------------------------------------------------------


def test_a_writer_that_never_lets_go_is_a_sentence(
    file: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "BUSY_S", 0.05)
    with closing(SqlTracker(file, clock)) as tracker:
        with closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(TrackerError, match="is busy: another program"):
                tracker.submit(answer())
        assert tracker.submit(answer()).answer_id == "a1"


def test_a_full_disk_refuses_the_new_answer_and_keeps_the_old_ones(tracker: SqlTracker) -> None:
    with tracker.engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 4}")
    kept = 0

    def fill() -> None:
        nonlocal kept
        while kept < 100:
            tracker.submit(answer(f"a{kept}", "x" * 4000))
            kept += 1

    with pytest.raises(TrackerError, match=r"the disk is full\. Nothing saved earlier is lost"):
        fill()
    assert kept > 0
    with tracker.engine.connect() as connection:
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 1000}")
    assert len(tracker.unfinished()) == kept
    assert tracker.submit(answer(f"a{kept}", "x" * 4000)).answer_id == f"a{kept}"


def test_a_table_that_vanished_is_a_sentence_with_the_cause(tracker: SqlTracker, file: Path) -> None:
    sql(file, "DROP TABLE correction")
    with pytest.raises(TrackerError, match=r"cannot be used \(no such table: correction\)"):
        tracker.corrections("t1")


# -- backup and migration --------------------------------------------------------------------


def test_a_backup_is_a_whole_database_of_its_own(file: Path, tracker: SqlTracker, clock: FakeClock) -> None:
    one_attempt(tracker)
    copy = opening.backup(file, "daily", clock.now())
    assert copy == file.parent / "backups" / "tutor-daily-20260301T120000Z.db"
    assert copy.stat().st_mode & 0o777 == 0o600
    assert list(copy.parent.iterdir()) == [copy]
    with closing(SqlTracker(copy, clock)) as other:
        assert other.attempts() == tracker.attempts()


def test_a_half_written_backup_is_not_taken_for_one(file: Path, tracker: SqlTracker, clock: FakeClock) -> None:
    copy = opening.backup(file, "daily", clock.now())
    copy.rename(copy.with_name(copy.name + ".123.part"))
    assert opening.backups(file) == []
    assert tracker.unfinished() == ()


def test_a_backup_that_does_not_pass_its_check_gets_no_name(
    file: Path, tracker: SqlTracker, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "_is_whole", lambda copy: False)
    with pytest.raises(TrackerError, match="does not pass its check"):
        opening.backup(file, "daily", clock.now())
    assert opening.backups(file) == []
    assert tracker.unfinished() == ()


def test_a_backup_that_cannot_be_written_is_a_sentence(file: Path, tracker: SqlTracker, clock: FakeClock) -> None:
    (file.parent / "backups").touch()
    with pytest.raises(TrackerError, match="backups"):
        opening.backup(file, "daily", clock.now())
    assert tracker.unfinished() == ()


def test_a_migration_keeps_rows_and_references_and_leaves_the_old_shape_as_a_backup(
    file: Path, tracker: SqlTracker, clock: FakeClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_attempt(tracker)
    facts = tracker.attempts()
    tracker.close()
    with monkeypatch.context() as later:
        later.setattr(opening, "alembic_config", with_revision_2(tmp_path / "later"))
        for _ in range(2):
            with closing(SqlTracker(file, clock)) as newer:
                assert newer.attempts() == facts
                with pytest.raises(TrackerError, match="FOREIGN KEY"), newer._writing() as connection:
                    connection.exec_driver_sql("DELETE FROM answer")
    (copy,) = opening.backups(file)
    assert "before-0002" in copy.name
    sentence = refused(file, clock)
    assert "schema 0002" in sentence
    with closing(SqlTracker(copy, clock)) as old:
        assert old.attempts() == facts


def test_a_migration_that_would_lose_a_reference_is_undone(
    file: Path, tracker: SqlTracker, clock: FakeClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_attempt(tracker)
    tracker.close()
    settings = with_revision_2(tmp_path / "later")
    revision = tmp_path / "later" / "r0002_mood.py"
    revision.write_text(revision.read_text().replace("UPDATE answer SET mood = 'brave'", "DELETE FROM answer"))
    with monkeypatch.context() as later:
        later.setattr(opening, "alembic_config", settings)
        with pytest.raises(TrackerError, match="left as it was: 2 rows would point nowhere"):
            SqlTracker(file, clock)
    with closing(SqlTracker(file, clock)) as old:
        assert old.attempts() == (attempt(answer()),)


def test_a_database_of_this_version_is_opened_without_a_backup(file: Path, clock: FakeClock) -> None:
    for _ in range(2):
        SqlTracker(file, clock).close()
    assert opening.backups(file) == []


# -- PostgreSQL, in words only ---------------------------------------------------------------


def test_tables_and_statements_can_be_said_to_postgresql() -> None:
    dialect = postgresql.dialect()
    for table in tables.metadata.sorted_tables:
        assert "CREATE TABLE" in str(CreateTable(table).compile(dialect=dialect))
    once = postgresql.insert(tables.answer).on_conflict_do_nothing(index_elements=["id"]).returning(tables.answer.c.id)
    assert "ON CONFLICT (id) DO NOTHING RETURNING answer.id" in str(once.compile(dialect=dialect))
    claim = sa.select(tables.job.c.id).with_for_update(skip_locked=True)
    assert "FOR UPDATE SKIP LOCKED" in str(claim.compile(dialect=dialect))


def test_a_revision_is_read_and_a_stranger_refused_through_any_connection(tracker: SqlTracker, file: Path) -> None:
    with tracker._reading() as connection:
        assert opening._revision(connection, "here") == "0001"
    sql(file, "DROP TABLE alembic_version")
    with tracker._reading() as connection, pytest.raises(TrackerError, match="here holds the tables of another"):
        opening._revision(connection, "here")
