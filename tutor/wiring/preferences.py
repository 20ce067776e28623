"""The verbs of the settings page: what holds and who decided it, changing it, and testing each engine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from hashlib import blake2b
from pathlib import Path
from threading import Lock, Thread
from types import MappingProxyType
from urllib.parse import urlsplit

import numpy as np
from pydantic import SecretStr

from tutor.adapters.chat_openai import OpenAIChat
from tutor.adapters.endpoint import Endpoint
from tutor.adapters.tracker_sql.opening import backups
from tutor.errors import AudioRefused, SettingsError, TutorError
from tutor.grading import judge
from tutor.ports import SAMPLE_RATE_HZ, Clock, Embedder, Recording
from tutor.settings import PREFIX, SECRETS, Settings, changed, origins, saved, write
from tutor.states import Check, DataFacts, EngineState, SettingLine
from tutor.wiring.engines import Engines
from tutor.wiring.speech import SpeechEngine
from tutor.wiring.usable import unusable

CHANGEABLE = (
    "chat_url",
    "chat_model",
    "chat_key",
    "chat_gguf",
    "chat_deadline_s",
    "speech_url",
    "speech_model",
    "speech_key",
    "speech_language",
    "takes_days",
    "port",
    "open_browser",
)
"""What can be changed on screen; the rest names folders that a running program stands in."""
STARS = "********"
MAX_CHARACTERS = 2000
# A grading under way comes first at a server with one slot, and may take most of a minute on two cores.
TEST_S = 90.0
_MEANWHILE = "This was changed elsewhere meanwhile. Reload the page to see it, then change it again."
_SAID = "Every decode step reads all the weights from memory, so decode is limited by memory bandwidth."
_MADE = "Decode is limited by memory bandwidth."
_NOT_MADE = "Gradient checkpointing trades compute for activation memory."

Look = Callable[[], str]
"""Calls an engine and says what was found; raises TutorError where it does not work."""


class Preferences:
    """What the settings page can do.

    Args:
        settings: What holds in this run.
        file: The settings file.
        given: Names of the settings from the command line.
        facts: Looks into the data folder.
        states: What is loading.
        looks: How to test an engine, by its name in `states`.

    Raises:
        SettingsError: The settings file cannot be read.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        file: Path,
        given: Iterable[str],
        facts: Callable[[], DataFacts],
        states: Callable[[], tuple[EngineState, ...]],
        looks: Mapping[str, Look],
    ) -> None:
        self._settings, self._file, self._states = settings, file, states
        self._origins = origins(file, given)
        self._fixed = frozenset(name for name, origin in origins(file).items() if origin == "environment")
        self._salt = os.urandom(16)
        self._saving, self._testing = Lock(), Lock()
        self.facts = facts
        self.tests: Mapping[str, Callable[[], Check]] = MappingProxyType(
            {name: self._test(name, look) for name, look in looks.items()}
        )
        """A test of each engine that is running; one at a time, each under a deadline."""

    def lines(self) -> tuple[SettingLine, ...]:
        """Every setting as it holds in this run; secrets as stars."""
        return tuple(
            SettingLine(name, _shown(getattr(self._settings, name)), self._origins[name], field.description or "")
            for name, field in Settings.model_fields.items()
        )

    def saved(self) -> dict[str, str]:
        """What the settings file says now of the settings that can be changed here; secrets as stars.

        Raises:
            SettingsError: The file cannot be read.
        """
        said = {name: value for name, value in saved(self._file).items() if name in CHANGEABLE}
        return {name: STARS if name in SECRETS else _shown(value) for name, value in said.items()}

    def marks(self) -> dict[str, str]:
        """A mark of what the settings file says now of each setting that can be changed here; it gives no value away.

        Raises:
            SettingsError: The file cannot be read.
        """
        said = saved(self._file)
        # A key is shown as stars whatever it is: only a mark tells that it was changed.
        return {name: blake2b(repr(said.get(name)).encode(), key=self._salt).hexdigest() for name in CHANGEABLE}

    def save(self, changes: Mapping[str, str], seen: Mapping[str, str]) -> None:
        """Write changes to the settings file; they hold from the next start.

        Args:
            changes: Text by name of the setting; blank takes it out of the file, so that the default holds again.
            seen: The marks from when the person was shown what is changed now.

        Raises:
            SettingsError: Nothing was written: a setting cannot be changed here or was changed meanwhile, the program
                would not start with it, or the file cannot be read or written.
        """
        texts = {name: text.strip() for name, text in changes.items()}
        _refuse({name: sentence for name, text in texts.items() if (sentence := self._why_not(name, text))})
        with self._saving:
            now = self.marks()
            _refuse({name: _MEANWHILE for name in texts if seen.get(name) != now[name]})
            coming, file_text = changed(self._file, {name: text or None for name, text in texts.items()})
            _refuse(unusable(coming, texts))
            write(self._file, file_text)

    def _why_not(self, name: str, text: str) -> str:
        if name not in CHANGEABLE:
            return "This cannot be changed here."
        if name in self._fixed:
            return f"{PREFIX}{name.upper()} of the environment decides this. Change it there."
        if name in SECRETS and STARS in text:
            return "The stars stand for the key that is saved. Empty the field and type the whole key."
        if name in SECRETS and not (text.isascii() and text.isprintable()):
            return "A key has no accents or invisible characters. Copy it again."
        return f"This is longer than {MAX_CHARACTERS} characters. Shorten it." if len(text) > MAX_CHARACTERS else ""

    def _test(self, name: str, look: Look) -> Callable[[], Check]:
        def test() -> Check:
            if any(engine.name == name and engine.state == "loading" for engine in self._states()):
                return _not_ok(name, f"The {name} is still loading.", "Test it again in a moment.")
            if not self._testing.acquire(blocking=False):
                return _not_ok(name, "Another test is running.", "Wait for it, then test again.")
            outcome: Future[Check] = Future()
            Thread(target=self._look, args=(name, look, outcome), name="tutor-test", daemon=True).start()
            try:
                return outcome.result(TEST_S)
            except TimeoutError:
                return _not_ok(name, f"There was no outcome in {TEST_S:.0f} seconds.", "Test it again when it is idle.")

        return test

    def _look(self, name: str, look: Look, outcome: Future[Check]) -> None:
        try:
            outcome.set_result(Check(name=name, ok=True, detail=look()))
        except TutorError as error:
            outcome.set_result(_not_ok(name, str(error)))
        except Exception as error:  # noqa: BLE001 - not swallowed: it is raised where the outcome is waited for
            outcome.set_exception(error)
        finally:
            self._testing.release()


