"""Everything for a session or a batch of answers, opened in order and closed in reverse."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from tutor.adapters.audio_pyav import PyAvReader
from tutor.adapters.lock_file import AppLock
from tutor.adapters.recordings_folder import RecordingsFolder
from tutor.adapters.tracker_sql import SqlTracker
from tutor.adapters.weights import Weights
from tutor.booth import Booth
from tutor.errors import BankError, SettingsError, TutorError
from tutor.labelled import AnswerLine
from tutor.library import Library
from tutor.ports import Clock, QuestionBank, Takes
from tutor.practice import Practice
from tutor.settings import FILE, Settings
from tutor.states import EngineState
from tutor.values import Answer, Grade, Question
from tutor.wiring.bank import question_bank
from tutor.wiring.engines import Engines, SystemClock
from tutor.wiring.library import open_library
from tutor.wiring.preferences import Preferences, preferences
from tutor.worker import Worker

DATABASE = "tutor.sqlite"
TAKES = "takes"
"""Folder of the recordings, beside the database."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class House:
    """What the page needs of the program."""

    practice: Practice
    booth: Booth
    library: Library
    preferences: Preferences
    states: Callable[[], tuple[EngineState, ...]]


@contextmanager
def open_house(settings: Settings, *, file: Path | None = None, given: Iterable[str] = ()) -> Iterator[House]:
    """Open everything for a session; models load behind.

    Args:
        settings: What holds in this session.
        file: The settings file; the one in the data folder when not given.
        given: Names of the settings from the command line.

    Raises:
        TutorError: Whatever cannot be opened, as a sentence; what was open is closed again.
    """
    clock = SystemClock()
    make_private(settings.data_dir)
    with ExitStack() as stack:
        database = settings.data_dir / DATABASE
        stack.enter_context(AppLock(database, clock))
        tracker = SqlTracker(database, clock)
        stack.callback(tracker.close)
        bank = question_bank(settings)
        engines = stack.enter_context(Engines(settings, speech=True))
        booth = _booth(settings, tracker, engines, bank, clock)
        _tidy(booth, settings.takes_days, clock.now())
        grade = engines.grading(clock)
        worker = Worker(tracker=tracker, jobs=tracker, takes=tracker, bank=bank, grade=grade, clock=clock)
        worker.start()
        stack.callback(worker.stop)
        practice = Practice(bank=bank, tracker=tracker, jobs=tracker, desk=worker, clock=clock)
        verbs = preferences(
            settings,
            engines,
            clock,
            database=database,
            recordings=settings.data_dir / TAKES,
            file=file or settings.data_dir / FILE,
            given=given,
        )
        library = open_library(settings, grade, clock)
        yield House(practice, booth, library, verbs, lambda: (*engines.states(), worker.state()))


def _booth(settings: Settings, takes: Takes, engines: Engines, bank: QuestionBank, clock: Clock) -> Booth:
    return Booth(
        takes=takes,
        recordings=RecordingsFolder(settings.data_dir / TAKES),
        reader=PyAvReader(),
        transcriber=engines.transcriber,
        bank=bank,
        clock=clock,
    )


def _tidy(booth: Booth, takes_days: int, now: datetime) -> None:
    """Bring together what a crash tore apart, and delete recordings of that age; 0 days keep them for ever."""
    try:
        booth.recover()
        if takes_days:
            booth.sweep(now - timedelta(days=takes_days))
    except TutorError as error:
        # One file that cannot be deleted is no reason to refuse to practise.
        _log.warning("Old recordings are looked through again at the next start: %s", error)


def grade_lines(settings: Settings, answers: Sequence[AnswerLine], bank: Path | None) -> Iterator[Grade]:
    """Grade answers of a file in their order, without touching the database.

    Raises:
        BankError: An answer names a question that the bank does not have.
        EngineError: A model failed.
    """
    clock = SystemClock()
    source = question_bank(settings, bank)
    questions: dict[str, Question] = {}
    for line in answers:
        question = source.question(line.question_id)
        if question is None:
            raise BankError("answers", f"question {line.question_id!r} of answer {line.answer_id!r} is not in the bank")
        questions[question.id] = question
    make_private(settings.data_dir)
    with Engines(settings) as engines:
        grader = engines.grader(clock)
        engines.wait()
        for line in answers:
            answer = Answer(
                id=line.answer_id,
                question_id=line.question_id,
                text=line.answer,
                spoken=line.spoken,
                created_at=clock.now(),
            )
            yield grader.grade(questions[line.question_id], source.rubric(line.question_id), answer)


def set_up(settings: Settings, report: Callable[[str], None]) -> None:
    """Assemble and verify the embedded weights. Raises WeightsError."""
    Weights(settings.weights).assemble(report)


def make_private(folder: Path) -> None:
    """Make the data folder so that only its owner can look into it. Raises SettingsError."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / "logs").mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"The data folder {folder} cannot be used ({error.strerror}). Set TUTOR_DATA_DIR to one you may write in."
        ) from None
