"""The whole program as a person starts it, with the real models: asked, answered, graded, remembered, killed."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.browser.conftest import App

pytestmark = [pytest.mark.real, pytest.mark.browser]

ROOT = Path(__file__).resolve().parents[2]
GUARD = ROOT / "tests" / "guarded"
START_S, GRADE_S = 60, 240
ANSWER = (
    "Prefill sends the whole prompt through each weight matrix at once, so every weight that is read is used for many "
    "tokens and the phase is compute bound. Decode produces one token per request and step. It has to stream all the "
    "weights from memory for it, so decode is limited by memory bandwidth. Its arithmetic intensity is about the batch "
    "size, far below the ridge point of an H100, which is around 295 operations per byte."
)


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

    def counts(self) -> dict[str, int]:
        with sqlite3.connect(f"file:{self.folder}/own/tutor.sqlite?mode=ro", uri=True) as base:
            rows = {t: base.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in ("answer", "job", "attempt")}
        base.close()
        return rows


@pytest.fixture
def program(tmp_path: Path, weights_dir: Path) -> Iterator[Program]:
    program = Program(tmp_path, weights_dir)
    yield program
    program.process.send_signal(signal.SIGTERM)
    assert program.process.wait(20) == 0
    program.process.stdout.close()
    assert not program.strays.exists(), f"connections to other hosts: {program.strays.read_text()}"


def send(page: object, text: str) -> None:
    page.locator("#answer textarea").wait_for()
    page.locator("#answer textarea").fill(text)
    page.locator("#grade").click()


def test_an_answer_is_graded_by_the_real_model_and_there_after_a_reload(
    program: Program, visit: Callable[..., object]
) -> None:
    page = visit(program.app())
    send(page, ANSWER)
    page.locator(".graded").wait_for(timeout=GRADE_S * 1000)
    said = page.locator(".graded").inner_text()
    assert "made" in said
    assert "so decode is limited by memory bandwidth" in said
    assert "qwen2.5-coder-1.5b" in page.locator(".graded").text_content()
    page.reload()
    page.locator(".graded").wait_for()
    assert page.locator("#past a[href^='?attempt']").count() == 1
    assert program.counts() == {"answer": 1, "job": 1, "attempt": 1}


def test_a_killed_model_server_costs_nothing_but_time(program: Program, visit: Callable[..., object]) -> None:
    program.wait_ready()
    page = visit(program.app())
    send(page, ANSWER)
    page.locator("#thread .points li").first.wait_for(timeout=GRADE_S * 1000)
    os.kill(program.engine_pid(), signal.SIGKILL)
    page.locator(".graded").wait_for(timeout=GRADE_S * 1000)
    assert program.counts() == {"answer": 1, "job": 1, "attempt": 1}


def test_a_killed_program_grades_the_answer_after_the_next_start(
    program: Program, visit: Callable[..., object]
) -> None:
    program.wait_ready()
    page = visit(program.app())
    send(page, ANSWER)
    page.locator("#thread .points li").first.wait_for(timeout=GRADE_S * 1000)
    engine = program.engine_pid()
    page.close()
    program.kill()
    assert program.counts() == {"answer": 1, "job": 1, "attempt": 0}
    until = time.monotonic() + 10
    while Path(f"/proc/{engine}").exists() and time.monotonic() < until:
        time.sleep(0.1)
    assert not Path(f"/proc/{engine}").exists(), "the model server outlived the program"
    program.start()
    page = visit(program.app())
    page.locator(".graded").wait_for(timeout=GRADE_S * 1000)
    assert program.counts() == {"answer": 1, "job": 1, "attempt": 1}
