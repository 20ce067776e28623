"""`tutor doctor`: what works on this machine, what does not, and how to mend it."""

from __future__ import annotations

import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import numpy as np

from tutor.adapters.audio_pyav import PyAvReader
from tutor.adapters.endpoint import LOOPBACK
from tutor.adapters.speech_openai import as_wav
from tutor.adapters.tracker_sql import SqlTracker
from tutor.adapters.weights import Weights
from tutor.errors import TutorError
from tutor.grading import judge
from tutor.ports import SAMPLE_RATE_HZ, Recording
from tutor.settings import Settings
from tutor.states import Check
from tutor.wiring.bank import question_bank
from tutor.wiring.engines import Engines, SystemClock
from tutor.wiring.house import DATABASE
from tutor.wiring.speech import SpeechEngine

SPARE_BYTES = 500_000_000
# One statement that the words make and one that they do not: any usable judge tells them apart.
_SAID = "Every decode step reads all the weights from memory, so decode is limited by memory bandwidth."
_MADE = "Decode is limited by memory bandwidth."
_NOT_MADE = "Gradient checkpointing trades compute for activation memory."


def checks(settings: Settings) -> Iterator[Check]:
    """Checks one by one, cheap ones first; a check that cannot run is not ok and says why."""
    yield _checked("Python and SQLite", lambda: f"{sys.version.split()[0]}, SQLite {sqlite3.sqlite_version}")
    yield _checked("data folder", lambda: _data_folder(settings), "Set TUTOR_DATA_DIR to a folder with more room.")
    yield _checked("database", lambda: _database(settings))
    yield _checked("question bank", lambda: _bank(settings), "Mend the file named, or unset TUTOR_BANK.")
    yield from Weights(settings.weights).verify()
    yield _checked("recordings", _decoded, "Check that this Python may start programs and has memory to spare.")
    yield _checked("speech model", lambda: _speech(settings), "Run `make setup`, or correct the setting named.")
    yield from _engines(settings)
    yield _checked("other hosts", lambda: _hosts(settings))


def _checked(name: str, look: Callable[[], str], fix: str = "") -> Check:
    try:
        return Check(name=name, ok=True, detail=look())
    except TutorError as error:
        return Check(name=name, ok=False, detail=str(error), fix=fix)
    except OSError as error:
        return Check(name=name, ok=False, detail=f"{error.strerror}: {error.filename}", fix=fix)


def _data_folder(settings: Settings) -> str:
    folder = settings.data_dir
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    if free < SPARE_BYTES:
        raise TutorError(f"{folder} has only {free / 1e6:.0f} MB free")
    return f"{folder}, {free / 1e9:.0f} GB free"


def _database(settings: Settings) -> str:
    path = settings.data_dir / DATABASE
    if not path.exists():
        return f"none yet; {path.name} is made at the first start"
    tracker = SqlTracker(path, SystemClock())
    try:
        return f"{path.name} is whole, {len(tracker.attempts())} attempts"
    finally:
        tracker.close()


def _bank(settings: Settings) -> str:
    bank = question_bank(settings)
    questions = bank.questions()
    n_criteria = sum(len(bank.rubric(q.id).criteria) for q in questions)
    return f"{len(questions)} questions, {n_criteria} criteria"


def _decoded() -> str:
    """Have the child that decodes uploaded files read one that needs no recording: a second of a tone."""
    at_s = np.arange(SAMPLE_RATE_HZ) / SAMPLE_RATE_HZ
    tone = Recording((0.2 * np.sin(2 * np.pi * 440 * at_s)).astype(np.float32))
    clock = SystemClock()
    with tempfile.NamedTemporaryFile(suffix=".wav") as file:
        file.write(as_wav(tone.samples))
        file.flush()
        started_s = clock.elapsed_s()
        recording = PyAvReader().read(file.name)
    return f"{len(recording.samples) / SAMPLE_RATE_HZ:g} s decoded in {clock.elapsed_s() - started_s:.1f} s"


def _speech(settings: Settings) -> str:
    engine, clock = SpeechEngine(settings), SystemClock()
    started_s = clock.elapsed_s()
    try:
        engine.load()
    finally:
        engine.close()
    return f"{engine.name}, ready in {clock.elapsed_s() - started_s:.1f} s"


def _engines(settings: Settings) -> Iterator[Check]:
    try:
        engines = Engines(settings)
    except TutorError as error:
        yield Check(name="models", ok=False, detail=str(error), fix="Run `make setup`, or correct the setting named.")
        return
    with engines:
        yield _checked("embedding model", lambda: _embedder(engines), "Run `make setup`, or unset TUTOR_EMBEDDER.")
        yield _checked("model server", lambda: engines.chat.capabilities().detail)
        engines.wait()
        yield _checked("judge", lambda: _judge(engines), "Choose another model: this one cannot tell yes from no.")


def _embedder(engines: Engines) -> str:
    vectors = engines.embedder.embed([_SAID, _MADE, _NOT_MADE])
    if float(vectors[0] @ vectors[1]) <= float(vectors[0] @ vectors[2]):
        raise TutorError("it finds an unrelated sentence nearer than a related one")
    return f"{engines.embedder.name}, {vectors.shape[1]} dimensions"


def _judge(engines: Engines) -> str:
    clock = SystemClock()
    started_s = clock.elapsed_s()
    if not judge.rule(engines.chat, _MADE, [_SAID]).yes or judge.rule(engines.chat, _NOT_MADE, [_SAID]).yes:
        raise TutorError(f"{engines.chat.name} gave the wrong word for a plain statement")
    return f"{engines.chat.name} ruled right on two plain statements in {clock.elapsed_s() - started_s:.1f} s"


def _hosts(settings: Settings) -> str:
    named = (("TUTOR_CHAT_URL", settings.chat_url), ("TUTOR_SPEECH_URL", settings.speech_url))
    hosts = ((name, urlsplit(url or "").hostname) for name, url in named)
    others = [f"{host} ({name})" for name, host in hosts if host and host not in LOOPBACK]
    return ", ".join(others) or "none but this machine"
