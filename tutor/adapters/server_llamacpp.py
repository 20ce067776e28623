"""The embedded model server: a child process that is started, watched, restarted and stopped with the tutor."""

from __future__ import annotations

import secrets
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from tutor.adapters.endpoint import Endpoint
from tutor.adapters.server_llamacpp_process import Child, LoadError, answers
from tutor.errors import EngineDown
from tutor.states import EngineState

NAME = "model server"
CHILD = (sys.executable, "-P", str(Path(__file__).with_name("server_llamacpp_child.py")))
REMEDY = "Run the set-up again or set TUTOR_CHAT_GGUF to a GGUF file that works, then retry grading."
FIX = "It restarts by itself; retry grading in a few seconds."


@dataclass(frozen=True)
class Patience:
    """How often and how long to try; all times in seconds.

    Attributes:
        restarts: Restarts allowed within `window_s`; one more death and the server has failed.
        window_s: The span in which deaths are counted, also the rest after a failure.
        backoff_s: Pause before the first restart; it doubles with each death in the window.
        load_s: Longest time to load the model.
        ping_s: Pause between two looks at a running server.
        pong_s: Longest time for its answer.
        pings_missed: Looks in a row without an answer that mean it hangs.
        stop_s: Longest time for an orderly end.
    """

    restarts: int = 3
    window_s: float = 60.0
    backoff_s: float = 0.25
    load_s: float = 180.0
    ping_s: float = 10.0
    pong_s: float = 5.0
    pings_missed: int = 3
    stop_s: float = 3.0

    def restart_in_s(self, deaths_s: Sequence[float]) -> float | None:
        """The pause before the next restart, or None when there were too many deaths.

        Args:
            deaths_s: Moments of all deaths so far, the last one just now.

        >>> patience = Patience(restarts=2, window_s=60, backoff_s=1)
        >>> [patience.restart_in_s(d) for d in ([0], [0, 1], [0, 1, 2], [0, 1, 100])]
        [1, 2, None, 1]
        """
        recent = sum(moment >= deaths_s[-1] - self.window_s for moment in deaths_s)
        return None if recent > self.restarts else self.backoff_s * 2 ** (recent - 1)


