"""The numbers a rubric asks for, checked against the numbers an answer says: arithmetic, no model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from tutor.grading.heard import Heard, listen, products
from tutor.grading.readings import BEST_FIRST, Reading, Status, Wanted, gives, reading_of, says_apart, wrong_of
from tutor.values import Figure, FigureFinding

FIGURES = "figures-2"
"""Version of these rules, for the fingerprint."""

# Distances (natural logarithms) have to differ by more before a number counts as another figure's.
_CLEARLY = 0.02
_SAME = 1e-9


@dataclass(frozen=True)
class Found:
    """A finding with its place: `answer[start:end]` is the finding's quote; both None where there is none."""

    finding: FigureFinding
    start: int | None = None
    end: int | None = None


def check(figures: Sequence[tuple[Figure, float]], answer: str, question: str = "") -> tuple[FigureFinding, ...]:
    """One finding for each figure, in their order: `find` without the places.

    >>> figure = Figure(criterion_id="c6", label="KV cache per token", value=320, source="guide", unit="KiB")
    >>> check([(figure, 320.0)], "so about a third of a meg per token")[0].status
    'right'
    """
    return tuple(found.finding for found in find(figures, answer, question))


def find(
    figures: Sequence[tuple[Figure, float]], answer: str, question: str = "", hints: Sequence[str] = ()
) -> tuple[Found, ...]:
    """One finding with its place for each figure, in their order.

    `right` is a value inside `rel_tol` in any unit of the same kind (KB taken as KiB and the other way round; a number
    without unit in the figure's unit). `magnitude` is a size in words, a wide range, or a near miss. `wrong` is claimed
    only for a stated, sharp value of the same kind that no figure, input or word of the question explains and that is
    not said of another thing; `slip` is such a wrong value where a product with the right outcome was said. The last
    version of a corrected number counts.

    Args:
        figures: Each figure with the value it asks for, in its own unit.
        answer: The candidate's words.
        question: The interviewer's words; the numbers they gave away are no evidence.
        hints: More words that each figure may be said under, beside its label; none or one text per figure.

    Raises:
        ValueError: A figure's unit is unknown, or `hints` has another length than `figures`.

    >>> figure = Figure(criterion_id="c6", label="KV cache at 32K", value=2, source="guide", unit="GiB")
    >>> [(f.finding.status, f.start, f.end) for f in find([(figure, 2.0)], "32 GiB of HBM hold 2 GiB")]
    [('right', 19, 24)]
    """
    texts = hints or [""] * len(figures)
    wanted = [Wanted(figure, target, hint) for (figure, target), hint in zip(figures, texts, strict=True)]
    heard = listen(answer, question)
    readings = [[r for h in heard if (r := reading_of(w, h, answer))] for w in wanted]
    readings = [[r for r in of_one if not _is_nearer_elsewhere(r, readings)] for of_one in readings]
    explained = {id(r.heard) for of_one in readings for r in of_one if r.status == "right"}
    best = {n: min(of_one, key=lambda r: r.rank) for n, of_one in enumerate(readings) if of_one}
    best = {n: r for n, r in best.items() if r.status == "right" or id(r.heard) not in explained}
    spare = [h for h in heard if id(h) not in explained and h.quantity.low == h.quantity.high]
    met = [w for n, w in enumerate(wanted) if n in best]
    open_ones = {n: w for n, w in enumerate(wanted) if n not in best}
    said = products(heard, answer)
    for n, r in _offered(open_ones, met, spare, answer).items():
        slip = any(gives(wanted[n], p) for p in said)
        best[n] = Reading(r.heard, "slip" if slip else "wrong", r.distance, r.explicit)
    return tuple(_found(w, best.get(n)) for n, w in enumerate(wanted))


def combined(findings: Sequence[FigureFinding], rule: Literal["any", "all"] = "any") -> Status:
    """The status of a criterion from its figures.

    With `any` the best of them. With `all` a wrong one spoils it, and some right ones without the others are
    `magnitude`: partly made.

    >>> found = [FigureFinding(criterion_id="c", label=s, status=s) for s in ("right", "missing")]
    >>> combined(found), combined(found, "all")
    ('right', 'magnitude')
    """
    said = {f.status for f in findings}
    order: tuple[Status, ...] = BEST_FIRST if rule == "any" else ("wrong", "slip", "magnitude")
    for status in order:
        if status in said:
            return status
    return "missing" if "right" not in said else "right" if "missing" not in said else "magnitude"


def _is_nearer_elsewhere(reading: Reading, readings: Sequence[Sequence[Reading]]) -> bool:
    """Whether the quantity fits another figure clearly better: 55 is the perplexity 55.02, not "50 times" +- 20 %."""
    return any(
        r.heard is reading.heard and r.status == "right" and reading.distance > 2 * r.distance + _CLEARLY
        for of_one in readings
        for r in of_one
    )


def _belongs_elsewhere(reading: Reading, wanted: Wanted, others: Sequence[Wanted], met: int, answer: str) -> bool:
    """Whether a wrong value is said for another of the figures, or is nearer to one of the first `met`, that are met.

    "20 GB at 32K" is not the cache at 1M; of "in FP16 4 GiB, in FP8 2 GiB" the first is another case of the second.
    """
    rivals = [(n, other, r) for n, other in enumerate(others) if (r := wrong_of(other, reading.heard, answer))]
    return any(
        (says_apart(other, wanted, reading.heard, answer) or (n < met and r.distance < reading.distance))
        and not says_apart(wanted, other, reading.heard, answer)
        for n, other, r in rivals
    )


def _without(open_ones: Mapping[int, Wanted], n: int) -> list[Wanted]:
    return [wanted for m, wanted in open_ones.items() if m != n]


def _found(wanted: Wanted, reading: Reading | None) -> Found:
    figure = wanted.figure
    if reading is None:
        return Found(FigureFinding(criterion_id=figure.criterion_id, label=figure.label, status="missing"))
    q = reading.heard.quantity
    finding = FigureFinding(
        criterion_id=figure.criterion_id,
        label=figure.label,
        status=reading.status,
        value=q.value,
        unit=q.unit,
        quote=q.text,
    )
    return Found(finding, q.start, q.end)


def _offered(
    open_ones: Mapping[int, Wanted], met: Sequence[Wanted], spare: Sequence[Heard], answer: str
) -> dict[int, Reading]:
    """Wrong values, each given to one open figure: scarce first, then the nearest, swapped if that is nearer."""
    costs = {
        (n, h.quantity.start): reading
        for n, wanted in open_ones.items()
        for h in spare
        if (reading := wrong_of(wanted, h, answer))
        and not _belongs_elsewhere(reading, wanted, [*met, *_without(open_ones, n)], len(met), answer)
    }
    given: dict[int, int] = {}
    choices = Counter(n for n, _ in costs)
    for n, start in sorted(costs, key=lambda pair: (choices[pair[0]], costs[pair].rank)):
        if n not in given and start not in given.values():
            given[n] = start
    for a, b in combinations(given, 2):
        swapped = ((a, given[b]), (b, given[a]))
        if all(pair in costs for pair in swapped):
            kept = costs[a, given[a]].distance + costs[b, given[b]].distance
            if sum(costs[pair].distance for pair in swapped) < kept - _SAME:
                given.update(swapped)
    return {n: costs[n, start] for n, start in given.items()}
