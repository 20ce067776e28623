"""Answers in a file, with or without the labels people gave them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator

from tutor.values import Id, Share, Value


def _on_the_scale(label: float) -> float:
    if label not in (1.0, 0.5, 0.0, -1.0):
        raise ValueError("a label is 1, 0.5, 0 or -1")
    return label


Label = Annotated[float, AfterValidator(_on_the_scale)]


class AnswerLine(Value):
    """One line of an answers file."""

    question_id: Id
    answer_id: Id
    answer: str
    """The candidate's words; may be empty."""
    spoken: bool = False
    """Raw words of a speech recogniser, without punctuation."""
    style: str = ""
    """What sort of answer it was written to be; its first letter groups the figures of `evaluate`."""
    labels: Mapping[str, Label] | None = None
    """Criterion id -> 1 made, 0.5 partly, 0 absent, -1 contradicted; None where nobody labelled it."""
    overall: Share | None = None
    """A person's score of the whole answer."""
