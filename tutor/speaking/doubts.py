"""Words of a transcript that were probably a term of the rubric, spelt or heard otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from rapidfuzz.distance import Indel
from rapidfuzz.process import cdist

from tutor.speaking.alignment import heard_words
from tutor.speaking.likeness import Term, is_right, likeness
from tutor.speaking.sounds import spelled_out, squashed
from tutor.speaking.words import Piece, pieces
from tutor.spoken import Doubt, Transcript

# A term is misheard as up to this many words: "k v cash", "in fini band", "t t f t".
MOST_WORDS = 4
# Recognisers give a right word mostly .8 and more.
UNSURE_BELOW = 0.5

# What may stand between the words of one term; other punctuation ends a thought.
_GAP = re.compile(r"[\s\-‐-–/'’]*")
# Windows that share fewer letters with a term cannot reach any limit of likeness; comparing them all is slow.
_LEAST_SHARED = 0.55


@dataclass(frozen=True)
class _Window:
    """Neighbouring words: pieces `first` to before `last`."""

    first: int
    last: int
    words: tuple[str, ...]
    is_unsure: bool

    @property
    def places(self) -> range:
        return range(self.first, self.last)


@dataclass(frozen=True)
class _Guess:
    window: _Window
    term: Term
    like: float


def doubts(transcript: Transcript, terms: Sequence[str]) -> tuple[Doubt, ...]:
    """Words that were probably a term, in the order of the text and without overlap.

    It rather misses a misheard term than doubts an ordinary word: a term in another grammatical form is
    right, and upper and lower case count only where the term has inner capitals.

    Args:
        transcript: What was heard; low word probabilities, where given, make doubt easier.
        terms: Key terms as they should be spelled.

    >>> take = Transcript(text="page detention and the k v cash", language="en", words=None, speech=(), duration_s=3,
    ...                   transcriber="by hand")
    >>> [(doubt.heard, doubt.likely) for doubt in doubts(take, ["PagedAttention", "KV cache", "attention"])]
    [('page detention', 'PagedAttention'), ('k v cash', 'KV cache')]
    """
    known = [term for term in map(Term, dict.fromkeys(terms)) if term.key]
    written = pieces(transcript.text)
    windows = _windows(transcript, written)
    chosen: dict[int, _Guess] = {}
    taken: set[int] = set()
    for guess in sorted(_guesses(windows, known), key=_preference):
        if taken.isdisjoint(guess.window.places):
            taken.update(guess.window.places)
            chosen[guess.window.first] = guess
    return tuple(_doubt(transcript.text, written, chosen[first]) for first in sorted(chosen))


def _preference(guess: _Guess) -> tuple[int, float, int]:
    """The longest term first, of one term its best match, of equals the earliest."""
    return (-len(guess.term.key), -guess.like, guess.window.first)


def _doubt(text: str, written: list[Piece], guess: _Guess) -> Doubt:
    start, end = written[guess.window.first].start, written[guess.window.last - 1].end
    return Doubt(start=start, end=end, heard=text[start:end], likely=guess.term.text)


def _windows(transcript: Transcript, written: list[Piece]) -> list[_Window]:
    """All runs of up to MOST_WORDS words that no punctuation parts."""
    heard = heard_words(transcript.words or (), written)
    unsure = [word is not None and word.probability < UNSURE_BELOW for word in heard]
    joined = [_belong_together(transcript.text, *two) for two in pairwise(written)]
    # "m l a attention" has no "l a attention" in it.
    spelling = [
        both and _is_letter(before) and _is_letter(after)
        for both, (before, after) in zip(joined, pairwise(written), strict=True)
    ]
    windows: list[_Window] = []
    for first in range(len(written)):
        if first and spelling[first - 1]:
            continue
        for last in range(first + 1, min(first + MOST_WORDS, len(written)) + 1):
            if last - first > 1 and not joined[last - 2]:
                break
            if last == len(written) or not spelling[last - 1]:
                words = tuple(piece.text for piece in written[first:last])
                windows.append(_Window(first, last, words, any(unsure[first:last])))
    return windows


def _belong_together(text: str, before: Piece, after: Piece) -> bool:
    gap = text[before.end : after.start]
    # "K.V. cache" is one thing, "plan B. Its size" are two sentences.
    if _is_letter(before) and gap.startswith(".") and (_is_letter(after) or after.text.islower()):
        gap = gap[1:]
    return _GAP.fullmatch(gap) is not None


def _is_letter(piece: Piece) -> bool:
    return len(piece.text) == 1 and piece.text.isalpha()


def _guesses(windows: list[_Window], terms: list[Term]) -> Iterator[_Guess]:
    """What the windows could have been, leaving out what spells a term right."""
    pairs = list(_near_pairs(windows, terms))
    right_ends: dict[int, int] = {}
    right_places: set[tuple[Term, int]] = set()
    for window, term in pairs:
        if is_right(window.words, term):
            right_ends[window.first] = max(window.last, right_ends.get(window.first, 0))
            right_places.update((term, place) for place in window.places)
    for window, term in pairs:
        # A right run around the window has begun at most MOST_WORDS before its end.
        around = range(window.last - MOST_WORDS, window.first + 1)
        is_in_right = any(right_ends.get(first, 0) >= window.last for first in around)
        if not is_in_right and not any((term, place) in right_places for place in window.places):
            like = likeness(window.words, term, is_unsure=window.is_unsure)
            if like > 0:
                yield _Guess(window, term, like)


def _near_pairs(windows: list[_Window], terms: list[Term]) -> Iterator[tuple[_Window, Term]]:
    """Windows with the terms they share many letters with, as written or as names of letters."""
    keys = [squashed("".join(window.words)) for window in windows]
    names = [spelled_out(window.words) for window in windows]
    wanted = [term.key for term in terms]
    if not (keys and wanted):
        return
    near = np.maximum(
        cdist(keys, wanted, scorer=Indel.normalized_similarity, score_cutoff=_LEAST_SHARED),
        cdist(names, wanted, scorer=Indel.normalized_similarity, score_cutoff=_LEAST_SHARED),
    )
    for row, column in np.argwhere(near > 0):
        yield windows[row], terms[column]
