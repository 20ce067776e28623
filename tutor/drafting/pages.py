"""Markdown and plain text: where a question begins, which words are its answer, and which heading it stands under.

A first look at each line says what it may be; a second goes through them in order and decides. Questions are told by
a number, a `Q:`, a heading or bold line that asks, or by the word "Answer" that follows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tutor.drafting.lines import Line, lines_of
from tutor.drafting.plain import words_of
from tutor.drafting.question import FoundQuestion, checked
from tutor.errors import BankError

_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,2}[.)])\s+(\S.*)$")
_SEE = re.compile(r"(?:^|(?<=[.!?)])[ \n])See (?P<what>[^.\n]{2,150})\.?$")
# What pages say under their last answer.
_FOOTER = re.compile(
    r"\b(edit this page|report an issue|found a mistake|all rights reserved|last updated|next page|previous page)\b|©",
    re.IGNORECASE,
)


@dataclass
class _Open:
    """A question whose answer is being collected; without a mark, all lines below it are the answer."""

    line: int
    number: int | None
    topic: str
    words: list[str]
    body: list[str] = field(default_factory=list)
    is_marked: bool = False


def page_questions(text: str, file: str) -> tuple[FoundQuestion, ...]:
    """The questions of a page in their order.

    Args:
        text: The whole page, with line ends `\\n`.
        file: Its name, for the mistakes.

    Raises:
        BankError: All mistakes with their lines; or there is no question at all.
    """
    reading = _Reading(file)
    for line in lines_of(text):
        reading.take(line)
    return reading.done()


class _Reading:
    """The second look: line after line, with the question that is open."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.topic = ""
        self.open: _Open | None = None
        self.before: list[Line] = []
        """The last paragraph: it may turn out to be a question."""
        self.is_ended = True
        """Whether a blank line came behind it."""
        self.begun_at = 0
        """How much of the open question's answer stood before it."""
        self.closed: list[_Open] = []
        self.mistakes: list[BankError] = []

    def take(self, line: Line) -> None:
        """One line more."""
        match line.what:
            case "topic":
                self.close()
                self.topic = words_of(line.words)
            case "question":
                self.close()
                self.open = _Open(line.n, line.number, self.topic, [line.words] if line.words else [])
                if line.rest:
                    self.open.is_marked = True
                    self.open.body.append(line.rest)
            case "answer":
                self.answer(line)
            case "end" | "blank":
                self.text("")
                self.is_ended = True
            case _:
                self.paragraph(line)
                self.text(line.words)

    def paragraph(self, line: Line) -> None:
        """A line of text begins a paragraph, or goes on with one."""
        if self.is_ended:
            self.before, self.begun_at = [], len(self.open.body) if self.open else 0
        self.before.append(line)
        self.is_ended = False

    def text(self, words: str) -> None:
        """A line of the answer, or of a question that goes on."""
        if self.open is None:
            return
        asked = self.open.words[-1].rstrip("*_ ") if self.open.words else ""
        goes_on = words and not self.open.body and not self.open.is_marked and not asked.endswith("?")
        if goes_on and (not asked or not asked.endswith((".", ":"))):
            self.open.words.append(words.strip())
        elif words or self.open.body:
            self.open.body.append(words)

    def answer(self, line: Line) -> None:
        """An answer is announced: of the open question, or of the paragraph right above."""
        if self.open is None or self.open.is_marked or self.asks_anew():
            if not any("?" in text.words for text in self.before):
                self.mistakes.append(BankError(self.file, "an answer without a question; write it above", line=line.n))
                return
            asked = _Open(self.before[0].n, None, self.topic, [text.words.strip() for text in self.before])
            if self.open:
                self.open.body = self.open.body[: self.begun_at]
            self.close()
            self.open = asked
        elif self.open.body:
            self.open.words += [words.strip() for words in self.open.body if words]
            self.open.body = []
        self.open.is_marked = True
        self.before, self.is_ended = [], True
        if line.rest:
            self.open.body.append(line.rest)

    def asks_anew(self) -> bool:
        """Whether the paragraph above is a question of its own, because the open one has an answer already."""
        said = self.open.body[: self.begun_at] if self.open else []
        return any(said) and any("?" in text.words for text in self.before)

    def close(self) -> None:
        """The open question is done."""
        self.before, self.is_ended = [], True
        if self.open:
            self.closed.append(self.open)
            self.open = None

    def done(self) -> tuple[FoundQuestion, ...]:
        """All questions. Raises BankError."""
        self.close()
        if self.closed:
            self.closed[-1].body = _without_footer(self.closed[-1].body)
        numbers = [asked.number for asked in self.closed]
        is_numbered = None not in numbers and len(set(numbers)) == len(numbers)
        found = [
            FoundQuestion(
                question=words_of(" ".join(asked.words)),
                answer=answer_text(asked.body),
                line=asked.line,
                number=asked.number if is_numbered and asked.number else place,
                topic=asked.topic,
            )
            for place, asked in enumerate(self.closed, 1)
        ]
        return checked(_with_sections(found), self.mistakes, self.file)


def _without_footer(body: list[str]) -> list[str]:
    end = next((n for n, words in enumerate(body) if n and _FOOTER.search(words)), len(body))
    return body[:end]


def answer_text(body: Sequence[str]) -> str:
    r"""Lines as an answer: wrapped sentences joined, list entries on lines of their own.

    >>> answer_text(["It is", "cached.", "", "* once", "* **twice**"])
    'It is cached.\n- once\n- twice'
    """
    made: list[list[str]] = []
    is_new = True
    for line in body:
        bullet = _BULLET.match(line)
        words = words_of(f"- {bullet[1]}" if bullet else line)
        if not words:
            is_new = True
        elif bullet or is_new or made[-1][-1].endswith((".", "!", "?", ":", ";")):
            made.append([words])
            is_new = False
        else:
            made[-1].append(words)
    return "\n".join(" ".join(parts) for parts in made)


def _with_sections(found: list[FoundQuestion]) -> list[FoundQuestion]:
    """Answers without the words that say where to read on; these are the section, where several answers have some."""
    sees = [_SEE.search(one.answer) for one in found]
    n_sees = sum(see is not None for see in sees)
    return [
        replace(one, answer=one.answer[: see.start()].rstrip(), section=see["what"] if n_sees > 1 else "")
        if see
        else one
        for one, see in zip(found, sees, strict=True)
    ]
