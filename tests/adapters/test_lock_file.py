"""One app for one database file; what happens between processes stands with the crash tests."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread

import pytest

from tests.fakes import FakeClock
from tutor.adapters.lock_file import AppLock
from tutor.errors import TrackerError


def test_the_lock_stands_beside_the_database_and_says_who_holds_it(tmp_path: Path, clock: FakeClock) -> None:
    database = tmp_path / "new folder" / "tutor.db"
    with AppLock(database, clock):
        note = (database.parent / "tutor.db.lock").read_text()
    assert note == f"process {os.getpid()}, started 2026-03-01 12:00:00 UTC\n"
    assert not database.exists()


def test_a_held_lock_is_refused_with_what_to_do(tmp_path: Path, clock: FakeClock) -> None:
    database = tmp_path / "tutor.db"
    with AppLock(database, clock), pytest.raises(TrackerError) as caught:
        AppLock(database, clock).acquire()
    for words in (str(database), f"process {os.getpid()}", "close it first", "TUTOR_DATA_DIR"):
        assert words in str(caught.value)


def test_two_databases_in_one_folder_have_two_locks(tmp_path: Path, clock: FakeClock) -> None:
    with AppLock(tmp_path / "one.db", clock), AppLock(tmp_path / "two.db", clock):
        pass


@pytest.mark.parametrize("note", [b"", b"\xff\xfe"])
def test_a_holder_that_wrote_nothing_readable_is_another_process(tmp_path: Path, clock: FakeClock, note: bytes) -> None:
    database = tmp_path / "tutor.db"
    with AppLock(database, clock):
        (tmp_path / "tutor.db.lock").write_bytes(note)
        with pytest.raises(TrackerError, match=r"\(another process\)"):
            AppLock(database, clock).acquire()


def test_another_thread_may_release_it_and_twice_is_harmless(tmp_path: Path, clock: FakeClock) -> None:
    lock = AppLock(tmp_path / "tutor.db", clock)
    lock.release()
    lock.acquire()
    thread = Thread(target=lock.release)
    thread.start()
    thread.join()
    lock.release()
    with AppLock(tmp_path / "tutor.db", clock):
        pass


def test_a_folder_that_cannot_be_one_is_a_sentence(tmp_path: Path, clock: FakeClock) -> None:
    (tmp_path / "folder").touch()
    with pytest.raises(TrackerError, match="cannot be used"):
        AppLock(tmp_path / "folder" / "tutor.db", clock).acquire()
