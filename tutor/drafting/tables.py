"""CSV and JSON lines: a question a row, columns by name in any case."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from tutor.drafting.pages import answer_text
from tutor.drafting.plain import without_tags, words_of
from tutor.drafting.question import MAX_MISTAKES, FoundQuestion, checked
from tutor.errors import BankError
from tutor.values import Kind

_COLUMNS: Mapping[str, str] = {
    "question": "question", "prompt": "question", "front": "question",
    "answer": "answer", "reference_answer": "answer", "reference answer": "answer", "reference": "answer",
    "back": "answer",
    "topic": "topic", "chapter": "topic", "title": "title", "section": "section", "kind": "kind", "id": "id",
}  # fmt: skip
_KINDS = ", ".join(Kind)
_DELIMITERS = ",;\t"
_WRITE = 'write {"question": ..., "answer": ...}'
_DECODER, _GAP = json.JSONDecoder(), re.compile(r"[\s,]*")
# What a spreadsheet writes above the header.
_SEPARATOR = re.compile(r"\Asep=.?[,;]*\n", re.IGNORECASE)


def csv_questions(text: str, file: str) -> tuple[FoundQuestion, ...]:
    """The questions of a table with a header; columns may be parted by commas, semicolons or tabs.

    Raises:
        BankError: All mistakes with their lines.
    """
    text = _SEPARATOR.sub("\n", text)
    header = text.lstrip("\n").split("\n", 1)[0]
    delimiter = max(_DELIMITERS, key=header.count)
    reader = csv.reader(
        (line + "\n" for line in text.split("\n")), delimiter=delimiter, strict=True, skipinitialspace=True
    )
    rows = _rows(reader, file)
    first = next(rows, None)
    if first is None:
        raise BankError(file, "is empty; the first line names the columns, such as question,answer,topic")
    if isinstance(first, BankError):
        raise first
    names = [_COLUMNS.get(name.strip().lower(), "") for name in first[1]]
    if missing := [wanted for wanted in ("question", "answer") if names.count(wanted) != 1]:
        message = (
            f"the columns need one called {' and one called '.join(missing)}; there are {', '.join(first[1])[:200]}"
        )
        raise BankError(file, message, line=1)
    return _questions(((n, _record(row, names)) for n, row in _sized(rows, len(names), file)), file)


def _rows(reader: Any, file: str) -> Iterator[tuple[int, list[str]] | BankError]:
    """Rows with the line they begin in; what cannot be read ends the reading."""
    begin = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield begin, row
            begin = reader.line_num + 1
    except csv.Error as trouble:
        yield BankError(file, f"is no row of a table ({trouble}); check its quotes", line=begin)


def _sized(
    rows: Iterator[tuple[int, list[str]] | BankError], n_columns: int, file: str
) -> Iterator[tuple[int, list[str] | BankError]]:
    for row in rows:
        if isinstance(row, BankError):
            yield row.line or 0, row
        elif len(row[1]) > n_columns:
            message = f"has {len(row[1])} cells for {n_columns} columns; put a cell with the separator in it in quotes"
            yield row[0], BankError(file, message, line=row[0])
        else:
            yield row


def _record(row: list[str] | BankError, names: list[str]) -> Mapping[str, Any] | BankError:
    return row if isinstance(row, BankError) else {name: cell for name, cell in zip(names, row, strict=False) if name}


def jsonl_questions(text: str, file: str) -> tuple[FoundQuestion, ...]:
    """The questions of objects with at least `question` and `answer` or `reference_answer`, one a line.

    Raises:
        BankError: All mistakes with their lines.
    """
    if text.lstrip().startswith("["):
        return _questions(_listed(text, file), file)
    lines = ((n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip())
    return _questions(((n, _object(line, n, file)) for n, line in lines), file)


def _listed(text: str, file: str) -> Iterator[tuple[int, Mapping[str, Any] | BankError]]:
    """The objects of one list, each with the line it begins in; what cannot be read ends the reading."""
    at = text.index("[") + 1
    line = text.count("\n", 0, at) + 1
    while True:
        gap = _GAP.match(text, at)
        begin = gap.end() if gap else at
        line += text.count("\n", at, begin)
        if text.startswith("]", begin):
            return
        try:
            tree, at = _DECODER.raw_decode(text, begin)
        except (ValueError, RecursionError):
            yield line, BankError(file, f"is no list of JSON objects here; {_WRITE} on every line instead", line=line)
            return
        if isinstance(tree, dict) and "criteria" in tree:
            yield (
                line,
                BankError(file, "has criteria; a bank is written with one object a line, not as a list", line=line),
            )
        else:
            yield line, _fields(tree, line, file)
        line += text.count("\n", begin, at)


def _object(line: str, n: int, file: str) -> Mapping[str, Any] | BankError:
    try:
        tree = json.loads(line)
    except (ValueError, RecursionError):
        tree = None
    return _fields(tree, n, file)


def _fields(tree: Any, n: int, file: str) -> Mapping[str, Any] | BankError:
    if not isinstance(tree, dict):
        return BankError(file, f"is no JSON object; {_WRITE} on every line", line=n)
    named = ((_COLUMNS.get(name.lower(), ""), value) for name, value in tree.items())
    return {name: value for name, value in named if name and value is not None}


def _questions(records: Iterator[tuple[int, Mapping[str, Any] | BankError]], file: str) -> tuple[FoundQuestion, ...]:
    found: list[FoundQuestion] = []
    mistakes: list[BankError] = []
    for n, record in records:
        made = record if isinstance(record, BankError) else _question(record, n, len(found) + 1, file)
        if isinstance(made, BankError):
            mistakes.append(made)
        else:
            found.append(made)
        if len(mistakes) >= MAX_MISTAKES:
            break
    return checked(found, mistakes, file)


def _question(record: Mapping[str, Any], line: int, number: int, file: str) -> FoundQuestion | BankError:
    if odd := next((name for name, value in record.items() if not isinstance(value, str)), None):
        return BankError(file, f"{odd} is not text; put it in quotes", line=line)
    cells = {name: without_tags(value) for name, value in record.items()}
    named = {name: " ".join(words_of(cell).split()) for name, cell in cells.items()}
    made = FoundQuestion(
        question=named.get("question", ""),
        answer=answer_text(cells.get("answer", "").splitlines()),
        line=line,
        number=number,
        topic=named.get("topic", ""),
        section=named.get("section", ""),
        title=named.get("title", ""),
        id=named.get("id", ""),
    )
    kind = cells.get("kind", "").strip().lower()
    if kind and kind not in tuple(Kind):
        return BankError(file, f"the kind {kind[:40]!r} is none of {_KINDS}", line=line)
    return replace(made, kind=Kind(kind)) if kind else made
