"""What may be taken from the folder of uploads: ordinary files in folders of their own, and nothing else."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tutor.errors import AudioRefused, TrackerError
from tutor.web.uploads import WAITING, Uploads

HASH = "a" * 64


class Room:
    """A folder of uploads beside files that are none of its business."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.own = folder / "temp", folder / "own"
        for made in (self.folder / HASH, self.folder / WAITING, self.own):
            made.mkdir(parents=True)
        self.upload, self.diary = self.folder / HASH / "a.wav", self.own / "diary.txt"
        self.upload.write_bytes(b"sound")
        self.diary.write_bytes(b"mine")
        self.uploads = Uploads(self.folder)

    def everything(self) -> dict[str, int]:
        return {str(path): path.lstat().st_ino for path in self.folder.parent.rglob("*")}


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


def linked(room: Room) -> Path:
    (room.folder / "b").mkdir()
    (room.folder / "b" / "a.wav").symlink_to(room.diary)
    return room.folder / "b" / "a.wav"


def linked_inside(room: Room) -> Path:
    (room.folder / "b").mkdir()
    (room.folder / "b" / "a.wav").symlink_to(room.upload)
    return room.folder / "b" / "a.wav"


def in_a_linked_folder(room: Room) -> Path:
    (room.folder / "b").symlink_to(room.own)
    return room.folder / "b" / "diary.txt"


def pipe(room: Room) -> Path:
    os.mkfifo(room.folder / HASH / "pipe")
    return room.folder / HASH / "pipe"


def waiting(room: Room) -> Path:
    (room.folder / WAITING / "t9").write_bytes(b"another")
    return room.folder / WAITING / "t9"


def waiting_by_a_link(room: Room) -> Path:
    waiting(room)
    (room.folder / "b").symlink_to(room.folder / WAITING)
    return room.folder / "b" / "t9"


def just_inside(room: Room) -> Path:
    (room.folder / "tmp12345678").write_bytes(b"half")
    return room.folder / "tmp12345678"


NO_UPLOADS: dict[str, Callable[[Room], object]] = {
    "a file of the user": lambda room: room.diary,
    "a system file": lambda room: "/etc/passwd",
    "up and out again": lambda room: room.folder / HASH / ".." / ".." / "own" / "diary.txt",
    "a link out": linked,
    "a link within": linked_inside,
    "a linked folder": in_a_linked_folder,
    "a pipe": pipe,
    "the waiting recording of another": waiting,
    "the same by a link": waiting_by_a_link,
    "a file without its folder": just_inside,
    "the folder of an upload": lambda room: room.folder / HASH,
    "the whole folder": lambda room: room.folder,
    "a device": lambda room: "/dev/zero",
    "nothing there": lambda room: room.folder / HASH / "gone.wav",
    "nothing there elsewhere": lambda room: room.own / "gone.wav",
    "an address": lambda room: "http://127.0.0.1/a.wav",
    "no words": lambda room: "",
    "half a word": lambda room: "\0",
    "no path": lambda room: f"{room.folder}/{HASH}/{'a' * 5000}",
}


@pytest.mark.parametrize("claim", NO_UPLOADS.values(), ids=NO_UPLOADS)
def test_what_is_no_upload_is_neither_taken_nor_deleted(room: Room, claim: Callable[[Room], object]) -> None:
    source = str(claim(room))
    before = room.everything()
    with pytest.raises(AudioRefused, match="not there any more") as refused:
        room.uploads.receive(source, "t1")
    assert refused.value.reason == "missing"
    room.uploads.drop(source)
    assert room.everything() == before
    assert room.uploads.waiting("t1") is None


