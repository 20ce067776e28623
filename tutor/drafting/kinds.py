"""What sort of question it is and what to call it, guessed from its words."""

from __future__ import annotations

import re

from tutor.grading.quantities import quantities
from tutor.values import Kind

TITLE_CHARACTERS = 60
TARGET_S = {Kind.CONCEPT: 120, Kind.NUMERICAL: 180, Kind.SYNTHESIS: 240}
"""How long a good spoken answer takes: two minutes for one idea, four for several chapters together."""

_AMOUNT = re.compile(
    r"\bhow (?:much|many|big|large|long|fast|small|high|low|often|far)\b|\b(?:above or below|more or less than)\b",
    re.IGNORECASE,
)
_VALUE = re.compile(r"\b(?:what|which|compute|calculate|estimate)\b", re.IGNORECASE)
_DIGIT = re.compile(r"(?<![\w.])\d")


def kind_of(question: str, answer: str, topic: str) -> Kind:
    """Synthesis under such a heading, numerical where an amount is asked for and given, concept otherwise.

    >>> kind_of("At a loss of 2.1, what is the perplexity?", "e^2.1 is about 8.2.", "Basics").value
    'numerical'
    >>> kind_of("Why is 95% utilization risky?", "Arrivals are uneven.", "Basics").value
    'concept'
    """
    if re.search(r"\bsynthesis\b", topic, re.IGNORECASE):
        return Kind.SYNTHESIS
    is_given = bool(quantities(answer))
    is_asked = bool(_AMOUNT.search(question) or (_VALUE.search(question) and _DIGIT.search(question)))
    return Kind.NUMERICAL if is_asked and is_given and not _reasons(question) else Kind.CONCEPT


def _reasons(question: str) -> bool:
    """Whether it begins by asking for a reason."""
    return question.lower().startswith(("why", "explain", "where does", "how do ", "how does "))


def title_of(question: str) -> str:
    """The question's first words, as many as a list shows.

    >>> title_of("Why can K and V be cached?"), title_of("word " * 20)
    ('Why can K and V be cached', 'word word word word word word word word word word word …')
    """
    words = question.rstrip(" ?.")
    if len(words) <= TITLE_CHARACTERS:
        return words
    return words[: TITLE_CHARACTERS - 1].rsplit(" ", 1)[0] + " …"