def preferences(
    settings: Settings,
    engines: Engines,
    clock: Clock,
    *,
    database: Path,
    recordings: Path,
    file: Path,
    given: Iterable[str],
) -> Preferences:
    """The verbs over the engines that are running; see Preferences."""
    return Preferences(
        settings,
        file=file,
        given=given,
        facts=lambda: data_facts(settings, database, recordings),
        states=engines.states,
        looks={
            "grading model": lambda: look_at_chat(engines.chat, clock),
            "embedding model": lambda: look_at_embedder(engines.embedder),
            "speech model": lambda: look_at_speech(engines.transcriber, clock),
        },
    )


def look_at_chat(chat: OpenAIChat, clock: Clock) -> str:
    """Rule on a plain statement and tell how long it took, with what the probe of this server found.

    Raises:
        EngineError: It does not answer, or gives the wrong word.
    """
    able = chat.capabilities()
    started_s = clock.elapsed_s()
    is_made = judge.rule(chat, _MADE, [_SAID]).yes
    took_s = clock.elapsed_s() - started_s
    if not is_made:
        raise TutorError(f"{able.model} gave the wrong word for a plain statement. Choose another model.")
    return f"One ruling took {took_s:.1f} s and was right. {able.detail}"


def look_at_embedder(embedder: Embedder) -> str:
    """Compare a related and an unrelated pair of sentences. Raises EngineError."""
    vectors = embedder.embed([_SAID, _MADE, _NOT_MADE])
    near, far = float(vectors[0] @ vectors[1]), float(vectors[0] @ vectors[2])
    if near <= far:
        raise TutorError(
            f"{embedder.name} finds an unrelated sentence nearer ({far:.2f}) than a related one ({near:.2f}). "
            "Choose another model."
        )
    return (
        f"Two sentences that say the same are {near:.2f} alike, two that do not {far:.2f}. "
        f"{embedder.name}, {vectors.shape[1]} dimensions."
    )


def look_at_speech(speech: SpeechEngine, clock: Clock) -> str:
    """Load the recogniser, or have its server answer, and give it a silent second. Raises TutorError."""
    started_s = clock.elapsed_s()
    # A silent recording ends at the detection of speech here; a server is asked by loading alone.
    speech.load()
    try:
        speech.transcribe(Recording(np.zeros(SAMPLE_RATE_HZ, dtype=np.float32)), ())
    except AudioRefused:
        took_s = clock.elapsed_s() - started_s
        return f"It answers, and rightly hears no words in a silent second, in {took_s:.1f} s. {speech.name}."
    raise TutorError(f"{speech.name} hears words in silence. Choose another model.")


def data_facts(settings: Settings, database: Path, recordings: Path) -> DataFacts:
    """Look into the data folder; a file that vanishes meanwhile counts as nothing."""
    takes = [path for path in _within(recordings) if path.is_file()]
    places = [Endpoint(url) for url in (settings.chat_url, settings.speech_url) if url]
    hosts = {urlsplit(place.url).hostname or "" for place in places if place.is_address and not place.is_local}
    return DataFacts(
        database=str(database),
        database_bytes=sum(_size(path) for path in database.parent.glob(f"{database.name}*")),
        n_recordings=len(takes),
        recordings_bytes=sum(_size(path) for path in takes),
        n_backups=len(backups(database)),
        free_bytes=shutil.disk_usage(settings.data_dir).free,
        hosts=tuple(sorted(hosts)),
    )


def _within(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _shown(value: object) -> str:
    """A value as text for the screen: no secret, also not one inside an address.

    >>> [_shown(v) for v in (None, True, 60.0, 0.5, "http://me:word@models.example/v1", SecretStr("k"))]
    ['', 'true', '60', '0.5', 'http://models.example/v1', '********']
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, SecretStr):
        return STARS
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return Endpoint(text).shown if "://" in text else text


def _refuse(mistakes: Mapping[str, str]) -> None:
    if mistakes:
        raise SettingsError("\n".join(f"{name}: {sentence}" for name, sentence in mistakes.items()), mistakes)


def _not_ok(name: str, detail: str, fix: str = "") -> Check:
    return Check(name=name, ok=False, detail=detail, fix=fix)
