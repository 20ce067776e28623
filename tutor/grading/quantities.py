"""Text -> the quantities in it, typed or spoken, each with its unit, its range and its exact place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, sqrt

from tutor.grading.cardinals import Number, exact, is_loose_pair
from tutor.grading.names import name_end
from tutor.grading.numerals import MINUS, number_at
from tutor.grading.tokens import Token, glued, kind, tokens, word
from tutor.grading.units import BARE, COUNTED, DOLLAR, Unit, named, unit_at

_DASHES = frozenset({"-", "–", "—", "−", "‐", "‑", "~"})
_POINTING = frozenset({"the", "these", "those", "both"})
# Words and signs behind which a lone "one" is a number rather than a pronoun.
_OPERATORS = frozenset("times plus minus equals batch size x × * / + = ≈".split())
# Words before the length of a context: "at thirty two thousand [and] two gigs" are two numbers.
_PLACES = frozenset({"at", "for", "with"})
_LENGTHS = frozenset({"context", "contexts", "length", "window", "sequence"})
_CHANGES = frozenset(
    """goes go went going drops drop dropped falls fall fell rises rise rose grows grow grew jumps jump jumped increases
    increase increased decreases decrease decreased reduces reduce reduced shrinks shrink shrank cut cuts down up
    improves improve improved changes change changed doubles moved moves move""".split()
)
# "A to B" further apart than this is not one estimate.
_WIDEST_RANGE = 1000.0
_WIDEST_ALTERNATIVES = 2.0
# "On the order of ten" leaves half a decade open on either side.
_HALF_DECADE = sqrt(10.0)


@dataclass(frozen=True)
class Quantity:
    """A number with a unit as it stands in a text.

    Attributes:
        value: What a reader would write down, in `unit`; the middle of a range.
        low: The least that the words leave open, in `unit`; equal to `value` for a plain number.
        high: The most that the words leave open, in `unit`.
        unit: Short spelling (`KB`, `TB/s`, `ms/token`, `%`, `x`), "" for a bare number.
        si_value: `value` in base units: bytes (1 KB = 1000, 1 KiB = 1024, 8 bits = 1), seconds, FLOP, a share for %.
        si_unit: The base units: `B`, `B/s`, `s`, `token/s`, `FLOP/byte`, "" for a pure number.
        start: Index of the first character.
        end: Index behind the last character: `text` is exactly `whole_text[start:end]`.
        text: The words themselves.
    """

    value: float
    low: float
    high: float
    unit: str
    si_value: float
    si_unit: str
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class _Amount:
    """A number with its unit, read from tokens up to `end`."""

    number: Number
    unit: Unit
    end: int


def quantities(text: str) -> tuple[Quantity, ...]:
    """All quantities of a text in their order; names such as H100, p99, FP16 or "70B model" are none.

    >>> [(q.value, q.unit, q.si_value) for q in quantities("an H100 reads three point three five terabytes a second")]
    [(3.35, 'TB/s', 3350000000000.0)]
    >>> [(q.low, q.high, q.text) for q in quantities("say 20 to 30 percent")]
    [(20.0, 30.0, '20 to 30 percent')]
    """
    toks = tokens(text)
    found: list[Quantity] = []
    i = 0
    while i < len(toks):
        behind_name = name_end(text, toks, i)
        amount = _amount(toks, i) if behind_name is None else None
        if amount and _counts(toks, i, amount):
            found.append(_quantity(text, toks, i, amount))
        i = behind_name or (amount.end if amount else i + 1)
    return tuple(found)


def _quantity(text: str, toks: Sequence[Token], i: int, amount: _Amount) -> Quantity:
    start, end = toks[i].start, toks[amount.end - 1].end
    number, unit = amount.number, amount.unit
    si = (number.value * unit.scale, unit.si)
    return Quantity(number.value, number.low, number.high, unit.symbol, *si, start, end, text[start:end])


def _counts(toks: Sequence[Token], i: int, amount: _Amount) -> bool:
    """Whether the number is an amount in its sentence: not the pronoun "one", "the two" or a mere "several"."""
    number, first = amount.number, word(toks, i)
    if not isfinite(number.high * amount.unit.scale):
        return False
    if amount.unit != BARE or kind(toks, i) != "word":
        return True
    if word(toks, amount.end - 1) in ("a", "an"):
        return False
    if number.end > i + 1:
        return (
            first not in ("a", "few", "several", "couple", "handful") or number.low == number.high or number.scale > 1
        )
    if first == "one":
        return word(toks, i - 1) in _OPERATORS
    return first != "zero" and number.low == number.high and word(toks, i - 1) not in _POINTING


def _amount(toks: Sequence[Token], i: int) -> _Amount | None:
    """What starts at token i: a price, a negative number, a range, a plain number, the article of "a gig"."""
    if word(toks, i) == "$":
        price = number_at(toks, i + 1) if glued(toks, i + 1) else None
        return _Amount(price, *unit_at(toks, price.end, DOLLAR)) if price else None
    if word(toks, i) in MINUS:
        positive = _single(toks, i + 1) if _is_sign(toks, i) else None
        return _Amount(exact(-positive.number.value, 0), positive.unit, positive.end) if positive else None
    between = word(toks, i - 1) == "between"
    first = _single(toks, i, joined=not between)
    if first is None:
        return _article(toks, i)
    spread = _range(toks, i, first)
    if spread is None and between:
        first = _single(toks, i) or first
        spread = _range(toks, i, first)
    return spread or _order_of_magnitude(toks, i, _with_unit_of_end(toks, i, first))


def _single(toks: Sequence[Token], i: int, joined: bool = True) -> _Amount | None:
    """One number with its unit, if it has one."""
    number = number_at(toks, i, joined)
    if number is None:
        return None
    unit, end = unit_at(toks, number.end)
    if number.head and _is_measured(unit) and _is_place(toks, i):
        return _Amount(number.head, *unit_at(toks, number.head.end))
    return _Amount(number, unit, end)


def _is_measured(unit: Unit) -> bool:
    """Whether it is a unit with a prefix, which nobody counts in thousands: GB, ms."""
    return bool(unit.dims) and unit.scale != 1 and unit.dims[0][0] not in COUNTED


def _is_place(toks: Sequence[Token], i: int) -> bool:
    """Whether the words before token i announce the length of a context: "at", "for", "a context of"."""
    return word(toks, i - 1) in _PLACES or (word(toks, i - 1) == "of" and word(toks, i - 2) in _LENGTHS)


def _is_sign(toks: Sequence[Token], i: int) -> bool:
    """Whether the minus at token i makes a number negative rather than subtracting it or joining words."""
    behind = word(toks, i - 1)
    if kind(toks, i - 1) in ("number", "power") or behind in (")", "]") or glued(toks, i):
        return False
    if kind(toks, i) == "word":
        return number_at(toks, i - 1) is None
    return glued(toks, i + 1) and kind(toks, i + 1) == "number"


def _article(toks: Sequence[Token], i: int) -> _Amount | None:
    """One of a unit: "a petaflop", "an hour and a half"."""
    if word(toks, i) not in ("a", "an"):
        return None
    found = named(toks, i + 1)
    if found is None or found[0].scale == 1 or found[0].symbol in ("bit", "%", "x"):
        return None
    unit, end = unit_at(toks, i + 1)
    half = [word(toks, j) for j in range(end, end + 3)] == ["and", "a", "half"]
    is_time = found[0].dims == (("s", 1),) and found[0].scale > 1
    if is_time and not half:
        return None
    return _Amount(exact(1.5 if half else 1.0, end), unit, end + 3 * half)


def _order_of_magnitude(toks: Sequence[Token], i: int, amount: _Amount) -> _Amount:
    number = amount.number
    if word(toks, i - 1) != "of" or word(toks, i - 2) not in ("order", "magnitude") or number.low < number.high:
        return amount
    wide = Number(number.value, number.value / _HALF_DECADE, number.value * _HALF_DECADE, number.end)
    return _Amount(wide, amount.unit, amount.end)


def _range(toks: Sequence[Token], i: int, first: _Amount) -> _Amount | None:
    """Two numbers that bound one estimate: "1.3 to 1.6", "between 20 and 30 percent", "25 ± 5", "fourteen fifteen"."""
    if first.number.low < first.number.high:
        return None
    joiner, j = _joiner(toks, i, first)
    second = _single(toks, j) if joiner else None
    if second is None or second.number.low < second.number.high:
        return None
    low, high = _shared(toks, first, second)
    if joiner == "±":
        middle, spread = low, second.number.value
        return _spread(middle - spread, middle + spread, second) if 0 <= spread <= middle else None
    if not 0 < low < high or not _fits(toks, i, joiner, low, high):
        return None
    return _spread(low, high, second if second.unit != BARE else _Amount(second.number, first.unit, second.end))


def _with_unit_of_end(toks: Sequence[Token], i: int, first: _Amount) -> _Amount:
    """The "80" of "drops from 80 to 8 GB" is in GB too."""
    if word(toks, i - 1) != "from" or first.unit != BARE or word(toks, first.end) != "to":
        return first
    last = _single(toks, first.end + 1)
    return _Amount(first.number, last.unit, first.end) if last else first


def _spread(low: float, high: float, last: _Amount) -> _Amount:
    return _Amount(Number((low + high) / 2, low, high, last.end), last.unit, last.end)


def _joiner(toks: Sequence[Token], i: int, first: _Amount) -> tuple[str, int]:
    """What joins the first number of a range to the second, and where the second starts; "" if nothing does."""
    j = first.end
    name = word(toks, j)
    if name == "and" and word(toks, i - 1) == "between":
        return "and", j + 1
    if name == "±":
        return "±", j + 1
    if [word(toks, k) for k in range(j, j + 3)] == ["plus", "or", "minus"]:
        return "±", j + 3
    if name == "to" and word(toks, j + 1) != "the":
        return "to", j + 1
    if name == "or":
        return "or", j + 1
    if name in _DASHES and (glued(toks, j) == glued(toks, j + 1)) and not (name == "−" and not glued(toks, j)):
        return "-", j + 1
    spoken = first.unit == BARE and kind(toks, i) == "word" and kind(toks, j) == "word"
    return ("pair", j) if spoken else ("", j)


def _shared(toks: Sequence[Token], first: _Amount, second: _Amount) -> tuple[float, float]:
    """Both ends in the second one's unit and scale: "two to three hundred", "900 KB to 1 MB"; (0, 0) if they differ."""
    low, high = first.number.value, second.number.value
    if first.unit not in (BARE, second.unit) and second.unit != BARE:
        if first.unit.dims != second.unit.dims:
            return 0.0, 0.0
        low *= first.unit.scale / second.unit.scale
    factor = 100.0 if word(toks, second.number.end - 1) == "hundred" else second.number.scale
    if first.number.scale == 1 and factor > 1 and first.unit == BARE and low < high / factor:
        low *= factor
    return low, high


def _fits(toks: Sequence[Token], i: int, joiner: str, low: float, high: float) -> bool:
    """Whether the ends are near enough for one estimate, and no change is told ("drops from 80 to 90")."""
    if joiner == "pair":
        return is_loose_pair(low, high)
    if joiner == "or":
        return high <= _WIDEST_ALTERNATIVES * low
    if joiner == "to" and word(toks, i - 1) == "from":
        return not any(word(toks, k) in _CHANGES for k in range(max(i - 4, 0), i))
    return high <= _WIDEST_RANGE * low
