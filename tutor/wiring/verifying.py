"""`tutor bank verify`: the questions of a bank before the served model and the whole grader."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from tutor import verification
from tutor.adapters.bank_yaml import Loaded
from tutor.errors import BankError
from tutor.settings import Settings
from tutor.values import Answer, Grade, Question, Rubric
from tutor.verification import Verification, Verified
from tutor.wiring.bank import bank_contents
from tutor.wiring.checking import set_name
from tutor.wiring.engines import Engines, SystemClock
from tutor.wiring.house import make_private


def verify_bank(
    settings: Settings, path: Path | None, only: Collection[str], earlier: Sequence[Verified]
) -> Iterator[Verification]:
    """The report as it grows, without touching the database; see `verification.run`.

    Args:
        settings: Which models.
        path: The bank; that of the settings, or the one that comes along, when not given.
        only: Ids of the questions to verify; all when empty.
        earlier: What an earlier run found out.

    Raises:
        BankError: The bank has mistakes, or no question of such an id.
        EngineError: A model failed.
    """
    bank = bank_cases(settings, path, only)
    clock = SystemClock()
    make_private(settings.data_dir)
    with Engines(settings) as engines:
        grader = engines.grader(clock)
        engines.wait()

        def grade(question: Question, rubric: Rubric, text: str) -> Grade:
            answer = Answer(id="verify", question_id=question.id, text=text, created_at=clock.now())
            return grader.grade(question, rubric, answer)

        yield from verification.run(bank, only, grader.fingerprint(), grade, earlier)


def bank_cases(
    settings: Settings, path: Path | None = None, only: Collection[str] = ()
) -> tuple[verification.Case, ...]:
    """What there is to verify in that bank. Raises BankError for mistakes in it and for an id that it does not have."""
    found = bank_contents(settings, path)
    loaded = Loaded(found)
    ids = [question.id for question in loaded.questions()]
    for wanted in only:
        if wanted not in ids:
            raise BankError(found.name, f"there is no question {wanted!r}; its questions are {', '.join(ids)}")
    return verification.cases(
        [(set_name(place), question, loaded.rubric(question.id)) for question, place in found.questions]
    )
