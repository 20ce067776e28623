"""The model server, its client, the embedder and the speech model: loaded behind the page, closed with the program."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Self

from tutor.adapters.chat_openai import OpenAIChat
from tutor.adapters.embed_sbert import SbertEmbedder
from tutor.adapters.endpoint import Endpoint
from tutor.adapters.server_llamacpp import LlamaServer
from tutor.adapters.weights import CHAT_GGUF, EMBEDDER, Weights, shipped_manifest
from tutor.errors import EngineDown, EngineError, EngineTimeout, SettingsError
from tutor.grading import judge
from tutor.grading.grader import Grader
from tutor.settings import Settings
from tutor.states import EngineState
from tutor.values import Answer, CriterionVerdict, Grade, Question, Rubric
from tutor.wiring.speech import SpeechEngine

# A cold disk may take this long to bring a gigabyte of weights into memory.
LOAD_S = 240.0
CHAT = "grading model"
CONTEXT_TOKENS = 4096


class SystemClock:
    """The machine's own time."""

    def now(self) -> datetime:
        """The moment in UTC."""
        return datetime.now(UTC)

    def elapsed_s(self) -> float:
        """Monotonic seconds."""
        return time.monotonic()


class Engines:
    """What hears and grades answers, as the settings want it; `ports.Engines` for the screen.

    Nothing is loaded before `start`, and `start` returns at once.

    Attributes:
        transcriber: The speech model; without it, typed answers are graded all the same.
    """

    def __init__(self, settings: Settings, *, speech: bool = False) -> None:
        """Choose the engines.

        Args:
            settings: Which ones.
            speech: Load the speech model at the start and show its state; else it loads when it is first used.

        Raises:
            WeightsError: An embedded model file is missing or was altered.
            SettingsError: A file named in the settings does not exist.
        """
        weights = Weights(settings.weights)
        self._server: LlamaServer | None = None
        self.chat_digest: str | None = None
        if settings.chat_url is None:
            gguf = _named_file(settings.chat_gguf, "TUTOR_CHAT_GGUF") or weights.require(CHAT_GGUF)
            self._server = LlamaServer(
                gguf,
                threads=settings.chat_threads,
                context_tokens=CONTEXT_TOKENS,
                model=settings.chat_model or "",
                log=settings.data_dir / "logs" / "model-server.log",
            )
            self.chat_digest = None if settings.chat_gguf else _pinned_digest()
            self.server_name = f"xllamacpp {version('xllamacpp')}"
        else:
            key = settings.chat_key.get_secret_value() if settings.chat_key else "local"
            self._remote = Endpoint(settings.chat_url, key=key, model=settings.chat_model or "")
            self.server_name = self._remote.shown
        self.embedder = SbertEmbedder(_named_file(settings.embedder, "TUTOR_EMBEDDER") or weights.require(EMBEDDER))
        deadline_s = settings.chat_deadline_s
        # Two cores may need a minute for the constant front of the judge's prompt, once after each start.
        first_s = max(deadline_s, LOAD_S) if self._server else deadline_s
        self.chat = OpenAIChat(self._endpoint, deadline_s=deadline_s, first_s=first_s)
        self.transcriber, self._speech = SpeechEngine(settings), speech
        self._settled = threading.Event()
        self._states = {
            CHAT: EngineState(CHAT, "loading"),
            "embedding model": EngineState("embedding model", "loading"),
        }

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Begin to load; all models load at the same time."""
        if self._server:
            self._server.start()
        for task in (self._load_embedder, self._warm_chat):
            threading.Thread(target=task, name=f"tutor-{task.__name__.strip('_')}", daemon=True).start()
        if self._speech:
            self.transcriber.start()

    def close(self) -> None:
        """Stop the model server and close connections."""
        self._settled.set()
        self.chat.close()
        self.transcriber.close()
        if self._server:
            self._server.stop()

    def states(self) -> tuple[EngineState, ...]:
        """The grading model, the embedding model and, where it was wanted, the speech model."""
        chat = self._states[CHAT]
        if self._server and chat.state != "loading":
            # After the first loading the server itself knows best: it may be restarting.
            now = self._server.state()
            chat = EngineState(chat.name, now.state, now.detail) if now.state != "ready" else chat
        heard = (self.transcriber.state(),) if self._speech else ()
        return chat, self._states["embedding model"], *heard

    def wait(self) -> None:
        """Return when the grading model is ready or has failed; a call before that would only queue up behind."""
        self._settled.wait(2 * LOAD_S)

    def grading(self, clock: SystemClock) -> Callable[..., Grade]:
        """`Grader.grade` that waits for the models, and whose outcome is what the screen shows of them."""
        grader = self.grader(clock)

        def grade(
            question: Question, rubric: Rubric, answer: Answer, on_verdict: Callable[[CriterionVerdict], None]
        ) -> Grade:
            self.wait()
            try:
                grade = grader.grade(question, rubric, answer, on_verdict)
            except (EngineDown, EngineTimeout) as error:
                self._states[CHAT] = EngineState(CHAT, "failed", str(error))
                raise
            self._states = {name: EngineState(name, "ready") for name in self._states}
            return grade

        return grade

    def grader(self, clock: SystemClock) -> Grader:
        """A grader on these engines."""
        return Grader(
            chat=self.chat,
            embedder=self.embedder,
            clock=clock,
            server=self.server_name,
            chat_digest=self.chat_digest,
        )

    def _endpoint(self) -> Endpoint:
        return self._server.endpoint(LOAD_S) if self._server else self._remote

    def _load_embedder(self) -> None:
        self._settle("embedding model", self.embedder.load)

    def _warm_chat(self) -> None:
        # The constant front of the judge's prompt is computed now and not during the first answer.
        try:
            self._settle(CHAT, lambda: judge.rule(self.chat, "The sky is blue.", [judge.NULL_ANSWER]))
        finally:
            self._settled.set()

    def _settle(self, name: str, load: Callable[[], object]) -> None:
        outcome = EngineState(name, "failed", "it could not be loaded; the terminal shows why")
        try:
            load()
            outcome = EngineState(name, "ready")
        except EngineError as error:
            outcome = EngineState(name, "failed", str(error))
        finally:
            self._states[name] = outcome


def _named_file(path: Path | None, setting: str) -> Path | None:
    if path is not None and not path.exists():
        raise SettingsError(f"{setting}: there is no {path}. Correct the path or unset {setting}.")
    return path


def _pinned_digest() -> str:
    (weight,) = (w for w in shipped_manifest().weights if w.name == CHAT_GGUF)
    return weight.files[0].sha256
