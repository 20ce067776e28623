"""The real page, practice room and worker over a tracker in memory and a grader that does what the answer says.

Run as `python -m tests.browser.server FOLDER [--loading] [--settling] [--attempts N | --topics N]`; prints the address.
There are N attempts at the bank of `scene`, or at that of `topics`. An answer with the word `hold` is graded one point
for each file `FOLDER/point-N`, one with `fail` fails the first time, one with `unsure` gets no score; every other
answer is graded at once. With `--settling` what came in is deleted late. Spoken answers: see `tests.browser.booth`.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

FOLDER = Path(sys.argv[1])


def main() -> None:
    from tutor.web.launch import prepare, serve

    prepare(os.environ, FOLDER / "temp")
    from tests.browser import scene, topics
    from tests.browser.preferences import preferences
    from tests.browser.shelves import library
    from tests.fake_tracker import FakeTracker
    from tutor.practice import Practice
    from tutor.states import EngineState
    from tutor.web import spoken_moves
    from tutor.web.app import build
    from tutor.worker import Worker

    if "--settling" in sys.argv:
        spoken_moves.SETTLE_S = 10
    clock = WallClock()
    tracker = FakeTracker(clock)
    chosen = topics if "--topics" in sys.argv else scene
    n_attempts = next((int(n) for option, n in pairwise(sys.argv) if option in ("--attempts", "--topics")), 0)
    tracker._attempts.extend(chosen.attempts(n_attempts))
    grade = ScriptedGrading()
    worker = Worker(tracker=tracker, jobs=tracker, takes=tracker, bank=chosen.BANK, grade=grade, clock=clock)

    def status() -> tuple[EngineState, ...]:
        loading = "--loading" in sys.argv and not (FOLDER / "loaded").exists()
        return (EngineState("language model", "loading" if loading else "ready"), EngineState("embedder", "ready"))

    practice = Practice(bank=chosen.BANK, tracker=tracker, jobs=tracker, desk=worker, clock=clock)
    booth = scripted_booth(tracker, chosen.BANK, clock)
    verbs = practice, booth, preferences(FOLDER)
    shelves = library(chosen.BANK, FOLDER, grade, clock)
    app = build(*verbs, library=shelves, status=status, version="0.0-test", temp_dir=FOLDER / "temp")
    if "--loading" not in sys.argv:
        worker.start()
    try:
        serve(app, 0, lambda url: print(url, flush=True))
    finally:
        if "--loading" not in sys.argv:
            worker.stop()
    print("closed", flush=True)


def scripted_booth(tracker: object, bank: object, clock: WallClock) -> object:
    from tests.browser.booth import ScriptedEar, WaveReader
    from tutor.adapters.recordings_folder import RecordingsFolder
    from tutor.booth import Booth

    return Booth(
        takes=tracker,
        recordings=RecordingsFolder(FOLDER / "takes"),
        reader=WaveReader(),
        transcriber=ScriptedEar(FOLDER),
        bank=bank,
        clock=clock,
    )


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
