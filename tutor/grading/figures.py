"""The numbers a rubric asks for, checked against the numbers an answer says: arithmetic, no model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import inf, log, log1p, sqrt
from typing import Literal

from tutor.grading.heard import Heard, Product, listen, products
from tutor.grading.units import BARE, COUNTED, FACTOR, Dims, Unit, parse_unit
from tutor.values import Figure, FigureFinding

FIGURES = "figures-1"
"""Version of these rules, for the fingerprint."""

Status = Literal["right", "magnitude", "slip", "wrong", "missing"]
_BEST_FIRST: tuple[Status, ...] = ("right", "magnitude", "slip", "wrong", "missing")

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
# How near a figure's own words must be to a number without unit that is called wrong.
LABEL_REACH = 60
_SAME = 1e-9


@dataclass(frozen=True)
class _Wanted:
    """A figure with the value it asks for, in the figure's unit."""

    figure: Figure
    target: float

    @cached_property
    def unit(self) -> Unit:
        return parse_unit(self.figure.unit)

    @cached_property
    def bare_scales(self) -> tuple[float, ...]:
        """What a number without unit may mean: the figure's unit, one it accepts, or the base unit."""
        return (self.unit.scale, *(parse_unit(u).scale for u in self.figure.accept), 1.0)

    @cached_property
    def is_pure(self) -> bool:
        """A factor, a share or a count: numbers without unit are its own kind."""
        return not _core(self.unit.dims)

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
class _Reading:
    """A quantity taken as one figure. A low `rank` is better evidence."""

    heard: Heard
    status: Status
    distance: float
    explicit: bool

    @property
    def rank(self) -> tuple[int, bool, float]:
        return (_BEST_FIRST.index(self.status), not self.explicit, round(self.distance, 6))


def check(figures: Sequence[tuple[Figure, float]], answer: str, question: str = "") -> tuple[FigureFinding, ...]:
    """One finding for each figure, in their order.

    `right` is a value inside `rel_tol` in any unit of the same kind (KB taken as KiB and the other way round; a number
    without unit in the figure's unit). `magnitude` is a size in words, a wide range, or a near miss. `wrong` is claimed
    only for a stated, sharp value of the same kind that no figure, input or word of the question explains; `slip` is
    such a wrong value where a product with the right outcome was said. The last version of a corrected number counts.

    Args:
        figures: Each figure with the value it asks for, in its own unit.
        answer: The candidate's words.
        question: The interviewer's words; the numbers they gave away are no evidence.

    Raises:
        ValueError: A figure's unit is unknown.

    >>> figure = Figure(criterion_id="c6", label="KV cache per token", value=320, source="guide", unit="KiB")
    >>> check([(figure, 320.0)], "so about a third of a meg per token")[0].status
    'right'
    """
    wanted = [_Wanted(figure, target) for figure, target in figures]
    heard = listen(answer, question)
    readings = [[r for h in heard if (r := _reading(w, h))] for w in wanted]
    explained = {id(r.heard) for of_one in readings for r in of_one if r.status == "right"}
    best = {n: min(of_one, key=lambda r: r.rank) for n, of_one in enumerate(readings) if of_one}
    best = {n: r for n, r in best.items() if r.status == "right" or id(r.heard) not in explained}
    spare = [h for h in heard if id(h) not in explained and h.quantity.low == h.quantity.high]
    open_ones = {n: w for n, w in enumerate(wanted) if n not in best}
    said = products(heard, answer)
    for n, r in _offered(open_ones, spare, answer).items():
        slip = any(_gives(wanted[n], p) for p in said)
        best[n] = _Reading(r.heard, "slip" if slip else "wrong", r.distance, r.explicit)
    return tuple(_finding(w, best.get(n)) for n, w in enumerate(wanted))


def combined(findings: Sequence[FigureFinding], rule: Literal["any", "all"] = "any") -> Status:
    """The status of a criterion from its figures: the best of them, or the worst where all belong together.

    >>> found = [FigureFinding(criterion_id="c", label=s, status=s) for s in ("right", "missing")]
    >>> combined(found), combined(found, "all")
    ('right', 'missing')
    """
    ranks = sorted(_BEST_FIRST.index(f.status) for f in findings) or [len(_BEST_FIRST) - 1]
    return _BEST_FIRST[ranks[0] if rule == "any" else ranks[-1]]


def _finding(wanted: _Wanted, reading: _Reading | None) -> FigureFinding:
    figure = wanted.figure
    if reading is None:
        return FigureFinding(criterion_id=figure.criterion_id, label=figure.label, status="missing")
    q = reading.heard.quantity
    return FigureFinding(
        criterion_id=figure.criterion_id,
        label=figure.label,
        status=reading.status,
        value=q.value,
        unit=q.unit,
        quote=q.text,
    )


