"""The files of the takes in a folder that only their owner can enter."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from tutor.adapters.audio_container import CONTAINERS, HEAD_BYTES, sniffed
from tutor.errors import AudioRefused, TrackerError
from tutor.values import Id

UNKNOWN_SUFFIX = ".bin"
"""For a file that is no recording; it is kept all the same, because the person may want it back."""
SUFFIXES = (*(container.suffix for container in CONTAINERS), UNKNOWN_SUFFIX)
_ID: TypeAdapter[str] = TypeAdapter(Id)


class RecordingsFolder:
    """Takes under `<take id><suffix>`; the suffix comes from the content.

    Args:
        folder: Made when the first take is kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, source: str, take_id: str) -> str:
        """Move a file in, so that it survives a power cut; the name it has from now on.

        A take that is kept already stays as it is, and the source is left alone.

        Raises:
            AudioRefused: With reason `missing`, when there is no such file or it is no regular one.
            TrackerError: It cannot be kept; the source is still where it was.
            ValueError: The id is none.
        """
        _ID.validate_python(take_id)
        with self._said("keep the recording"):
            if name := self.find(take_id):
                return name
            try:
                return self._moved(source, take_id)
            except AudioRefused:
                # Meanwhile the same take may have come in by another request.
                if name := self.find(take_id):
                    return name
                raise

    def find(self, take_id: str) -> str | None:
        """The name of the file kept for a take, None when there is none."""
        names = (take_id + suffix for suffix in SUFFIXES)
        return next((name for name in names if _is_regular(self._folder / name)), None)

    def path(self, file_name: str) -> str:
        """Where a kept file lies.

        Raises:
            KeyError: It is not there, or this is not the name of a take's file.
        """
        if not _is_name(file_name) or not _is_regular(self._folder / file_name):
            raise KeyError(file_name)
        return str(self._folder / file_name)

    def delete(self, file_name: str) -> None:
        """Delete a file; one that is not there is no error.

        Raises:
            TrackerError: It is there and cannot be deleted.
        """
        if not _is_name(file_name) or not self._folder.is_dir():
            return
        with self._said("delete the recording"):
            (self._folder / file_name).unlink(missing_ok=True)
            _neighbour(self._folder / file_name).unlink(missing_ok=True)
            _sync_folder(self._folder)

    def _moved(self, source: str, take_id: str) -> str:
        file = _opened(source)
        try:
            container = sniffed(os.pread(file, HEAD_BYTES, 0))
            place = self._folder / (take_id + (container.suffix if container else UNKNOWN_SUFFIX))
            self._make_folder()
            os.fsync(file)
            try:
                os.rename(source, place)
            except OSError as error:
                if error.errno == errno.ENOENT:
                    raise _missing() from error
                if error.errno != errno.EXDEV:
                    raise
                _copy(file, place)
                os.unlink(source)
            place.chmod(0o600)
        finally:
            os.close(file)
        _sync_folder(self._folder)
        return place.name

    def _make_folder(self) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Also where it was made by somebody else, or under a umask.
        self._folder.chmod(0o700)

    @contextmanager
    def _said(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise TrackerError(
                f"Cannot {what} in {self._folder}: {error.strerror or error}. Free some space there or allow "
                "writing, then try again; the recording was left where it is."
            ) from error


def _is_name(file_name: str) -> bool:
    """Whether it is an id with one of the suffixes, and so no path.

    >>> _is_name("take-1.wav"), _is_name("../take-1.wav"), _is_name("take-1.txt"), _is_name(".wav")
    (True, False, False, False)
    """
    for suffix in SUFFIXES:
        if file_name.endswith(suffix):
            try:
                _ID.validate_python(file_name.removesuffix(suffix))
            except ValidationError:
                return False
            return True
    return False


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _opened(source: str) -> int:
    """A descriptor of an ordinary file, not of what a link, a pipe or a folder stands for."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        file = os.open(source, flags)
    except (OSError, ValueError) as error:
        raise _missing() from error
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise _missing()
    return file


def _missing() -> AudioRefused:
    return AudioRefused(
        "missing",
        "There is no recording at this place, or it is no ordinary file. Record again or upload the file again.",
    )


def _neighbour(place: Path) -> Path:
    # No id begins with a dot, so it is never taken for a take.
    return place.with_name(f".{place.name}.part")


def _copy(file: int, place: Path) -> None:
    """Copy to another device: whole under its name, or not at all."""
    part = _neighbour(place)
    try:
        with open(file, "rb", closefd=False) as old, open(part, "wb") as new:
            shutil.copyfileobj(old, new)
            new.flush()
            os.fsync(new.fileno())
        os.rename(part, place)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def _sync_folder(folder: Path) -> None:
    entries = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(entries)
    finally:
        os.close(entries)
