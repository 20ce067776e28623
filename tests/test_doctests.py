"""The worked examples in docstrings are true."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

TUTOR = Path(__file__).resolve().parents[1] / "tutor"
WITH_EXAMPLES = sorted(
    ".".join(path.relative_to(TUTOR.parent).with_suffix("").parts)
    for path in TUTOR.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


def test_there_are_examples() -> None:
    assert len(WITH_EXAMPLES) > 15


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_of_a_module_are_true(name: str) -> None:
    outcome = doctest.testmod(importlib.import_module(name.removesuffix(".__init__")))
    assert outcome.attempted > 0
    assert outcome.failed == 0
