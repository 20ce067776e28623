"""A file that somebody wants to import: looked at before it is read, then its text, or the records in it."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import NoReturn

from tutor.adapters.bank_yaml.jsonl_bank import file_contents
from tutor.adapters.bank_yaml.places import Place, decoded, raise_all, unseen, whole
from tutor.adapters.bank_yaml.tree import text_tree
from tutor.adapters.bank_yaml.yaml_bank import tree_questions
from tutor.values import Question, Rubric

MAX_BYTES = 5_000_000
Record = tuple[Question, Rubric | None, int]
"""A question that is whole, its rubric where the file has one, and its line."""
# Invisible characters that come along when text is copied from a page; they are dropped rather than refused.
_DROPPED = dict.fromkeys(map(ord, "\u200b\u2060\ufeff"))
_HEADS = {b"%PDF": "a PDF", b"PK\x03\x04": "an office document or an archive", b"\x1f\x8b": "an archive"}
_BYTES_OF_HEAD = 4


def read_import(path: Path) -> str:
    """The text of an ordinary file of at most 5 MB. Raises BankError; a file that is too large is not read at all."""
    place = whole(path)
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError) as trouble:
        _refuse(path, trouble)
    try:
        state = os.fstat(file)
        if not stat.S_ISREG(state.st_mode):
            raise place.error("is no ordinary file; name a text file")
        if state.st_size > MAX_BYTES:
            raise place.error(f"is larger than {MAX_BYTES // 10**6} MB; split it into several files")
        with open(file, "rb", closefd=False) as stream:
            return _text(stream.read(MAX_BYTES), path)
    finally:
        os.close(file)


def _refuse(path: Path, trouble: OSError | ValueError) -> NoReturn:
    place = whole(path)
    if path.is_symlink():
        raise place.error("is a link; name the file itself") from None
    raise place.error(f"cannot be read: {getattr(trouble, 'strerror', None) or trouble}") from None


def _text(raw: bytes, path: Path) -> str:
    place = whole(path)
    if kind := _HEADS.get(raw[:_BYTES_OF_HEAD]):
        raise place.error(f"is {kind}; save its text as Markdown, plain text or CSV")
    text = decoded(raw, place).replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise place.error("is empty")
    if found := unseen(text.translate(_DROPPED)):
        # The offset is that of the text without the dropped characters, whose line ends are the same.
        line = text.translate(_DROPPED).count("\n", 0, found[0]) + 1
        raise Place(str(path), {(): line}).error(f"{found[1]}; if this is no text, save it as text first")
    return text


def yaml_records(text: str, path: Path) -> tuple[Record, ...]:
    """A list of questions as a bank has them, without rubrics. Raises BankError."""
    placed, _, mistakes = tree_questions(*text_tree(text, path))
    raise_all(mistakes)
    return tuple((question, None, place.error("").line or 1) for question, place in placed)


def has_rubrics(text: str) -> bool:
    """Whether these JSON lines are a whole bank: the first object has criteria."""
    try:
        first = json.loads(text.lstrip().split("\n", 1)[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and "criteria" in first


def jsonl_records(path: Path) -> tuple[Record, ...]:
    """The questions of a bank of JSON lines with their rubrics. Raises BankError."""
    contents = file_contents(path)
    raise_all(contents.mistakes)
    return tuple((q, contents.rubrics[q.id][0], place.error("").line or 1) for q, place in contents.questions)
