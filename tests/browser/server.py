"""The real page, practice room and worker over a tracker in memory and a grader that does what the answer says.

Run as `python -m tests.browser.server FOLDER [--loading] [--attempts N]`; prints the address. An answer with the word
`hold` is graded one point for each file `FOLDER/point-N`, one with `fail` fails the first time, one with `unsure` gets
no score; every other answer is graded at once.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

FOLDER = Path(sys.argv[1])


def main() -> None:
    from tutor.web.launch import prepare, serve

    prepare(os.environ, FOLDER / "temp")
    from tests.browser.scene import BANK, attempts
    from tests.fake_tracker import FakeTracker
    from tutor.practice import Practice
    from tutor.states import EngineState
    from tutor.web.app import build
    from tutor.worker import Worker

    clock = WallClock()
    tracker = FakeTracker(clock)
    tracker._attempts.extend(
        attempts(int(sys.argv[sys.argv.index("--attempts") + 1]) if "--attempts" in sys.argv else 0)
    )
    grade = ScriptedGrading()
    worker = Worker(tracker=tracker, jobs=tracker, bank=BANK, grade=grade, clock=clock)

    def status() -> tuple[EngineState, ...]:
        loading = "--loading" in sys.argv and not (FOLDER / "loaded").exists()
        return (EngineState("language model", "loading" if loading else "ready"), EngineState("embedder", "ready"))

    practice = Practice(bank=BANK, tracker=tracker, jobs=tracker, desk=worker, clock=clock)
    app = build(practice, status=status, version="0.0-test", temp_dir=FOLDER / "temp")
    if "--loading" not in sys.argv:
        worker.start()
    try:
        serve(app, 0, lambda url: print(url, flush=True))
    finally:
        if "--loading" not in sys.argv:
            worker.stop()
    print("closed", flush=True)


class WallClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def elapsed_s(self) -> float:
        return time.monotonic()


class ScriptedGrading:
    """Grades as the words of the answer ask for."""

    def __init__(self) -> None:
        self.failed: set[str] = set()

    def __call__(self, question, rubric, answer, on_verdict: Callable) -> object:
        from tests.browser.scene import graded, ruling
        from tutor.errors import EngineDown

        words = answer.text.split()
        if "fail" in words and answer.id not in self.failed:
            self.failed.add(answer.id)
            raise EngineDown("The model server does not answer.")
        verdicts = []
        for number, criterion in enumerate(rubric.criteria, start=1):
            while "hold" in words and not (FOLDER / f"point-{number}").exists():
                time.sleep(0.05)
            verdicts.append(ruling(number, criterion, answer.text, unsure="unsure" in words))
            on_verdict(verdicts[-1])
        return graded(question, answer, tuple(verdicts))


if __name__ == "__main__":
    main()
