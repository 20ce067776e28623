"""How words sound and how they are spelled out, as far as a recogniser's mistakes go: English, rough, deterministic."""

from __future__ import annotations

import re
from functools import lru_cache

# A hand-made folding in the spirit of Metaphone which keeps vowels, for bits and bytes differ in nothing else.
# Long vowels are capitals, S is sh or ch, 0 is th. The order matters: spellings of several letters come first.
_FOLDS = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        (r"c(?=[eiy])|z", "s"),
        (r"dg|g(?=[eiy])", "j"),
        (r"([aeiouy])([bcdfgjklmnprstv])e(?=[sd]?$)", r"\1:\2"),
        (r"a:|a[iy]|eigh", "A"),
        (r"[iy]:|igh", "I"),
        (r"e[eay]|ie", "E"),
        (r"o[oau]|ew|ow|[ou]:", "O"),
        (r"ph", "f"),
        (r"wh", "w"),
        (r"^kn", "n"),
        (r"^wr", "r"),
        (r"th", "0"),
        (r"[tsc]io", "So"),
        (r"(?:s|t?c)he?$|[sc]h", "S"),
        (r"ck|c|qu?", "k"),
        (r"x", "ks"),
        (r"y", "i"),
        (r"(.)\1+", r"\1"),
        (r"(?<=[^aeiou])e$", ""),
    )
)
# How the names of letters are written down by somebody who takes them for words.
_LETTER_NAMES = {
    name: letter
    for letter, names in {
        "a": "eh",
        "b": "be bee",
        "c": "see sea",
        "d": "dee",
        "e": "ee",
        "f": "eff ef",
        "g": "gee",
        "h": "age aitch",
        "i": "eye",
        "j": "jay",
        "k": "kay okay",
        "l": "el ell",
        "m": "em",
        "n": "en",
        "o": "oh",
        "p": "pea pee",
        "q": "cue queue",
        "r": "are",
        "s": "ess",
        "t": "tea tee",
        "u": "you",
        "v": "vee we",
        "x": "ex",
        "y": "why",
    }.items()
    for name in names.split()
}
_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split()
)
_NUMBER_NAMES = {
    **{name: str(number) for number, name in enumerate(_NUMBERS)},
    **{
        name: f"{tens}0" for tens, name in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
    },
    "hundred": "00",
}
_ENDING = re.compile(
    r"(?:|e|s|es|d|[bdfglmnprt]?(?:ed|ings?|ers?)|eing|iers?|ions?|ations?|ance|ors?|ive|ism|al|ally|ly|able"
    r"|y|ies|ied|ix|ices|um|a)"
)
# A stem has at least this many letters, and an ending takes at most three of those that two words share.
_LEAST_STEM = 3
_MOST_SHARED_ENDING = 3
_BRITISH = re.compile(r"is(?=e|ing|ation)")


def squashed(text: str) -> str:
    """Letters and digits only, in lower case.

    >>> squashed("Grouped-query attention")
    'groupedqueryattention'
    """
    return "".join(letter for letter in text.casefold() if letter.isalnum())


# The words of an answer come again and again, each in several runs.
@lru_cache(maxsize=4096)
def sound(word: str) -> str:
    """A key that words of like sound share.

    >>> sound("cash") == sound("cache"), sound("wait") == sound("weight"), sound("bits") == sound("bytes")
    (True, True, False)
    """
    key = squashed(word)
    for pattern, folded in _FOLDS:
        key = pattern.sub(folded, key)
    return key


def spelled_out(words: tuple[str, ...]) -> str:
    """The words as letters and digits, where they are the names of these.

    >>> spelled_out(("age", "one", "hundred"))
    'h100'
    """
    return "".join(_LETTER_NAMES.get(word) or _NUMBER_NAMES.get(word) or word for word in map(str.casefold, words))


def is_form_of(word: str, other: str) -> bool:
    """Whether two words differ in nothing but a grammatical ending or a British spelling.

    >>> is_form_of("decoding", "decode"), is_form_of("quantised", "quantize"), is_form_of("prefix", "prefill")
    (True, True, False)
    """
    first, second = (_BRITISH.sub("iz", squashed(text)) for text in (word, other))
    shared = _shared(first, second)
    # The last shared letters may belong to the endings: decod|er and decod|e, reject|ion and reject|ed.
    cuts = range(max(_LEAST_STEM, shared - _MOST_SHARED_ENDING), shared + 1)
    return first == second or any(_is_ending(first[cut:]) and _is_ending(second[cut:]) for cut in cuts)


def _is_ending(letters: str) -> bool:
    return _ENDING.fullmatch(letters) is not None


def _shared(first: str, second: str) -> int:
    """How many letters two words begin with alike."""
    pairs = zip(first, second, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))
