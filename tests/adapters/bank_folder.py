"""A small bank of one question as an author writes it, and how its mistakes are read in tests."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tutor.adapters.bank_yaml import open_bank
from tutor.errors import BankError

QUESTION = """\
- id: q1
  question: How large is it?
  reference_answer: Twice as large.
  kind: numerical
  topic: Sizes
  title: Size
"""
RUBRIC = """\
criteria:
  - id: c1
    text: It is twice as large.
    weight: 3
  - id: c2
    text: It grows.
    weight: 1
figures:
  - criterion_id: c1
    label: size
    formula: 2 * base
    inputs: {base: 3}
    unit: GB
    accept: [GiB]
misconceptions:
  - id: m1
    text: It shrinks.
    correction: It does not.
hints: [a, b, c]
status: reviewed
"""

Write = Callable[..., Path]


def mistakes(folder: Path) -> list[tuple[str, int | None, str, str]]:
    with pytest.raises(BankError) as caught:
        open_bank(folder)
    found = caught.value.mistakes
    for mistake in found:
        assert str(mistake) in str(caught.value)
        assert mistake.file in str(mistake)
        assert f"line {mistake.line}" in str(mistake) or mistake.line is None
        assert mistake.field in str(mistake)
    return [(os.path.relpath(m.file, folder), m.line, m.field, m.message) for m in found]


def only(folder: Path) -> tuple[str, int | None, str, str]:
    found = mistakes(folder)
    assert len(found) == 1, found
    return found[0]
