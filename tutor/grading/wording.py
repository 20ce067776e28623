"""How many of a criterion's own words an answer uses: cheap, blind to meaning, and a useful second opinion."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"[a-z0-9]+")
_STOP_WORDS = frozenset(
    """a about after all also an and any are as at be because been before both but by can could do does each every few
    for from has have how if in into is it its just like many may more most much must no not of on once one only or
    other out over per same so some such than that the their them then there these they this those through to too two
    up use used was well were what when where which while who why will with without would you""".split()
)
# Two words count as the same when they share this many first letters: read, reads, reading.
_STEM_LETTERS = 5


def word_share(criterion_text: str, answer: str) -> float:
    """Share of the criterion's content words that stand in the answer, in [0, 1].

    >>> word_share("Decode is bandwidth bound.", "the bandwidth limits decoding")
    0.6666666666666666
    """
    wanted = _stems(criterion_text)
    return len(wanted & _stems(answer)) / len(wanted) if wanted else 0.0


def _stems(text: str) -> set[str]:
    return {w[:_STEM_LETTERS] for w in _TOKEN.findall(text.lower()) if w not in _STOP_WORDS}
