"""Transcripts by hand: a word every half second, spoken without a stop unless said otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from tutor.spoken import Span, Transcript, Word

SECONDS_A_WORD = 0.5


def heard(
    text: str,
    *,
    speech: Sequence[Span] = (),
    duration_s: float = 60,
    timed: bool = True,
    probabilities: Sequence[float] = (),
) -> Transcript:
    """The text as one word each between spaces; `probabilities` belong to its first words, the others are sure."""
    said = text.split()
    sure = [*probabilities, *[1.0] * (len(said) - len(probabilities))]
    words = tuple(
        Word(text=f" {word}", start_s=i * SECONDS_A_WORD, end_s=(i + 1) * SECONDS_A_WORD, probability=probability)
        for i, (word, probability) in enumerate(zip(said, sure, strict=True))
    )
    return Transcript(
        text=text,
        language="en",
        words=words if timed else None,
        speech=tuple(speech),
        duration_s=duration_s,
        transcriber="by hand",
    )
