"""One child process of the model server, from its birth to its end."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any, BinaryIO, cast

LOG_BYTES_KEPT = 5_000_000


class LoadError(Exception):
    """The child says that it cannot load the model; another try would say the same."""


class Child:
    """A process that takes its order as a JSON line and answers with its port.

    The order goes through standard input, because a command line is visible to every user of the
    machine; the same pipe, closing, tells the child that its parent is gone.

    Args:
        command: Command line.
        order: What to load and how.
        log: File to which its outputs are appended, or None to drop them.

    Raises:
        OSError: The process cannot be started.
    """

    def __init__(self, command: Sequence[str], order: Mapping[str, Any], log: Path | None) -> None:
        with _opened(log) as outputs:
            # A session of its own: Ctrl-C in a terminal is for the tutor, which then stops the child.
            self._popen = subprocess.Popen(
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=outputs,
                start_new_session=True,
            )
        self._orders, self._reports = cast(IO[bytes], self._popen.stdin), cast(IO[bytes], self._popen.stdout)
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._gone = threading.Event()
        self._ending = threading.Lock()
        self._reader = threading.Thread(target=self._read, name="model-server-reader", daemon=True)
        self._reader.start()
        self._tell(order)

    @property
    def pid(self) -> int:
        """Process id."""
        return self._popen.pid

    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._popen.poll() is None

    def listening(self, wait_s: float) -> int | None:
        """The port it listens on; None if it ended, or said nothing within `wait_s` seconds.

        Raises:
            LoadError: It reported an error.
        """
        try:
            line = self._lines.get(timeout=wait_s)
            report = json.loads(line)
        except (Empty, ValueError):
            return None
        if "error" in report:
            raise LoadError(report["error"])
        return int(report["port"])

    def gone_within(self, wait_s: float) -> bool:
        """Whether it ends within `wait_s` seconds."""
        return self._gone.wait(wait_s)

    def end(self, wait_s: float) -> None:
        """Let it end by itself for `wait_s` seconds, then kill it; safe to call again."""
        with self._ending:
            self._orders.close()
            try:
                self._popen.wait(timeout=wait_s)
            except subprocess.TimeoutExpired:
                self._popen.kill()
                self._popen.wait()
            self._reader.join()

    def _tell(self, order: Mapping[str, Any]) -> None:
        try:
            self._orders.write(json.dumps(order).encode() + b"\n")
        except BrokenPipeError:
            # It died at birth; the reader sees the same and the watcher learns it there.
            return

    def _read(self) -> None:
        with self._reports:
            self._lines.put(self._reports.readline())
            for _ in self._reports:
                pass
        self._gone.set()


def _opened(log: Path | None) -> BinaryIO:
    """The log for appending, emptied once it has grown large; nowhere if it cannot be written."""
    try:
        if log is not None:
            grown = log.exists() and log.stat().st_size > LOG_BYTES_KEPT
            return open(log, "wb" if grown else "ab")
    except OSError:
        pass
    return open(os.devnull, "wb")


def answers(port: int, wait_s: float) -> bool:
    """Whether the server on this loopback port says that it is well within `wait_s` seconds."""
    asking = http.client.HTTPConnection("127.0.0.1", port, timeout=wait_s)
    try:
        asking.request("GET", "/health")
        return asking.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        asking.close()
