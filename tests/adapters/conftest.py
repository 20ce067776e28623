"""What tests of several plugs share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.bank_folder import QUESTION, RUBRIC, Write


@pytest.fixture
def write_bank(tmp_path: Path) -> Write:
    """Writes a bank of one question; each text can be replaced, files can be added."""

    def bank(question: str | bytes = QUESTION, rubric: str | bytes | None = RUBRIC, **more: str) -> Path:
        for folder in ("data", "rubrics"):
            (tmp_path / folder).mkdir(exist_ok=True)
        files: dict[str, str | bytes] = {"data/basics.yaml": question}
        files |= {} if rubric is None else {"rubrics/q1.yaml": rubric}
        files |= {f"{name.replace('__', '/')}.yaml": text for name, text in more.items()}
        for name, text in files.items():
            (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
        return tmp_path

    return bank
