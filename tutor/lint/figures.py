"""Figures that the checker of numbers cannot find where they should stand, and those without a tolerance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tutor.formula import UNITS, figure_value
from tutor.grading.figures import check, combined
from tutor.lint.remark import Remark
from tutor.values import Criterion, Figure, FigureFinding, Question, Rubric

Placed = tuple[int, Figure, float]
"""A figure with its place in the rubric and its value."""


def figure_remarks(question: Question, rubric: Rubric) -> Iterator[Remark]:
    """What is odd about the figures; those that cannot be computed at all are the reader's to refuse."""
    for place, figure in enumerate(rubric.figures):
        if "rel_tol" not in figure.model_fields_set:
            default = f"{figure.rel_tol:g} holds"
            yield _odd(place, "rel_tol", f"is missing, so {default}; say how far off a right answer may be")
        elif figure.rel_tol == 0:
            yield _odd(place, "rel_tol", "is 0, so a rounded number is wrong; say how far off a right answer may be")
    placed = computed(rubric)
    in_reference = _said(placed, question.reference_answer, question.question)
    for criterion in rubric.criteria:
        yield from _of_one(criterion, question, placed, in_reference)


def computed(rubric: Rubric) -> list[Placed]:
    """The figures of a rubric that can be computed and have known units."""
    placed: list[Placed] = []
    for place, figure in enumerate(rubric.figures):
        if {figure.unit, *figure.accept} <= UNITS.keys():
            try:
                placed.append((place, figure, figure_value(figure)))
            except ValueError:
                continue
    return placed


def figures_told(placed: Sequence[Placed], text: str) -> tuple[str, ...]:
    """Labels of the figures whose value a text gives away, also roughly."""
    found = _said(placed, text, "")
    return tuple(finding.label for finding in found if finding.status not in ("missing", "wrong"))


def _of_one(
    criterion: Criterion, question: Question, placed: Sequence[Placed], in_reference: Sequence[FigureFinding]
) -> Iterator[Remark]:
    own = [entry for entry in placed if entry[1].criterion_id == criterion.id]
    found = [finding for finding in in_reference if finding.criterion_id == criterion.id]
    if found and combined(found, criterion.figures_rule) != "right":
        for (_, figure, value), finding in zip(own, found, strict=True):
            if finding.status != "right":
                message = f"does not give {figure.label!r} of {criterion.id}, {_shown(figure, value, finding)}"
                yield Remark("question", "reference_answer", message)
    for (place, figure, value), finding in zip(own, _said(own, criterion.text, question.question), strict=True):
        if finding.status != "right":
            message = f"{criterion.id} does not state its own figure, {_shown(figure, value, finding)}"
            yield _odd(place, "criterion_id", message)


def _said(placed: Sequence[Placed], text: str, question: str) -> tuple[FigureFinding, ...]:
    return check([(figure, value) for _, figure, value in placed], text, question)


def _shown(figure: Figure, value: float, finding: FigureFinding) -> str:
    """The figure, and what was heard instead."""
    heard = f"; read there: {finding.quote!r}, which is {finding.status}" if finding.quote else ""
    unit = "" if figure.unit == "1" else f" {figure.unit}"
    return f"{value:.4g}{unit}, in words that the checker of numbers understands{heard}"


def _odd(place: int, field: str, message: str) -> Remark:
    return Remark("rubric", f"figures.{place}.{field}", message)
