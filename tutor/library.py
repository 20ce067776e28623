"""The library's verbs: all sets, remarks on an unsaved edit of a question, saving it, and a grade as a preview."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from tutor.drafting import origin
from tutor.errors import AnswerRefused, BankError, BankErrors
from tutor.lint import Remark, remarks
from tutor.ports import Entry, OwnBank
from tutor.values import Grade, Question, Rubric

Origin = Literal["shipped", "edited", "own"]
"""A question comes along, is a person's own edit of one that comes along, or is a person's own."""
REQUIRED = ("question", "reference_answer", "kind", "topic")
OPTIONAL = ("title", "chapter", "section")
NUMBERS = ("difficulty", "target_s")
FIELDS = (*REQUIRED, *OPTIONAL, *NUMBERS)
"""What can be edited of a question; its id, prerequisites and alternatives stay."""
MAX_CHARACTERS = 20_000
"""Of an answer that is graded as a preview."""

_NUMERAL = re.compile("[0-9]{1,9}")

GradeText = Callable[[Question, Rubric, str], Grade]
"""Grades a text as an answer, and stores nothing. May raise EngineError."""


@dataclass(frozen=True)
class Draft:
    """An unsaved edit, as it was typed.

    Attributes:
        texts: By name of the field, of those in FIELDS; what is not named stays as it is stored.
        rubric: The rubric as a bank's file has it.
    """

    texts: Mapping[str, str]
    rubric: str


@dataclass(frozen=True)
class Reading:
    """What a text says.

    Attributes:
        rubric: None where there are mistakes.
        mistakes: All of them, with lines and fields.
        lines: Dotted path of a field -> line, counted from 1.
    """

    rubric: Rubric | None
    mistakes: tuple[BankError, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict)


class Form(Protocol):
    """How questions and rubrics are written in a bank's files, with its rules."""

    def question(self, tree: Mapping[str, Any]) -> tuple[Question | None, tuple[BankError, ...]]:
        """The question of plain values, or None, and its mistakes."""

    def rubric(self, text: str, question_id: str) -> Reading:
        """What the text of a rubric's file says."""

    def rubric_text(self, rubric: Rubric) -> str:
        """The text of a rubric's file. Raises BankError for what a bank may not have."""


@dataclass(frozen=True)
class Note:
    """What is to be said of one place in an edit.

    Attributes:
        part: The question's fields or the rubric's text.
        field: Dotted path, such as `criteria.2.text`; empty for the whole.
        line: In the rubric's text, counted from 1; None where there is none.
        message: What is wrong or odd, and what to do about it.
        is_mistake: It cannot be saved like this; else it is a warning.
    """

    part: Literal["question", "rubric"]
    field: str
    line: int | None
    message: str
    is_mistake: bool


@dataclass(frozen=True)
class Drawn:
    """A criterion of a draft, and the words of the reference answer it was drawn from.

    Attributes:
        criterion_id: Which.
        words: As they stand in the reference answer; None where no run of words there is the criterion's.
    """

    criterion_id: str
    words: str | None


@dataclass(frozen=True)
class Listed:
    """A question of a set.

    Attributes:
        entry: As it is stored.
        origin: Whose it is.
        n_remarks: How many warnings the lint has for it.
    """

    entry: Entry
    origin: Origin
    n_remarks: int

    @property
    def is_draft(self) -> bool:
        """Whether nobody has reviewed its rubric yet."""
        return self.entry.rubric.status == "draft"


@dataclass(frozen=True)
class QuestionSet:
    """The questions of one set, those that come along first."""

    name: str
    questions: tuple[Listed, ...]


