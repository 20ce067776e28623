"""Stretches in which somebody spoke and no word was written down."""

from __future__ import annotations

from tutor.spoken import Span, Word

# A long word or a hesitation is no loss; a recogniser that skips leaves out whole clauses (21 s were seen).
UNHEARD_S = 3.0


def unheard(words: tuple[Word, ...] | None, speech: tuple[Span, ...], duration_s: float) -> tuple[Span, ...]:
    """Where at least 3 s of speech lie between two neighbouring words, or before the first or after the last.

    Args:
        words: In order; None, where a server gives no times, finds nothing.
        speech: Where voice activity detection heard speech, in seconds, in order.
        duration_s: Of the whole recording.

    Returns:
        Spans in seconds from the first to the last speech without words, in order.

    >>> said = (Word(text="so", start_s=1, end_s=2, probability=1), Word(text="on", start_s=9, end_s=10, probability=1))
    >>> unheard(said, ((0.5, 5), (6, 10)), 10)
    ((2.0, 9.0),)
    """
    if not words:
        return ()
    ends = [0.0, *(word.end_s for word in words)]
    starts = [*(word.start_s for word in words), duration_s]
    found = []
    for gap in zip(ends, starts, strict=True):
        parts = [(max(start, gap[0]), min(end, gap[1])) for start, end in speech]
        parts = [(start, end) for start, end in parts if start < end]
        if sum(end - start for start, end in parts) >= UNHEARD_S:
            found.append((float(parts[0][0]), float(parts[-1][1])))
    return tuple(found)
