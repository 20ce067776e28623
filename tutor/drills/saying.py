"""Numbers as somebody says them in an interview: three digits, a word for the size, a word for the unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_WORDS: Mapping[str, str] = {
    "1": "",
    "x": "times",
    "%": "percent",
    "B": "bytes",
    "bit": "bits",
    "s": "seconds",
    "FLOP": "FLOPs",
    "FLOP/byte": "FLOPs per byte",
    "token/s": "tokens per second",
    "requests/s": "requests per second",
    "USD": "dollars",
}
_SIZES = ((1e12, "trillion"), (1e9, "billion"), (1e6, "million"))
# Smaller whole numbers are said to the last digit, larger ones need no more than three.
_LONGEST_EXACT = 1e6
# From here on one says a power of ten.
_LONGEST_WORDED = 1e14


@dataclass(frozen=True)
class Said:
    """A number that a text names: plainly with its unit, as `{x:n}` without the unit, as `{x:%}` as a percentage.

    Attributes:
        unit: One of `formula.UNITS`.
        digits: How many digits are said of a number that is not whole.

    >>> cache = Said(5.36870912, "GiB")
    >>> f"{cache}, {cache:n}, {Said(0.4):%}, {Said(327680.0, 'B')}, {Said(70.55e9, digits=4)}, {Said(8.4e22, 'FLOP')}"
    '5.37 GiB, 5.37, 40%, 327,680 bytes, 70.55 billion, 8.4e22 FLOPs'
    """

    value: float
    unit: str = "1"
    digits: int = 3

    def __format__(self, spec: str) -> str:
        if spec == "%":
            return f"{_plain(100 * self.value, self.digits)}%"
        word = "" if spec == "n" else _WORDS.get(self.unit, self.unit)
        return f"{_plain(self.value, self.digits)} {word}".rstrip()


def _plain(value: float, digits: int) -> str:
    if abs(value - round(value)) < 1e-9 * max(abs(value), 1.0) and abs(value) < _LONGEST_EXACT:
        return f"{round(value):,}"
    if value >= _LONGEST_WORDED:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        return f"{float(mantissa):g}e{int(exponent)}"
    rounded = float(f"{value:.{digits}g}")
    for size, word in _SIZES:
        if rounded >= size:
            return f"{rounded / size:.{digits}g} {word}"
    return f"{rounded:,.0f}" if rounded >= 10 ** (digits - 1) else f"{rounded:.{digits}g}"
