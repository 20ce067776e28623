"""What a drill is made of: plausible draws in a shuffled deck, steps with their formulas, and texts around them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from tutor.drills.saying import Said
from tutor.formula import evaluate, names
from tutor.values import Criterion, Figure, Kind, Misconception, Question, Rubric

Draw = Mapping[str, float | str]
"""What one drill is about: numbers for its formulas and words for its texts, by name."""

TARGET_S = 180
_NAMED = ("model", "gpu", "format")
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Step:
    """A number of the worked solution.

    Attributes:
        formula: Arithmetic over the draw's numbers and the steps before it.
        unit: One of `formula.UNITS`; a text says the number in it.
        rel_tol: How far a candidate's number may be off.
        accept: Other units it may be given in.
        digits: How many digits of it are said.
    """

    label: str
    formula: str
    unit: str
    rel_tol: float = 0.05
    accept: tuple[str, ...] = ()
    digits: int = 3


@dataclass(frozen=True)
class Point:
    """A criterion: texts with places for the draw and the steps, and the steps whose numbers show it."""

    text: str
    opposite: str
    weight: int = 1
    steps: tuple[str, ...] = ()


@dataclass(frozen=True)
class Drill:
    """One drill as any other question of a bank."""

    question: Question
    rubric: Rubric


@dataclass(frozen=True)
class Family:
    """A question whose numbers change.

    Attributes:
        name: The id's part before the "@".
        draws: All plausible draws; what would be absurd is not among them.
        settings: Ways to set the scene; each is followed by one of `asks`.
        asks: Ways to ask.
        steps: Name -> number of the solution, each after those it needs.
        solution: The reference answer.
        points: Criteria, with ids `<name>_c1` and so on for every seed.
        misconceptions: Pairs of a false statement and its correction.
    """

    name: str
    title: str
    topic: str
    chapter: str
    section: str
    difficulty: int
    draws: Callable[[], Iterable[Draw]]
    settings: tuple[str, ...]
    asks: tuple[str, ...]
    steps: Mapping[str, Step]
    solution: str
    points: tuple[Point, ...]
    misconceptions: tuple[tuple[str, str], ...]
    terms: tuple[str, ...]
    hints: tuple[str, str, str]

    @cached_property
    def deck(self) -> tuple[Draw, ...]:
        """Every draw once, shuffled by its hash: the same on all machines, and no number repeats before its end."""
        return tuple(sorted(self.draws(), key=lambda d: sha256(f"{self.name} {sorted(d.items())}".encode()).digest()))

    def draw(self, seed: int) -> Draw:
        """What the drill of this seed (0 or more) is about."""
        return self.deck[seed % len(self.deck)]

    def drill(self, seed: int) -> Drill:
        """The drill of a seed, the same for the same tables of models and machines."""
        drawn = self.draw(seed)
        texts = self._texts(drawn)
        wording = self.settings[seed % len(self.settings)], self.asks[seed // len(self.settings) % len(self.asks)]
        question = Question(
            id=f"{self.name}@{seed}",
            question=" ".join(wording).format(**texts),
            reference_answer=self.solution.format(**texts),
            kind=Kind.NUMERICAL,
            topic=self.topic,
            title=self.title,
            chapter=self.chapter,
            section=self.section,
            difficulty=self.difficulty,
            target_s=TARGET_S,
        )
        return Drill(question, self._rubric(question.id, drawn, texts))

    @cached_property
    def _formulas(self) -> Mapping[str, str]:
        """Each step's formula over the draw alone: earlier steps are put in where they are named."""
        whole: dict[str, str] = {}
        for name, step in self.steps.items():
            whole[name] = _NAME.sub(lambda m: f"({whole[m[0]]})" if m[0] in whole else m[0], step.formula)
        return whole

    @cached_property
    def _used(self) -> Mapping[str, frozenset[str]]:
        """The numbers of a draw that each step needs."""
        return {name: names(formula) for name, formula in self._formulas.items()}

    def _inputs(self, step: str, drawn: Draw) -> dict[str, float]:
        used = self._used[step]
        return {name: value for name, value in drawn.items() if name in used and not isinstance(value, str)}

    def _texts(self, drawn: Draw) -> dict[str, Said | str]:
        """What each place in a text says."""
        texts = {name: v if isinstance(v, str) else Said(v, digits=4) for name, v in drawn.items()}
        numbers = {name: v for name, v in drawn.items() if not isinstance(v, str)}
        for name, step in self.steps.items():
            numbers[name] = evaluate(step.formula, numbers)
            texts[name] = Said(numbers[name], step.unit, step.digits)
        return texts

    def _rubric(self, question_id: str, drawn: Draw, texts: Mapping[str, Said | str]) -> Rubric:
        ids = [f"{self.name}_c{n}" for n in range(1, len(self.points) + 1)]
        return Rubric(
            question_id=question_id,
            criteria=tuple(
                Criterion(id=id, text=p.text.format(**texts), weight=p.weight, opposite=p.opposite.format(**texts))
                for id, p in zip(ids, self.points, strict=True)
            ),
            figures=tuple(
                self._figure(id, step, drawn) for id, p in zip(ids, self.points, strict=True) for step in p.steps
            ),
            misconceptions=tuple(
                Misconception(id=f"{self.name}_m{n}", text=text.format(**texts), correction=correction.format(**texts))
                for n, (text, correction) in enumerate(self.misconceptions, 1)
            ),
            terms=(*self.terms, *self._names(drawn)),
            hints=self.hints,
            status="reviewed",
        )

    def _names(self, drawn: Draw) -> list[str]:
        """What the question calls by name, as a recogniser should spell it."""
        return [name for key in _NAMED if isinstance(name := drawn.get(key), str) and name not in self.terms]

    def _figure(self, criterion_id: str, name: str, drawn: Draw) -> Figure:
        step = self.steps[name]
        return Figure(
            criterion_id=criterion_id,
            label=step.label,
            formula=self._formulas[name],
            inputs=self._inputs(name, drawn),
            unit=step.unit,
            rel_tol=step.rel_tol,
            accept=step.accept,
        )
