"""How an answer was spoken: facts from voice activity and words, without a judgement."""

from __future__ import annotations

from itertools import pairwise

from tutor.speaking.words import pieces
from tutor.spoken import Delivery, Span, Transcript

# Shorter silences belong to ordinary articulation; phonetic tools such as myprosody count pauses from here on.
PAUSE_S = 0.25
# Long enough for a listener to notice; also the silence after which voice assistants think a turn is over.
LONG_PAUSE_S = 2.0
# Differences of times are only as good as the sixth decimal: 1.35 s - 1.1 s is a pause of .25 s.
_DECIMALS = 6


def delivery(transcript: Transcript, target_s: float | None) -> Delivery:
    """Facts about how an answer was spoken, with two paces that are never mixed up.

    Pauses come from voice activity, never from the times of words: a recogniser puts those wrongly
    around silences. Silence before the first and after the last speech is no pause.

    Args:
        transcript: What was heard; its spans of speech may touch, overlap or be out of order.
        target_s: How long a good answer takes, in seconds; None where nobody said.

    >>> take = Transcript(text="it reads the weights", language="en", words=None, speech=((1, 2), (4.5, 5)),
    ...                   duration_s=6, transcriber="by hand")
    >>> facts = delivery(take, 120)
    >>> facts.words_per_minute, facts.first_word_s, facts.n_pauses, facts.longest_pause_s
    (40.0, 1.0, 1, 2.5)
    """
    speech = _merged(transcript.speech)
    speech_s = sum(end - start for start, end in speech)
    silences_s = (round(after[0] - before[1], _DECIMALS) for before, after in pairwise(speech))
    pauses_s = [silence_s for silence_s in silences_s if silence_s >= PAUSE_S]
    n_words = _count_words(transcript)
    return Delivery(
        duration_s=transcript.duration_s,
        target_s=target_s,
        speech_s=speech_s,
        n_words=n_words,
        words_per_minute=_per_minute(n_words, transcript.duration_s),
        words_per_minute_of_speech=_per_minute(n_words, speech_s),
        first_word_s=speech[0][0] if speech else None,
        n_pauses=len(pauses_s),
        n_long_pauses=sum(pause_s >= LONG_PAUSE_S for pause_s in pauses_s),
        longest_pause_s=max(pauses_s, default=0.0),
    )


def _merged(spans: tuple[Span, ...]) -> list[Span]:
    """The same time in order and without overlap; spans that end before they begin are none."""
    merged: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _count_words(transcript: Transcript) -> int:
    """Words with a letter or digit in them, so that a lone dash is none."""
    heard = transcript.text.split() if transcript.words is None else [word.text for word in transcript.words]
    return sum(bool(pieces(text)) for text in heard)


def _per_minute(n_words: int, time_s: float) -> float | None:
    # Less than a millisecond is no length: the quotient could be infinite.
    return n_words * 60 / time_s if time_s >= 0.001 else None
