"""Decodes a recording that somebody else made: checked by content, decoded in a child process under caps."""

from __future__ import annotations

import json
import math
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from tutor.adapters.audio_container import HEAD_BYTES, sniffed
from tutor.errors import AudioRefused
from tutor.ports import SAMPLE_RATE_HZ, Recording

CHILD = (sys.executable, "-I", str(Path(__file__).with_name("audio_pyav_child.py")))
SAMPLE_BYTES = 2
# Half a swing of .001 is -60 dBFS. A muted microphone gives zeros or the last bit or two of dither (-84 dBFS and
# below); speech, even from across a room, peaks above -40 dBFS, and so does the noise of most rooms' microphones.
SILENCE_SWING = 0.002
REPORT_BYTES = 65_536
KINDS = "WAV, MP3, M4A, OGG, FLAC or WebM"
_EITHER_WAY = {
    "silence": "Check that the right microphone is chosen and not muted, then record again.",
    "no_child": "Close programs that need much memory, then try again.",
}
UPLOADED = _EITHER_WAY | {
    "missing": "Record again or upload the file again.",
    "unreadable": "Record again, or upload {kinds} of up to {minutes} minutes.",
    "no_sound": "Record again, or upload {kinds} of up to {minutes} minutes.",
    "too_short": "Record again, and speak before you stop.",
    "too_long": "Record a shorter answer, or upload a part of it.",
    "too_large": "Upload it as MP3, M4A or OGG of up to {minutes} minutes.",
    "heavy": "Record again, or save it anew as WAV, MP3 or OGG and upload that.",
    "overdue": "Try again when the machine is less busy, or save it anew as WAV, MP3 or OGG and upload that.",
}
"""What a person does about a recording on the page that cannot be used."""
IN_PLACE = _EITHER_WAY | {
    "missing": "Name a file that is there and that you may read.",
    "unreadable": "Name {kinds} of up to {minutes} minutes.",
    "no_sound": "Name {kinds} of up to {minutes} minutes with speech in it.",
    "too_short": "Name one with an answer in it.",
    "too_long": "Name a part of it, saved as a file of its own.",
    "too_large": "Save it as MP3, M4A or OGG of up to {minutes} minutes and name that.",
    "heavy": "Save it anew as WAV, MP3 or OGG and name that.",
    "overdue": "Try again when the machine is less busy, or save it anew as WAV, MP3 or OGG and name that.",
}
"""What a person does about a file that was named in a terminal."""


@dataclass(frozen=True)
class AudioLimits:
    """Caps for one recording.

    Attributes:
        file_bytes: Largest file.
        most_s: Longest recording, in seconds.
        least_s: Shortest recording, in seconds.
        wall_s: Longest time for decoding, in seconds, by the clock on the wall.
        memory_bytes: Most memory resident in the child.
    """

    file_bytes: int = 100_000_000
    most_s: float = 600.0
    least_s: float = 0.3
    wall_s: float = 30.0
    memory_bytes: int = 300_000_000


@dataclass(frozen=True)
class Decoded:
    """What a child left behind.

    Attributes:
        ending: `decoded`, `no_sound`, `too_long`, `heavy` (needs too much memory), `unreadable`, or `overdue` when
            the clock stopped it.
        is_whole: False when part of the file could not be read.
        samples: Signed 16 bit, little-endian, mono, 16,000 a second.
        peak_bytes: The most memory the child had resident, by its own account; 0 if it could not say.
    """

    ending: str
    is_whole: bool
    samples: bytes
    peak_bytes: int


class PyAvReader:
    """Reads WAV, MP3, M4A, AAC, OGG, FLAC and WebM.

    Args:
        limits: Caps.
        command: The child's command line; another one must speak the same way.
        advice: What a person does about a recording that cannot be used: UPLOADED or IN_PLACE.
    """

    def __init__(
        self,
        limits: AudioLimits | None = None,
        command: Sequence[str] = CHILD,
        *,
        advice: Mapping[str, str] = UPLOADED,
    ) -> None:
        self._limits, self._command, self._advice = limits or AudioLimits(), tuple(command), advice

    def read(self, path: str) -> Recording:
        """The recording.

        Raises:
            AudioRefused: With reason `missing`, `unreadable`, `no_sound`, `silence`, `too_short`, `too_long` or
                `too_large`.
        """
        file = _opened(path)
        if file is None:
            raise self._refusal("missing")
        try:
            decoded = self._decoded(file)
        finally:
            os.close(file)
        if decoded.ending != "decoded":
            raise self._refusal(decoded.ending)
        samples = np.frombuffer(decoded.samples, dtype="<i2").astype(np.float32) / np.float32(32_768)
        if reason := self._unusable(samples):
            raise self._refusal(reason)
        return Recording(samples=samples, is_whole=decoded.is_whole)

    def _decoded(self, file: int) -> Decoded:
        if os.fstat(file).st_size > self._limits.file_bytes:
            raise self._refusal("too_large")
        try:
            container = sniffed(os.read(file, HEAD_BYTES))
            os.lseek(file, 0, os.SEEK_SET)
        except OSError:
            container = None
        if container is None:
            raise self._refusal("unreadable")
        try:
            return decode(file, container.demuxer, self._limits, self._command)
        except (OSError, RuntimeError) as error:
            raise self._refusal("no_child") from error

    def _unusable(self, samples: NDArray[np.float32]) -> str | None:
        if len(samples) < self._limits.least_s * SAMPLE_RATE_HZ:
            return "too_short"
        # The swing, not the largest value: a microphone with an offset is silent all the same.
        return "silence" if float(np.ptp(samples)) < SILENCE_SWING else None

    def _refusal(self, ending: str) -> AudioRefused:
        reason = {"overdue": "too_large", "heavy": "too_large", "no_child": "unreadable"}.get(ending, ending)
        return AudioRefused(reason, f"{_FACTS[ending]} {self._advice[ending]}".format(**self._figures()))

    def _figures(self) -> dict[str, str]:
        limits = self._limits
        return {
            "kinds": KINDS,
            "minutes": f"{limits.most_s / 60:g}",
            "least_s": f"{limits.least_s:g}",
            "megabytes": f"{limits.file_bytes / 1e6:g}",
        }


