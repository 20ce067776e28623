"""What the child processes of the crash tests do; each is a fresh process forked from a small server."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from alembic.config import Config
from sqlalchemy import Engine, event

from tests.fake_speech import FakeAudioReader
from tests.fakes import FakeClock, FakeTranscriber
from tests.samples import BANK, answer, attempt, grade, rulings
from tutor.adapters.lock_file import AppLock
from tutor.adapters.recordings_folder import RecordingsFolder
from tutor.adapters.tracker_sql import SqlTracker, opening
from tutor.adapters.tracker_sql.opening import alembic_config
from tutor.booth import Booth
from tutor.values import Answer, CriterionVerdict, Grade, Question, Rubric
from tutor.worker import Worker

processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload(["tests.faults.children"])

KILLED = -signal.SIGKILL

REVISION_2 = """
import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade():
    with op.batch_alter_table("answer", recreate="always") as batch:
        batch.add_column(sa.Column("mood", sa.Text(), nullable=False, server_default="calm"))
    op.execute("UPDATE answer SET mood = 'brave'")
    op.create_table("later", sa.Column("id", sa.Integer(), primary_key=True))


def downgrade():
    op.drop_table("later")
    with op.batch_alter_table("answer") as batch:
        batch.drop_column("mood")
"""


class RealClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def elapsed_s(self) -> float:
        return time.monotonic()


def child(target: Callable[..., None], *args: Any) -> Any:
    """A started process."""
    process = processes.Process(target=target, args=args, daemon=True)
    process.start()
    return process


def exit_code(process: Any) -> int:
    """How it ended, after a minute at most."""
    process.join(60)
    if process.is_alive():
        process.kill()
        process.join()
        raise AssertionError("the child process did not end")
    return int(process.exitcode)


def pipe() -> tuple[Connection, Connection]:
    return processes.Pipe(duplex=False)


def die() -> None:
    """As a power cut would have it: no handler, no flush, no goodbye."""
    os.kill(os.getpid(), signal.SIGKILL)


def with_revision_2(folder: Path) -> Callable[[], Config]:
    """Alembic's settings of a later version of the program, with one more revision."""
    folder.mkdir(exist_ok=True)
    (folder / "r0002_mood.py").write_text(REVISION_2)

    def settings() -> Config:
        config = alembic_config()
        ours = Path(opening.__file__).parents[1] / "migrations" / "versions"
        config.set_main_option("version_locations", f"{ours}{os.pathsep}{folder}")
        return config

    return settings


def booth(tracker: SqlTracker) -> Booth:
    """A booth on real takes and real files in `takes` beside the database."""
    folder = RecordingsFolder(Path(tracker.engine.url.database or "").parent / "takes")
    fakes = {"reader": FakeAudioReader(), "transcriber": FakeTranscriber()}
    return Booth(takes=tracker, recordings=folder, bank=BANK, clock=RealClock(), **fakes)


# -- targets ---------------------------------------------------------------------------------


def open_and_die_at_statement(database: Path, k: int, later: Path | None) -> None:
    """Open the database and die at the k-th statement of the migration; survive when there are fewer."""
    if later is not None:
        opening.alembic_config = with_revision_2(later)
    count = 0

    @event.listens_for(Engine, "before_cursor_execute")
    def _count(*_: Any) -> None:
        nonlocal count
        count += 1
        if count == k:
            die()

    @event.listens_for(Engine, "commit")
    def _at_commit(_: Any) -> None:
        if count == k - 1:
            die()

    opening.bring_up_to_date(opening.URL.create("sqlite", database=str(database)), FakeClock().now())


def submit_and_die(database: Path, answer_id: str, when: str) -> None:
    """Submit an answer; die `before` its commit or right `after` it."""
    tracker = SqlTracker(database, RealClock())
    if when == "before":
        event.listen(tracker.engine, "commit", lambda _: die())
    tracker.submit(answer(answer_id))
    die()


def grade_and_die(database: Path, answer_id: str, stage: str) -> None:
    """Submit and grade an answer, dying at a stage of the grading."""
    tracker = SqlTracker(database, RealClock())
    tracker.submit(answer(answer_id))

    def grading(_q: Question, _r: Rubric, of: Answer, told: Callable[[CriterionVerdict], None]) -> Grade:
        if stage == "first call":
            die()
        for ruled in rulings():
            told(ruled)
            if stage == "first verdict":
                die()
        if stage == "before commit":
            event.listen(tracker.engine, "commit", lambda _: die())
        return grade(of.id)

    if stage == "claimed":
        assert tracker.claim("doomed", 60)
        die()
    worker = Worker(tracker=tracker, jobs=tracker, takes=tracker, bank=BANK, grade=grading, clock=RealClock())
    worker.start()
    for progress in worker.watch(tracker.submit(answer(answer_id)).id):
        assert progress.n_criteria == 3
    die()


