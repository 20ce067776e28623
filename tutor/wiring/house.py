"""Everything for a session or a batch of answers, opened in order and closed in reverse."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tutor.adapters.bank_yaml import open_bank, shipped_bank
from tutor.adapters.lock_file import AppLock
from tutor.adapters.tracker_sql import SqlTracker
from tutor.adapters.weights import Weights
from tutor.errors import BankError, SettingsError
from tutor.labelled import AnswerLine
from tutor.ports import QuestionBank
from tutor.practice import Practice
from tutor.settings import Settings
from tutor.states import EngineState
from tutor.values import Answer, Grade
from tutor.wiring.engines import Engines, SystemClock
from tutor.worker import Worker

DATABASE = "tutor.sqlite"


@dataclass(frozen=True)
class House:
    """What the page needs of the program."""

    practice: Practice
    states: Callable[[], tuple[EngineState, ...]]


@contextmanager
def open_house(settings: Settings) -> Iterator[House]:
    """Open everything for a session; models load behind.

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
        bank = question_bank(settings.bank)
        engines = stack.enter_context(Engines(settings))
        worker = Worker(tracker=tracker, jobs=tracker, bank=bank, grade=engines.grading(clock), clock=clock)
        worker.start()
        stack.callback(worker.stop)
        practice = Practice(bank=bank, tracker=tracker, jobs=tracker, desk=worker, clock=clock)
        yield House(practice, lambda: (*engines.states(), worker.state()))


def grade_lines(settings: Settings, answers: Sequence[AnswerLine], bank: Path | None) -> Iterator[Grade]:
    """Grade answers of a file in their order, without touching the database.

    Raises:
        BankError: An answer names a question that the bank does not have.
        EngineError: A model failed.
    """
    clock = SystemClock()
    source = question_bank(bank or settings.bank)
    questions = {question.id: question for question in source.questions()}
    for line in answers:
        if line.question_id not in questions:
            raise BankError("answers", f"question {line.question_id!r} of answer {line.answer_id!r} is not in the bank")
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


def question_bank(path: Path | None) -> QuestionBank:
    """The bank at a path, or the one that comes with the program. Raises BankError."""
    return open_bank(path) if path else shipped_bank()


def make_private(folder: Path) -> None:
    """Make the data folder so that only its owner can look into it. Raises SettingsError."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / "logs").mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"The data folder {folder} cannot be used ({error.strerror}). Set TUTOR_DATA_DIR to one you may write in."
        ) from None
