"""Names that a speech recogniser gets wrong unless it is told of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tutor.formula import UNITS

# A name begins with a letter: `32K`, `4e17` and `70B` are numbers.
_WORD = re.compile(r"(?<![\w.'^])[^\W\d_][^\W_]*(?:-[^\W_]+)*")
# `BA` beside B and A is their product.
_VARIABLE = re.compile(r"\b[A-Z]\b")
_SENTENCE_START = re.compile(r"(?:^|[.:;?!\"“(]\s*|\n)$")
_FUNCTION = re.compile(r"(?:log|exp|sqrt)\d*")
# Any recogniser spells these right.
_EVERYDAY = frozenset({"ai", "api", "cpu", "gpu", "http", "https", "id", "pc", "url"})
_UNITS = frozenset(part.casefold() for unit in UNITS for part in unit.split("/"))


def missing_names(texts: Sequence[str], terms: Sequence[str]) -> tuple[str, ...]:
    """Names and abbreviations of the texts that stand in no term, each once, in their order.

    A name has a capital inside it, or digits after letters, or a capital in the middle of a sentence.

    >>> missing_names(["On an H100 the FlashAttention kernel reads 2 GiB of KV."], ["KV cache"])
    ('H100', 'FlashAttention')
    """
    known = frozenset(part for term in terms for word in _WORD.findall(term) for part in _parts(word))
    variables = frozenset(letter for text in texts for letter in _VARIABLE.findall(text))
    missing = {
        name.casefold(): name
        for text in texts
        for name in _names(text)
        if not _parts(name) <= known and not (len(name) == 2 and variables.issuperset(name))
    }
    return tuple(missing.values())


def _names(text: str) -> Iterator[str]:
    for found in _WORD.finditer(text):
        name = _singular(found[0])
        if len(name) > 1 and _is_name(name, text[: found.start()]) and not _is_plain(name):
            yield name


def _is_name(name: str, before: str) -> bool:
    has_digit = any(letter.isdigit() for letter in name)
    if has_digit or any(letter.isupper() for letter in name[1:]):
        return True
    return name[0].isupper() and not _SENTENCE_START.search(before)


def _is_plain(name: str) -> bool:
    return name.casefold() in _EVERYDAY | _UNITS or bool(_FUNCTION.fullmatch(name.casefold()))


def _singular(word: str) -> str:
    """`GPUs` -> `GPU`, `H100s` -> `H100`: an s after a capital or a digit is a plural."""
    return word[:-1] if word.endswith("s") and (word[-2:-1].isupper() or word[-2:-1].isdigit()) else word


def _parts(name: str) -> frozenset[str]:
    return frozenset(part.removesuffix("s") for part in name.casefold().split("-"))
