"""A quantity of an answer taken as a figure of the rubric: right, near, wrong, or about something else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from math import inf, log, log1p, log10, sqrt
from typing import Literal

from tutor.grading.heard import Heard, Product, topic_words
from tutor.grading.units import BARE, COUNTED, FACTOR, Dims, Unit, parse_unit
from tutor.values import Figure

Status = Literal["right", "magnitude", "slip", "wrong", "missing"]
BEST_FIRST: tuple[Status, ...] = ("right", "magnitude", "slip", "wrong", "missing")

# A sharp value off by more is another value, not the order of magnitude: the labelled answers call 1.4 wrong.
NEAR_MISS = log(1.25)
# A worded size ("tens of GB") may miss by half a decade and still name the order of magnitude.
HALF_DECADE = log(sqrt(10.0))
# A wider range says the order of magnitude, not the value.
WIDEST_RIGHT_RANGE = 1.5
# A number further away than four powers of ten is about something else.
FARTHEST_WRONG = log(1e4)
# Small whole numbers without a unit are everywhere ("two reasons"): no evidence for a figure that has a unit.
SMALL_BARE = 10.0
# From here on a number without unit that differs from the target by a power of ten is no coincidence.
LARGE_BARE = 1e6
# How many characters before and behind a number its label's words may stand.
LABEL_BEFORE, LABEL_BEHIND = 45, 20
_STATED = re.compile(r"(?:\b(?:is|of|about|around|roughly|gives|at|equals|be|only)|[=≈:])\s?$")
_SAME = 1e-9


@dataclass(frozen=True)
class Wanted:
    """A figure with the value it asks for, in the figure's unit; `hint` has more words it may be said under."""

    figure: Figure
    target: float
    hint: str = ""

    @cached_property
    def topic(self) -> frozenset[str]:
        """The words that name the figure."""
        return topic_words(f"{self.figure.label} {self.hint}")

    @cached_property
    def unit(self) -> Unit:
        """The figure's unit. Raises ValueError where it is unknown."""
        return parse_unit(self.figure.unit)

    @cached_property
    def bare_scales(self) -> tuple[float, ...]:
        """What a number without unit may mean: the figure's unit, one it accepts, the base unit ("64 k" of bytes)."""
        kilo = (1.024,) if ("B", 1) in self.unit.dims else ()
        return (self.unit.scale, *(parse_unit(u).scale for u in self.figure.accept), 1.0, *kilo)

    @cached_property
    def is_pure(self) -> bool:
        """A factor, a share or a count: numbers without unit are its own kind."""
        return not _core(self.unit.dims)

    @property
    def is_factor(self) -> bool:
        """Whether it is a ratio, said as "50 times"."""
        return self.unit == FACTOR

    @cached_property
    def si(self) -> float:
        """The target in base units."""
        return self.target * self.unit.scale

    def distance(self, si_value: float) -> float:
        """|ln| of the ratio to the target; infinite where there is none (zero, another sign)."""
        if self.si == si_value:
            return 0.0
        ratio = si_value / self.si if self.si else 0.0
        return abs(log(ratio)) if 0 < ratio < inf else inf


@dataclass(frozen=True)
class Reading:
    """A quantity taken as one figure; `distance` is |ln| of the ratio to the target."""

    heard: Heard
    status: Status
    distance: float
    explicit: bool

    @property
    def rank(self) -> tuple[int, bool, float]:
        """Sorts readings: by status, those with a unit first, the nearest first."""
        return (BEST_FIRST.index(self.status), not self.explicit, round(self.distance, 6))


def reading_of(wanted: Wanted, heard: Heard, answer: str) -> Reading | None:
    """A quantity that is right or near as a figure; None if it is neither or cannot be meant."""
    scales = () if heard.echo else _scales(wanted, heard)
    if not scales:
        return None
    distance, scale = min((_spread_distance(wanted, heard, scale), scale) for scale in scales)
    status = _status(wanted, heard, answer, distance, scale)
    return Reading(heard, status, distance, heard.unit != BARE) if status else None


def wrong_of(wanted: Wanted, heard: Heard, answer: str) -> Reading | None:
    """A quantity that can only be meant as this figure and is off; None where it may be something else."""
    scales = _scales(wanted, heard)
    if not scales or not _is_meant(wanted, heard, answer) or _is_input(wanted.figure, heard):
        return None
    distance = min(wanted.distance(heard.quantity.value * scale) for scale in scales)
    near = distance <= FARTHEST_WRONG or _has_its_digits(wanted, heard.quantity.si_value)
    return Reading(heard, "wrong", distance, heard.unit != BARE) if near else None


def gives(wanted: Wanted, product: Product) -> bool:
    """Whether a product said in the answer has the figure's value as its true outcome."""
    outcomes = (product.si_value, *(product.value * scale for scale in wanted.bare_scales))
    return any(wanted.distance(outcome) <= log1p(wanted.figure.rel_tol) + _SAME for outcome in outcomes)


