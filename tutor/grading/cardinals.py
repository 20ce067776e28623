"""Whole and decimal numbers as people say and type them: "one twenty eight", "3.5 million", "100 and 41".

A grammar of our own rather than `text2num`: that library returns rewritten text without offsets, splits spoken pairs
("one twenty eight" -> "1 28") and takes scale words for numbers of their own ("half a million" -> "half a 1000000").
Every parser takes the tokens and an index and returns what it read with the index behind it, or None.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tutor.grading.tokens import Token, glued, hyphen, kind, word

ONES = {w: v for v, w in enumerate("zero one two three four five six seven eight nine".split())}
TEENS = {w: v for v, w in enumerate("ten eleven twelve thirteen fourteen fifteen sixteen seventeen".split(), 10)}
TEENS |= {"eighteen": 18, "nineteen": 19}
TENS = {w: v * 10 for v, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
_SMALL = {**ONES, **TEENS, **TENS}
SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "quadrillion": 1e15}
SCALES |= {"bn": 1e9, "mn": 1e6, "tn": 1e12, "mln": 1e6, "mil": 1e6, "grand": 1e3, "dozen": 12.0}
_LETTERS = {"k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12}
_GLYPHS = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3, "⅛": 0.125, "⅕": 0.2}
_LARGEST_SCALE = 1e18
_LONGEST_DIGIT_RUN = 12


@dataclass(frozen=True)
class Number:
    """A number read from tokens.

    Attributes:
        end: Index of the next token.
        scale: Its last factor ("million").
        literal: It is written in digits.
        head: What it is without its last group: the "thirty two thousand" of "thirty two thousand and sixty four".
    """

    value: float
    low: float
    high: float
    end: int
    scale: float = 1.0
    literal: bool = False
    head: Number | None = None

    def times(self, factor: float, end: int) -> Number:
        """The same number multiplied, read up to `end`."""
        low, high = self.low * factor, self.high * factor
        return Number(self.value * factor, low, high, end, self.scale * factor, self.literal)


def exact(value: float, end: int, *, scale: float = 1.0, literal: bool = False) -> Number:
    """A number without a range."""
    return Number(float(value), float(value), float(value), end, scale, literal)


def _literal(toks: Sequence[Token], i: int) -> Number | None:
    """Digits: "151,936", "1e-4", "2½", the "1/3" of "1/3 of"."""
    if word(toks, i) in _GLYPHS:
        return exact(_GLYPHS[word(toks, i)], i + 1)
    if kind(toks, i) != "number":
        return None
    value = _typed(toks[i].text)
    if word(toks, i + 1) in _GLYPHS and glued(toks, i + 1):
        return exact(value + _GLYPHS[toks[i + 1].text], i + 2)
    if word(toks, i + 1) == "/" and word(toks, i + 3) == "of" and re.fullmatch("[1-9][0-9]?", word(toks, i + 2)):
        return exact(value / float(toks[i + 2].text), i + 3)
    return exact(value, i + 1, literal=True)


def _typed(digits: str) -> float:
    """The value of typed digits with thousands groups or a decimal comma: "151,936", "2,0", "0,125"."""
    if re.fullmatch("[0-9]+,(?:[0-9]{1,2}|[0-9]{4,})|0,[0-9]+", digits):
        return float(digits.replace(",", "."))
    return float(re.sub(r"[,_'’\s]", "", digits).replace("−", "-"))


def _small(toks: Sequence[Token], i: int) -> tuple[int, int] | None:
    """0 to 99 in words."""
    value = _SMALL.get(word(toks, i))
    if value is None:
        return None
    j = hyphen(toks, i + 1)
    if value >= 20 and ONES.get(word(toks, j), 0) > 0:
        return value + ONES[word(toks, j)], j + 1
    return value, i + 1


def _digit_run(toks: Sequence[Token], i: int) -> tuple[str, int]:
    """Digits said one by one: "three three five zero", "two oh four eight"."""
    run = ""
    while len(run) < _LONGEST_DIGIT_RUN and (word(toks, i) in ONES or (run and word(toks, i) in ("oh", "o"))):
        run, i = run + str(ONES.get(word(toks, i), 0)), i + 1
    return run, i


def _hundreds(toks: Sequence[Token], value: int, i: int, joined: bool) -> tuple[int, int]:
    """What follows "three hundred": "[and] twenty", but not the "two" of "three hundred two ninety five"."""
    has_and = word(toks, i) == "and"
    rest = _small(toks, i + has_and)
    if rest is None or rest[0] == 0 or (has_and and not joined):
        return value, i
    then = word(toks, rest[1])
    new_number = then == "hundred" or (not has_and and _small(toks, rest[1]) is not None)
    return (value, i) if new_number else (value + rest[0], rest[1])


def is_loose_pair(a: float, b: float) -> bool:
    """Whether "a b" is a loose range ("fourteen fifteen", "ten twenty") rather than the pair "ten twenty four"."""
    return a < b and (b == a + 1 or (a >= 10 and a % 5 == 0 and b % 5 == 0))


def _group(toks: Sequence[Token], i: int, joined: bool) -> tuple[int, int, bool] | None:
    """0 to 9999 in words with spoken pairs ("one twenty eight", "ten twenty four"); third: whether it was a pair."""
    run, end = _digit_run(toks, i)
    if len(run) >= 3 and word(toks, end) not in SCALES and word(toks, end) not in _SMALL:
        return int(run), end, False
    first = _small(toks, i)
    if first is None:
        return None
    value, j = first
    if value and word(toks, j) == "hundred":
        return *_hundreds(toks, value * 100, j + 1, joined), False
    second = _small(toks, hyphen(toks, j)) if value else None
    if second and second[0] >= 10 and word(toks, second[1]) != "hundred" and not is_loose_pair(value, second[0]):
        return value * 100 + second[0], second[1], True
    return value, j, False


def plain(toks: Sequence[Token], i: int, joined: bool = True) -> Number | None:
    """A number before its decimals and scale: digits, words, or the article of "a hundred"."""
    literal = _literal(toks, i)
    if literal:
        return literal
    group = _group(toks, i, joined)
    if group:
        value, end, paired = group
        following = _group(toks, end, joined) if paired and value < 1000 else None
        if following and following[2] and following[0] < 1000:
            return exact(value * 1000 + following[0], following[1])
        return exact(value, end)
    start = i + (word(toks, i) in ("a", "an"))
    if word(toks, start) == "hundred":
        value, end = _hundreds(toks, 100, start + 1, joined)
        return exact(value, end)
    return exact(1, start) if word(toks, start) in SCALES else None


def decimals(toks: Sequence[Token], number: Number) -> Number:
    """Takes "point three five" behind a number."""
    j = number.end
    if word(toks, j) != "point" or number.value % 1:
        return number
    run, end = _digit_run(toks, j + 1)
    while len(run) < _LONGEST_DIGIT_RUN and (pair := _small(toks, end)) and pair[0] >= 10:
        run, end = run + str(pair[0]), pair[1]
    if not run and re.fullmatch("[0-9]+", word(toks, j + 1)):
        run, end = toks[j + 1].text, j + 2
    return exact(float(f"{number.value:.0f}.{run}"), end) if run else number


def scaled(toks: Sequence[Token], number: Number) -> Number:
    """Takes the scale words and letters behind a number: "thousand", "hundred thousand", "B", "k"."""
    while number.scale < _LARGEST_SCALE:
        j = hyphen(toks, number.end)
        name = word(toks, j)
        if name in SCALES:
            number = number.times(SCALES[name], j + 1)
        elif number.scale == 1 and name in _LETTERS and _is_letter_scale(toks, j):
            return number.times(_LETTERS[name], j + 1)
        else:
            break
    return number


def _is_letter_scale(toks: Sequence[Token], j: int) -> bool:
    """Whether "k", "m", "b" or "t" behind a number is a scale rather than part of "k b", "2 B" or "5 m s"."""
    text, then = toks[j].text, word(toks, j + 1)
    if then in ("b", "bit", "bits", "byte", "bytes", "flop", "flops", "s", "f"):
        return False
    if (text == "B" and then in ("/", "per")) or (text in "kK" and then in ("v", "head", "heads", "vector", "/")):
        return False
    return glued(toks, j) or text in ("k", "K", "b", "M", "T") or then.startswith(("param", "token", "model"))


def _is_split(toks: Sequence[Token], number: Number) -> bool:
    """Whether a recogniser split "one hundred and forty one" into "100 and 41"."""
    whole = number.literal and number.scale == 1 and number.value in range(100, 1000, 100)
    return whole and word(toks, number.end) == "and" and kind(toks, number.end + 1) == "number"


def cardinal(toks: Sequence[Token], i: int, joined: bool = True) -> Number | None:
    """A sum of scaled groups: "sixty five thousand five thirty six", "100 and 41", "2.1 billion".

    >>> from tutor.grading.tokens import tokens
    >>> cardinal(tokens("three hundred twenty seven thousand six hundred eighty bytes"), 0).value
    327680.0
    """
    head = plain(toks, i, joined)
    if head is None:
        return None
    total = scaled(toks, decimals(toks, head))
    while (total.scale > 1 and word(toks, total.end - 1) not in _LETTERS) or _is_split(toks, total):
        j = total.end + (word(toks, total.end) == "and" and joined)
        rest = _smaller_group(toks, j, joined, total.scale if total.scale > 1 else 100)
        if rest is None:
            break
        sum_ = total.value + rest.value
        head = total if total.scale > 1 else None
        total = Number(sum_, sum_, sum_, rest.end, rest.scale, total.literal, head)
    return total


def _smaller_group(toks: Sequence[Token], j: int, joined: bool, limit: float) -> Number | None:
    """The next group of the same number: smaller than the last scale and not a number of its own."""
    if word(toks, j) in ("a", "an") or word(toks, j) in SCALES:
        return None
    group = plain(toks, j, joined)
    if group is None or decimals(toks, group) != group:
        return None
    group = scaled(toks, group)
    return group if 0 < group.value < limit and group.value % 1 == 0 else None
