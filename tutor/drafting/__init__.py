"""Questions and answers in somebody's file -> questions with drafted rubrics, each criterion with the words it is from.

Pure: text in, values out. What a file is and where a bank lies is decided elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tutor.drafting.kinds import TARGET_S, kind_of, title_of
from tutor.drafting.pages import page_questions
from tutor.drafting.question import FoundQuestion, checked, refuse_long_lines
from tutor.drafting.report import Imported, ImportedCriterion, ImportedQuestion
from tutor.drafting.rubrics import Origin, draft, origin
from tutor.drafting.tables import csv_questions, jsonl_questions
from tutor.ports import Entry
from tutor.values import Question, Rubric

__all__ = [
    "Drafted",
    "Form",
    "FoundQuestion",
    "Imported",
    "Origin",
    "complete",
    "draft",
    "drafted",
    "found",
    "imported",
    "origin",
]

Form = Literal["page", "csv", "jsonl"]


@dataclass(frozen=True)
class Drafted:
    """A question ready to be stored.

    Attributes:
        entry: The question with its rubric.
        origins: Which words of the reference each criterion was drafted from.
        line: Where the question stands in the file, counted from 1.
    """

    entry: Entry
    origins: tuple[Origin, ...]
    line: int


def found(text: str, form: Form, file: str) -> tuple[FoundQuestion, ...]:
    """The questions of a text.

    Args:
        text: All of it, with line ends `\\n`.
        form: `page` for Markdown and plain text, `csv` for a table with a header, `jsonl` for an object a line.
        file: Its name, for the mistakes.

    Raises:
        BankError: All mistakes with their lines (BankErrors where there are several); nothing can be used then.

    >>> [(q.question, q.answer, q.line) for q in found("1. Why?\\nSo.\\n2. How?\\nThus.", "page", "a.md")]
    [('Why?', 'So.', 1), ('How?', 'Thus.', 3)]
    """
    refuse_long_lines(text, file)
    read = {"page": page_questions, "csv": csv_questions, "jsonl": jsonl_questions}[form]
    return read(text, file)


def drafted(questions: Sequence[FoundQuestion], set_name: str) -> tuple[Drafted, ...]:
    """The questions as a set, with a draft of each rubric.

    Ids are those of the file, or else the set's name and the question's number, so that they are the same at every
    import.

    >>> [d.entry.question.id for d in drafted(found("3. Why?\\nSo it is.", "page", "a.md"), "mine")]
    ['mine-03']
    """
    return tuple(_drafted(question, set_name) for question in questions)


def _drafted(asked: FoundQuestion, set_name: str) -> Drafted:
    topic = asked.topic or set_name
    kind = asked.kind or kind_of(asked.question, asked.answer, topic)
    question = Question(
        id=asked.id or f"{set_name}-{asked.number:02}",
        question=asked.question,
        reference_answer=asked.answer,
        kind=kind,
        topic=topic,
        title=asked.title or title_of(asked.question),
        chapter=topic,
        section=asked.section,
        target_s=TARGET_S[kind],
    )
    return _with_draft(question, set_name, asked.line)


def complete(records: Sequence[tuple[Question, Rubric | None, int]], set_name: str, file: str) -> tuple[Drafted, ...]:
    """Questions that are whole, with their line; a rubric is drafted where there is none, and all are drafts.

    Raises:
        BankError: What would be refused on a page as well: HTML, an id or a question that stands twice, too many.
    """
    asked = [
        FoundQuestion(question.question, question.reference_answer, line, number, id=question.id)
        for number, (question, _, line) in enumerate(records, 1)
    ]
    checked(asked, (), file)
    return tuple(
        Drafted(Entry(set_name, question, rubric.model_copy(update={"status": "draft"})), (), line)
        if rubric
        else _with_draft(question, set_name, line)
        for question, rubric, line in records
    )


def _with_draft(question: Question, set_name: str, line: int) -> Drafted:
    rubric, origins = draft(question.id, question.question, question.reference_answer)
    return Drafted(Entry(set_name, question, rubric), origins, line)


def imported(questions: Sequence[Drafted], set_name: str, *, stored: bool) -> Imported:
    """What there is to say about them."""
    entries = [question.entry for question in questions]
    return Imported(
        set_name=set_name,
        stored=stored,
        questions=len(entries),
        criteria=sum(len(entry.rubric.criteria) for entry in entries),
        figures=sum(len(entry.rubric.figures) for entry in entries),
        topics=Counter(entry.question.topic for entry in entries),
        found=tuple(_reported(question) for question in questions),
    )


def _reported(drafted: Drafted) -> ImportedQuestion:
    places = {origin.criterion_id: (origin.start, origin.end) for origin in drafted.origins}
    question, rubric = drafted.entry.question, drafted.entry.rubric
    criteria = []
    for criterion in rubric.criteria:
        start, end = places.get(criterion.id, (None, None))
        criteria.append(
            ImportedCriterion(id=criterion.id, text=criterion.text, weight=criterion.weight, start=start, end=end)
        )
    return ImportedQuestion(
        id=question.id,
        line=drafted.line,
        question=question.question,
        topic=question.topic,
        kind=question.kind,
        criteria=tuple(criteria),
    )