_FACTS = {
    "missing": "There is no recording at this place, or it is no ordinary file.",
    "unreadable": "This file cannot be read as a recording: it is empty, damaged or of another kind.",
    "no_sound": "There is no sound in this file.",
    "silence": "The recording is silent.",
    "too_short": "The recording is shorter than {least_s} s.",
    "too_long": "The recording is longer than {minutes} minutes.",
    "too_large": "The file is larger than {megabytes} MB.",
    "heavy": "Reading this file takes more memory than a recording of {minutes} minutes needs.",
    "overdue": "Reading this file takes too long.",
    "no_child": "The recording cannot be read now, because this machine starts no further program.",
}


def _opened(path: str) -> int | None:
    """A descriptor of an ordinary file, not of what a link, a pipe or a folder stands for; None without one."""
    # Without waiting, because to open a pipe is to wait for whoever writes to it.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        file = os.open(path, flags)
    except (OSError, ValueError):
        return None
    if stat.S_ISREG(os.fstat(file).st_mode):
        return file
    os.close(file)
    return None


def decode(file: int, demuxer: str, limits: AudioLimits, command: Sequence[str] = CHILD) -> Decoded:
    """Decode an open file in a child that does not outlive this call.

    Args:
        file: Descriptor, at the file's beginning.
        demuxer: FFmpeg's name for its container.
        limits: Caps.
        command: The child's command line.

    Raises:
        OSError: The child cannot be started.
        RuntimeError: The thread that watches its time cannot be started.
    """
    order = {
        "demuxer": demuxer,
        "most_s": limits.most_s,
        "memory_bytes": limits.memory_bytes,
        # Later than the clock on the wall: it only ends a child that nobody waits for any more.
        "cpu_s": math.ceil(limits.wall_s) + 1,
    }
    # No environment: it holds keys. A session of its own: Ctrl-C in a terminal is for the tutor, which ends it.
    with subprocess.Popen(
        (*command, json.dumps(order)),
        stdin=file,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={},
        start_new_session=True,
    ) as child:
        overdue = threading.Event()
        alarm = threading.Timer(limits.wall_s, _stop, (child, overdue))
        try:
            # A machine without threads left is found out here, with the child at work already.
            alarm.start()
            return _collected(child, overdue, limits)
        finally:
            alarm.cancel()
            child.kill()


def _stop(child: subprocess.Popen[bytes], overdue: threading.Event) -> None:
    overdue.set()
    child.kill()


def _collected(child: subprocess.Popen[bytes], overdue: threading.Event, limits: AudioLimits) -> Decoded:
    with cast(IO[bytes], child.stdout) as sound, cast(IO[bytes], child.stderr) as report:
        # The child stops at the limit by itself; this bounds one that does not.
        most_bytes = int((limits.most_s + 2) * SAMPLE_RATE_HZ) * SAMPLE_BYTES
        samples = sound.read(most_bytes)
        told = _told(report.read(REPORT_BYTES)) if len(samples) < most_bytes else {"ending": "too_long"}
    # Of the child's words only those that are expected count, and none is shown.
    ending = (
        "overdue" if overdue.is_set() else next((word for word in _ENDINGS if word == told.get("ending")), "unreadable")
    )
    peak = told.get("peak_bytes")
    return Decoded(
        ending=ending,
        is_whole=told.get("is_whole") is True,
        samples=samples[: len(samples) // SAMPLE_BYTES * SAMPLE_BYTES],
        peak_bytes=peak if isinstance(peak, int) else 0,
    )


_ENDINGS = ("decoded", "no_sound", "too_long", "heavy")


def _told(lines: bytes) -> dict[str, Any]:
    """The child's one line; nothing if it died before it."""
    try:
        told = json.loads(lines.strip().rpartition(b"\n")[2])
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}
