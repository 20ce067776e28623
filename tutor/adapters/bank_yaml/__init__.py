"""Banks and answers files of people: strict reading, every mistake with file, line and field."""

from __future__ import annotations

from pathlib import Path

from tutor.adapters.bank_yaml.jsonl_bank import JsonlBank
from tutor.adapters.bank_yaml.jsonlines import read_answers
from tutor.adapters.bank_yaml.yaml_bank import YamlBank
from tutor.errors import BankError
from tutor.ports import QuestionBank

__all__ = ["JsonlBank", "YamlBank", "open_bank", "read_answers", "shipped_bank"]


def open_bank(path: Path) -> QuestionBank:
    """The bank at a path: a folder with `data` and `rubrics` in it, or a file of JSON lines. Raises BankError."""
    if path.is_dir():
        return YamlBank(path / "data", path / "rubrics")
    if path.suffix in (".yaml", ".yml"):
        raise BankError(str(path), "is one YAML file; give the folder that has `data` and `rubrics` in it")
    return JsonlBank(path)


def shipped_bank() -> QuestionBank:
    """The bank that comes with the program: inside the installed package, or the checkout's own folders."""
    package = Path(__file__).resolve().parents[2]
    shipped = package / "_shipped"
    return open_bank(shipped if shipped.is_dir() else package.parent)
