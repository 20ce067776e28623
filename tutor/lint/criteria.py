"""Criteria that are hard to grade fairly: too few or too many, two in one, never reached, without an opposite."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tutor.grading.wording import word_share
from tutor.lint.claims import is_compound
from tutor.lint.remark import Remark
from tutor.values import Criterion, Question, Rubric

FEWEST, MOST = 4, 8
"""Criteria of a rubric."""
MOST_MISCONCEPTIONS = 3
MOST_WITHOUT_OPPOSITE = 1
# Measured on the bank that comes along: an honest paraphrase in the reference answer keeps a fifth of the words.
LEAST_SHARE = 0.2
# Words to the grader in place of a statement about the subject; an imported bank may carry them.
_TO_THE_GRADER = re.compile(
    r"\b(?:always|automatically)\s+(?:met|true|made|correct)\b|\b(?:ignore|disregard)\s+(?:\w+\s+){0,3}"
    r"(?:instructions?|rules?|rubric)\b|\bfull\s+(?:marks|credit)\b"
    r"|\b(?:the|this)\s+(?:grader|answer\s+is\s+correct)\b",
    re.IGNORECASE,
)


def criteria_remarks(question: Question, rubric: Rubric) -> Iterator[Remark]:
    """What is odd about the criteria and misconceptions."""
    n = len(rubric.criteria)
    if not FEWEST <= n <= MOST:
        yield _odd("criteria", f"a rubric has {FEWEST} to {MOST} criteria; found {n}")
    bare = [criterion.id for criterion in rubric.criteria if criterion.opposite is None]
    if len(bare) > MOST_WITHOUT_OPPOSITE:
        message = f"{', '.join(bare)} have no opposite; write what somebody would say who has that point wrong"
        yield _odd("criteria", message)
    for place, criterion in enumerate(rubric.criteria):
        yield from _of_one(question, rubric, place, criterion)
    yield from _misconceptions(rubric)


def _of_one(question: Question, rubric: Rubric, place: int, criterion: Criterion) -> Iterator[Remark]:
    text = f"criteria.{place}.text"
    if is_compound(criterion.text):
        yield _odd(text, "states two things; write a criterion for each, so that each can be met or missed")
    if _TO_THE_GRADER.search(criterion.text):
        yield _odd(text, "speaks to the grader; write a statement about the subject")
    if is_unreachable(question, rubric, criterion):
        message = "the reference answer hardly uses these words, so nobody may reach this weight"
        yield _odd(text, f"{message}; say it there, or make it a bonus")
    earlier = [other.text.casefold() for other in rubric.criteria[:place]]
    if criterion.text.casefold() in earlier:
        yield _odd(text, "stands there twice; drop one")
    if (criterion.opposite or "").casefold() in {other.text.casefold() for other in rubric.criteria}:
        yield _odd(f"criteria.{place}.opposite", "is a criterion itself; write the false statement")


def is_unreachable(question: Question, rubric: Rubric, criterion: Criterion) -> bool:
    """Whether the right answers that the bank knows hardly have a word of a criterion that counts.

    A criterion with a figure is left to the checker of figures.
    """
    if criterion.bonus or any(figure.criterion_id == criterion.id for figure in rubric.figures):
        return False
    answers = (question.reference_answer, *question.alternatives)
    return max(word_share(criterion.text, answer) for answer in answers) < LEAST_SHARE


def _misconceptions(rubric: Rubric) -> Iterator[Remark]:
    if not rubric.misconceptions:
        yield _odd("misconceptions", "are missing; write what many people wrongly believe about this")
    if len(rubric.misconceptions) > MOST_MISCONCEPTIONS:
        yield _odd("misconceptions", f"are more than {MOST_MISCONCEPTIONS}; keep the most popular ones")
    for place, misconception in enumerate(rubric.misconceptions):
        if misconception.text == misconception.correction:
            yield _odd(f"misconceptions.{place}.correction", "repeats the misconception; write what is true instead")


def _odd(field: str, message: str) -> Remark:
    return Remark("rubric", field, message)
