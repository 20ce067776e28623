"""Fractions, powers and vague sizes on top of cardinals: "half a million", "8.4 times ten to the 22", "tens of"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isfinite, log10

from tutor.grading.cardinals import ONES, SCALES, TEENS, TENS, Number, cardinal, decimals, exact, plain, scaled
from tutor.grading.tokens import Token, glued, hyphen, kind, word

_PARTS = {"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8}
_PARTS |= {"ninth": 9, "tenth": 10, "sixteenth": 16, "hundredth": 100, "thousandth": 1000}
_ORDINALS = {"first": 1, "second": 2, "twelfth": 12, **{w: v for w, v in _PARTS.items() if 2 < v < 100}}
_ORDINALS |= {w + "th": v for w, v in TEENS.items()} | {w[:-1] + "ieth": v for w, v in TENS.items()}
_PARTS |= {w + "s": v for w, v in _PARTS.items()} | {"halves": 2}
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
# What a reader would write down for the vague words, with the low and high they leave open.
_VAGUE = {"couple": (2.0, 2.0, 3.0), "few": (3.0, 2.0, 6.0), "several": (5.0, 3.0, 9.0), "handful": (5.0, 3.0, 6.0)}
_DECADES = {"tens": 10.0, "dozens": 12.0, "hundreds": 1e2, "thousands": 1e3, "millions": 1e6, "billions": 1e9}
_DECADES |= {"trillions": 1e12}
TIMES = frozenset({"times", "×", "x", "*", "·", "⋅"})
MINUS = frozenset({"-", "−", "–", "minus", "negative"})
_LARGEST_EXPONENT = 300


def _exponent(toks: Sequence[Token], i: int) -> tuple[float, int] | None:
    """A signed exponent, as a cardinal or an ordinal: "minus four", "twentieth", "22nd", "thirty first"."""
    i += word(toks, i) in ("(", "{")
    sign = -1 if word(toks, i) in MINUS else 1
    i += word(toks, i) in MINUS or word(toks, i) in ("+", "plus")
    if word(toks, i) in _ORDINALS:
        return sign * _ORDINALS[word(toks, i)], i + 1
    number = plain(toks, i)
    if number is None:
        return None
    number = decimals(toks, number)
    j = hyphen(toks, number.end)
    if number.value in TENS.values() and _ORDINALS.get(word(toks, j), 99) < 10:
        return sign * (number.value + _ORDINALS[word(toks, j)]), j + 1
    return sign * number.value, number.end + (word(toks, number.end) in ("st", "nd", "rd", "th", ")", "}"))


def _power_sign(toks: Sequence[Token], i: int, loose: bool) -> int | None:
    """The index behind "^", "**", "to the [power [of]]" (after "times ten" also a mere "to")."""
    if word(toks, i) in ("^", "**"):
        return i + 1
    if word(toks, i) != "to" or (word(toks, i + 1) != "the" and not loose):
        return None
    i += 2 if word(toks, i + 1) == "the" else 1
    i += word(toks, i) == "power"
    return i + (word(toks, i) == "of")


def _raised(toks: Sequence[Token], number: Number, loose: bool = False) -> Number:
    """Takes a power behind a whole base: "2^20", "10²²", "two to the thirty one"."""
    j, exponent = number.end, None
    if number.value % 1 or number.value <= 0:
        return number
    if kind(toks, j) == "power" and glued(toks, j):
        digits = toks[j].text.translate(_SUPERSCRIPT)
        exponent = (float(digits), j + 1) if re.fullmatch("[+-]?[0-9]{1,6}", digits) else None
    else:
        start = _power_sign(toks, j, loose)
        exponent = _exponent(toks, start) if start is not None else None
    if exponent is None or abs(exponent[0]) * len(f"{number.value:.0f}") > _LARGEST_EXPONENT:
        return number
    return exact(number.value ** exponent[0], exponent[1])


def _scientific(toks: Sequence[Token], number: Number) -> Number:
    """Takes "times ten to the 22" or "e minus four" behind a mantissa."""
    j = number.end
    if word(toks, j) == "e" and number.scale == 1:
        exponent = _exponent(toks, j + 1)
        if exponent and abs(exponent[0]) <= _LARGEST_EXPONENT:
            return exact(_shifted(number.value, exponent[0]), exponent[1])
    base = plain(toks, j + 1) if word(toks, j) in TIMES else None
    if base is None or base.value != 10:
        return number
    power = _raised(toks, base, loose=True)
    return exact(_shifted(number.value, log10(power.value)), power.end) if power != base else number


def _shifted(mantissa: float, exponent: float) -> float:
    """mantissa times ten to the exponent, rounded as the decimal a person wrote."""
    if abs(exponent - round(exponent)) > 1e-9 or "e" in repr(mantissa):
        return float(mantissa * 10.0**exponent)
    return float(f"{mantissa!r}e{round(exponent)}")


def _vague(toks: Sequence[Token], i: int) -> Number | None:
    """A number that only names its size: "tens of", "a few hundred", "a couple of"."""
    i += word(toks, i) in ("a", "an")
    if word(toks, i) in _DECADES:
        return _decade(toks, i, Number(3.0, 1.0, 10.0, i))
    if word(toks, i) not in _VAGUE:
        return None
    number = Number(*_VAGUE[word(toks, i)], i + 1 + (word(toks, i + 1) == "of"))
    if word(toks, number.end) in _DECADES:
        return _decade(toks, number.end, number)
    return scaled(toks, number)


def _decade(toks: Sequence[Token], i: int, number: Number) -> Number:
    """Takes "hundreds of thousands of" and multiplies the number by it."""
    while word(toks, i) in _DECADES and number.scale < SCALES["quadrillion"]:
        number = number.times(_DECADES[word(toks, i)], i + 1 + (word(toks, i + 1) == "of"))
        i = number.end
    return number


def _fraction(toks: Sequence[Token], i: int) -> Number | None:
    """A part of something: "half a", "a third of a", "two thirds", "three quarters of a"."""
    first = word(toks, i)
    counted = first in ("a", "an") or first in ONES
    j = hyphen(toks, i + 1) if counted else i
    part = _PARTS.get(word(toks, j))
    if part is None:
        return None
    of = word(toks, j + 1) == "of"
    article = word(toks, j + 1 + of) in ("a", "an") and (of or part == 2)
    if counted:
        sure = of or first in ONES or part in (2, 4)
    else:
        sure = article or (first == "half" and word(toks, j + 1) in SCALES)
    if not sure:
        return None
    return scaled(toks, exact(ONES.get(first, 1) / part, j + 2 + of if article else j + 1))


def _mixed(toks: Sequence[Token], number: Number) -> Number:
    """Takes "and a half" behind a whole number, and a scale behind that: "one and a half million"."""
    if word(toks, number.end) != "and" or number.value % 1 or number.scale != 1:
        return number
    part = _fraction(toks, number.end + 1)
    if part is None or word(toks, part.end - 1) in ("a", "an"):
        return number
    return exact(number.value + part.value / part.scale, part.end).times(part.scale, part.end)


def number_at(toks: Sequence[Token], i: int, joined: bool = True) -> Number | None:
    """The longest number that starts at token i, or None; `joined=False` leaves "and" alone ("between 100 and 50").

    >>> from tutor.grading.tokens import tokens
    >>> number_at(tokens("eight point four times ten to the twenty two flops"), 0).value
    8.4e+22
    >>> number_at(tokens("one twenty eight"), 0).value
    128.0
    """
    number = _vague(toks, i) or _fraction(toks, i)
    if number:
        return number
    if word(toks, i) == "point":
        fraction = decimals(toks, exact(0, i))
        number = scaled(toks, fraction) if fraction.end > i else None
    else:
        number = cardinal(toks, i, joined)
    if number is None:
        return None
    number = _scientific(toks, _raised(toks, _mixed(toks, number)))
    return number if isfinite(number.high) else None
