"""A question as it was found in somebody's file, before it has a set and a rubric."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tutor.drafting.plain import active_tag, unusable
from tutor.errors import BankError, BankErrors
from tutor.values import Kind

MAX_QUESTIONS = 1_000
MAX_LINE = 20_000
MAX_QUESTION, MAX_ANSWER, MAX_NAME = 2_000, 10_000, 200
"""Caps in characters: what is longer is no question for an interview, and no answer that could be spoken."""
MAX_MISTAKES = 50
"""After this many the file is taken for something else."""
# Those of `values.Id`, without the sign that marks a drill.
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,119}")


@dataclass(frozen=True)
class FoundQuestion:
    """What one question of a file says.

    Attributes:
        question: The words of the interviewer.
        answer: The reference answer; list entries start with `- ` on lines of their own.
        line: Where the question stands, counted from 1.
        number: The number it has in the file, or its place among the questions.
        topic: The heading it stands under, empty where there is none.
        section: What the answer says to read, empty where it says nothing.
        title: Its short name, empty where the file gives none.
        kind: The kind that the file names, None where it names none.
        id: The id that the file gives, empty where it gives none.
    """

    question: str
    answer: str
    line: int
    number: int
    topic: str = ""
    section: str = ""
    title: str = ""
    kind: Kind | None = None
    id: str = ""


def checked(questions: Sequence[FoundQuestion], mistakes: Sequence[BankError], file: str) -> tuple[FoundQuestion, ...]:
    """The questions, when nothing is wrong with any of them.

    Raises:
        BankError: The mistakes of the file by line (BankErrors where there are several).
    """
    found = [*mistakes, *_mistakes(questions, file)]
    if not found and not questions:
        found = [
            BankError(file, "no question was found; write `1. A question?` or `## A question?` and its answer below")
        ]
    if len(questions) > MAX_QUESTIONS:
        found = [
            BankError(file, f"has {len(questions)} questions, more than {MAX_QUESTIONS}; split it into several files")
        ]
    found.sort(key=lambda mistake: mistake.line or 0)
    if len(found) > 1:
        raise BankErrors(tuple(found[:MAX_MISTAKES]))
    if found:
        raise found[0]
    return tuple(questions)


def refuse_long_lines(text: str, file: str) -> None:
    """Raise BankError at a line that nobody wrote for a person."""
    long = next((n for n, line in enumerate(text.split("\n"), 1) if len(line) > MAX_LINE), None)
    if long:
        raise BankError(file, f"a line of more than {MAX_LINE} characters is no text for a person; break it", line=long)


def _mistakes(questions: Sequence[FoundQuestion], file: str) -> list[BankError]:
    mistakes = []
    first: dict[str, int] = {}
    for found in questions:
        message = _wrong(found)
        for key, what in ((found.id and f"id {found.id}", f"the id {found.id!r}"), (_key(found), "this question")):
            if key and key in first and not message:
                message = f"{what} stands already in line {first[key]}; keep one"
            first.setdefault(key, found.line)
        mistakes += [BankError(file, message, line=found.line)] if message else []
    return mistakes


def _key(found: FoundQuestion) -> str:
    return "question " + " ".join(re.findall(r"\w+", found.question.lower()))


def _wrong(found: FoundQuestion) -> str:
    if not found.question:
        return "an answer without a question; write the question above it"
    if not found.answer:
        return "a question without an answer; write the reference answer below it, or delete it"
    if tag := active_tag(found.question) or active_tag(found.answer):
        return f"there is HTML in this question ({tag} ...); write it as plain text or Markdown"
    if odd := unusable(" ".join((found.question, found.answer, found.topic, found.title, found.section))):
        return f"contains the unusable character {odd}; delete it"
    if found.id and not _ID.fullmatch(found.id):
        return f"the id {found.id[:40]!r} cannot be used; take up to 120 letters, digits and . _ -"
    if len(found.question) > MAX_QUESTION or len(found.answer) > MAX_ANSWER:
        return f"is too long; a question has at most {MAX_QUESTION} characters, an answer {MAX_ANSWER}"
    if max(len(found.topic), len(found.title), len(found.section)) > MAX_NAME:
        return f"its topic, title or section is longer than {MAX_NAME} characters"
    return ""
