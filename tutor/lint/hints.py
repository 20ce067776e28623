"""Hints that give the answer away."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tutor.lint.figures import computed, figures_told
from tutor.lint.remark import Remark
from tutor.values import Rubric

TELLING_SHARE = 0.6
"""A hint with this share of a criterion's longer words says the criterion."""
_LONGER_WORD = re.compile(r"[^\W_]{4,}")


def hint_remarks(rubric: Rubric) -> Iterator[Remark]:
    """Hints that state a figure, most of a criterion, or another hint again."""
    placed = computed(rubric)
    # Of a criterion with a figure, the figure is the answer; its other words only name it.
    with_figure = {figure.criterion_id for figure in rubric.figures}
    for place, hint in enumerate(rubric.hints):
        field = f"hints.{place}"
        for label in figures_told(placed, hint):
            yield Remark("rubric", field, f"gives the figure {label!r} away; leave that step to the candidate")
        for criterion in rubric.criteria:
            if criterion.id not in with_figure and told_share(criterion.text, hint) >= TELLING_SHARE:
                yield Remark("rubric", field, f"says most of {criterion.id}; ask where to look instead")
        if hint in rubric.hints[:place]:
            yield Remark("rubric", field, "stands there twice; the three hints lead from faint to plain")


def told_share(criterion_text: str, hint: str) -> float:
    """Share of a criterion's words of four letters or more that stand in a hint, in [0, 1].

    >>> told_share("Decode is limited by memory bandwidth.", "Think of the memory and its bandwidth.")
    0.5
    """
    wanted = set(_LONGER_WORD.findall(criterion_text.casefold()))
    return len(wanted & set(_LONGER_WORD.findall(hint.casefold()))) / max(len(wanted), 1)
