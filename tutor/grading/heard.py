"""The quantities of an answer with what their surroundings say: denied, corrected, a factor, the question's own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tutor.grading.quantities import Quantity, quantities
from tutor.grading.units import Unit, parse_unit

_OPERATOR_BEFORE = re.compile(
    r"(?:[×·⋅*/÷^+−]|\b(?:times|over|by|minus|plus|e to the)|\b(?:log2?|log10|ln|exp|sqrt|square root)(?:\sof)?)"
    r"[\s(]?$",
    re.IGNORECASE,
)
_OPERATOR_BEHIND = re.compile(r"\s?(?:[×·⋅*/÷^+−]|(?:times|over|divided? by|minus|plus)\b)", re.IGNORECASE)
_PRODUCT = re.compile(
    r"\W{0,3}(?:\w+\s){0,2}\s?(?P<sign>[×·⋅*x/÷]|times|multiplied by|divided? by|over)\W{0,3}", re.IGNORECASE
)
_DENIED = re.compile(r"(?:\b(?:not|instead of|rather than)|n[’']t)\s(?:(?:a|an|about|just|the)\s)?$", re.IGNORECASE)
_CORRECTED = re.compile(
    r"\b(?:no wait|wait no|wait,|hang on|hold on|sorry|i mean|i meant|scratch that|correction|make that|or rather|no,|"
    r"actually|let me (?:redo|correct))",
    re.IGNORECASE,
)
_CORRECTION_REACH = 40
_CONTEXT = 40
_SAME = 1e-9


@dataclass(frozen=True)
class Heard:
    """A quantity of the answer that stands at the end.

    Attributes:
        unit: Its unit; the quantity keeps only the spelling.
        operand: It is a factor or summand of a calculation rather than its outcome.
        asked: The question says the same number.
        echo: It stands between the same words as in the question.
    """

    quantity: Quantity
    unit: Unit
    operand: bool
    asked: bool
    echo: bool


@dataclass(frozen=True)
class Product:
    """A calculation said in the answer: the outcome in base units and in the numbers as they were said."""

    si_value: float
    value: float
    start: int
    end: int


def listen(answer: str, question: str) -> tuple[Heard, ...]:
    """The quantities of an answer that are neither denied ("not 64 GB") nor corrected ("32, no wait, 64 gigs").

    >>> [h.quantity.text for h in listen("so 32, no wait, 64 gigs", "")]
    ['64 gigs']
    """
    said, asked = quantities(answer), quantities(question)
    standing = []
    for n, q in enumerate(said):
        before = answer[max(q.start - _CONTEXT, 0) : q.start]
        behind = answer[q.end : q.end + _CONTEXT]
        if _DENIED.search(before) or _is_corrected(q, said[n + 1 : n + 2], answer):
            continue
        operand = bool(_OPERATOR_BEFORE.search(before) or _OPERATOR_BEHIND.match(behind))
        same = [a for a in asked if abs(a.value - q.value) <= _SAME * abs(q.value)]
        echo = any(_same_words(question, a, answer, q) for a in same)
        standing.append(Heard(q, parse_unit(q.unit), operand, bool(same), echo))
    return tuple(standing)


def _is_corrected(q: Quantity, following: Sequence[Quantity], answer: str) -> bool:
    """Whether the next quantity, of the same kind or without unit on either side, replaces this one."""
    for later in following:
        same_kind = later.si_unit == q.si_unit or not later.si_unit or not q.si_unit
        between = answer[q.end : later.start]
        if same_kind and len(between) <= _CORRECTION_REACH and _CORRECTED.search(between):
            return True
    return False


def _same_words(question: str, a: Quantity, answer: str, b: Quantity) -> bool:
    """Whether a number is said as the question says it: with its unit, or the two words before or the one behind."""
    if a.unit and a.text.lower() == b.text.lower():
        return True
    before_a, before_b = (_words(t[max(q.start - _CONTEXT, 0) : q.start])[-2:] for t, q in ((question, a), (answer, b)))
    behind_a, behind_b = (_words(t[q.end : q.end + _CONTEXT])[:1] for t, q in ((question, a), (answer, b)))
    return (len(before_a) == 2 and before_a == before_b) or (behind_a != [] and behind_a == behind_b)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def products(heard: Sequence[Heard], answer: str) -> tuple[Product, ...]:
    """Calculations of at least two factors: "2 × 80 × 8 × 128 × 2 bytes", "273 divided by 27".

    >>> [p.value for p in products(listen("two times thirty two layers times eight heads", ""), "two times thirty two "
    ...     "layers times eight heads")]
    [512.0]
    """
    found: list[Product] = []
    running: Product | None = None
    for before, h in zip((None, *heard), heard, strict=False):
        q = h.quantity
        joined = _PRODUCT.fullmatch(answer[before.quantity.end : q.start]) if before else None
        if joined and running:
            divides = joined["sign"].lower() in ("/", "÷", "over") or joined["sign"].lower().startswith("div")
            running = _with_factor(running, q, divides)
        else:
            found += [running] if running else []
            running = Product(q.si_value, q.value, q.start, q.end)
    found += [running] if running else []
    lone = {(h.quantity.start, h.quantity.end) for h in heard}
    return tuple(p for p in found if (p.start, p.end) not in lone)


def _with_factor(product: Product, q: Quantity, divides: bool) -> Product:
    if divides:
        if not q.value or not q.si_value:
            return product
        return Product(product.si_value / q.si_value, product.value / q.value, product.start, q.end)
    return Product(product.si_value * q.si_value, product.value * q.value, product.start, q.end)