def _status(wanted: Wanted, heard: Heard, answer: str, distance: float, scale: float) -> Status | None:
    q = heard.quantity
    vague = q.low < q.high and q.high > WIDEST_RIGHT_RANGE * q.low
    if not vague and distance <= log1p(wanted.figure.rel_tol) + _SAME:
        return "right"
    if not _is_meant(wanted, heard, answer):
        return None
    near = (distance == 0 or wanted.distance(q.value * scale) <= HALF_DECADE) if vague else distance <= NEAR_MISS
    return "magnitude" if near else None


def _spread_distance(wanted: Wanted, heard: Heard, scale: float) -> float:
    """Distance of the target from a quantity or the nearest point of its range."""
    q = heard.quantity
    if q.low * scale < wanted.si < q.high * scale:
        return 0.0
    return min(wanted.distance(number * scale) for number in (q.low, q.value, q.high))


def _scales(wanted: Wanted, heard: Heard) -> tuple[float, ...]:
    """Factors from the number that was said to the figure's base units, one for each way to take it; () for none."""
    unit = heard.unit
    if unit == BARE:
        return () if heard.operand or not (wanted.is_pure or _is_telling(heard)) else wanted.bare_scales
    if not _same_kind(wanted.unit.dims, unit.dims):
        return ()
    step = 1.024 ** ("KMGTPE".find(unit.symbol[0]) + 1) if re.match("[KMGTPE]i?B", unit.symbol) else 1.0
    return (unit.scale, unit.scale / step if unit.symbol[1:2] == "i" else unit.scale * step)


def _is_telling(heard: Heard) -> bool:
    """Whether a number without unit can stand for a figure that has one: an outcome, not small, not the question's."""
    value = heard.quantity.value
    return not heard.asked and (value >= SMALL_BARE or value % 1 > 0)


def _same_kind(wanted: Dims, said: Dims) -> bool:
    """Whether two units measure the same: "per token" may be left out, FLOPS is FLOP or FLOP/s, "per second" a rate."""
    a, b = _core(wanted), _core(said)
    if a.get("FLOP") == 1 and b.get("FLOP") == 1:
        a, b = a | {"s": 0}, b | {"s": 0}
    elif said == (("s", -1),) and a.get("s") == -1:
        return True
    counted, told = ({n for n, power in dims if power > 0 and n in COUNTED} for dims in (wanted, said))
    return a == b and (counted == told or not counted or not told)


def _core(dims: Dims) -> dict[str, int]:
    return {name: power for name, power in dims if name not in COUNTED}


def _is_meant(wanted: Wanted, heard: Heard, answer: str) -> bool:
    """Whether a number that is off is said as this figure: in its kind of unit, under its name, or by its digits.

    Never where its sentence names another thing ("our GPU has 80 GB") or supposes another case.
    """
    if heard.operand or heard.asked or heard.supposed or (heard.topic and not heard.topic & wanted.topic):
        return False
    own_unit = heard.unit != BARE and heard.unit.dims == wanted.unit.dims and (heard.unit == FACTOR) == wanted.is_factor
    if wanted.is_pure:
        return own_unit or _is_labelled(wanted.figure, heard, answer)
    return heard.unit != BARE or _has_its_digits(wanted, heard.quantity.value)


def _has_its_digits(wanted: Wanted, value: float) -> bool:
    """Whether a large number is the target with another power of ten: 8.4e21 for 8.4e22."""
    ratio = value / wanted.si if value >= LARGE_BARE and wanted.si > 0 else 0.0
    if not 0 < ratio < inf:
        return False
    shift = log10(ratio)
    return abs(shift - round(shift)) <= log10(1 + wanted.figure.rel_tol)


def _is_input(figure: Figure, heard: Heard) -> bool:
    said = (heard.quantity.value, heard.quantity.si_value)
    return any(abs(value - number) <= _SAME * abs(value) for value in figure.inputs.values() for number in said)


def _is_labelled(figure: Figure, heard: Heard, answer: str) -> bool:
    """Whether a longer word of the figure's label stands near the number, for a small one with a "is" between."""
    q = heard.quantity
    before = re.split(r"[.;!?]\s|\n", answer[max(q.start - LABEL_BEFORE, 0) : q.start].lower())[-1]
    behind = re.split(r"[.,;!?]\s|\n", answer[q.end : q.end + LABEL_BEHIND].lower())[0]
    if abs(q.value) < SMALL_BARE and q.value % 1 == 0 and not _STATED.search(before):
        return False
    return any(w in before or w in behind for w in re.findall(r"[a-z]{6,}", figure.label.lower()))


def says_apart(wanted: Wanted, other: Wanted, heard: Heard, answer: str) -> bool:
    """Whether a word that only this one of two figures has stands by the number: the "1M" of "4 GiB at 1M"."""
    q = heard.quantity
    before = re.split(r"[.,;!?]\s|\n|\band\b", answer[max(q.start - LABEL_BEHIND, 0) : q.start].lower())[-1]
    behind = re.split(r"[.,;!?]\s|\n|\band\b", answer[q.end : q.end + LABEL_BEHIND].lower())[0]
    own, others = (set(re.findall(r"\w+", w.figure.label.lower())) for w in (wanted, other))
    return bool((own - others) & set(re.findall(r"\w+", f"{before} {behind}")))
