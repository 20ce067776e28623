"""One contract for every inhabitant of the Recordings socket."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.bad_audio import tone, wav
from tests.fake_speech import FakeRecordings
from tutor.adapters.recordings_folder import RecordingsFolder
from tutor.errors import AudioRefused
from tutor.ports import Recordings


@pytest.fixture
def source(tmp_path: Path) -> str:
    """A recording that lies outside."""
    path = tmp_path / "upload of mine.mp3"
    path.write_bytes(wav(tone(1).tobytes()))
    return str(path)


@pytest.fixture(params=["fake", "folder"])
def recordings(request: pytest.FixtureRequest, tmp_path: Path, source: str) -> Recordings:
    return FakeRecordings(source) if request.param == "fake" else RecordingsFolder(tmp_path / "takes")


def test_a_kept_take_is_called_by_its_id_and_its_content(recordings: Recordings, source: str) -> None:
    name = recordings.keep(source, "take-1")
    assert name == "take-1.wav"
    assert recordings.path(name).endswith("take-1.wav")


def test_keeping_a_take_again_changes_nothing(recordings: Recordings, source: str) -> None:
    assert recordings.keep(source, "take-1") == recordings.keep(source, "take-1")


def test_a_source_goes_into_one_take_only(recordings: Recordings, source: str) -> None:
    recordings.keep(source, "take-1")
    with pytest.raises(AudioRefused) as caught:
        recordings.keep(source, "take-2")
    assert caught.value.reason == "missing"


def test_a_source_that_is_not_there_is_refused_with_what_to_do(recordings: Recordings, tmp_path: Path) -> None:
    with pytest.raises(AudioRefused, match="Record again or upload"):
        recordings.keep(str(tmp_path / "absent.wav"), "take-1")


def test_a_deleted_take_is_gone_and_can_be_deleted_again(recordings: Recordings, source: str) -> None:
    name = recordings.keep(source, "take-1")
    recordings.delete(name)
    recordings.delete(name)
    with pytest.raises(KeyError):
        recordings.path(name)


def test_a_name_never_kept_has_no_path(recordings: Recordings) -> None:
    recordings.delete("take-9.wav")
    with pytest.raises(KeyError):
        recordings.path("take-9.wav")


def test_the_file_of_a_take_is_found_by_its_id_until_it_is_deleted(recordings: Recordings, source: str) -> None:
    assert recordings.find("take-1") is None
    name = recordings.keep(source, "take-1")
    assert recordings.find("take-1") == name
    assert recordings.find("take-2") is None
    recordings.delete(name)
    assert recordings.find("take-1") is None
