"""`tutor import`: a file of questions and answers into the own bank, all of it or nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tutor.adapters.bank_yaml import (
    checked_set_name,
    has_rubrics,
    jsonl_records,
    read_import,
    shipped_bank,
    yaml_records,
)
from tutor.drafting import Drafted, Form, Imported, complete, drafted, found, imported
from tutor.errors import BankError
from tutor.ports import OwnBank
from tutor.settings import Settings
from tutor.wiring.bank import own_bank
from tutor.wiring.house import make_private

_FORMS: dict[str, Form] = {".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl"}
_LONGEST_NAME = 60


def import_file(
    settings: Settings, file: Path, set_name: str | None = None, *, replace: bool = False, dry_run: bool = False
) -> Imported:
    """Find the questions of a file, draft their rubrics, and store them as a set.

    Args:
        settings: Where the own bank lies.
        file: Markdown, plain text, CSV, JSON lines, or YAML as in a bank's `data`; it is told by the file's ending.
        set_name: Name of the set; made of the file's name when not given.
        replace: The set may be there already, and questions may take the place of those that come along.
        dry_run: Find and draft, but store nothing.

    Raises:
        BankError: All mistakes of the file with their lines, or why it cannot be stored; nothing was stored.
    """
    name = name_of(file) if set_name is None else checked_set_name(set_name)
    questions = _questions(file, name)
    own = own_bank(settings)
    if not replace:
        _refuse_known(questions, name, own, file)
    if not dry_run:
        make_private(settings.data_dir)
        own.put(name, [question.entry for question in questions], whole=True)
    return imported(questions, name, stored=not dry_run)


def name_of(file: Path) -> str:
    """The name of a file as that of a set.

    >>> name_of(Path("notes/My questions (2).md"))
    'my-questions-2'
    """
    name = re.sub(r"[^a-z0-9]+", "-", file.stem.lower()).strip("-")
    return name[:_LONGEST_NAME].strip("-") or "imported"


def _questions(file: Path, set_name: str) -> tuple[Drafted, ...]:
    text = read_import(file)
    ending = file.suffix.lower()
    if ending in (".yaml", ".yml"):
        return complete(yaml_records(text, file), set_name, str(file))
    form = _FORMS.get(ending, "page")
    if form == "jsonl" and has_rubrics(text):
        return complete(jsonl_records(file), set_name, str(file))
    return drafted(found(text, form, str(file)), set_name)


def _refuse_known(questions: Sequence[Drafted], set_name: str, own: OwnBank, file: Path) -> None:
    known = [entry.rubric.status for entry in own.entries() if entry.set_name == set_name]
    if known:
        n, n_reviewed = len(known), known.count("reviewed")
        message = f"the set {set_name!r} is there already with {n} question{'s' if n > 1 else ''}"
        message += f", {n_reviewed} of them reviewed" if n_reviewed else ""
        raise BankError(
            str(file), f"{message}; add --replace to put these in their place, or --set NAME for another set"
        )
    shipped = {question.id for question in shipped_bank().questions()}
    for question in questions:
        if question.entry.question.id in shipped:
            message = f"the question {question.entry.question.id!r} comes along with the program"
            raise BankError(str(file), f"{message}; add --replace to put this one in its place", line=question.line)
