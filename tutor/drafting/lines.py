"""A first look at the lines of a page: what each may be, told by its signs and by the lines around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from tutor.drafting.plain import without_tags

What = Literal["topic", "question", "answer", "numbered", "end", "text", "blank"]

_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(\S.*)$")
_BOLD_QUESTION = re.compile(r"\s*(?:<details[^<>]*>)?\s*(?:\*\*|__)([^*_].*?\?)\s*(?:\*\*|__)\s*(.*)$")
_UNDERLINE = re.compile(r"\s{0,3}(={2,}|-{2,})\s*$")
_RULE = re.compile(r"\s{0,3}([-*_]\s*){3,}$")
_ANSWER_WORD = r"(?:(?:reference|model|sample|suggested|show|the)\s+)?(?:answer|solution)"
_MARK = re.compile(rf"[\W_]*{_ANSWER_WORD}\s*\d*[\W_]*$", re.IGNORECASE)
_A = re.compile(
    rf"\s*(?:[-*+]\s+)?(?:(?:\*\*|__)(?:A|{_ANSWER_WORD})\s*\d*\s*[.:)]?(?:\*\*|__)\s*[:.]?|(?:A|{_ANSWER_WORD})\s*\d*\s*[:)])"
    r"\s*(\S.*)$",
    re.IGNORECASE,
)
_Q = re.compile(
    r"\s*(?:[-*+]\s+)?(?:\*\*|__)?(?:Q|Question)\s*(\d{1,5})?(?:\s*[.:)]|(?<=\d)\s*$|(?<=\d)(?=\*\*|__))(?:\*\*|__)?\s*[:.]?\s*(.*)$",
    re.IGNORECASE,
)
_INLINE_ANSWER = re.compile(
    rf"\s+(?:(?:\*\*|__)(?:A|{_ANSWER_WORD})\s*\d*\s*[.:]?(?:\*\*|__)\s*[:.]?|(?<=\?\s)(?:A|Answer):)\s*", re.IGNORECASE
)
_NUMBERED = re.compile(r"(?:\*\*|__)?(\d{1,5})[.)](?:\*\*|__)?\s+(\S.*)$")
_TOPIC = re.compile(r"[A-Z][^.?!:;,=]{1,59}$")
_DETAILS = re.compile(r"</?details\b[^>]*>", re.IGNORECASE)
_SUMMARY = re.compile(r"<summary\b[^<>]*>\s*(.{0,2000}?)\s*</summary>", re.IGNORECASE)
# Where a link leads that stands elsewhere by its name: no words of an answer.
_REFERENCE = re.compile(r"\s{0,3}\[[^\[\]]{1,300}\]:\s+\S{1,2000}(?:\s+[\"'(].*)?$")
_SPACES = re.compile(r"(?<=\S)[^\S\n]+")
_LONGEST_MARK = 60


@dataclass(frozen=True)
class Line:
    """A line and what it may be; `words` is what it says as that, `rest` an answer on the same line."""

    n: int
    what: What
    words: str = ""
    rest: str = ""
    number: int | None = None
    level: int = 0
    """Of a heading: how many signs it has."""


def lines_of(text: str) -> list[Line]:
    """The lines of a page with what they are: `numbered` ones are questions or text by now."""
    raw = _without_front_matter(text.split("\n"))
    prepared = [_prepared(line) for line in raw]
    lines: list[Line] = []
    in_code = False
    for n, words in enumerate(without_tags("\n".join(prepared)).split("\n"), 1):
        fence = words.lstrip().startswith(("```", "~~~"))
        in_code = in_code != fence
        lines.append(Line(n, "text", words) if in_code or fence else _first_look(n, words, raw[n - 1]))
    return _settled(_asking_beside(_underlined(lines)))


def _without_front_matter(lines: list[str]) -> list[str]:
    """The lines, blank where a site generator keeps its own fields at the top."""
    if lines and lines[0].strip() == "---":
        last = next((n for n, line in enumerate(lines[1:], 1) if line.strip() == "---"), 0)
        return [""] * (last + 1) + lines[last + 1 :]
    return lines


def _prepared(line: str) -> str:
    """A folded block's summary is a line that asks or the word "Answer"; quote marks of Markdown go.

    Spaces in a row are one, also because the patterns above would take long over many.
    """
    return re.sub(r"^\s{0,3}>\s?", "", _SPACES.sub(" ", _SUMMARY.sub(r"**\1**", line)))


def _first_look(n: int, words: str, raw: str) -> Line:
    if not words.strip() or _REFERENCE.match(words):
        return Line(n, "end" if _DETAILS.search(raw) else "blank")
    if heading := _HEADING.match(words):
        return replace(_heading(n, heading[1].rstrip(" #¶")), level=words.count("#", 0, heading.start(1)))
    return _announced(n, words) or _unannounced(n, words)


def _announced(n: int, words: str) -> Line | None:
    """A line that says by itself that it is an answer or a question; None for all others."""
    if _is_mark(words):
        return Line(n, "answer")
    if answer := _A.match(words):
        return Line(n, "answer", rest=answer[1])
    if asked := _Q.match(words):
        return _asked(n, asked)
    bold = _BOLD_QUESTION.match(words)
    return replace(_heading(n, bold[1]), rest=bold[2]) if bold else None


def _is_mark(words: str) -> bool:
    """Whether it is the word "Answer" and nothing else."""
    return len(words) <= _LONGEST_MARK and bool(_MARK.match(words))


def _unannounced(n: int, words: str) -> Line:
    if numbered := _NUMBERED.match(words):
        return _with_answer(Line(n, "numbered", numbered[2], number=int(numbered[1])))
    if words.rstrip().endswith("¶"):
        return Line(n, "topic", words.strip(" ¶"))
    return Line(n, "blank" if _RULE.match(words) else "text", words)


def _heading(n: int, words: str) -> Line:
    if _is_mark(words):
        return Line(n, "answer")
    if asked := _Q.match(words):
        return _asked(n, asked)
    numbered = _NUMBERED.match(words)
    if words.rstrip("*_ ").endswith("?"):
        if numbered:
            return Line(n, "question", numbered[2], number=int(numbered[1]))
        return Line(n, "question", words)
    # The number is part of a chapter's name, until headings beside it turn out to be questions.
    return Line(n, "topic", words, number=int(numbered[1]) if numbered else None)


def _asked(n: int, asked: re.Match[str]) -> Line:
    return _with_answer(Line(n, "question", asked[2].removesuffix("**"), number=int(asked[1]) if asked[1] else None))


def _with_answer(line: Line) -> Line:
    """A question whose answer stands on the same line."""
    cut = _INLINE_ANSWER.search(line.words)
    return replace(line, words=line.words[: cut.start()], rest=line.words[cut.end() :]) if cut else line


def _underlined(lines: list[Line]) -> list[Line]:
    """Headings that are underlined rather than marked."""
    for at, (line, below) in enumerate(pairwise(lines)):
        is_alone = at == 0 or lines[at - 1].what in ("blank", "end")
        if line.what == "text" and is_alone and _UNDERLINE.match(below.words or "") and len(line.words) <= 80:
            lines[at], lines[at + 1] = _heading(line.n, line.words.strip()), Line(below.n, "blank")
    return lines


def _asking_beside(lines: list[Line]) -> list[Line]:
    """Headings without a question mark are questions where those of their level ask and all have a number."""
    asked = {line.level for line in lines if line.level and line.what == "question"}
    unnumbered = {line.level for line in lines if line.level and line.number is None}
    return [
        replace(line, what="question", words=_NUMBERED.sub(r"\2", line.words))
        if line.what == "topic" and line.level in asked - unnumbered
        else line
        for line in lines
    ]


def _settled(lines: list[Line]) -> list[Line]:
    """Numbered lines are questions or list entries; short lines above the next question are headings.

    Where questions are marked otherwise, numbers are lists.
    """
    if any(line.what == "question" for line in lines):
        return [
            replace(line, what="text", words=_relisted(line)) if line.what == "numbered" else line for line in lines
        ]
    last, is_fresh, settled = 0, True, list(lines)
    for at, line in enumerate(lines):
        if line.what == "topic":
            is_fresh = True
        if line.what != "numbered":
            continue
        if (last and line.number != last + 1 and not (is_fresh and line.number == 1)) or not _asks(lines, at):
            settled[at] = replace(line, what="text", words=_relisted(line))
            continue
        settled[at] = replace(line, what="question")
        last, is_fresh = line.number or 0, False
        above = next((k for k in range(at - 1, -1, -1) if lines[k].what != "blank"), None)
        if above is not None and lines[above].what == "text" and _TOPIC.match(lines[above].words.strip()):
            settled[above] = Line(lines[above].n, "topic", lines[above].words.strip())
    return settled


def _relisted(line: Line) -> str:
    return f"{line.number}. {line.words} {line.rest}".rstrip()


def _asks(lines: Sequence[Line], at: int) -> bool:
    """Whether a numbered line is a question: it or its paragraph asks, or an answer is announced behind it."""
    if lines[at].rest:
        return True
    end = next((k for k in range(at + 1, len(lines)) if lines[k].what != "text"), len(lines))
    behind = next((line.what for line in lines[end:] if line.what != "blank"), "text")
    return behind == "answer" or _asking(lines, at, end) is not None


def _asking(lines: Sequence[Line], at: int, end: int) -> int | None:
    """The line of a hard-wrapped question that ends with its question mark."""
    return next((k for k in range(at, end) if lines[k].words.rstrip("*_ ").endswith("?")), None)
