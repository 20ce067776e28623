"""The private folder through which recordings come in: what may be taken from there, and what waits in it."""

from __future__ import annotations

import os
import re
import shutil
import stat
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp

from tutor.booth import missing
from tutor.errors import TrackerError

WAITING = "unkept"
"""Name of the folder in it for recordings that have arrived and are not kept yet; it is never emptied."""
# What Gradio makes there: a folder for each upload, named by its SHA-256, and a file for one that still comes in.
_GRADIOS = re.compile("[0-9a-f]{64}|tmp[a-z0-9_]{8}")


class Uploads:
    """Where Gradio puts each upload, as `folder/hash/name`, and where a recording waits until it is kept.

    Which file has come in is only a claim of the browser. A path is therefore looked at before anything is done
    with it, and anything but an ordinary file in a folder of its own is no recording, wherever it lies.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def is_inside(self, source: str) -> bool:
        """Whether a path leads into the folder, with all links followed; nothing is opened."""
        try:
            return Path(os.path.realpath(self._folder)) in Path(os.path.realpath(source)).parents
        except (OSError, ValueError):
            return False

    def receive(self, source: str, take_id: str) -> None:
        """Give an upload a second name under which it waits; the first one goes with `drop`.

        The browser may still be loading the file by its first name, so that one stays.

        Args:
            source: Path of the upload, as the browser claims it.
            take_id: An id, and so no path.

        Raises:
            AudioRefused: With reason `missing`, when this is no ordinary file of an upload.
            TrackerError: It cannot wait here; the upload stays where it is.
        """
        file, place = self._checked(source), self._place(take_id)
        if file is None:
            raise missing()
        try:
            place.parent.mkdir(mode=0o700, exist_ok=True)
            _name_again(file, place)
        except FileNotFoundError as error:
            raise missing() from error
        except OSError as error:
            raise TrackerError(
                f"The recording cannot wait in {place.parent} ({error.strerror or error}). "
                "Free some space there or allow writing, then record again."
            ) from error

    def waiting(self, take_id: str) -> str | None:
        """Path of the recording of a take that waits to be kept, or None."""
        place = self._place(take_id)
        return str(place) if take_id and _is_ordinary(place) else None

    def all_waiting(self) -> tuple[str, ...]:
        """Ids of the takes whose recordings wait to be kept."""
        try:
            return tuple(sorted(entry.name for entry in os.scandir(self._folder / WAITING)))
        except OSError:
            return ()

    def forget(self, take_id: str) -> None:
        """The recording of a take waits no longer: it is kept, refused or replaced."""
        with suppress(OSError):
            self._place(take_id).unlink()

    def drop(self, source: str) -> None:
        """Delete an upload and the folder it had for itself; anything else is left alone."""
        file = self._checked(source)
        if file is not None:
            with suppress(OSError):
                file.unlink()
                file.parent.rmdir()

    def clear(self) -> None:
        """Delete what Gradio left here, whole or broken; what waits to be kept stays, and so do files of others."""
        with suppress(OSError):
            # Made while there is room for it.
            (self._folder / WAITING).mkdir(mode=0o700, exist_ok=True)
            for entry in os.scandir(self._folder):
                if _GRADIOS.fullmatch(entry.name):
                    _delete(Path(entry.path))

    def _checked(self, source: str) -> Path | None:
        """The file of an upload by its real path; None for anything else."""
        try:
            file, root = Path(os.path.realpath(source)), Path(os.path.realpath(self._folder))
        except (OSError, ValueError):
            return None
        is_upload = file.parent.parent == root and file.parent.name != WAITING
        # A link, of the file or of its folder, has another name than what it leads to.
        is_itself = file.parts[-2:] == Path(source).parts[-2:]
        return file if is_upload and is_itself and _is_ordinary(Path(source)) else None

    def _place(self, take_id: str) -> Path:
        return self._folder / WAITING / take_id


def _is_ordinary(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):
        return False


def _name_again(file: Path, place: Path) -> None:
    try:
        os.link(file, place)
    except FileExistsError:
        return
    except FileNotFoundError:
        raise
    except OSError:  # a file system without links
        try:
            _copy(file, place)
        except FileNotFoundError:
            raise
        except OSError:
            os.replace(file, place)  # needs no room


def _copy(file: Path, place: Path) -> None:
    """Copy whole or not at all: another event may look at the place at any moment."""
    number, part = mkstemp(dir=file.parent)
    os.close(number)
    try:
        shutil.copyfile(file, part)
        os.replace(part, place)
    finally:
        with suppress(OSError):
            os.unlink(part)


def _delete(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()
