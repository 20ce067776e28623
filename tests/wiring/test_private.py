"""The libraries keep no id of this machine and have nothing to report."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tutor.web.launch import ENVIRONMENT

ROOT = Path(__file__).resolve().parents[2]
DETECT = """
import numpy as np
from tutor.adapters.speech_vad import speech_spans
from tutor.errors import AudioRefused
try:
    speech_spans(np.zeros(32000, dtype=np.float32))
except AudioRefused:
    print("listened")
"""


def left_behind(home: Path, environment: dict[str, str]) -> list[Path]:
    """Files in the home folder of a process that has detected speech once."""
    own = {name: value for name, value in os.environ.items() if name not in ENVIRONMENT and "CACHE" not in name}
    run = subprocess.run(
        [sys.executable, "-c", DETECT],
        env={**own, **environment, "HOME": str(home)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == "listened"
    return [path for path in home.rglob("*") if path.is_file()]


def test_the_detection_of_speech_leaves_nothing_in_the_home_folder(tmp_path: Path) -> None:
    assert left_behind(tmp_path, dict(ENVIRONMENT)) == []


def test_without_our_word_it_would(tmp_path: Path) -> None:
    if not left_behind(tmp_path, {}):
        pytest.skip("this build of ONNX Runtime reports nothing by itself, so the other test shows nothing")
