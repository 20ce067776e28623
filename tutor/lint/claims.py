"""Whether a sentence states two things: told by joints between whole clauses, without a parser.

A second statement is only claimed where both sides of a joint have a verb of their own. Parentheses, examples, reasons
and consequences (`because`, `so`, `which` ...) are not a second statement, and neither is the same one said from its
other side (`it is the change that has low rank; the matrix has not`).
"""

from __future__ import annotations

import re

_IN_PARENTHESES = re.compile(r"\([^()]*\)")
# A label in front, as in `Cost: the system becomes more complex`, is no statement.
_LABEL = re.compile(r"^[^:.;]{1,40}:\s")
_JOINT = re.compile(r"\s*;\s+|[.!?]\s+(?=[A-Z])|,\s+(?:and|but|while|whereas)\s+|\s+whereas\s+")
_CLAUSE_END = re.compile(r"[,;:]\s|\b(?:which|that|who|what|where|because|so|if|when)\b")
_WORD = re.compile(r"[^\W\d_]+(?:['’]\w+)?")
_LEADS_ON = frozenset(
    """because since as if when where which that who whose so then thus therefore hence unless until although though
    for""".split()
)
_OTHER_SIDE = frozenset("not no never none nothing nobody neither cannot doesn't don't isn't aren't".split())
# Forms that are hardly ever a noun; `needs`, `steps` or `stores` would be a noun as often as not.
_VERBS = frozenset(
    """is are was were has have had does do can could may might must will would shall should becomes become gets goes go
    grows grow rises falls keeps keep gives give makes make takes take requires require means depends depend reduces
    increases decreases improves allows allow contains contain produces receives receive happens remains
    stays""".split()
)


def is_compound(text: str) -> bool:
    """Whether a criterion's text joins two statements.

    >>> is_compound("A step takes 10 ms, and its weights are read once.")
    True
    >>> [is_compound(t) for t in ("Keys, values, and scores are kept.", "It is slow, so it must wait (and is idle).")]
    [False, False]
    """
    plain = _LABEL.sub("", _IN_PARENTHESES.sub("", text).strip())
    return any(_states(plain[: joint.start()], joint[0], plain[joint.end() :]) for joint in _JOINT.finditer(plain))


def _states(before: str, joint: str, after: str) -> bool:
    """Whether a joint stands between two statements of equal rank."""
    first, second = _words(before), _words(_clause(after))
    if not first or not second or second[0] in _LEADS_ON or (first[0] in _LEADS_ON and "," not in before):
        return False
    if "and" not in joint and _OTHER_SIDE & {*first, *second}:
        return False
    return bool(_VERBS & set(first)) and bool(_VERBS & set(second))


def _clause(text: str) -> str:
    """The words up to the next comma or subordinate clause."""
    return _CLAUSE_END.split(text, maxsplit=1)[0]


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
