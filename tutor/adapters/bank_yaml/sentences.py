"""Plain values -> our nouns, with every mistake as a sentence for the author."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from tutor.adapters.bank_yaml.places import Place, Step, Steps, unseen
from tutor.errors import BankError
from tutor.values import Criterion, Figure, Misconception, Value

V = TypeVar("V", bound=Value)
Refused = Callable[[str], tuple[int, str] | None]
MAX_DEPTH = 20
_PARTS: Mapping[Step, type[Value]] = {"criteria": Criterion, "figures": Figure, "misconceptions": Misconception}


def validated(
    model: type[V], tree: Any, place: Place, *, refused: Refused = unseen
) -> tuple[V | None, list[BankError]]:
    """The value and no mistakes, or None and all of them.

    Types are strict: a number is no text and `"3"` is no number, so that nobody is surprised.

    Args:
        model: What it should be.
        tree: Plain values as YAML or JSON give them.
        place: Where they stand.
        refused: Finds the first character of a text that may not be in it, and says why.
    """
    deep = next((steps for steps, _ in leaves(tree) if len(steps) > MAX_DEPTH), None)
    if deep is not None:
        return None, [place.error(f"nested more than {MAX_DEPTH} deep", *deep[:1])]
    texts = ((steps, refused(leaf)) for steps, leaf in leaves(tree) if isinstance(leaf, str))
    if odd := [place.error(found[1], *steps) for steps, found in texts if found]:
        return None, odd
    try:
        return model.model_validate_json(json.dumps(tree), strict=True), []
    except ValidationError as trouble:
        details = [detail for detail in trouble.errors(include_url=False) if not _echo(detail)]
        return None, [place.error(_sentence(model, detail), *_steps(detail)) for detail in details]


def _echo(detail: ErrorDetails) -> bool:
    """A list counts as too short once its entries were refused, each with its own sentence."""
    return detail["type"] == "too_short" and bool(detail["input"])


def leaves(tree: Any) -> Iterator[tuple[Steps, Any]]:
    """Every value that is no list or mapping, with its path; stops going down one level below MAX_DEPTH.

    >>> list(leaves({"a": [1, {"b": None}]}))
    [(('a', 0), 1), (('a', 1, 'b'), None)]
    """
    todo: list[tuple[Steps, Any]] = [((), tree)]
    while todo:
        steps, value = todo.pop()
        deeper = len(steps) <= MAX_DEPTH
        if isinstance(value, dict) and deeper:
            todo += [((*steps, key), part) for key, part in reversed(value.items())]
        elif isinstance(value, list) and deeper:
            todo += [((*steps, n), part) for n, part in reversed(list(enumerate(value)))]
        else:
            yield steps, value


def _steps(detail: ErrorDetails) -> Steps:
    return tuple(step for step in detail["loc"] if step != "[key]")


def _sentence(model: type[Value], detail: ErrorDetails) -> str:
    kind = detail["type"]
    if kind == "missing":
        return "is missing; add it"
    if kind == "extra_forbidden":
        return _unknown(model, detail["loc"])
    if kind == "value_error":
        return str(detail.get("ctx", {}).get("error", detail["msg"]))
    expected = _EXPECTED[kind](detail.get("ctx", {})) if kind in _EXPECTED else detail["msg"]
    advice = ", put it in quotes if it is text" if kind == "string_type" and detail["input"] is not None else ""
    return f"{expected}; found {_shown(detail['input'])}{advice}"


_Context = dict[str, Any]
_EXPECTED: Mapping[str, Callable[[_Context], str]] = {
    "string_type": lambda _: "expected text",
    "string_too_short": lambda _: "must not be empty",
    "string_too_long": lambda context: f"must have at most {context['max_length']} characters",
    "string_pattern_mismatch": lambda _: "must start with a letter or digit and use only letters, digits and . _ @ -",
    "int_type": lambda _: "expected a whole number",
    "int_from_float": lambda _: "expected a whole number",
    "float_type": lambda _: "expected a number",
    "finite_number": lambda _: "expected an ordinary number, neither infinite nor NaN",
    "bool_type": lambda _: "expected true or false",
    "greater_than_equal": lambda context: f"must be at least {context['ge']}",
    "less_than_equal": lambda context: f"must be at most {context['le']}",
    "literal_error": lambda context: f"expected {context['expected']}",
    "enum": lambda context: f"expected {context['expected']}",
    "tuple_type": lambda _: "expected a list",
    "dict_type": lambda _: "expected named fields",
    "model_type": lambda _: "expected named fields",
    "too_short": lambda context: f"needs at least {context['min_length']}",
}


def _unknown(model: type[Value], steps: tuple[Step, ...]) -> str:
    owner = _PARTS.get(steps[0], model) if len(steps) > 1 else model
    near = difflib.get_close_matches(str(steps[-1]), owner.model_fields, n=1)
    if near:
        return f"is not a field here; did you mean {near[0]!r}?"
    return f"is not a field here; the fields are {', '.join(owner.model_fields)}"


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, bool | str | int | float) else ""
    if not text:
        return ("a list" if value else "an empty list") if isinstance(value, list) else "named fields"
    return text if len(text) <= 60 else text[:57] + "..."
