"""`tutor serve` as a process of its own on a data folder of its own; no connection to another host is let out."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.browser.conftest import App

ROOT = Path(__file__).resolve().parents[2]
GUARD = ROOT / "tests" / "guarded"
GRADE_S = 240


class Program:
    """`tutor serve` on a data folder of its own; may be killed and started again."""

    def __init__(self, folder: Path, weights: Path) -> None:
        self.folder, self.strays = folder, folder / "strays.txt"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.environment = os.environ | {
            "TUTOR_DATA_DIR": str(folder / "own"),
            "TUTOR_WEIGHTS_DIR": str(weights),
            "TESTS_STRAYS": str(self.strays),
            "PYTHONPATH": str(GUARD),
        }
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tutor", "serve", "--no-browser", "--port", str(self.port)],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert f"http://127.0.0.1:{self.port}/" in line, f"the program did not start: {line!r}"

    def app(self) -> App:
        return App(f"http://127.0.0.1:{self.port}/", self.folder, self.process)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def engine_pid(self) -> int:
        """The process of the model server, found as a child of the program."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        pids = {int(p) for task in children.parent.parent.iterdir() for p in (task / "children").read_text().split()}
        (pid,) = [p for p in pids if b"server_llamacpp_child" in Path(f"/proc/{p}/cmdline").read_bytes()]
        return pid

    def wait_ready(self) -> None:
        until = time.monotonic() + GRADE_S
        while time.monotonic() < until:
            with urlopen(f"http://127.0.0.1:{self.port}/status") as reply:
                if not json.load(reply)["line"]:
                    return
            time.sleep(0.5)
        pytest.fail("the models did not load")

    def rows(self, question: str) -> list[tuple]:
        """What a reading query finds in the database."""
        base = sqlite3.connect(f"file:{self.folder}/own/tutor.sqlite?mode=ro", uri=True)
        try:
            return base.execute(question).fetchall()
        finally:
            base.close()

    def counts(self) -> dict[str, int]:
        return {table: self.rows(f"SELECT count(*) FROM {table}")[0][0] for table in ("answer", "job", "attempt")}
