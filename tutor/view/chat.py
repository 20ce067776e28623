"""The two sides of the chat: the interviewer's question and the candidate's words; and the line about the engines."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from tutor.spoken import Take
from tutor.states import EngineState
from tutor.values import Question
from tutor.view.speech import player
from tutor.view.text import duration, joined, markup

# A longer answer is folded, so that its feedback is not a long way down.
FOLD_WORDS = 120


def question_card(question: Question, why: str = "") -> Markup:
    """What the interviewer says, with kind, topic and target time as quiet tags, and why it was chosen."""
    tags = (question.kind.value, question.topic, f"about {duration(question.target_s)}")
    return markup(
        '<div class="card question"><ul class="tags">{tags}</ul><p class="ask">{words}</p>{why}</div>',
        tags=joined(markup("<li>{tag}</li>", tag=tag) for tag in tags),
        words=question.question,
        why=markup('<p class="why quiet">{why}</p>', why=why[0].upper() + why[1:]) if why else Markup(""),
    )


def answer_card(text: str, take: Take | None = None) -> Markup:
    """The candidate's words, with the recording they were said in; a long answer is folded under its first line."""
    words, sound = text.split(), player(take) if take else Markup("")
    if len(words) <= FOLD_WORDS:
        return markup('{sound}<div class="said">{text}</div>', sound=sound, text=text)
    return markup(
        '{sound}<details class="said"><summary>{opening} … <span class="quiet">{n} words</span></summary>'
        '<div class="whole">{text}</div></details>',
        opening=" ".join(words[:14])[:120],
        n=f"{len(words):,}",
        sound=sound,
        text=text,
    )


def name(question: Question) -> str:
    """The short name of a question, its first words where it has none."""
    return question.title or question.question[:80]


def status_line(states: Sequence[EngineState]) -> str:
    """What is loading or broken behind the page; empty when everything is ready.

    >>> status_line([EngineState("language model", "loading"), EngineState("embedder", "ready")])
    'Loading the language model. You can write and send answers meanwhile.'
    """
    failed = [state for state in states if state.state == "failed"]
    if failed:
        return " ".join(
            f"The {s.name} is not available: {s.detail or 'it did not start'}".rstrip(".") + "." for s in failed
        )
    loading = " and ".join(state.name for state in states if state.state == "loading")
    return f"Loading the {loading}. You can write and send answers meanwhile." if loading else ""
