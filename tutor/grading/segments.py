"""An answer cut into pieces small enough to embed alone: sentences, or windows of words in unpunctuated speech."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Lengths in words. Windows of 25 every 20 were the best evidence for speech without punctuation;
# a sentence longer than LONG_WORDS says too many things to be one piece of evidence.
WINDOW_WORDS = 25
STRIDE_WORDS = 20
LONG_WORDS = 40

_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9`*-])|\n+")
_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Segment:
    """A piece of the answer.

    Attributes:
        start: Character offset of its first character in the answer.
        end: Offset behind its last character.
        text: Exactly `answer[start:end]`.
    """

    start: int
    end: int
    text: str


def segments(answer: str) -> tuple[Segment, ...]:
    """Cut an answer into segments in the order of the answer; windows of a long sentence overlap.

    >>> [s.text for s in segments("Decode reads all weights. Prefill is different.")]
    ['Decode reads all weights.', 'Prefill is different.']
    >>> len(segments("word " * 50))
    3
    """
    pieces: list[Segment] = []
    for start, end in _sentences(answer):
        pieces.extend(_windows(answer, start, end))
    return tuple(pieces)


def _sentences(answer: str) -> list[tuple[int, int]]:
    bounds: list[tuple[int, int]] = []
    start = 0
    for gap in _SENTENCE_END.finditer(answer):
        bounds.append((start, gap.start()))
        start = gap.end()
    bounds.append((start, len(answer)))
    return [(s, e) for s, e in bounds if answer[s:e].strip()]


def _windows(answer: str, start: int, end: int) -> list[Segment]:
    words = [(m.start(), m.end()) for m in _WORD.finditer(answer, start, end)]
    if len(words) <= LONG_WORDS:
        return [_segment(answer, words[0][0], words[-1][1])]
    firsts = range(0, len(words) - WINDOW_WORDS + STRIDE_WORDS, STRIDE_WORDS)
    return [_segment(answer, words[first][0], words[min(first + WINDOW_WORDS, len(words)) - 1][1]) for first in firsts]


def _segment(answer: str, start: int, end: int) -> Segment:
    return Segment(start, end, answer[start:end])
