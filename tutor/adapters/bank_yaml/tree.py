"""YAML of strangers as plain values with line numbers: no aliases, tags, duplicate keys or surprises.

Built from libyaml's event stream, so that nothing is constructed before it was checked. Unquoted words mean
what they look like: whole and decimal numbers, `true`, `false` and `null` are themselves, everything else
(`no`, `12:30`, `2024-01-01`) is text, as in YAML 1.2's core schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tutor.adapters.bank_yaml.places import Place, Steps, read_text, unseen, whole
from tutor.errors import BankError

MAX_BYTES = 2_000_000
MAX_DEPTH = 20
MAX_NODES = 50_000
MAX_DIGITS = 40
"""A longer numeral is no figure of a rubric; it stays text and its field refuses it."""

_INTEGER = re.compile(r"[-+]?[0-9]+")
_DECIMAL = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}


def read_tree(path: Path) -> tuple[Any, Place, list[BankError]]:
    """The file's values, the place of its root, and mistakes that do not stop the reading.

    Raises:
        BankError: The file cannot be read, is not YAML, or uses what is not allowed.
    """
    return text_tree(read_text(path, max_bytes=MAX_BYTES), path)


def text_tree(text: str, path: Path) -> tuple[Any, Place, list[BankError]]:
    """As `read_tree`, of a text that stands or is going to stand in the file. Raises BankError."""
    if found := unseen(text):
        raise BankError(str(path), found[1], line=text.count("\n", 0, found[0]) + 1)
    reader = _Reader(str(path))
    try:
        root = reader.document(yaml.parse(text, Loader=yaml.CSafeLoader))
    except yaml.MarkedYAMLError as trouble:
        raise _unreadable(path, trouble) from None
    return root, Place(str(path), reader.lines), reader.mistakes


def _unreadable(path: Path, trouble: yaml.MarkedYAMLError) -> BankError:
    mark = trouble.problem_mark
    column = f" at column {mark.column + 1}" if mark else ""
    advice = "check indentation, colons and quotes"
    return BankError(
        str(path), f"is not YAML{column}: {trouble.problem}; {advice}", line=mark.line + 1 if mark else None
    )


def _line(event: yaml.Event) -> int:
    mark = event.start_mark
    return mark.line + 1 if mark else 1


def plain(word: str) -> str | int | float | bool | None:
    """What an unquoted word means.

    >>> [plain(word) for word in ("3", "989e12", "3.10", "no", "12:30", "true", "~")]
    [3, 989000000000000.0, 3.1, 'no', '12:30', True, None]
    """
    if len(word) <= MAX_DIGITS:
        if _INTEGER.fullmatch(word):
            return int(word)
        if _DECIMAL.fullmatch(word):
            return float(word)
    return _WORDS.get(word.lower(), word)


class _Reader:
    """Recursive descent over the events; depth and size are bounded before anything is kept."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: dict[Steps, int] = {}
        self.mistakes: list[BankError] = []
        self.nodes = 0

    def document(self, events: Iterator[yaml.Event]) -> Any:
        next(events)
        if isinstance(next(events), yaml.StreamEndEvent):
            raise whole(self.file).error("is empty")
        root = self.value(events, next(events), ())
        next(events)
        if not isinstance(after := next(events), yaml.StreamEndEvent):
            raise self.refusal("a second document starts here; put everything into one", after)
        return root

    def value(self, events: Iterator[yaml.Event], event: yaml.Event, steps: Steps) -> Any:
        self.check(event, len(steps))
        self.lines.setdefault(steps, _line(event))
        match event:
            case yaml.ScalarEvent():
                return plain(event.value) if event.implicit[0] else event.value
            case yaml.SequenceStartEvent():
                return self.sequence(events, steps)
        return self.mapping(events, steps)

    def sequence(self, events: Iterator[yaml.Event], steps: Steps) -> list[Any]:
        values: list[Any] = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            values.append(self.value(events, event, (*steps, len(values))))
        return values

    def mapping(self, events: Iterator[yaml.Event], steps: Steps) -> dict[str, Any]:
        values: dict[str, Any] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            key = self.key(event, len(steps))
            line, here = _line(event), (*steps, key)
            if key in values:
                message = f"stands twice, first in line {self.lines[here]}; keep one"
                self.mistakes.append(BankError(self.file, message, line=line, field=".".join(map(str, here))))
            self.lines.setdefault(here, line)
            values.setdefault(key, self.value(events, next(events), here))
        return values

    def key(self, event: yaml.Event, depth: int) -> str:
        self.check(event, depth)
        if not isinstance(event, yaml.ScalarEvent):
            raise self.refusal("a field's name must be a word", event)
        if found := unseen(event.value):
            raise self.refusal(f"a field's name {found[1]}", event)
        return str(event.value)

    def check(self, event: yaml.Event, depth: int) -> None:
        if isinstance(event, yaml.AliasEvent):
            raise self.refusal(f"the alias *{event.anchor} is not allowed; write the text out", event)
        if (anchor := getattr(event, "anchor", None)) is not None:
            raise self.refusal(f"the anchor &{anchor} is not allowed; write the text out", event)
        if (tag := getattr(event, "tag", None)) is not None:
            raise self.refusal(f"the tag {tag} is not allowed; write plain text, numbers and lists", event)
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise self.refusal(f"more than {MAX_NODES} entries; split the file", event)
        if depth > MAX_DEPTH:
            raise self.refusal(f"nested more than {MAX_DEPTH} deep", event)

    def refusal(self, message: str, event: yaml.Event) -> BankError:
        return BankError(self.file, message, line=_line(event))
