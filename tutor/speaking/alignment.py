"""When the words of a text were said, also after the person has edited it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from rapidfuzz.distance import Levenshtein

from tutor.speaking.words import Piece, pieces
from tutor.spoken import Transcript, Word
from tutor.values import CriterionVerdict

# Of a quote at least this share must have been heard, else it is the person's typing that happens to share words
# with the recording. Correcting a transcript leaves most of its words; writing it anew leaves a third or so.
_LEAST_SHARE = 0.5
# And this many words that say something: "the", "of the" and "it is a" are in every recording.
_LEAST_TELLING = 2
# A quote of up to this many words must have been heard whole.
_SHORT = 2
# Nobody stops this long within a thought, in seconds: words that lie further apart were not said as one quote.
_APART_S = 10.0
# Too common to tell one passage of a recording from another; with what apostrophes leave of them.
_LITTLE_WORDS = frozenset(
    """a about all also an and are as at be because been but by can do does for from had has have here how i if in into
    is it its just more no not now of on one only or other our out over so some such than that the their them then
    there these they this those to up very was we well what when where which while will with would you your
    d don isn ll m re s t ve""".split()
)


def quote_starts(transcript: Transcript, text: str, verdicts: Iterable[CriterionVerdict]) -> dict[str, float]:
    """When the quote of each criterion was said.

    A quote has a time only if it was said rather than typed: half of its words or more stand in the transcript
    in the same order, two or more of those are no little words such as "the", and they were heard together; a
    quote of one or two words must have been heard whole. Its time is that of the first of its words so heard.

    Args:
        transcript: What was heard.
        text: The graded answer: the transcript after correction; 20,000 characters are fine.
        verdicts: Rulings whose quotes lie in `text`.

    Returns:
        Seconds from the start of the recording by criterion id; those without a quote or a known time are absent.
    """
    written = pieces(text)
    said = heard_words(transcript.words or (), written)
    starts_s: dict[str, float] = {}
    for verdict in verdicts:
        start, end = verdict.start, verdict.end
        if start is not None and end is not None:
            # A quote of part of a word, such as "flow" of "overflow", has that word.
            own = [word for piece, word in zip(written, said, strict=True) if piece.start < end and piece.end > start]
            start_s = _said_s(own)
            if start_s is not None:
                starts_s[verdict.id] = start_s
    return starts_s


def _said_s(quote: Sequence[Word | None]) -> float | None:
    """When a quote was said, in seconds, given what each of its words was heard as; None for one that was typed.

    >>> one, two = (Word(text=text, start_s=at, end_s=at + 1, probability=1) for text, at in [("KV", 3), ("cache", 4)])
    >>> _said_s([None, one, two]), _said_s([None, two]), _said_s([None, None, None, one, two])
    (3.0, None, None)
    """
    passage = max(_passages([word for word in quote if word]), key=len, default=[])
    telling = sum(not _is_little(word) for word in passage)
    if len(quote) <= _SHORT:
        is_said = 0 < len(passage) == len(quote)
    else:
        is_said = len(passage) >= _LEAST_SHARE * len(quote) and telling >= _LEAST_TELLING
    return passage[0].start_s if is_said else None


def _passages(words: list[Word]) -> list[list[Word]]:
    """The words parted where the recording goes on too long between two of them."""
    cuts = [i for i, (before, after) in enumerate(pairwise(words), 1) if after.start_s - before.end_s > _APART_S]
    bounds = [0, *cuts, len(words)]
    return [words[first:last] for first, last in pairwise(bounds)]


def _is_little(word: Word) -> bool:
    return all(piece.text.casefold() in _LITTLE_WORDS for piece in pieces(word.text))


def heard_words(words: Iterable[Word], written: list[Piece]) -> list[Word | None]:
    """For each piece of a text the word it was heard as; None for what was typed in or changed.

    Aligned with the fewest changes, which unlike difflib's longest block first stays fast for a text that
    says one word thousands of times.
    """
    heard = [(piece.text.casefold(), word) for word in words for piece in pieces(word.text)]
    found: list[Word | None] = [None] * len(written)
    changes = Levenshtein.opcodes([text for text, _ in heard], [piece.text.casefold() for piece in written])
    for change in changes:
        if change.tag == "equal":
            run = heard[change.src_start : change.src_end]
            found[change.dest_start : change.dest_end] = [word for _, word in run]
    return found
