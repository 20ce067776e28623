"""JSON lines: a value a line, unknown keys ignored, every mistake with its line number."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tutor.adapters.bank_yaml.places import Place, raise_all, read_text, unusable
from tutor.adapters.bank_yaml.sentences import validated
from tutor.errors import BankError
from tutor.labelled import AnswerLine
from tutor.values import Value

MAX_BYTES = 100_000_000
MAX_MISTAKES = 50
"""After this many the file is taken for something else and the rest is not read."""


def read_answers(path: Path, *, with_labels: bool = True) -> tuple[AnswerLine, ...]:
    """The answers of a file in its own order.

    Args:
        path: JSON lines with at least `question_id`, `answer_id` and `answer`.
        with_labels: Read `labels` and `overall`; otherwise they are not even looked at.

    Raises:
        BankError: All mistakes of the file, each with its line.
    """
    mistakes: list[BankError] = []
    answers: dict[tuple[str, str], AnswerLine] = {}
    lines: dict[tuple[str, str], int] = {}
    for place, tree in read_objects(path):
        answer, found = (None, [tree]) if isinstance(tree, BankError) else _answer(tree, place, with_labels)
        mistakes += found
        if len(mistakes) >= MAX_MISTAKES:
            break
        if answer is None:
            continue
        key, line = (answer.question_id, answer.answer_id), place.lines[()]
        if key in answers:
            message = f"the answer {key[1]!r} to {key[0]!r} stands already in line {lines[key]}; rename or delete one"
            mistakes.append(place.error(message, "answer_id"))
        answers.setdefault(key, answer)
        lines.setdefault(key, line)
    raise_all(mistakes)
    if not answers:
        raise BankError(str(path), "has no answers; write one JSON object a line")
    return tuple(answers.values())


def _answer(tree: dict[str, Any], place: Place, with_labels: bool) -> tuple[AnswerLine | None, list[BankError]]:
    kept = known(AnswerLine, tree)
    if not with_labels:
        kept = {name: value for name, value in kept.items() if name not in ("labels", "overall")}
    return validated(AnswerLine, kept, place, refused=unusable)


def known(model: type[Value], tree: Any) -> Any:
    """The mapping without keys the model does not have; anything else as it is."""
    if not isinstance(tree, dict):
        return tree
    return {name: value for name, value in tree.items() if name in model.model_fields}


def read_objects(path: Path) -> Iterator[tuple[Place, dict[str, Any] | BankError]]:
    """The place of each line that is not blank, and its object or why it is none.

    Raises:
        BankError: The file as a whole cannot be read.
    """
    for n, line in enumerate(read_text(path, max_bytes=MAX_BYTES).split("\n"), start=1):
        if not line.strip():
            continue
        place = Place(str(path), {(): n})
        try:
            yield place, _object(line)
        except ValueError as trouble:
            yield place, place.error(str(trouble))


def _object(line: str) -> dict[str, Any]:
    try:
        tree = json.loads(line, object_pairs_hook=_unique, parse_constant=_no_constant)
    except json.JSONDecodeError as trouble:
        raise ValueError(
            f"is not JSON at column {trouble.colno}: {trouble.msg}; write one whole object a line"
        ) from None
    except RecursionError:
        raise ValueError("is nested too deep") from None
    if not isinstance(tree, dict):
        raise ValueError('expected an object such as {"question_id": ...} on every line')
    return tree


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    tree = dict(pairs)
    if found := next(filter(None, map(unusable, tree)), None):
        raise ValueError(f"a key {found[1]}")
    if len(tree) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} stands twice; keep one")
    return tree


def _no_constant(word: str) -> float:
    raise ValueError(f"{word} is no number; write an ordinary number or null")