def test_an_upload_waits_under_the_id_of_its_take_until_it_is_forgotten(room: Room) -> None:
    room.uploads.receive(str(room.upload), "t1")
    room.uploads.receive(str(room.upload), "t1")
    assert room.upload.read_bytes() == b"sound"
    room.uploads.drop(str(room.upload))
    assert not room.upload.parent.exists()
    assert Path(room.uploads.waiting("t1")).read_bytes() == b"sound"
    assert room.uploads.all_waiting() == ("t1",)
    for _ in range(2):
        room.uploads.forget("t1")
    assert room.uploads.all_waiting() == ()
    assert room.uploads.waiting("") is None


def test_a_folder_reached_by_a_link_is_the_folder(room: Room, tmp_path: Path) -> None:
    (tmp_path / "here").symlink_to(room.folder)
    uploads = Uploads(tmp_path / "here")
    uploads.receive(str(tmp_path / "here" / HASH / "a.wav"), "t1")
    uploads.receive(str(room.upload), "t2")
    assert uploads.all_waiting() == ("t1", "t2")


@pytest.mark.parametrize("is_full", [False, True])
def test_without_links_it_is_copied_or_else_moved(room: Room, monkeypatch: pytest.MonkeyPatch, is_full: bool) -> None:
    def refused(*given: object) -> None:
        raise OSError(errno.ENOSPC if is_full else errno.EPERM, "no")

    monkeypatch.setattr(os, "link", refused)
    if is_full:
        monkeypatch.setattr("shutil.copyfile", refused)
    room.uploads.receive(str(room.upload), "t1")
    assert Path(room.uploads.waiting("t1")).read_bytes() == b"sound"
    assert room.upload.exists() is not is_full
    assert len(list(room.upload.parent.iterdir())) == (0 if is_full else 1)


@pytest.mark.parametrize("has_links", [True, False])
def test_an_upload_that_goes_at_that_moment_is_missing(
    room: Room, monkeypatch: pytest.MonkeyPatch, has_links: bool
) -> None:
    def gone(*given: object) -> None:
        room.upload.unlink(missing_ok=True)
        raise FileNotFoundError(errno.ENOENT, "gone") if has_links else OSError(errno.EPERM, "no")

    monkeypatch.setattr(os, "link", gone)
    with pytest.raises(AudioRefused, match="not there any more"):
        room.uploads.receive(str(room.upload), "t1")
    assert room.uploads.all_waiting() == ()
    assert list(room.upload.parent.iterdir()) == []


def test_where_nothing_can_be_written_the_upload_stays(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*given: object, **more: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refused)
    with pytest.raises(TrackerError, match="Permission denied"):
        room.uploads.receive(str(room.upload), "t1")
    assert room.upload.exists()


def test_a_start_deletes_what_gradio_left_and_nothing_else(room: Room) -> None:
    waiting(room)
    (room.folder / "tmp_k3j9x0a").write_bytes(b"half an upload")
    (room.folder / ("b" * 64)).symlink_to(room.own)
    others = [room.folder / "notes.txt", room.folder / "tmp", room.folder / "photos" / "tmp12345678"]
    others[2].parent.mkdir()
    for path in others:
        path.write_bytes(b"mine")
    room.uploads.clear()
    assert sorted(path.name for path in room.folder.iterdir()) == ["notes.txt", "photos", "tmp", WAITING]
    assert others[2].exists()
    assert room.diary.exists()
    assert room.uploads.all_waiting() == ("t9",)


def test_the_place_to_wait_is_made_at_a_start_and_private(tmp_path: Path) -> None:
    Uploads(tmp_path).clear()
    assert stat.S_IMODE((tmp_path / WAITING).stat().st_mode) == 0o700
    Uploads(tmp_path / "gone").clear()
    assert Uploads(tmp_path / "gone").all_waiting() == ()


def test_inside_is_what_lies_in_the_folder_by_its_real_path(room: Room) -> None:
    assert room.uploads.is_inside(str(room.upload))
    for claim in ("a link out", "a file of the user", "the whole folder", "an address", "half a word"):
        assert not room.uploads.is_inside(str(NO_UPLOADS[claim](room)))