class Library:
    """Looking through all questions, and editing them in one's own bank.

    Args:
        shipped: The questions that come along, or those of a bank that somebody named.
        own: Where edits go; None where the questions are those of a named bank, which is edited in its files.
        form: How they are written.
        grade: The grader of a preview.
    """

    def __init__(self, shipped: Sequence[Entry], own: OwnBank | None, form: Form, grade: GradeText) -> None:
        self._shipped = {entry.question.id: entry for entry in shipped}
        self._own, self._form, self._grade = own, form, grade
        self._counts: dict[str, tuple[Entry, int]] = {}

    @property
    def can_edit(self) -> bool:
        """Whether edits have a place to go to."""
        return self._own is not None

    def sets(self) -> tuple[QuestionSet, ...]:
        """All sets: those that come along in their order, then a person's own."""
        sets: dict[str, list[Listed]] = {}
        for listed in self._all():
            sets.setdefault(listed.entry.set_name, []).append(listed)
        return tuple(QuestionSet(name, tuple(questions)) for name, questions in sets.items())

    def found(self, question_id: str) -> Listed | None:
        """A question as it is stored now; None for an unknown id."""
        own, shipped = self._mine().get(question_id), self._shipped.get(question_id)
        entry = own or shipped
        return None if entry is None else self._listed(entry, _origin(own, shipped))

    def left_out(self) -> tuple[BankError, ...]:
        """Why own questions are missing here, with file and line."""
        return self._own.mistakes() if self._own else ()

    def opened(self, entry: Entry) -> Draft:
        """A question as it is edited; its status is no part of the text, as a button decides it."""
        stored = entry.question.model_dump(mode="json")
        text = self._form.rubric_text(entry.rubric.model_copy(update={"status": "draft"}))
        return Draft({name: str(stored[name]) for name in FIELDS}, text)

    def remarks(self, draft: Draft, seen: Entry) -> tuple[Note, ...]:
        """All mistakes of an edit, then, where there are none, the warnings of the lint."""
        return self._checked(draft, seen).notes

    def drawn(self, draft: Draft, seen: Entry) -> tuple[Drawn, ...]:
        """Where each criterion of a draft comes from; nothing once it is reviewed, or while there are mistakes."""
        checked = self._checked(draft, seen)
        if seen.rubric.status != "draft" or checked.question is None or checked.rubric is None:
            return ()
        reference = checked.question.reference_answer
        spans = ((criterion.id, origin(criterion.text, reference)) for criterion in checked.rubric.criteria)
        return tuple(Drawn(name, reference[slice(*span)] if span else None) for name, span in spans)

    def save(self, draft: Draft, seen: Entry, *, reviewed: bool = False) -> Entry:
        """Store an edit in the own bank.

        Args:
            draft: What was typed.
            seen: What stood there when it began.
            reviewed: A person has reviewed the rubric and says so; else its status stays what it was.

        Raises:
            BankError: Nothing was stored: mistakes, an edit elsewhere meanwhile, no bank for edits, or a folder that
                cannot be written.
        """
        own = self._writable(seen)
        question, rubric = _whole(self._checked(draft, seen))
        status = "reviewed" if reviewed else seen.rubric.status
        entry = Entry(seen.set_name, question, rubric.model_copy(update={"status": status}))
        # More is asked of a reviewed rubric than of a draft.
        self._form.rubric_text(entry.rubric)
        own.put(entry.set_name, [entry])
        return entry

    def remove(self, seen: Entry) -> Listed | None:
        """Delete an own question; the original that comes along, which is there again, or None.

        Raises BankError for a question that is not one's own, an edit elsewhere meanwhile, and an unwritable folder.
        """
        own = self._writable(seen)
        if seen.question.id not in self._mine():
            raise BankError(seen.question.id, "this question comes along with the program; it cannot be deleted")
        own.remove(seen.question.id)
        return self.found(seen.question.id)

    def preview(self, draft: Draft, seen: Entry, answer: str = "") -> tuple[Grade, Rubric]:
        """The grade of an answer, or else of the reference answer, under an unsaved edit, with its rubric.

        Raises:
            BankError: The edit has mistakes.
            AnswerRefused: The answer is too long.
            EngineError: A model failed; there is no grade then.
        """
        question, rubric = _whole(self._checked(draft, seen))
        text = answer.strip() or question.reference_answer
        if len(text) > MAX_CHARACTERS:
            raise AnswerRefused("too_long", f"This answer has more than {MAX_CHARACTERS} characters. Shorten it.")
        return self._grade(question, rubric, text), rubric

    def _all(self) -> Iterator[Listed]:
        mine = dict(self._mine())
        for question_id, shipped in self._shipped.items():
            own = mine.pop(question_id, None)
            yield self._listed(own or shipped, _origin(own, shipped))
        for own in mine.values():
            yield self._listed(own, "own")

    def _mine(self) -> Mapping[str, Entry]:
        return {entry.question.id: entry for entry in self._own.entries()} if self._own else {}

    def _listed(self, entry: Entry, origin: Origin) -> Listed:
        """The lint reads every word, so that it counts once for each entry."""
        known, n = self._counts.get(entry.question.id, (None, 0))
        if known is not entry:
            n = len(remarks(entry.question, entry.rubric))
            self._counts[entry.question.id] = entry, n
        return Listed(entry, origin, n)

    def _writable(self, seen: Entry) -> OwnBank:
        if self._own is None:
            raise BankError(seen.question.id, "this question is of a bank that the settings name; edit its files")
        stored = self.found(seen.question.id)
        if stored is None or stored.entry != seen:
            message = "this was changed elsewhere meanwhile. Copy what you want to keep, then reload the page"
            raise BankError(seen.question.id, message)
        return self._own

    def _checked(self, draft: Draft, seen: Entry) -> _Checked:
        question, mistakes = self._form.question(_tree(draft, seen.question))
        reading = self._form.rubric(draft.rubric, seen.question.id)
        wrong = (*mistakes, *reading.mistakes, *_own_status(reading))
        notes = (
            *(Note("question", mistake.field, None, mistake.message, True) for mistake in mistakes),
            *(Note("rubric", m.field, m.line, m.message, True) for m in wrong[len(mistakes) :]),
        )
        if wrong or question is None or reading.rubric is None:
            return _Checked(question, None, wrong, notes)
        warnings = (_warning(remark, reading.lines) for remark in remarks(question, reading.rubric))
        return _Checked(question, reading.rubric, (), tuple(warnings))


