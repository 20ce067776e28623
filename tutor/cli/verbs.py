"""What the commands call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import typer

from tutor.drafting import Imported
from tutor.labelled import AnswerLine
from tutor.lint import Checked
from tutor.spoken import Hearing
from tutor.states import Check
from tutor.values import Grade
from tutor.verification import Verification, Verified


class Transcribe(Protocol):
    """Writes down a recording and says how it was spoken."""

    def __call__(self, file: Path, question_id: str | None, bank: Path | None) -> Hearing:
        """The hearing, with the terms and the target of a question when one is named. Raises TutorError."""


class GradeAll(Protocol):
    """Grades answers one by one, in their order."""

    def __call__(self, answers: Sequence[AnswerLine], bank: Path | None) -> Iterator[Grade]:
        """Grades as they are made. Raises TutorError."""


class VerifyBank(Protocol):
    """Grades reference answers, empty answers and answers to something else."""

    def __call__(self, bank: Path | None, only: Sequence[str], earlier: Sequence[Verified]) -> Iterator[Verification]:
        """The report as it grows, from what an earlier run found out. Raises TutorError."""


class ImportFile(Protocol):
    """Brings questions of a person's own file into the own bank."""

    def __call__(self, file: Path, set_name: str | None, replace: bool, dry_run: bool) -> Imported:
        """What was found, and stored unless it is a dry run. Raises TutorError; nothing was stored then."""


@dataclass(frozen=True)
class Verbs:
    """What the commands call; nothing is loaded before a verb is called."""

    serve: Callable[[int | None, bool], None]
    setup: Callable[[Callable[[str], None]], None]
    read_answers: Callable[[Path, bool], tuple[AnswerLine, ...]]
    """A file and whether its labels matter."""
    grade_all: GradeAll
    transcribe: Transcribe
    checks: Callable[[], Iterator[Check]]
    check_bank: Callable[[Path | None], Checked]
    verify_bank: VerifyBank
    import_file: ImportFile


def verbs_of(ctx: typer.Context) -> Verbs:
    """The verbs that the program was started with."""
    verbs: Verbs = ctx.obj
    return verbs
