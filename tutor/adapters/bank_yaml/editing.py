"""A question and the text of a rubric while somebody edits them, by the same rules as a bank's files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tutor.adapters.bank_yaml.places import Place, whole
from tutor.adapters.bank_yaml.records import read_question
from tutor.adapters.bank_yaml.sentences import leaves
from tutor.adapters.bank_yaml.tree import text_tree
from tutor.adapters.bank_yaml.writing import rubric_text
from tutor.adapters.bank_yaml.yaml_bank import tree_rubric
from tutor.drafting.question import MAX_ANSWER, MAX_NAME, MAX_QUESTION
from tutor.errors import BankError
from tutor.values import Question, Rubric

MAX_RUBRIC = 50_000
"""Characters of a rubric's text; what is longer is no rubric, and the lint would take long over it."""
MAX_TEXT = 2_000
"""Characters of any other text, but for these fields of a question, which are as long as an import may have them."""
_MOST = {
    "question": MAX_QUESTION,
    "reference_answer": MAX_ANSWER,
    **dict.fromkeys(("topic", "title", "chapter", "section"), MAX_NAME),
}
Read = tuple[Rubric | None, tuple[BankError, ...], Mapping[str, int]]
"""A rubric or None, all mistakes, and the line of each field by its dotted path."""


def edited_question(tree: Mapping[str, Any]) -> tuple[Question | None, tuple[BankError, ...]]:
    """The question of plain values, or None, and its mistakes."""
    place = whole("question")
    question, mistakes = read_question(dict(tree), place)
    mistakes += _too_long(tree, place, _MOST)
    return (None if mistakes else question), tuple(mistakes)


def edited_rubric(text: str, question_id: str) -> Read:
    """What a text says that is going to be the file of this question's rubric."""
    if len(text) > MAX_RUBRIC:
        return None, (whole("rubric").error(f"must have at most {MAX_RUBRIC} characters; shorten it"),), {}
    try:
        tree, place, found = text_tree(text.replace("\r\n", "\n"), _file(question_id))
    except BankError as unreadable:
        return None, unreadable.mistakes, {}
    placed, mistakes = tree_rubric(tree, place, found)
    mistakes += _too_long(tree, place, {})
    lines = {".".join(map(str, steps)): line for steps, line in place.lines.items()}
    return (placed[0] if placed and not mistakes else None), tuple(mistakes), lines


def rubric_as_text(rubric: Rubric) -> str:
    """The file of a rubric as text. Raises BankError for what a bank may not have."""
    return rubric_text(rubric, _file(rubric.question_id))


def _too_long(tree: Any, place: Place, most: Mapping[Any, int]) -> list[BankError]:
    """Texts longer than anybody reads; `most` is by name of the field at the root."""
    mistakes = []
    for steps, leaf in leaves(tree):
        limit = most.get(steps[0], MAX_TEXT) if steps else MAX_TEXT
        if isinstance(leaf, str) and len(leaf) > limit:
            mistakes.append(place.error(f"must have at most {limit} characters; shorten it", *steps))
    return mistakes


def _file(question_id: str) -> Path:
    return Path(f"{question_id}.yaml")
