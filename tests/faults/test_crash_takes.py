"""Killed at any moment between a recording and its row: no recording is lost, and none that was to go stays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults import children
from tests.faults.children import KILLED, child, exit_code
from tutor.adapters.tracker_sql import SqlTracker
from tutor.spoken import TakeState

SOUND = b"RIFF\x24\x00\x00\x00WAVEfmt " + bytes(4000)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "tutor.db"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A recording as the page uploaded it."""
    file = tmp_path / "upload.wav"
    file.write_bytes(SOUND)
    return file


@pytest.fixture
def killed(database: Path, source: Path, request: pytest.FixtureRequest) -> Iterator[SqlTracker]:
    """The database as the next start finds it, after a kill at the verb and stage that the test names."""
    assert exit_code(child(children.use_a_take_and_die, database, source, *request.param)) == KILLED
    tracker = SqlTracker(database, children.RealClock())
    yield tracker
    tracker.close()


def files(database: Path) -> list[Path]:
    return list((database.parent / "takes").glob("*"))


@pytest.mark.parametrize("killed", [("keep", "row"), ("keep", "file")], indirect=True, ids=["row", "file"])
def test_killed_before_the_file_moved_the_upload_is_there_and_can_be_kept(
    killed: SqlTracker, source: Path, database: Path
) -> None:
    booth = children.booth(killed)
    assert booth.recover() == 0
    assert (source.read_bytes(), files(database)) == (SOUND, [])
    assert booth.keep("k1", "kv-cache", str(source)).state is TakeState.STOPPED
    assert [file.read_bytes() for file in files(database)] == [SOUND]


@pytest.mark.parametrize("killed", [("keep", "second row")], indirect=True, ids=["second row"])
def test_killed_between_file_and_row_the_recording_is_found_with_its_question(
    killed: SqlTracker, source: Path, database: Path
) -> None:
    booth = children.booth(killed)
    assert not source.exists()
    assert killed.take("k1").state is TakeState.RECORDING
    assert booth.recover() == 1
    take = killed.take("k1")
    assert (take.state, take.question_id, take.file_name) == (TakeState.STOPPED, "kv-cache", "k1.wav")
    path = booth.recording_path("k1")
    assert path is not None
    assert Path(path).read_bytes() == SOUND
    assert booth.transcribe("k1").take.state is TakeState.TRANSCRIBED
    assert [str(file) for file in files(database)] == [path]


@pytest.mark.parametrize("killed", [("keep", "end"), ("transcribe", "row")], indirect=True, ids=["kept", "transcript"])
def test_a_kept_recording_survives_and_can_be_written_down(killed: SqlTracker) -> None:
    booth = children.booth(killed)
    assert booth.recover() == 0
    assert killed.take("k1").state is TakeState.STOPPED
    assert booth.transcribe("k1").take.transcript is not None


@pytest.mark.parametrize("killed", [("transcribe", "end")], indirect=True, ids=["transcribed"])
def test_a_transcript_that_was_shown_is_there_after_the_kill(killed: SqlTracker) -> None:
    assert killed.take("k1").state is TakeState.TRANSCRIBED
    assert children.booth(killed).heard("k1") is not None


@pytest.mark.parametrize(
    "killed", [("discard", stage) for stage in ("file", "row", "end")], indirect=True, ids=["file", "row", "end"]
)
def test_a_discard_that_was_killed_leaves_no_recording_once_it_is_said_again(
    killed: SqlTracker, database: Path, request: pytest.FixtureRequest
) -> None:
    booth = children.booth(killed)
    still_there = "[file]" in request.node.name
    assert bool(files(database)) == still_there
    assert (booth.recording_path("k1") is not None) == still_there
    booth.discard("k1")
    assert files(database) == []
    assert killed.take("k1").state is TakeState.DISCARDED
