"""Words, numbers and signs of an answer with their character offsets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

# A comma is a decimal point before a unit unless three digits follow: "2,0 GiB", "0,125 ms", but "layers 2,3 and 4".
_DECIMAL_COMMA = (
    r"(?<![0-9,])(?:[0-9]+,(?:[0-9]{1,2}|[0-9]{4,})|0,[0-9]+)(?![0-9,])"
    r"(?=\s?(?:(?:[kKMGTPE]?(?:i?[Bb](?:ps)?|FLOPs?|FLOPS|OPS)|[mµμun]?s|x)\b|%"
    r"|(?:bytes?|bits?|gig|meg|kilo|giga|tera|peta|percent|milli|micro|second|hour|times)))"
)
_TOKEN = re.compile(
    rf"(?P<number>{_DECIMAL_COMMA}|"
    r"(?:[0-9]{1,3}(?:[,_'’\u00a0\u2009\u202f][0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?"
    r"(?:[eE][+−-]?[0-9]{1,4}(?!\w|\.[0-9]))?|\.[0-9]+)"
    r"|(?P<power>[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+)"
    r"|(?P<word>(?<=[0-9])x(?=[0-9A-Z])|[^\W\d_]+)"
    r"|(?P<sign>\*\*|[^\s\w]|[\w])"
)


@dataclass(frozen=True)
class Token:
    """One word, number, power or sign: `text[start:end]`; `glued` if it touches the token before."""

    text: str
    word: str
    start: int
    end: int
    kind: str
    glued: bool


def tokens(text: str) -> list[Token]:
    """Split a text; every character that is not white space belongs to exactly one token.

    >>> [t.text for t in tokens("~1,024 KB/s")]
    ['~', '1,024', 'KB', '/', 's']
    """
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        glued = bool(found) and found[-1].end == match.start()
        kind = match.lastgroup or "sign"
        found.append(Token(match[0], match[0].lower(), match.start(), match.end(), kind, glued))
    return found


def word(toks: Sequence[Token], i: int) -> str:
    """The lower-case token at i, "" outside the text."""
    return toks[i].word if 0 <= i < len(toks) else ""


def kind(toks: Sequence[Token], i: int) -> str:
    """`number`, `power`, `word` or `sign`; "" outside the text."""
    return toks[i].kind if 0 <= i < len(toks) else ""


def glued(toks: Sequence[Token], i: int) -> bool:
    """Whether token i touches the token before it."""
    return 0 <= i < len(toks) and toks[i].glued


def hyphen(toks: Sequence[Token], i: int) -> int:
    """The index behind a hyphen inside a word ("twenty-eight"), else i itself."""
    inside = word(toks, i) in ("-", "‐", "‑") and glued(toks, i) and glued(toks, i + 1)
    return i + 1 if inside else i
