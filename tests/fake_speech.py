"""Fakes for the sockets of a recording: one that reads it, and the folder that keeps it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tutor.errors import AudioRefused, TutorError
from tutor.ports import SAMPLE_RATE_HZ, Recording


def tone(seconds: float = 3.0) -> Recording:
    """A quiet tone of 440 Hz."""
    at_s = np.arange(round(seconds * SAMPLE_RATE_HZ)) / SAMPLE_RATE_HZ
    return Recording(samples=(0.2 * np.sin(2 * np.pi * 440 * at_s)).astype(np.float32))


def missing() -> AudioRefused:
    """What every plug says about a file that is not there."""
    return AudioRefused("missing", "The recording is not there any more. Record again or upload the file again.")


class FakeAudioReader:
    """Reads from each path what the given function returns: a recording, or an error to raise."""

    def __init__(self, rule: Callable[[str], Recording | TutorError] | None = None) -> None:
        self.rule = rule or (lambda path: tone())
        self.paths: list[str] = []

    def read(self, path: str) -> Recording:
        self.paths.append(path)
        read = self.rule(path)
        if isinstance(read, TutorError):
            raise read
        return read


class FakeRecordings:
    """Keeps names instead of files: `sources` are the files that can be moved in, every one of them a WAV.

    Set `fault` to an error and `keep` raises it, as a full disk would.
    """

    def __init__(self, *sources: str) -> None:
        self.sources = set(sources)
        self.files: dict[str, str] = {}
        """Where each kept file came from, by its name now."""
        self.fault: TutorError | None = None

    def keep(self, source: str, take_id: str) -> str:
        name = f"{take_id}.wav"
        if self.fault is not None:
            raise self.fault
        if name not in self.files:
            if source not in self.sources:
                raise missing()
            self.sources.remove(source)
            self.files[name] = source
        return name

    def find(self, take_id: str) -> str | None:
        name = f"{take_id}.wav"
        return name if name in self.files else None

    def path(self, file_name: str) -> str:
        if file_name not in self.files:
            raise KeyError(file_name)
        return f"/takes/{file_name}"

    def delete(self, file_name: str) -> None:
        self.files.pop(file_name, None)
