"""What tests of the wiring share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.rubrics import QUESTION, RUBRIC
from tests.wiring.bank_files import write


@pytest.fixture
def sound_bank(tmp_path: Path) -> Path:
    """The folder of a bank of one question that the lint has nothing to say about."""
    (tmp_path / "data").mkdir()
    (tmp_path / "rubrics").mkdir()
    write(tmp_path, "data/basics", [QUESTION])
    write(tmp_path, "rubrics/kv", RUBRIC)
    return tmp_path