def _reading(wanted: _Wanted, heard: Heard) -> _Reading | None:
    """A quantity that is right or near as a figure; None if it is neither or cannot be meant."""
    scales = () if heard.echo else _scales(wanted, heard)
    if not scales:
        return None
    distance, scale = min((_spread_distance(wanted, heard, scale), scale) for scale in scales)
    status = _status(wanted, heard, distance, scale)
    return _Reading(heard, status, distance, heard.unit != BARE) if status else None


def _status(wanted: _Wanted, heard: Heard, distance: float, scale: float) -> Status | None:
    q = heard.quantity
    vague = q.high > WIDEST_RIGHT_RANGE * q.low
    if not vague and distance <= log1p(wanted.figure.rel_tol) + _SAME:
        return "right"
    if heard.operand or heard.asked:
        return None
    near = (distance == 0 or wanted.distance(q.value * scale) <= HALF_DECADE) if vague else distance <= NEAR_MISS
    return "magnitude" if near else None


def _spread_distance(wanted: _Wanted, heard: Heard, scale: float) -> float:
    """Distance of the target from a quantity or the nearest point of its range."""
    q = heard.quantity
    if q.low * scale < wanted.si < q.high * scale:
        return 0.0
    return min(wanted.distance(number * scale) for number in (q.low, q.value, q.high))


def _scales(wanted: _Wanted, heard: Heard) -> tuple[float, ...]:
    """Factors from the number that was said to the figure's base units, one for each way to take it; () for none."""
    unit = heard.unit
    if unit == BARE:
        return wanted.bare_scales if wanted.is_pure or _is_telling(heard) else ()
    if not _same_kind(wanted.unit.dims, unit.dims):
        return ()
    step = 1.024 ** ("KMGTPE".find(unit.symbol[0]) + 1) if re.match("[KMGTPE]i?B", unit.symbol) else 1.0
    return (unit.scale, unit.scale / step if unit.symbol[1:2] == "i" else unit.scale * step)


def _is_telling(heard: Heard) -> bool:
    """Whether a number without unit can stand for a figure that has one: an outcome, not small, not the question's."""
    value = heard.quantity.value
    return not (heard.operand or heard.asked) and (value >= SMALL_BARE or value % 1 > 0)


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


def _offered(open_ones: Mapping[int, _Wanted], spare: Sequence[Heard], answer: str) -> dict[int, _Reading]:
    """Wrong values, each given to one open figure: the nearest pairs first, then swapped where that is nearer."""
    costs = {
        (n, h.quantity.start): reading
        for n, wanted in open_ones.items()
        for h in spare
        if (reading := _wrong(wanted, h, answer))
    }
    given: dict[int, int] = {}
    for n, start in sorted(costs, key=lambda pair: costs[pair].rank):
        if n not in given and start not in given.values():
            given[n] = start
    for a, b in combinations(given, 2):
        swapped = ((a, given[b]), (b, given[a]))
        if all(pair in costs for pair in swapped):
            kept = costs[a, given[a]].distance + costs[b, given[b]].distance
            if sum(costs[pair].distance for pair in swapped) < kept - _SAME:
                given.update(swapped)
    return {n: costs[n, start] for n, start in given.items()}


def _wrong(wanted: _Wanted, heard: Heard, answer: str) -> _Reading | None:
    """A quantity that can only be meant as this figure and is off; None where it may be something else."""
    if heard.operand or heard.asked or _is_input(wanted.figure, heard):
        return None
    scales = _scales(wanted, heard)
    said_unit = heard.unit not in (BARE, FACTOR) or (heard.unit == FACTOR and wanted.unit == FACTOR)
    if not scales or not (said_unit or (wanted.is_pure and _is_labelled(wanted.figure, heard, answer))):
        return None
    distance = min(wanted.distance(heard.quantity.value * scale) for scale in scales)
    return _Reading(heard, "wrong", distance, said_unit) if distance <= FARTHEST_WRONG else None


def _is_input(figure: Figure, heard: Heard) -> bool:
    said = (heard.quantity.value, heard.quantity.si_value)
    return any(abs(value - number) <= _SAME * abs(value) for value in figure.inputs.values() for number in said)


def _is_labelled(figure: Figure, heard: Heard, answer: str) -> bool:
    """Whether a longer word of the figure's label stands near the number."""
    q = heard.quantity
    near = answer[max(q.start - LABEL_REACH, 0) : q.end + LABEL_REACH].lower()
    return any(w in near for w in re.findall(r"[a-z]{6,}", figure.label.lower()))


def _gives(wanted: _Wanted, product: Product) -> bool:
    """Whether a product said in the answer has the figure's value as its true outcome."""
    outcomes = (product.si_value, *(product.value * scale for scale in wanted.bare_scales))
    return any(wanted.distance(outcome) <= log1p(wanted.figure.rel_tol) + _SAME for outcome in outcomes)
