"""What `tutor bank check` reports: counts, mistakes and warnings, each with its place."""

from __future__ import annotations

from collections.abc import Mapping

from tutor.values import Value


class Noted(Value):
    """A mistake or a warning in a file."""

    file: str
    line: int | None
    """Counted from 1; None where it is about the file as a whole."""
    field: str
    """Dotted path in the file, empty for the whole file."""
    message: str

    def __str__(self) -> str:
        """As a compiler writes it.

        >>> print(Noted(file="rubrics/q1.yaml", line=3, field="criteria.0.text", message="states two things"))
        rubrics/q1.yaml:3: criteria.0.text: states two things
        """
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return ": ".join(filter(None, (place, self.field, self.message)))


class SetCount(Value):
    """How much there is in one set of questions."""

    questions: int = 0
    criteria: int = 0
    figures: int = 0


class Checked(Value):
    """A bank as `tutor bank check --json` prints it; records with mistakes are not counted."""

    questions: int
    criteria: int
    families: int
    """Families of drills; they belong to the bank that comes along."""
    sets: Mapping[str, SetCount]
    """By name of the data file, without its ending."""
    errors: tuple[Noted, ...]
    warnings: tuple[Noted, ...]
