"""A spoken answer on a screen: clock and bar, the player, what was probably misheard, and how it was delivered."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

from tutor.spoken import Delivery, Doubt, Heard, Span, Take
from tutor.values import Question
from tutor.view.text import duration, joined, markup

LIMIT_S = 360
"""A recording is stopped by itself after this long."""
WARNING_S = 330
TARGET_ZONE = (0.75, 1.25)
"""An answer of this share of its target time is of the right length."""
# The bar ends at twice the target, where an answer is far too long.
_BAR_TARGETS = 2


def clock(seconds: float) -> str:
    """Seconds as a clock shows them, the last full one.

    >>> clock(0.9), clock(75), clock(360)
    ('0:00', '1:15', '6:00')
    """
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02}"


def recorder(question: Question) -> Markup:
    """Clock and bar of a recording to be made; the page moves them by the numbers it carries."""
    whole_s = min(_BAR_TARGETS * question.target_s, LIMIT_S)
    low, high = (round(100 * min(share * question.target_s / whole_s, 1)) for share in TARGET_ZONE)
    return markup(
        '<div class="recorder" data-whole-s="{whole}" data-limit-s="{limit}" data-warning-s="{warning}">'
        '<p class="clock"><span class="time" role="timer" aria-label="Recorded">0:00</span>'
        '<span class="hint"><span class="before">Aim for about {target}</span>'
        '<span class="during">of about {target}</span><span class="keys"> · Space starts and stops</span></span></p>'
        '<div class="bar" aria-hidden="true"><span class="zone" style="left:{low}%;width:{wide}%"></span>'
        '<span class="fill"></span></div>'
        '<p class="state"></p></div>',
        whole=whole_s,
        limit=LIMIT_S,
        warning=WARNING_S,
        target=duration(question.target_s),
        low=low,
        wide=high - low,
    )


def moment(start_s: float, is_playable: bool) -> Markup:
    """When something was said; a button that plays from there where there is a recording."""
    if not is_playable:
        return markup('<span class="at">{time}</span>', time=clock(start_s))
    return markup('<button type="button" class="at" aria-label="Play from {time}">{time}</button>', time=clock(start_s))


def player(take: Take) -> Markup:
    """The recording to listen to; nothing when its file was deleted."""
    if take.file_name is None:
        return Markup("")
    return markup(
        '<div class="sound"><audio controls preload="metadata" src="/take/{id}" aria-label="Your recording"></audio>'
        "</div>",
        id=take.id,
    )


def hearing_card(take: Take) -> Markup:
    """A recording that is being transcribed."""
    return _card(
        "hearing",
        player(take),
        markup(
            '<p class="now"><span class="dot"></span>Writing down what you said. <span class="elapsed"></span></p>'
            '<p class="quiet">The recording is kept. Two free cores need 5 to 15 seconds for a minute of speech.</p>'
        ),
    )


def check_card(heard: Heard, text: str) -> Markup:
    """What was heard, to be checked before it is graded.

    Args:
        heard: With the words that were probably another term.
        text: The words as they stand in the box now; a doubt that is no longer among them is not shown.
    """
    open_doubts = [doubt for doubt in heard.doubts if doubt.heard in text]
    title = "Check the words before they are graded" if open_doubts else "This is what was heard"
    return _card(
        "check",
        markup('<p class="title">{title}</p>', title=title),
        player(heard.take),
        _unwhole(heard),
        joined(_left_out(span, heard.take.file_name is not None) for span in heard.unheard),
        markup('<p class="quiet">{line}</p>', line=delivery_line(heard.delivery)),
        _doubts(open_doubts),
    )


def trouble_card(take: Take | None, sentence: str) -> Markup:
    """A recording that could not be kept (None) or written down, and why."""
    return _card(
        "trouble", player(take) if take else Markup(""), markup('<p class="refused">{sentence}</p>', sentence=sentence)
    )


def delivery_line(delivery: Delivery) -> str:
    """How it was spoken, in one line: length against target, pace, long pauses."""
    parts = [_length(delivery)]
    if delivery.words_per_minute is not None:
        parts.append(f"{round(delivery.words_per_minute)} words a minute")
    if delivery.n_long_pauses:
        parts.append(f"{_counted(delivery.n_long_pauses, 'pause')} of 2 s or longer")
    return " · ".join(parts)


def delivery_facts(delivery: Delivery) -> Markup:
    """How it was spoken, a fact a line; none of them is graded."""
    lines = [("length", _length(delivery)), ("words", f"{delivery.n_words:,}")]
    if delivery.words_per_minute is not None:
        lines.append(("pace", f"{round(delivery.words_per_minute)} words a minute{_pace_of_speech(delivery)}"))
    lines.append(("pauses", _pauses(delivery)))
    if delivery.first_word_s is not None:
        lines.append(("first word", f"after {delivery.first_word_s:.1f} s"))
    rows = joined(markup("<dt>{label}</dt><dd>{value}</dd>", label=label, value=value) for label, value in lines)
    return markup('<dl class="how">{rows}</dl><p class="quiet">None of this changes the grade.</p>', rows=rows)


def _card(kind: str, *parts: Markup) -> Markup:
    return markup('<div class="card take {kind}">{parts}</div>', kind=kind, parts=joined(parts))


def _doubts(doubts: Iterable[Doubt]) -> Markup:
    rows = joined(
        markup(
            '<li data-heard="{heard}" data-likely="{likely}" data-start="{start}"><span>Heard <q>{heard}</q>'
            " – <strong>{likely}</strong>?</span>"
            '<button type="button" class="use" aria-label="Use it: {likely} in place of {heard}">Use it</button></li>',
            heard=doubt.heard,
            likely=doubt.likely,
            start=doubt.start,
        )
        for doubt in doubts
    )
    return markup('<ul class="doubts" aria-label="Probably misheard">{rows}</ul>', rows=rows) if rows else rows


def _unwhole(heard: Heard) -> Markup:
    if heard.take.transcript is None or heard.take.transcript.is_whole:
        return Markup("")
    return markup('<p class="refused">Part of this recording could not be read, so words may be missing.</p>')


def _left_out(span: Span, is_playable: bool) -> Markup:
    start, end = (clock(at_s) for at_s in span)
    return markup(
        '<p class="refused">You spoke from {start} to {end}, and none of it was understood. Add it below. {play}</p>',
        start=start,
        end=end,
        play=moment(span[0], True) if is_playable else Markup(""),
    )


def _length(delivery: Delivery) -> str:
    target = "" if delivery.target_s is None else f", target about {duration(delivery.target_s)}"
    return f"{clock(delivery.duration_s)} spoken{target}"


def _pace_of_speech(delivery: Delivery) -> str:
    pace = delivery.words_per_minute_of_speech
    return "" if pace is None else f", {round(pace)} without the pauses"


def _pauses(delivery: Delivery) -> str:
    if not delivery.n_pauses:
        return "none"
    long = f", {delivery.n_long_pauses} of them 2 s or longer" if delivery.n_long_pauses else ""
    return f"{delivery.n_pauses}{long}, the longest {delivery.longest_pause_s:.1f} s"


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
