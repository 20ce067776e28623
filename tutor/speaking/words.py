"""Where the words of a text are."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Recognisers disagree on hyphens and apostrophes ("H-100" can be one word or two), so words end there as well.
_PIECE = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Piece:
    """A run of letters and digits.

    Attributes:
        text: As written.
        start: Character offset of its first character.
        end: Offset behind its last character.
    """

    text: str
    start: int
    end: int


def pieces(text: str) -> list[Piece]:
    """The runs of letters and digits of a text, in its order.

    >>> [piece.text for piece in pieces("an H-100, isn't it?")]
    ['an', 'H', '100', 'isn', 't', 'it']
    """
    return [Piece(found.group(), found.start(), found.end()) for found in _PIECE.finditer(text)]
