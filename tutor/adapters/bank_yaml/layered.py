"""A person's own questions over those that come along."""

from __future__ import annotations

import threading

from tutor.ports import Entry, OwnBank, QuestionBank
from tutor.values import Question, Rubric


class Layered:
    """A QuestionBank that is as its two layers are at the moment of asking.

    An own question with the id of one below takes its place; the others follow at the end, set by set.

    Args:
        own: Read at every question; it knows by itself whether something has changed.
        below: The bank that comes along.
    """

    def __init__(self, own: OwnBank, below: QuestionBank) -> None:
        self._own, self._below = own, below
        self._turn = threading.Lock()
        self._entries: tuple[Entry, ...] = ()
        self._questions = below.questions()
        self._rubrics: dict[str, Rubric] = {}

    def questions(self) -> tuple[Question, ...]:
        """All questions, in the order of the bank below, then one's own."""
        with self._turn:
            self._refresh()
            return self._questions

    def question(self, question_id: str) -> Question | None:
        """The question of an id, one's own where there is one; None for an unknown id."""
        return next((question for question in self.questions() if question.id == question_id), None)

    def rubric(self, question_id: str) -> Rubric:
        """The rubric of a question. Raises BankError for an unknown id."""
        with self._turn:
            self._refresh()
            own = self._rubrics.get(question_id)
        return own or self._below.rubric(question_id)

    def _refresh(self) -> None:
        entries = self._own.entries()
        if entries is not self._entries:
            mine = {entry.question.id: entry.question for entry in entries}
            edited = [mine.pop(question.id, question) for question in self._below.questions()]
            self._entries, self._questions = entries, (*edited, *mine.values())
            self._rubrics = {entry.question.id: entry.rubric for entry in entries}
