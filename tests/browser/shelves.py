"""The library's verbs over a bank of the test; edits go to real files in `FOLDER/data/bank`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.fakes import FakeBank
from tutor.adapters.bank_yaml import OwnFolder
from tutor.library import Library
from tutor.ports import Clock, Entry
from tutor.values import Answer, Grade, Question, Rubric
from tutor.wiring.library import YamlForm


def library(bank: FakeBank, folder: Path, grade: Callable[..., Grade], clock: Clock) -> Library:
    """Questions of the bank's topics as sets; a file `FOLDER/named` makes it a named bank, which is not edited."""
    entries = [Entry(_set_name(q.topic), q, bank.rubric(q.id)) for q in bank.questions()]

    def graded(question: Question, rubric: Rubric, text: str) -> Grade:
        answer = Answer(id="preview", question_id=question.id, text=text, created_at=clock.now())
        return grade(question, rubric, answer, lambda _: None)

    own = None if (folder / "named").exists() else OwnFolder(folder / "data" / "bank")
    return Library(entries, own, YamlForm(), graded)


def _set_name(topic: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in topic.lower()).strip("-")
