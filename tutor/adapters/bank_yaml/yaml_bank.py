"""A bank as a folder of question files and a folder of rubrics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tutor.adapters.bank_yaml.places import Place, whole
from tutor.adapters.bank_yaml.records import (
    Contents,
    Loaded,
    Placed,
    hint_mistakes,
    question_mistakes,
    read_question,
    read_rubric,
)
from tutor.adapters.bank_yaml.tree import read_tree
from tutor.errors import BankError
from tutor.values import Rubric


class YamlBank(Loaded):
    """A folder of question files (`<set>.yaml`) and one of rubrics (`<question id>.yaml`), both read at once.

    Raises:
        BankError: All mistakes of all files (BankErrors where there are several).
    """

    def __init__(self, data_dir: Path, rubrics_dir: Path) -> None:
        super().__init__(folder_contents(data_dir, rubrics_dir))


def folder_contents(data_dir: Path, rubrics_dir: Path) -> Contents:
    """What stands in the two folders, right or wrong."""
    placed, ids, mistakes = _questions(data_dir)
    rubrics, files, found = _rubrics(rubrics_dir)
    mistakes += found + question_mistakes(placed)
    for question, place in placed:
        if question.id not in files:
            expected = rubrics_dir / f"{question.id}.yaml"
            mistakes.append(place.error(f"the question {question.id!r} has no rubric; write {expected}", "id"))
    for name, file in files.items():
        if name not in ids:
            message = f"there is no question {name!r} in {data_dir}; a rubric is named after its question's id"
            mistakes.append(whole(file).error(message))
    return Contents(str(data_dir), placed, rubrics, mistakes)


def _yaml_files(folder: Path) -> tuple[list[Path], list[BankError]]:
    try:
        files = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as trouble:
        return [], [whole(folder).error(f"cannot be read as a folder: {trouble.strerror}")]
    misnamed = [whole(path).error("rename it to end in .yaml") for path in files if path.suffix == ".yml"]
    return [path for path in files if path.suffix == ".yaml"], misnamed


def _questions(folder: Path) -> tuple[list[Placed], set[str], list[BankError]]:
    """The questions without mistakes, the ids of all, and the mistakes."""
    files, mistakes = _yaml_files(folder)
    placed: list[Placed] = []
    ids: set[str] = set()
    for path in files:
        questions, named, found = file_questions(path)
        placed += questions
        ids |= named
        mistakes += found
    if not ids and not mistakes:
        mistakes.append(whole(folder).error("has no questions; write a file such as basics.yaml"))
    return placed, ids, mistakes


def file_questions(path: Path) -> tuple[list[Placed], set[str], list[BankError]]:
    """The questions of one file without mistakes, the ids of all, and the mistakes."""
    try:
        return tree_questions(*read_tree(path))
    except BankError as unreadable:
        return [], set(), list(unreadable.mistakes)


def tree_questions(
    entries: Any, place: Place, mistakes: list[BankError]
) -> tuple[list[Placed], set[str], list[BankError]]:
    """As `file_questions`, of values that were read already."""
    placed: list[Placed] = []
    ids: set[str] = set()
    if not isinstance(entries, list):
        return [], ids, [*mistakes, place.error("expected a list of questions, each starting with `- id:`")]
    for n, entry in enumerate(entries):
        question, found = read_question(entry, place.below(n))
        mistakes = mistakes + found
        ids |= {str(entry.get("id"))} if isinstance(entry, dict) else set()
        placed += [(question, place.below(n))] if question else []
    return placed, ids, mistakes


def _rubrics(folder: Path) -> tuple[dict[str, tuple[Rubric, Place]], dict[str, Path], list[BankError]]:
    """The rubrics without mistakes by question id, all files by question id, and the mistakes."""
    files, mistakes = _yaml_files(folder)
    rubrics: dict[str, tuple[Rubric, Place]] = {}
    for path in files:
        placed, found = file_rubric(path)
        mistakes += found
        if placed is not None:
            rubrics[path.stem] = placed
    return rubrics, {path.stem: path for path in files}, mistakes


def file_rubric(path: Path) -> tuple[tuple[Rubric, Place] | None, list[BankError]]:
    """The rubric of one file with its place, or None, and the mistakes."""
    try:
        return tree_rubric(*read_tree(path))
    except BankError as unreadable:
        return None, list(unreadable.mistakes)


def tree_rubric(
    tree: Any, place: Place, mistakes: list[BankError]
) -> tuple[tuple[Rubric, Place] | None, list[BankError]]:
    """As `file_rubric`, of values that were read already."""
    path = Path(place.file)
    if isinstance(tree, dict):
        named = tree.setdefault("question_id", path.stem)
        if named != path.stem:
            message = f"names {named!r}, but the file is called {path.name}; rename one"
            mistakes = [*mistakes, place.error(message, "question_id")]
    rubric, found = read_rubric(tree, place)
    mistakes = mistakes + found + (hint_mistakes(rubric, place) if rubric else [])
    return (None if rubric is None else (rubric, place)), mistakes