@dataclass(frozen=True)
class _Checked:
    question: Question | None
    rubric: Rubric | None
    mistakes: tuple[BankError, ...]
    notes: tuple[Note, ...]


def _origin(own: Entry | None, shipped: Entry | None) -> Origin:
    if own is None:
        return "shipped"
    return "edited" if shipped else "own"


def _tree(draft: Draft, stored: Question) -> dict[str, Any]:
    """The question as plain values; a blank field that may be left out is left out."""
    tree: dict[str, Any] = stored.model_dump(mode="json", exclude_defaults=True)
    for name, text in draft.texts.items():
        words = text.replace("\r\n", "\n").strip()
        tree[name] = int(words) if name in NUMBERS and _NUMERAL.fullmatch(words) else words
        if not words and name not in REQUIRED:
            del tree[name]
    return tree


def _own_status(reading: Reading) -> tuple[BankError, ...]:
    if reading.rubric is None or reading.rubric.status == "draft":
        return ()
    message = "whether it is reviewed is said by the button Mark as reviewed; leave this line out"
    return (BankError("rubric", message, line=reading.lines.get("status"), field="status"),)


def _warning(remark: Remark, lines: Mapping[str, int]) -> Note:
    """A remark with the line of the nearest part that stands in the text."""
    steps = remark.field.split(".")
    near = (".".join(steps[:n]) for n in range(len(steps), 0, -1))
    line = next((lines[path] for path in near if path in lines), None) if remark.part == "rubric" else None
    return Note(remark.part, remark.field, line, remark.message, False)


def _whole(checked: _Checked) -> tuple[Question, Rubric]:
    if checked.mistakes:
        raise checked.mistakes[0] if len(checked.mistakes) == 1 else BankErrors(checked.mistakes)
    if checked.question is None or checked.rubric is None:
        raise ValueError("a form that reads nothing must say why")
    return checked.question, checked.rubric
