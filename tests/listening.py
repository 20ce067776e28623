"""How well a recogniser heard a text: errors by word, and the terms it missed."""

from __future__ import annotations

import re
from collections.abc import Sequence

import jiwer


def normalised(text: str) -> str:
    """Small letters and digits with single blanks: case, punctuation and hyphens are no errors.

    >>> normalised("Grouped-query attention, (GQA)!")
    'grouped query attention gqa'
    """
    return " ".join(re.findall(r"[a-z0-9']+", text.lower()))


def word_error_rate(said: str, heard: str) -> float:
    """Substituted, missing and added words over the words said."""
    return float(jiwer.wer(normalised(said), normalised(heard)))


def n_times(text: str, term: str) -> int:
    """How often a term stands in a text as words of their own, in one or several.

    >>> n_times("The KV caches; a KV cache, KV-cache", "KV cache")
    3
    """
    return len(re.findall(rf"\b{re.escape(normalised(term))}s?\b", normalised(text)))


def missed_terms(said: str, heard: str, terms: Sequence[str]) -> dict[str, int]:
    """How often each term was said and not heard, by term; terms that were always heard are absent."""
    missed = {term: n_times(said, term) - n_times(heard, term) for term in terms}
    return {term: times for term, times in missed.items() if times > 0}
