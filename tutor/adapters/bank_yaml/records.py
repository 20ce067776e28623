"""One question, one rubric, and how all of them fit together."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

from tutor.adapters.bank_yaml.places import Place, raise_all
from tutor.adapters.bank_yaml.sentences import leaves, validated
from tutor.errors import BankError
from tutor.formula import UNITS, evaluate, names
from tutor.values import Figure, Question, Rubric

Placed = tuple[Question, Place]


def read_question(tree: Any, place: Place) -> tuple[Question | None, list[BankError]]:
    """The question, or None, and its mistakes."""
    question, mistakes = validated(Question, tree, place)
    return question, mistakes + _blanks(tree, place)


def read_rubric(tree: Any, place: Place) -> tuple[Rubric | None, list[BankError]]:
    """The rubric, or None, and its mistakes: fields, references inside it, figures."""
    references = _references(tree, place) if isinstance(tree, dict) else []
    rubric, mistakes = validated(Rubric, tree, place)
    if references:
        root = place.error("").field
        mistakes = references + [mistake for mistake in mistakes if mistake.field != root]
    if rubric is not None:
        for n, figure in enumerate(rubric.figures):
            mistakes += _figure(figure, place.below("figures", n))
    return rubric, mistakes + _blanks(tree, place)


def _blanks(tree: Any, place: Place) -> list[BankError]:
    blank = [steps for steps, leaf in leaves(tree) if isinstance(leaf, str) and leaf and not leaf.strip()]
    return [place.error("is blank; write something or leave the field out", *steps) for steps in blank]


def _references(tree: Mapping[str, Any], place: Place) -> list[BankError]:
    """Mistakes between the parts, found on plain values so that each has its own line."""
    criteria, figures = _mappings(tree, "criteria"), _mappings(tree, "figures")
    mistakes = []
    for part, members in (("criteria", criteria), ("misconceptions", _mappings(tree, "misconceptions"))):
        seen: set[Any] = set()
        for n, member in members:
            name = str(member.get("id"))
            if name in seen:
                mistakes.append(place.error(f"the id {name!r} stands twice; rename one", part, n, "id"))
            seen.add(name)
    known = [str(criterion.get("id")) for _, criterion in criteria]
    for n, figure in figures:
        wanted = str(figure.get("criterion_id"))
        if known and "criterion_id" in figure and wanted not in known:
            message = f"there is no criterion {wanted!r}; there are {', '.join(known)}"
            mistakes.append(place.error(message, "figures", n, "criterion_id"))
    if criteria and all(criterion.get("bonus") is True for _, criterion in criteria):
        mistakes.append(place.error("all criteria are a bonus; at least one must count", "criteria"))
    return mistakes


def _mappings(tree: Mapping[str, Any], part: str) -> list[tuple[int, Mapping[str, Any]]]:
    members = tree.get(part)
    if not isinstance(members, list):
        return []
    return [(n, member) for n, member in enumerate(members) if isinstance(member, dict)]


def _near(wanted: str, known: Collection[str]) -> str:
    near = [name for name in known if name.lower() == wanted.lower()] or difflib.get_close_matches(
        wanted, list(known), 1
    )
    return f"; did you mean {near[0]!r}?" if near else ""


def _figure(figure: Figure, place: Place) -> list[BankError]:
    mistakes = []
    for steps, unit in [(("unit",), figure.unit), *((("accept", n), u) for n, u in enumerate(figure.accept))]:
        if unit not in UNITS:
            advice = _near(unit, UNITS) or f"; the units are {', '.join(UNITS)}"
            mistakes.append(place.error(f"{unit!r} is not a known unit{advice}", *steps))
        elif figure.unit in UNITS and UNITS[unit][1] != UNITS[figure.unit][1]:
            mistakes.append(place.error(f"{unit} does not measure the same as {figure.unit}", *steps))
    if figure.formula is None:
        return mistakes + ([place.error("inputs need a formula", "inputs")] if figure.inputs else [])
    try:
        unused = sorted(set(figure.inputs) - names(figure.formula))
        evaluate(figure.formula, figure.inputs)
    except ValueError as trouble:
        return [*mistakes, place.error(f"the formula cannot be computed: {trouble}", "formula")]
    return mistakes + [place.error("the formula does not use this input", "inputs", name) for name in unused]


def hint_mistakes(rubric: Rubric, place: Place) -> list[BankError]:
    """A reviewed rubric has three hints; a draft has three or none."""
    n = len(rubric.hints)
    if n == 3 or (n == 0 and rubric.status == "draft"):
        return []
    return [place.error(f"a reviewed rubric has three hints, from faint to plain; found {n}", "hints")]


def question_mistakes(placed: Sequence[Placed]) -> list[BankError]:
    """Ids that stand twice, and prerequisites that do not exist or go in a circle."""
    first: dict[str, Place] = {}
    mistakes = repeated(placed, first)
    for question, place in placed:
        for n, wanted in enumerate(question.prerequisites):
            if wanted not in first:
                mistakes.append(
                    place.error(f"there is no question {wanted!r}{_near(wanted, first)}", "prerequisites", n)
                )
    return mistakes or _circle(placed)


def repeated(placed: Sequence[Placed], first: dict[str, Place]) -> list[BankError]:
    """Ids that stand twice; `first` is where each stood first, and takes in the new ones."""
    mistakes = []
    for question, place in placed:
        if question.id in first:
            earlier = first[question.id].error("", "id")
            where = earlier.file if earlier.line is None else f"{earlier.file}, line {earlier.line}"
            mistakes.append(place.error(f"the question {question.id!r} stands already in {where}; rename one", "id"))
        first.setdefault(question.id, place)
    return mistakes


def _circle(placed: Sequence[Placed]) -> list[BankError]:
    try:
        TopologicalSorter({question.id: question.prerequisites for question, _ in placed}).prepare()
    except CycleError as circle:
        ids = circle.args[1]
        place = next(place for question, place in placed if question.id == ids[0])
        return [place.error(f"the prerequisites go in a circle: {' - '.join(ids)}", "prerequisites")]
    return []


@dataclass(frozen=True)
class Contents:
    """What stands in a bank, with its places, also where the bank as a whole cannot be used.

    Attributes:
        name: Folder or file as the author knows it.
        questions: Those without a mistake in their fields, in the bank's own order.
        rubrics: Question id -> its rubric, where that is without mistakes.
        mistakes: All that was found.
    """

    name: str
    questions: Sequence[Placed]
    rubrics: Mapping[str, tuple[Rubric, Place]]
    mistakes: Sequence[BankError]


class Loaded:
    """A bank that was read whole."""

    def __init__(self, contents: Contents) -> None:
        """Take what was read. Raises BankError with all mistakes (BankErrors where there are several)."""
        raise_all(contents.mistakes)
        self._name = contents.name
        self._questions = tuple(question for question, _ in contents.questions)
        self._rubrics = {question_id: rubric for question_id, (rubric, _) in contents.rubrics.items()}

    def questions(self) -> tuple[Question, ...]:
        """All questions, in the bank's own order."""
        return self._questions

    def question(self, question_id: str) -> Question | None:
        """The question of an id, None for an unknown one."""
        return next((question for question in self._questions if question.id == question_id), None)

    def rubric(self, question_id: str) -> Rubric:
        """The rubric of a question. Raises BankError for an unknown id."""
        if question_id not in self._rubrics:
            raise BankError(self._name, f"there is no question {question_id!r}")
        return self._rubrics[question_id]
