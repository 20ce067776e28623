"""The folder of takes: private, whole or not at all, and no way out of it."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from tests.adapters.bad_audio import encoded, tone, wav
from tutor.adapters.recordings_folder import RecordingsFolder
from tutor.errors import AudioRefused, TrackerError

SOUND = wav(tone(1).tobytes())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data" / "takes"


@pytest.fixture
def recordings(folder: Path) -> RecordingsFolder:
    return RecordingsFolder(folder)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "upload.mp3"
    path.write_bytes(SOUND)
    path.chmod(0o644)
    return path


@pytest.fixture
def other_device(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What comes from outside the folder lies on another disk."""
    rename = os.rename

    def refuses(source: str | Path, place: Path) -> None:
        if Path(source).parent != Path(place).parent:
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        rename(source, place)

    monkeypatch.setattr(os, "rename", refuses)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def entries(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_only_its_owner_can_enter_and_read(recordings: RecordingsFolder, folder: Path, source: Path) -> None:
    folder.mkdir(mode=0o755, parents=True)
    name = recordings.keep(str(source), "take-1")
    assert mode(folder) == 0o700
    assert mode(folder / name) == 0o600


def test_a_take_is_moved_with_every_byte(recordings: RecordingsFolder, folder: Path, source: Path) -> None:
    name = recordings.keep(str(source), "take-1")
    assert not source.exists()
    assert Path(recordings.path(name)).read_bytes() == SOUND
    assert entries(folder) == ["take-1.wav"]


@pytest.mark.usefixtures("other_device")
def test_a_take_is_moved_from_another_disk(recordings: RecordingsFolder, folder: Path, source: Path) -> None:
    name = recordings.keep(str(source), "take-1")
    assert not source.exists()
    assert Path(recordings.path(name)).read_bytes() == SOUND
    assert mode(folder / name) == 0o600
    assert entries(folder) == ["take-1.wav"]


@pytest.mark.parametrize("is_far", [False, True])
def test_a_take_is_on_the_disk_before_its_name_is_returned(
    is_far: bool,
    recordings: RecordingsFolder,
    folder: Path,
    source: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    if is_far:
        request.getfixturevalue("other_device")
    steps: list[str] = []
    fsync, rename = os.fsync, os.rename

    def noted_fsync(file: int) -> None:
        steps.append("folder" if stat.S_ISDIR(os.fstat(file).st_mode) else "file")
        fsync(file)

    def noted_rename(old: Path, new: Path) -> None:
        rename(old, new)
        steps.append("name")

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(os, "rename", noted_rename)
    recordings.keep(str(source), "take-1")
    assert steps[-3:] == ["file", "name", "folder"]


@pytest.mark.parametrize(
    ("content", "suffix"),
    [(SOUND, ".wav"), (b"", ".bin"), (b"<html>", ".bin"), (b"OggS....", ".ogg")],
)
def test_the_suffix_is_told_by_the_content(
    content: bytes, suffix: str, recordings: RecordingsFolder, source: Path
) -> None:
    source.write_bytes(content)
    assert recordings.keep(str(source), "take-1") == "take-1" + suffix


def test_a_recording_of_a_browser_is_called_webm(recordings: RecordingsFolder, source: Path) -> None:
    source.write_bytes(encoded("webm", "libopus", tone(1, 48_000)))
    assert recordings.keep(str(source), "take-1") == "take-1.webm"


def test_the_first_recording_of_a_take_stays_and_another_source_is_left_alone(
    recordings: RecordingsFolder, source: Path, tmp_path: Path
) -> None:
    name = recordings.keep(str(source), "take-1")
    other = tmp_path / "other.ogg"
    other.write_bytes(b"OggS other")
    assert recordings.keep(str(other), "take-1") == name
    assert other.read_bytes() == b"OggS other"
    assert Path(recordings.path(name)).read_bytes() == SOUND


def test_a_take_that_another_request_moves_meanwhile_is_found(
    recordings: RecordingsFolder, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = os.rename

    def outrun(old: str, new: Path) -> None:
        rename(old, new)
        rename(old, new)

    monkeypatch.setattr(os, "rename", outrun)
    assert recordings.keep(str(source), "take-1") == "take-1.wav"


@pytest.mark.parametrize("kind", ["absent", "folder", "pipe", "link", "nul", "endless"])
def test_what_is_no_ordinary_file_is_refused(kind: str, recordings: RecordingsFolder, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "secret").write_bytes(SOUND)
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    path = {"nul": "a\0b", "endless": "x" * 5_000}.get(kind, str(tmp_path / kind))
    with pytest.raises(AudioRefused, match="Record again or upload") as caught:
        recordings.keep(path, "take-1")
    assert caught.value.reason == "missing"
    assert (tmp_path / "secret").exists()


@pytest.mark.parametrize("take_id", ["", "../take", "a/b", ".hidden", "a\0", "-flag", "x" * 121, "a b"])
def test_what_is_no_id_names_no_file(take_id: str, recordings: RecordingsFolder, source: Path) -> None:
    with pytest.raises(ValueError, match="validation error"):
        recordings.keep(str(source), take_id)
    assert source.exists()


@pytest.mark.parametrize(
    "name", ["../upload.mp3", "/etc/hostname", "..", ".", "", "take-1", "take-1.txt", ".take-1.wav.part", "a\0.wav"]
)
def test_a_path_that_leads_elsewhere_is_neither_found_nor_deleted(
    name: str, recordings: RecordingsFolder, folder: Path, source: Path, tmp_path: Path
) -> None:
    recordings.keep(str(source), "take-1")
    source.write_bytes(b"mine")
    (tmp_path / "data" / "upload.mp3").write_bytes(b"mine")
    recordings.delete(name)
    with pytest.raises(KeyError):
        recordings.path(name)
    assert source.exists()
    assert (tmp_path / "data" / "upload.mp3").exists()
    assert entries(folder) == ["take-1.wav"]


def test_a_link_in_the_folder_is_no_take(recordings: RecordingsFolder, folder: Path, source: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "take-1.wav").symlink_to(source)
    with pytest.raises(KeyError):
        recordings.path("take-1.wav")


@pytest.mark.usefixtures("other_device")
def test_a_full_disk_leaves_the_source_and_nothing_half_written(
    recordings: RecordingsFolder, folder: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: int) -> None:
        if os.readlink(f"/proc/self/fd/{file}").endswith(".part"):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(TrackerError, match=r"No space left on device\. Free some space"):
        recordings.keep(str(source), "take-1")
    assert source.read_bytes() == SOUND
    assert entries(folder) == []


@pytest.mark.usefixtures("other_device")
def test_what_a_power_cut_left_half_copied_is_written_anew_and_goes_with_the_take(
    recordings: RecordingsFolder, folder: Path, source: Path
) -> None:
    folder.mkdir(parents=True)
    half = folder / ".take-1.wav.part"
    half.write_bytes(b"RIFF")
    name = recordings.keep(str(source), "take-1")
    assert entries(folder) == ["take-1.wav"]
    half.write_bytes(b"RIFF")
    recordings.delete(name)
    assert entries(folder) == []


def test_a_folder_that_cannot_be_made_gets_a_sentence(folder: Path, source: Path) -> None:
    folder.parent.write_text("a file where the folder should be")
    with pytest.raises(TrackerError, match="Cannot keep the recording in"):
        RecordingsFolder(folder).keep(str(source), "take-1")
    assert source.exists()


def test_a_take_that_cannot_be_deleted_gets_a_sentence(
    recordings: RecordingsFolder, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = recordings.keep(str(source), "take-1")

    def locked(path: Path, missing_ok: bool = False) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "unlink", locked)
    with pytest.raises(TrackerError, match="Cannot delete the recording"):
        recordings.delete(name)
    assert recordings.path(name)
