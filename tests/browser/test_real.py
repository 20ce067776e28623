"""The whole program as a person starts it, with the real models: asked, answered, graded, remembered, killed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import reload
from tests.browser.program import GRADE_S, Program

pytestmark = [pytest.mark.real, pytest.mark.browser]

ANSWER = (
    "Prefill sends the whole prompt through each weight matrix at once, so every weight that is read is used for many "
    "tokens and the phase is compute bound. Decode produces one token per request and step. It has to stream all the "
    "weights from memory for it, so decode is limited by memory bandwidth. Its arithmetic intensity is about the batch "
    "size, far below the ridge point of an H100, which is around 295 operations per byte."
)


def send(page: object, text: str) -> None:
    page.locator("#type").click()
    page.locator("#answer textarea").fill(text)
    page.locator("#grade").click()


def test_an_answer_is_graded_by_the_real_model_and_there_after_a_reload(
    program: Program, visit: Callable[..., object]
) -> None:
    app = program.app()
    page = visit(app, "?question=q01")
    send(page, ANSWER)
    page.locator(".graded").wait_for(timeout=GRADE_S * 1000)
    said = page.locator(".graded").inner_text()
    assert "made" in said
    assert "so decode is limited by memory bandwidth" in said
    assert "qwen2.5-coder-1.5b" in page.locator(".graded").text_content()
    reload(page, app)
    page.locator(".graded").wait_for()
    assert page.locator("#past a[href*='attempt=']").count() == 1
    assert program.counts() == {"answer": 1, "job": 1, "attempt": 1}


def test_a_killed_model_server_costs_nothing_but_time(program: Program, visit: Callable[..., object]) -> None:
    program.wait_ready()
    page = visit(program.app(), "?question=q01")
    send(page, ANSWER)
    page.locator("#thread .points li").first.wait_for(timeout=GRADE_S * 1000)
    os.kill(program.engine_pid(), signal.SIGKILL)
    page.locator(".graded").wait_for(timeout=GRADE_S * 1000)
    assert program.counts() == {"answer": 1, "job": 1, "attempt": 1}


def test_a_killed_program_grades_the_answer_after_the_next_start(
    program: Program, visit: Callable[..., object]
) -> None:
    program.wait_ready()
    page = visit(program.app(), "?question=q01")
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
