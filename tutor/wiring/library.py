"""The library over the files of a bank, with the whole grader behind its previews."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tutor.adapters.bank_yaml import (
    Loaded,
    edited_question,
    edited_rubric,
    rubric_as_text,
)
from tutor.errors import BankError
from tutor.library import Library, Reading
from tutor.ports import Clock, Entry
from tutor.settings import Settings
from tutor.values import Answer, CriterionVerdict, Grade, Question, Rubric
from tutor.wiring.bank import bank_contents, own_bank
from tutor.wiring.checking import set_name

GradeAnswer = Callable[[Question, Rubric, Answer, Callable[[CriterionVerdict], None]], Grade]


class YamlForm:
    """`library.Form` in the YAML of a bank's files."""

    def question(self, tree: Mapping[str, Any]) -> tuple[Question | None, tuple[BankError, ...]]:
        """The question of plain values, or None, and its mistakes."""
        return edited_question(tree)

    def rubric(self, text: str, question_id: str) -> Reading:
        """What the text of a rubric's file says."""
        return Reading(*edited_rubric(text, question_id))

    def rubric_text(self, rubric: Rubric) -> str:
        """The text of a rubric's file. Raises BankError."""
        return rubric_as_text(rubric)


def open_library(settings: Settings, grade: GradeAnswer, clock: Clock) -> Library:
    """The library of the own questions over those that come along, or of the bank that the settings name.

    Raises:
        BankError: The mistakes of a named bank.
    """
    found = bank_contents(settings)
    loaded = Loaded(found)
    entries = [Entry(set_name(place), question, loaded.rubric(question.id)) for question, place in found.questions]

    def previewed(question: Question, rubric: Rubric, text: str) -> Grade:
        answer = Answer(id="preview", question_id=question.id, text=text, created_at=clock.now())
        return grade(question, rubric, answer, lambda _: None)

    return Library(entries, None if settings.bank else own_bank(settings), YamlForm(), previewed)
