"""Banks and answers files of people: strict reading, every mistake with file, line and field."""

from __future__ import annotations

from pathlib import Path

from tutor.adapters.bank_yaml.editing import edited_question, edited_rubric, rubric_as_text
from tutor.adapters.bank_yaml.import_file import has_rubrics, jsonl_records, read_import, yaml_records
from tutor.adapters.bank_yaml.jsonl_bank import JsonlBank, file_contents
from tutor.adapters.bank_yaml.jsonlines import read_answers
from tutor.adapters.bank_yaml.layered import Layered
from tutor.adapters.bank_yaml.own_bank import OwnFolder, checked_set_name
from tutor.adapters.bank_yaml.places import Place
from tutor.adapters.bank_yaml.records import Contents, Loaded
from tutor.adapters.bank_yaml.yaml_bank import YamlBank, folder_contents
from tutor.errors import BankError
from tutor.ports import QuestionBank

__all__ = [
    "Contents",
    "JsonlBank",
    "Layered",
    "Loaded",
    "OwnFolder",
    "Place",
    "YamlBank",
    "checked_set_name",
    "contents",
    "edited_question",
    "edited_rubric",
    "has_rubrics",
    "jsonl_records",
    "open_bank",
    "read_answers",
    "read_import",
    "rubric_as_text",
    "shipped_bank",
    "shipped_folder",
    "yaml_records",
]
_ONE_YAML_FILE = "is one YAML file; give the folder that has `data` and `rubrics` in it"


def open_bank(path: Path) -> QuestionBank:
    """The bank at a path: a folder with `data` and `rubrics` in it, or a file of JSON lines. Raises BankError."""
    if path.is_dir():
        return YamlBank(path / "data", path / "rubrics")
    if path.suffix in (".yaml", ".yml"):
        raise BankError(str(path), _ONE_YAML_FILE)
    return JsonlBank(path)


def contents(path: Path) -> Contents:
    """What stands at such a path, with places and all mistakes; nothing is raised."""
    if path.is_dir():
        return folder_contents(path / "data", path / "rubrics")
    try:
        if path.suffix in (".yaml", ".yml"):
            raise BankError(str(path), _ONE_YAML_FILE)
        return file_contents(path)
    except BankError as unreadable:
        return Contents(str(path), (), {}, unreadable.mistakes)


def shipped_bank() -> QuestionBank:
    """The bank that comes with the program."""
    return open_bank(shipped_folder())


def shipped_folder() -> Path:
    """Where that bank lies: inside the installed package, or else the checkout itself."""
    package = Path(__file__).resolve().parents[2]
    shipped = package / "_shipped"
    return shipped if shipped.is_dir() else package.parent
