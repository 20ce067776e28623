"""From verdicts to one number: pure rubric arithmetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tutor.values import CREDIT, Criterion, Verdict

# FORMATS ruling 2: what all weight contradicted costs, and how much must be judged for a number at all.
CONTRADICTION_PENALTY = 0.2
MIN_JUDGED_SHARE = 0.5


def judged_share(criteria: Sequence[Criterion], verdicts: Mapping[str, Verdict]) -> float:
    """Share of the weight of the non-bonus criteria that was judged, in [0, 1].

    >>> c = [Criterion(id="a", text="a", weight=3), Criterion(id="b", text="b", weight=1)]
    >>> judged_share(c, {"a": Verdict.MET, "b": Verdict.UNJUDGED})
    0.75
    """
    required = [c for c in criteria if not c.bonus]
    total = sum(c.weight for c in required)
    return sum(c.weight for c in required if verdicts[c.id] is not Verdict.UNJUDGED) / total


def score(criteria: Sequence[Criterion], verdicts: Mapping[str, Verdict], misconceptions: int = 0) -> float | None:
    """The score in [0, 1], or None when less than half of the weight was judged.

    clip(sum(w * credit) / sum(w) - 0.2 * share of weight contradicted, 0, 1) over judged criteria
    (FORMATS ruling 2). A bonus criterion adds to the numerator only; an asserted misconception
    counts as contradicted with weight 1.

    >>> c = [Criterion(id="a", text="a", weight=3), Criterion(id="b", text="b", weight=1)]
    >>> score(c, {"a": Verdict.MET, "b": Verdict.PARTLY})
    0.875
    >>> score(c, {"a": Verdict.MET, "b": Verdict.CONTRADICTED})
    0.7
    """
    if judged_share(criteria, verdicts) < MIN_JUDGED_SHARE:
        return None
    judged = [c for c in criteria if verdicts[c.id] is not Verdict.UNJUDGED]
    total = sum(c.weight for c in judged if not c.bonus)
    earned = sum(c.weight * (CREDIT[verdicts[c.id]] or 0.0) for c in judged)
    wrong = misconceptions + sum(c.weight for c in judged if verdicts[c.id] is Verdict.CONTRADICTED)
    penalty = CONTRADICTION_PENALTY * min(wrong / total, 1.0)
    return min(max(min(earned / total, 1.0) - penalty, 0.0), 1.0)
