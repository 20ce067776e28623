"""Killed at any moment: what was acknowledged is there, whole, and is graded once after the next start."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.fakes import FakeClock
from tests.faults import children
from tests.faults.children import KILLED, child, exit_code, pipe
from tests.samples import BANK, answer, grade, rulings
from tutor.adapters.lock_file import AppLock
from tutor.adapters.tracker_sql import SqlTracker, opening
from tutor.errors import TrackerError
from tutor.states import JobState
from tutor.values import Answer, CriterionVerdict, Grade, Question, Rubric
from tutor.worker import Worker

KILLS = 20


def grading(_q: Question, _r: Rubric, of: Answer, told: Callable[[CriterionVerdict], None]) -> Grade:
    for ruled in rulings():
        told(ruled)
    return grade(of.id)


def graded_after_restart(database: Path) -> SqlTracker:
    """Start again as the app does and grade whatever waits."""
    tracker = SqlTracker(database, children.RealClock())
    worker = Worker(tracker=tracker, jobs=tracker, takes=tracker, bank=BANK, grade=grading, clock=children.RealClock())
    worker.start()
    for job in reversed(tracker.unfinished()):
        for progress in worker.watch(job.id):
            last = progress
        assert last.job.state is JobState.DONE, last.job.reason
    worker.stop()
    return tracker


def integrity(database: Path) -> str:
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        return str(connection.execute("PRAGMA integrity_check").fetchone()[0])


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "tutor.db"


# -- answers and gradings --------------------------------------------------------------------


def test_an_answer_killed_before_its_commit_is_absent_and_can_be_sent_again(database: Path) -> None:
    assert exit_code(child(children.submit_and_die, database, "a1", "before")) == KILLED
    tracker = SqlTracker(database, children.RealClock())
    assert tracker.unfinished() == ()
    assert tracker.submit(answer()).state is JobState.QUEUED
    tracker.close()


def test_an_acknowledged_answer_survives_and_is_graded_after_the_restart(database: Path) -> None:
    assert exit_code(child(children.submit_and_die, database, "a1", "after")) == KILLED
    tracker = graded_after_restart(database)
    assert [fact.answer for fact in tracker.attempts()] == [answer()]
    tracker.close()


@pytest.mark.parametrize("stage", ["claimed", "first call", "first verdict", "before commit", "done"])
def test_a_grading_killed_at_any_stage_leaves_exactly_one_attempt(database: Path, stage: str) -> None:
    for n in range(2):
        assert exit_code(child(children.grade_and_die, database, f"a{n}", stage)) == KILLED
    tracker = graded_after_restart(database)
    assert sorted(fact.answer.id for fact in tracker.attempts()) == ["a0", "a1"]
    assert integrity(database) == "ok"
    tracker.close()


def test_a_grading_that_kills_the_app_three_times_fails_with_a_sentence(database: Path) -> None:
    for _ in range(3):
        assert exit_code(child(children.grade_and_die, database, "a1", "first call")) == KILLED
        with closing(SqlTracker(database, children.RealClock())) as tracker:
            tracker.reclaim("next start")
    assert tracker.claim("me", 60) is None
    (job,) = tracker.unfinished()
    assert job.state is JobState.FAILED
    assert "saved" in str(job.reason)
    assert tracker.answer("a1") == answer()
    tracker.close()


def test_killed_again_and_again_while_practising_nothing_acknowledged_is_lost_or_doubled(database: Path) -> None:
    kept: list[str] = []
    moments = random.Random(7)
    for seed in range(KILLS):
        heard, said = pipe()
        process = child(children.practise_until_killed, database, seed, said)
        said.close()
        kept.append(heard.recv())
        time.sleep(moments.random() / 10)
        process.kill()
        assert exit_code(process) == KILLED
        try:
            while True:
                kept.append(heard.recv())
        except EOFError:
            heard.close()
    assert integrity(database) == "ok"
    tracker = SqlTracker(database, children.RealClock())
    # Twenty starts may have spent a job's three tries: that is a sentence to a person, who retries.
    tracker.reclaim("nobody")
    while (job := tracker.claim("last", 60)) is not None:
        assert tracker.finish(job.id, "last", children.attempt(tracker.answer(job.answer_id), id=f"t-{job.id}"))
    for job in tracker.unfinished():
        assert (job.state, job.tries) == (JobState.FAILED, 3)
        tracker.retry(job.id)
    tracker.close()
    tracker = graded_after_restart(database)
    graded = [fact.answer.id for fact in tracker.attempts()]
    assert len(graded) == len(set(graded))
    assert set(kept) <= set(graded)
    assert tracker.unfinished() == ()
    tracker.close()


def test_sigterm_gives_the_running_job_back_though_the_model_hangs(database: Path) -> None:
    heard, said = pipe()
    process = child(children.work_until_sigterm, database, said)
    assert heard.recv() == "grading"
    os.kill(process.pid, signal.SIGTERM)
    process.join(10)
    assert process.exitcode == 0
    with closing(SqlTracker(database, children.RealClock())) as tracker:
        (job,) = tracker.unfinished()
        assert (job.state, job.tries, job.owner) == (JobState.QUEUED, 0, None)


# -- the shape of the database ---------------------------------------------------------------


def shape(database: Path) -> str | None:
    if not database.exists():
        return None
    return opening._revision_of_file(database)


def test_killed_at_each_statement_of_the_first_start_the_database_is_empty_or_complete(tmp_path: Path) -> None:
    for k in range(1, 100):
        database = tmp_path / f"{k}.db"
        code = exit_code(child(children.open_and_die_at_statement, database, k, None))
        assert shape(database) in ((None,) if code == KILLED else ("0001",))
        with closing(SqlTracker(database, children.RealClock())) as tracker:
            assert tracker.submit(answer()).state is JobState.QUEUED
        if code == 0:
            break
    assert k > 15


def test_killed_at_each_statement_of_a_migration_the_rows_are_there_in_the_old_shape_or_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = tmp_path / "later"
    children.with_revision_2(later)
    for k in range(1, 100):
        database = tmp_path / f"{k}.db"
        with closing(SqlTracker(database, children.RealClock())) as tracker:
            tracker.submit(answer())
        code = exit_code(child(children.open_and_die_at_statement, database, k, later))
        if code == 0:
            break
        assert shape(database) == "0001"
        with closing(SqlTracker(database, children.RealClock())) as tracker:
            assert tracker.answer("a1") == answer()
        assert len(opening.backups(database)) == 1
    assert k > 5
    assert shape(database) == "0002"
    assert integrity(database) == "ok"
    monkeypatch.setattr(opening, "alembic_config", children.with_revision_2(later))
    with closing(SqlTracker(database, children.RealClock())) as tracker:
        assert tracker.answer("a1") == answer()
        assert len(tracker.unfinished()) == 1


def test_a_half_done_write_is_rolled_back_at_the_next_start(database: Path) -> None:
    with closing(SqlTracker(database, children.RealClock())) as tracker:
        tracker.submit(answer())
    assert exit_code(child(children.die_in_a_big_write, database)) == KILLED
    assert database.with_name("tutor.db-journal").stat().st_size > 0
    with closing(SqlTracker(database, children.RealClock())) as tracker:
        assert tracker.answer("a1") == answer()
        with pytest.raises(KeyError):
            tracker.answer("half-0")


# -- beside each other -----------------------------------------------------------------------


def test_four_processes_writing_beside_each_other_lose_nothing(database: Path) -> None:
    # They also all make the database at once.
    processes = [child(children.submit_many, database, f"p{n}", 25) for n in range(4)]
    assert [exit_code(process) for process in processes] == [0] * 4
    with closing(SqlTracker(database, children.RealClock())) as tracker:
        wanted = {f"p{n}-{k}" for n in range(4) for k in range(25)}
        assert sorted(fact.answer.id for fact in tracker.attempts()) == sorted(wanted)
        assert tracker.unfinished() == ()
    assert integrity(database) == "ok"


def test_a_writer_waits_for_another_process_and_readers_do_not(database: Path) -> None:
    tracker = SqlTracker(database, children.RealClock())
    tracker.submit(answer())
    (heard, said), release = pipe(), children.processes.Event()
    process = child(children.hold_write_lock, database, said, release)
    assert heard.recv() == "held"
    assert tracker.answer("a1") == answer()
    release.set()
    assert tracker.submit(answer("a2")).state is JobState.QUEUED
    assert exit_code(process) == 0
    tracker.close()


def test_a_second_app_is_refused_with_the_first_ones_process_and_a_killed_one_leaves_no_lock(database: Path) -> None:
    heard, said = pipe()
    process = child(children.be_the_app, database, said)
    pid = heard.recv()
    second = AppLock(database, FakeClock())
    for _ in range(2):
        with pytest.raises(TrackerError, match=rf"process {pid}, started 2026-03-01 12:00:00 UTC"):
            second.acquire()
    process.kill()
    assert exit_code(process) == KILLED
    with second, pytest.raises(TrackerError, match=f"process {os.getpid()}"):
        AppLock(database, FakeClock()).acquire()
    with AppLock(database, FakeClock()):
        pass