def practise_until_killed(database: Path, seed: int, said: Connection) -> None:
    """Submit answers without end, each told to the parent once it is kept, while a worker grades them."""
    tracker, rng = SqlTracker(database, RealClock()), random.Random(seed)

    def grading(_q: Question, _r: Rubric, of: Answer, told: Callable[[CriterionVerdict], None]) -> Grade:
        for ruled in rulings():
            time.sleep(rng.random() / 200)
            told(ruled)
        return grade(of.id)

    Worker(tracker=tracker, jobs=tracker, takes=tracker, bank=BANK, grade=grading, clock=RealClock()).start()
    for n in range(10_000):
        said.send(tracker.submit(answer(f"s{seed}-{n}")).answer_id)


def submit_many(database: Path, name: str, n: int) -> None:
    """Submit n answers, and grade as many of anybody's."""
    tracker = SqlTracker(database, RealClock())
    for k in range(n):
        tracker.submit(answer(f"{name}-{k}"))
        job = tracker.claim(name, 60)
        assert job is not None
        assert tracker.finish(job.id, name, attempt(tracker.answer(job.answer_id), id=f"t-{job.id}"))
    tracker.close()


def hold_write_lock(database: Path, held: Connection, release: Any) -> None:
    """Hold the write lock until told."""
    tracker = SqlTracker(database, RealClock())
    with tracker.engine.begin():
        held.send("held")
        release.wait(30)


def die_in_a_big_write(database: Path) -> None:
    """Leave a rollback journal that only a writer can play back."""
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.execute("PRAGMA cache_size=2")
    connection.execute("BEGIN IMMEDIATE")
    for n in range(2_000):
        connection.execute(
            "INSERT INTO answer (id, question_id, text, spoken, created_at)"
            " VALUES (?, 'q', ?, 0, '2026-01-01 00:00:00.000000')",
            (f"half-{n}", "x" * 200),
        )
    die()


def work_until_sigterm(database: Path, started: Connection) -> None:
    """Grade one answer with a model that never replies; stop on SIGTERM as the app does."""
    tracker = SqlTracker(database, RealClock())
    tracker.submit(answer())

    def hanging(_q: Question, _r: Rubric, _a: Answer, told: Callable[[CriterionVerdict], None]) -> Grade:
        told(rulings()[0])
        started.send("grading")
        threading.Event().wait(300)
        raise AssertionError("nobody waits this long")

    worker = Worker(tracker=tracker, jobs=tracker, takes=tracker, bank=BANK, grade=hanging, clock=RealClock())
    worker.start()
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    while not ended.wait(0.05):
        pass
    worker.stop(timeout_s=0.2)


def be_the_app(database: Path, running: Connection) -> None:
    """Hold the app's lock until killed."""
    lock = AppLock(database, FakeClock())
    lock.acquire()
    running.send(os.getpid())
    threading.Event().wait(300)


def use_a_take_and_die(database: Path, source: Path, verb: str, stage: str) -> None:
    """Keep a recording, and perhaps write it down and discard it, dying at a stage of the last step."""
    tracker = SqlTracker(database, RealClock())
    room = booth(tracker)
    steps: dict[str, Callable[[], object]] = {
        "keep": lambda: room.keep("k1", "kv-cache", str(source)),
        "transcribe": lambda: room.transcribe("k1"),
        "discard": lambda: room.discard("k1"),
    }
    for step in steps:
        if step == verb:
            _die_at(tracker, stage)
        steps[step]()
        if step == verb:
            die()


def _die_at(tracker: SqlTracker, stage: str) -> None:
    """Die at `row` when the first row is about to be committed, at `file` before the next file
    is moved or deleted, and at `second row` after that, when another row is about to be committed."""
    commits = 0

    def _count(_: Any) -> None:
        nonlocal commits
        commits += 1
        if (stage, commits) in (("row", 1), ("second row", 2)):
            die()

    def _moving(name: str, _: Any) -> None:
        if stage == "file" and name in ("os.rename", "os.remove"):
            die()

    event.listen(tracker.engine, "commit", _count)
    sys.addaudithook(_moving)
