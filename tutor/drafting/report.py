"""What an import found, as `tutor import --json` prints it."""

from __future__ import annotations

from collections.abc import Mapping

from tutor.values import Kind, Value


class ImportedCriterion(Value):
    """A criterion and the words of the reference it was drafted from."""

    id: str
    text: str
    weight: int
    start: int | None
    """`reference[start:end]`; None where the file brought its own criteria."""
    end: int | None


class ImportedQuestion(Value):
    """One question of the file."""

    id: str
    line: int
    """Where it stands in the file, counted from 1."""
    question: str
    topic: str
    kind: Kind
    criteria: tuple[ImportedCriterion, ...]


class Imported(Value):
    """What was found in a file, and whether it is in the own bank now."""

    set_name: str
    stored: bool
    questions: int
    criteria: int
    figures: int
    topics: Mapping[str, int]
    """Questions of each topic, in the order of the file."""
    found: tuple[ImportedQuestion, ...]
