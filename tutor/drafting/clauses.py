"""A reference answer cut into statements, each with its place: sentences, semicolons, list entries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

FEWEST, MOST = 3, 8
"""So many statements a rubric should have; a very short answer has fewer."""
_MOST_LOOKED_AT = 100
"""Nobody speaks more statements than this; what follows is not drafted from."""
_SHORT_WORDS = 3
# An announcement of a list with fewer words says nothing by itself.
_ANNOUNCING_WORDS = 5
# A sentence of as many words may say two things, if a conjunction parts it into halves of a few words.
_LONG_WORDS, _HALF_WORDS = 14, 5

_ENTRY = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s+")
_SENTENCE = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?(?:[A-Z0-9`≈]|[a-z]{1,3}\d))")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|vs|etc|cf|approx|resp|fig|no)\.$", re.IGNORECASE)
_PART = re.compile(r";\s+")
_JOINT = re.compile(r",?\s+(?=(?:but|so|while|whereas|because|since|although)\b)|,\s+(?=(?:and|then|with)\b)|:\s+")
_ASIDE = re.compile(r"\(.*\)\W*")
_POINTER = re.compile(r"(?:See|Compare|Refer to)\s")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Clause:
    """A statement of the reference.

    Attributes:
        start: Offset of its first character in the reference.
        end: Offset behind its last.
        line: The line of the reference it stands in, counted from 0.
    """

    start: int
    end: int
    line: int


def clauses(reference: str) -> tuple[Clause, ...]:
    """Statements in the order of the reference: three to eight where it has so many.

    >>> reference = "K and V depend on the past alone; Q is used once. That is why a cache works."
    >>> [reference[c.start : c.end] for c in clauses(reference)]
    ['K and V depend on the past alone', 'Q is used once.', 'That is why a cache works.']
    """
    found: list[Clause] = []
    start = 0
    for n, line in enumerate(reference.split("\n")):
        entry = _ENTRY.match(line)
        found += _joined(_pieces(reference, start + (entry.end() if entry else 0), start + len(line), n), reference)
        start += len(line) + 1
    found = found[:_MOST_LOOKED_AT]
    said = [clause for clause in found if _says_something(reference[clause.start : clause.end])]
    return tuple(_fewer(_more(said or found, reference)))


def _pieces(text: str, start: int, end: int, line: int) -> list[Clause]:
    """The sentences of a line, and their parts between semicolons."""
    pieces = []
    for first, last in _cut(text, start, end, _SENTENCE):
        pieces += [Clause(*part, line) for part in _cut(text, first, last, _PART)]
    return pieces


def _cut(text: str, start: int, end: int, at: re.Pattern[str]) -> list[tuple[int, int]]:
    """What stands between the cuts, outside of parentheses."""
    bounds, first = [], start
    for gap in at.finditer(text, start, end):
        before = text[first : gap.start()]
        if not _is_open(before) and not _ABBREVIATION.search(before):
            bounds.append((first, gap.start()))
            first = gap.end()
    bounds.append((first, end))
    return [trimmed for bound in bounds if (trimmed := _trimmed(text, *bound))]


def _is_open(text: str) -> bool:
    """Whether a parenthesis or a bracket is still open at the end."""
    return text.count("(") > text.count(")") or text.count("[") > text.count("]")


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    inner = text[start:end]
    start, end = start + len(inner) - len(inner.lstrip()), end - (len(inner) - len(inner.rstrip()))
    return (start, end) if start < end else None


def _n_words(text: str, clause: Clause) -> int:
    return len(_WORD.findall(text, clause.start, clause.end))


def _is_short(text: str, clause: Clause) -> bool:
    """Whether it is no statement of its own; two words and a number are one."""
    words = text[clause.start : clause.end]
    return len(words.split()) < _SHORT_WORDS and not re.search(r"\d", words)


def _joined(pieces: Sequence[Clause], text: str) -> list[Clause]:
    """Words such as "No." stay with what follows them in their line, or with what went before."""
    joined: list[Clause] = []
    for piece in pieces:
        if joined and (_is_short(text, joined[-1]) or _is_short(text, piece)):
            joined[-1] = replace(joined[-1], end=piece.end)
        else:
            joined.append(piece)
    return joined


def _says_something(words: str) -> bool:
    """No aside in parentheses, no pointer to another page, no bare announcement of a list."""
    if _ASIDE.fullmatch(words) or _POINTER.match(words):
        return False
    n = len(_WORD.findall(words))
    return n > 0 and not (words.endswith(":") and n < _ANNOUNCING_WORDS)


def _more(found: Sequence[Clause], text: str) -> list[Clause]:
    """Long sentences are parted at a conjunction until there are enough."""
    parted = list(found)
    while len(parted) < FEWEST:
        halves = [(n, half) for n, clause in enumerate(parted) if (half := _halves(clause, text))]
        if not halves:
            return parted
        n, half = max(halves, key=lambda one: _n_words(text, parted[one[0]]))
        parted[n : n + 1] = half
    return parted


def _halves(clause: Clause, text: str) -> list[Clause]:
    """The two halves at the joint nearest the middle; nothing where there is no good one."""
    if _n_words(text, clause) < _LONG_WORDS:
        return []
    middle = (clause.start + clause.end) / 2
    for gap in sorted(_JOINT.finditer(text, clause.start, clause.end), key=lambda gap: abs(gap.start() - middle)):
        halves = [replace(clause, end=gap.start()), replace(clause, start=gap.end())]
        if not _is_open(text[clause.start : gap.start()]) and min(_n_words(text, h) for h in halves) >= _HALF_WORDS:
            return halves
    return []


def _fewer(found: Sequence[Clause]) -> list[Clause]:
    """Neighbours are taken together, the shortest two first, those of one line before others, until there are few."""
    merged = list(found)
    while len(merged) > MOST:
        n = min(range(len(merged) - 1), key=lambda k: _price(merged[k], merged[k + 1]))
        merged[n : n + 2] = [replace(merged[n], end=merged[n + 1].end)]
    return merged


def _price(first: Clause, second: Clause) -> tuple[bool, int]:
    return first.line != second.line, second.end - first.start
