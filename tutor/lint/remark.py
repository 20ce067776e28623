"""What the lint says of one place in a question or its rubric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Part = Literal["question", "rubric"]


@dataclass(frozen=True)
class Remark:
    """A warning for an author; the record is usable as it stands.

    Attributes:
        part: Which record it is about.
        field: Dotted path in that record, such as `criteria.2.text`.
        message: What is odd and what to do about it.
    """

    part: Part
    field: str
    message: str
