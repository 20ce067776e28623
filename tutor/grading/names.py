"""Names that contain numbers and are no quantities: H100, p99, FP16, "llama three", "a 70B model", "3rd", "1.2.3"."""

from __future__ import annotations

from collections.abc import Sequence

from tutor.grading.cardinals import Number
from tutor.grading.numerals import number_at
from tutor.grading.tokens import Token, glued, kind, word
from tutor.grading.units import BARE, FACTOR, unit_at

# A number right behind one of these belongs to it; single letters are names spelled out ("h one hundred", "p 99").
_FAMILIES = frozenset(
    """h p f l b t e age fp bf int llama lama llamas gpt qwen gemma phi claude mistral mixtral deepseek eagle cuda hbm
    nvlink pcie gen generation version rtx ampere hopper v tp pp dp ep top section chapter figure table step phase
    stage option case part question attention ultra medusa rouge bleu opt bert level tier""".split()
)
_LONE_LETTERS = frozenset("hpflbtev")
_MODEL_NOUNS = frozenset(
    """model models llm llms dense moe network networks checkpoint chat instruct base variant version class llama lama
    qwen transformer mistral coder size sized""".split()
)
_DETERMINERS = frozenset("a an the our this that your".split())
_PREFIXES = frozenset("sub pre non mid near about roughly around minus under over to by per of".split())
_ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th"})


def name_end(text: str, toks: Sequence[Token], i: int) -> int | None:
    """The index behind a name or label that starts at token i, None where there is none.

    >>> from tutor.grading.tokens import tokens
    >>> text = "Qwen3-0.6B has 28 layers"
    >>> name_end(text, tokens(text), 0), name_end(text, tokens(text), 5)
    (5, None)
    """
    if kind(toks, i) == "number":
        return _numbered(text, toks, i)
    if kind(toks, i) != "word":
        return _glued_end(toks, i + 1) if word(toks, i) in ("#", "_") and kind(toks, i + 1) == "number" else None
    if not (glued(toks, i) and kind(toks, i - 1) == "number") and _is_written_together(toks, i):
        return _with_size(toks, _glued_end(toks, i))
    return _spoken_name(toks, i)


def _is_written_together(toks: Sequence[Token], i: int) -> bool:
    """Letters with digits at their end: "H100", "GPT-4", but not "sub-10"."""
    if kind(toks, i + 1) == "number" and glued(toks, i + 1):
        return True
    dashed = word(toks, i + 1) in ("-", "‐", "‑", "_") and glued(toks, i + 1) and glued(toks, i + 2)
    return dashed and kind(toks, i + 2) == "number" and word(toks, i) not in _PREFIXES


def _glued_end(toks: Sequence[Token], i: int) -> int:
    """The index behind all tokens that are written together with token i: "Q4_K_M", "Llama-3.1-70B"."""
    i += 1
    while glued(toks, i) and (kind(toks, i) in ("word", "number") or (word(toks, i) in "-_." and glued(toks, i + 1))):
        i += 1
    return i


def _with_size(toks: Sequence[Token], end: int) -> int:
    """Takes the size behind a model's name: the "70B" of "Llama 3 70B"."""
    size = number_at(toks, end)
    return size.end if size and _is_model_size(toks, size) else end


def _is_model_size(toks: Sequence[Token], number: Number) -> bool:
    return number.scale == 1e9 and word(toks, number.end - 1) == "b" and unit_at(toks, number.end)[0] == BARE


def _spoken_name(toks: Sequence[Token], i: int) -> int | None:
    """A family name with its number apart: "llama three", "an h one hundred", "p ninety nine"."""
    name = word(toks, i)
    if name == "a" and word(toks, i + 1) == "one":
        return _a_one_hundred(toks, i)
    if name not in _FAMILIES or (glued(toks, i) and word(toks, i - 1) not in "-/("):
        return None
    number = number_at(toks, i + 1) if kind(toks, i + 1) in ("number", "word") else None
    if number is None or number.low != number.high or word(toks, i + 1) in _DETERMINERS:
        return None
    if name == "age" and number.value != 100:
        return None
    if unit_at(toks, number.end)[0] not in (BARE, FACTOR) and name not in _LONE_LETTERS:
        return None
    versioned = kind(toks, number.end) == "number" and glued(toks, number.end)
    return _glued_end(toks, number.end) if versioned else _with_size(toks, number.end)


def _a_one_hundred(toks: Sequence[Token], i: int) -> int | None:
    """The accelerator in "on a one hundreds"; "a one hundred gigabyte file" is a quantity."""
    if word(toks, i + 2) == "hundreds":
        return i + 3
    number = number_at(toks, i + 1)
    lone = number is not None and number.value == 100 and unit_at(toks, number.end)[0] == BARE
    return i + 3 if lone else None


def _numbered(text: str, toks: Sequence[Token], i: int) -> int | None:
    """A number that is no amount: "3rd", "3D", "1.2.3", the "1." of a list, the size of "a 70B model"."""
    if kind(toks, i + 1) == "number" and glued(toks, i + 1):
        return _glued_end(toks, i)
    if _is_list_mark(text, toks, i):
        return i + 2
    number = number_at(toks, i)
    if number is None:
        return i + 1
    if _is_model_size(toks, number):
        then = word(toks, number.end + (word(toks, number.end) == "-"))
        lone = word(toks, i - 1) in _DETERMINERS and not then.startswith(("param", "token", "weight"))
        return number.end if lone or then in _MODEL_NOUNS else None
    if number.end == i + 1 and kind(toks, i + 1) == "word" and glued(toks, i + 1):
        return i + 2 if unit_at(toks, i + 1)[0] == BARE and word(toks, i + 1) != "x" else None
    return None


def _is_list_mark(text: str, toks: Sequence[Token], i: int) -> bool:
    if word(toks, i + 1) not in (".", ")") or not glued(toks, i + 1) or glued(toks, i + 2) or i + 2 >= len(toks):
        return False
    return toks[i].text.isdigit() and (i == 0 or "\n" in text[toks[i - 1].end : toks[i].start])
