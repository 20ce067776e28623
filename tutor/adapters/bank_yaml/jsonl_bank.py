"""A bank as JSON lines: a question with its criteria and figures on each."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tutor.adapters.bank_yaml.jsonlines import MAX_MISTAKES, known, read_objects
from tutor.adapters.bank_yaml.places import Place
from tutor.adapters.bank_yaml.records import (
    Contents,
    Loaded,
    Placed,
    question_mistakes,
    read_question,
    read_rubric,
)
from tutor.errors import BankError
from tutor.formula import UNITS
from tutor.values import Criterion, Figure, Misconception, Question, Rubric

# Other spellings of the closed list, as people write them in JSON lines.
_UNIT_ALIASES: Mapping[str, str] = {
    "": "1",
    "byte": "B",
    "bytes": "B",
    "bits": "bit",
    "token": "tokens",
    "tokens/s": "token/s",
    "FLOPs": "FLOP",
    "FLOPS": "FLOP/s",
    "GFLOPS": "GFLOP/s",
    "TFLOPS": "TFLOP/s",
    "PFLOPS": "PFLOP/s",
    "FLOP/B": "FLOP/byte",
    "FLOPs/byte": "FLOP/byte",
    "bytes/token": "B/token",
    "second": "s",
    "seconds": "s",
    "hours": "h",
    "day": "days",
    "percent": "%",
    "times": "x",
    "µs": "us",
}


class JsonlBank(Loaded):
    """A question with its criteria and figures a line; keys that no format names are ignored.

    Raises:
        BankError: All mistakes, each with its line (BankErrors where there are several).
    """

    def __init__(self, path: Path) -> None:
        super().__init__(file_contents(path))


def file_contents(path: Path) -> Contents:
    """What stands in the file, right or wrong. Raises BankError when it cannot be read at all."""
    placed: list[Placed] = []
    rubrics: dict[str, tuple[Rubric, Place]] = {}
    mistakes: list[BankError] = []
    for place, tree in read_objects(path):
        if isinstance(tree, BankError):
            mistakes.append(tree)
        else:
            question, found = read_question(known(Question, tree), place)
            rubric, rubric_found = read_rubric(_rubric_part(tree, path.name), place)
            mistakes += found + rubric_found
            if question is not None and rubric is not None:
                named = question if question.title else question.model_copy(update={"title": question.topic})
                placed.append((named, place))
                rubrics.setdefault(question.id, (rubric.model_copy(update={"question_id": question.id}), place))
        if len(mistakes) >= MAX_MISTAKES:
            break
    mistakes = mistakes or question_mistakes(placed)
    if not placed and not mistakes:
        mistakes = [BankError(str(path), "has no questions; write one JSON object a line")]
    return Contents(str(path), placed, rubrics, mistakes)


def _rubric_part(tree: dict[str, Any], source: str) -> dict[str, Any]:
    part: dict[str, Any] = known(Rubric, tree)
    # Replaced by the question's id, which is checked (and reported) once, with the question.
    part["question_id"] = "unnamed"
    for name, model in (("criteria", Criterion), ("misconceptions", Misconception), ("figures", Figure)):
        if isinstance(part.get(name), list):
            part[name] = [known(model, member) for member in part[name]]
    if isinstance(part.get("figures"), list):
        part["figures"] = [_figure_part(figure, source) for figure in part["figures"]]
    return part


def _figure_part(figure: Any, source: str) -> Any:
    """A figure with its source and a unit of the closed list; another unit becomes part of the label."""
    if not isinstance(figure, dict):
        return figure
    figure = dict(figure)
    if figure.get("value") is not None and not figure.get("source"):
        figure["source"] = source
    unit = figure.get("unit", "")
    if isinstance(unit, str):
        figure["unit"] = _UNIT_ALIASES.get(unit, unit)
        if figure["unit"] not in UNITS and isinstance(figure.get("label"), str):
            figure |= {"label": f"{figure['label']} ({unit})", "unit": "1", "accept": []}
    return figure