class LlamaServer:
    """llama.cpp on a free loopback port with a random key, in a process of its own.

    Args:
        gguf: The model file.
        threads: Threads for the computation.
        context_tokens: Longest prompt plus reply.
        model: Name under which it is served; by default the file's name without its ending.
        log: File for the engine's own log; dropped by default.
        patience: How often and how long to try.
        command: The child's command line; another one must speak the same two JSON lines.
    """

    def __init__(
        self,
        gguf: Path,
        *,
        threads: int,
        context_tokens: int = 4096,
        model: str = "",
        log: Path | None = None,
        patience: Patience | None = None,
        command: Sequence[str] = CHILD,
    ) -> None:
        self._gguf, self._log, self._command = gguf, log, tuple(command)
        self._model = model or gguf.stem
        self._order = {
            "gguf": str(gguf),
            "model": self._model,
            "threads": threads,
            "context_tokens": context_tokens,
        }
        self._patience = patience or Patience()
        self._changed = threading.Condition()
        self._state = EngineState(NAME, "loading", "not started yet")
        self._failed_at_s = 0.0
        self._endpoint: Endpoint | None = None
        self._child: Child | None = None
        self._watcher: threading.Thread | None = None
        self._stop = threading.Event()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Begin to load in the background and return; also the way to ask again after a failure or a stop."""
        with self._changed:
            if self._watcher is not None and self._state.state != "failed":
                return
            self._stop = threading.Event()
            self._say("loading", f"Loading {self._gguf.name}.")
            self._watcher = threading.Thread(
                target=self._watch, args=(self._stop,), name="model-server-watcher", daemon=True
            )
            self._watcher.start()

    def stop(self) -> None:
        """End the child and its watcher; nothing restarts until `start`."""
        with self._changed:
            self._stop.set()
            self._endpoint = None
            self._say("failed", "The model server is stopped. Start the tutor again, then retry grading.")
            child, watcher = self._child, self._watcher
        if child is not None:
            child.end(self._patience.stop_s)
        if watcher is not None:
            watcher.join()

    def state(self) -> EngineState:
        """What to show: `loading`, `ready` or `failed`, with a sentence."""
        with self._changed:
            return self._state

    def endpoint(self, wait_s: float) -> Endpoint:
        """Where it listens now, waiting up to `wait_s` seconds for that.

        A server that never started, or failed and has rested since, is started by asking.

        Raises:
            EngineDown: It failed, is stopped, or is still loading after `wait_s`.
        """
        with self._changed:
            if self._watcher is None or self._has_rested():
                self.start()
            self._changed.wait_for(lambda: self._listens() or self._state.state == "failed", timeout=wait_s)
            if self._endpoint is not None and self._listens():
                return self._endpoint
            if self._state.state == "failed":
                raise EngineDown(self._state.detail)
        raise EngineDown(
            f"The model server is still loading {self._gguf.name} after {wait_s:g} s. "
            "Wait a little, then retry grading."
        )

    def _listens(self) -> bool:
        # A look at the process itself: the watcher may not have noticed a death yet.
        return self._endpoint is not None and self._child is not None and self._child.is_alive()

    def _has_rested(self) -> bool:
        failed = self._state.state == "failed" and not self._stop.is_set()
        return failed and time.monotonic() - self._failed_at_s > self._patience.window_s

    def _say(self, state: Literal["loading", "ready", "failed"], detail: str) -> None:
        self._state = EngineState(NAME, state, detail)
        self._changed.notify_all()

    def _watch(self, stop: threading.Event) -> None:
        """Run children one after the other until a stop, a hopeless error, or too many deaths."""
        deaths_s: list[float] = []
        pause_s = 0.0
        while not stop.wait(pause_s):
            try:
                how = self._run_child(stop)
            except LoadError as error:
                return self._note(stop, "failed", f"The model file {self._gguf} cannot be loaded: {error} {REMEDY}")
            except OSError as error:
                return self._note(
                    stop, "failed", f"The model server cannot be started: {error}. Start the tutor again."
                )
            deaths_s.append(time.monotonic())
            pause = self._patience.restart_in_s(deaths_s)
            if pause is None:
                return self._note(stop, "failed", self._too_often(how))
            pause_s = pause
            self._note(stop, "loading", f"The model server {how}; it is being restarted.")
        return None

    def _run_child(self, stop: threading.Event) -> str:
        """One child from birth to end; returns how it ended, as the rest of a sentence."""
        if not self._gguf.is_file():
            raise LoadError("there is no such file.")
        key = secrets.token_urlsafe(32)
        with self._changed:
            if stop.is_set():
                return "was stopped"
            child = self._child = Child(self._command, self._order | {"key": key}, self._log)
        try:
            return self._attend(child, key, stop)
        finally:
            child.end(self._patience.stop_s)

    def _attend(self, child: Child, key: str, stop: threading.Event) -> str:
        port = child.listening(self._patience.load_s)
        if port is None:
            return "ended while it loaded" if child.gone_within(0.1) else "took too long to load"
        with self._changed:
            if stop.is_set():
                return "was stopped"
            self._endpoint = Endpoint(f"http://127.0.0.1:{port}/v1", key, self._model, FIX)
            self._say("ready", f"{self._model} is ready.")
        missed = 0
        while missed < self._patience.pings_missed:
            if child.gone_within(self._patience.ping_s):
                return "ended"
            missed = 0 if answers(port, self._patience.pong_s) else missed + 1
        return "stopped answering"

    def _note(self, stop: threading.Event, state: Literal["loading", "failed"], sentence: str) -> None:
        """It does not listen any more; say why, unless it was told to stop."""
        with self._changed:
            self._endpoint = None
            if not stop.is_set():
                self._failed_at_s = time.monotonic()
                self._say(state, sentence)

    def _too_often(self, how: str) -> str:
        return (
            f"The model server {how} {self._patience.restarts + 1} times in a row and is left alone now. Close "
            f"programs that need much memory and retry grading after {self._patience.window_s:g} s."
        )
