"""One state of the page as a value: where the person is, what is shown, and which buttons there are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from markupsafe import Markup

from tutor import view
from tutor.practice import whole
from tutor.spoken import Take
from tutor.values import Question

_NO_QUESTION = "The question is no longer in the bank."
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@-]{0,119}")
_NOTHING = Markup()
# All drafts travel with each click, so they must stay well below what the guard lets in.
MAX_DRAFTS = 8
MAX_SKIPPED = 8
MAX_LEFT = 8
MAX_REASON = 300
_SEAT_IDS = ("question_id", "answer_id", "job_id", "take_id", "earlier_id")

Drafts = Mapping[str, str]
"""Unsent words by question id, kept in the browser."""


class Stage(StrEnum):
    """What the page is doing; each stage has its own buttons."""

    EMPTY = "empty"
    ASKED = "asked"
    ASKED_AGAIN = "asked_again"
    TYPING = "typing"
    HEARING = "hearing"
    CHECK = "check"
    UNHEARD = "unheard"
    UNTRANSCRIBED = "untranscribed"
    REFUSED = "refused"
    REFUSED_TAKE = "refused_take"
    GRADING = "grading"
    GRADED = "graded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    READING = "reading"


_NEXT = {"next": "Another question"}
_RECORD = {"record": "Record my answer", "stop": "Stop", "pause": "Pause", "resume": "Go on"}
# The buttons of a stage with their words; the first is the one obvious next thing to do, except where that is to wait.
# While a recording runs the page itself shows Stop and Pause in place of the others.
BUTTONS: Mapping[Stage, Mapping[str, str]] = {
    Stage.EMPTY: {},
    Stage.ASKED: {**_RECORD, "type": "Type instead", **_NEXT},
    Stage.ASKED_AGAIN: {**_RECORD, "back": "Keep the last recording"},
    Stage.TYPING: {"grade": "Grade my answer", "speak": "Speak instead", **_NEXT},
    Stage.HEARING: {},
    Stage.CHECK: {"grade": "Grade my answer", "redo": "Record again", **_NEXT},
    Stage.UNHEARD: {"redo": "Record again", "type": "Type instead", **_NEXT},
    Stage.UNTRANSCRIBED: {"hear": "Transcribe again", "redo": "Record again", "type": "Type instead"},
    Stage.REFUSED: {"grade": "Grade my answer", "insist": "Grade it anyway", "speak": "Speak instead", **_NEXT},
    Stage.REFUSED_TAKE: {"grade": "Grade my answer", "insist": "Grade it anyway", "redo": "Record again", **_NEXT},
    Stage.GRADING: {"cancel": "Cancel grading"},
    Stage.GRADED: {"next": "Next question", "again": "Try again"},
    Stage.FAILED: {"retry": "Retry grading", "next": "Next question", "again": "Edit my answer"},
    Stage.CANCELLED: {"retry": "Grade it after all", "next": "Next question", "again": "Edit my answer"},
    Stage.READING: {},
}
QUIET_STAGES = (Stage.GRADING,)
SPEAKING_STAGES = (Stage.ASKED, Stage.ASKED_AGAIN)
CHECKING_STAGES = (Stage.CHECK, Stage.REFUSED_TAKE)
WRITING_STAGES = (Stage.TYPING, Stage.REFUSED, *CHECKING_STAGES)
ALL_BUTTONS = tuple("record stop pause resume grade insist cancel retry hear redo back type speak next again".split())
"""In the order they stand in a row."""


@dataclass(frozen=True)
class Seat:
    """Where this browser is in its practice; kept in the browser, so every part of it is a claim to check.

    Attributes:
        question_id: The question posed, empty before the first.
        answer_id: Made when the question was posed; what makes a double click one answer.
        job_id: The grading of that answer, empty until it was sent.
        take_id: Made like `answer_id`; what makes a double stop one take. The take itself may not be there yet.
        earlier_id: The recording that is about to be replaced, empty if there is none.
        typing: Whether this person would rather write than speak.
        why: Why this question was chosen, in words for the screen.
        skipped: Ids of the questions passed over since the last answer, the latest last.
        left: Recordings that were not sent when their question was left: take id by question id.
    """

    question_id: str = ""
    answer_id: str = ""
    job_id: str = ""
    take_id: str = ""
    earlier_id: str = ""
    typing: bool = False
    why: str = ""
    skipped: tuple[str, ...] = ()
    left: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, stored: object) -> Seat:
        """A seat from the browser's storage; anything that is not an id counts as absent.

        >>> seat = Seat.read({"question_id": "q1", "answer_id": ["?"], "job_id": "<b>", "skipped": ["q2", "<b>"]})
        >>> (seat.question_id, seat.answer_id, seat.job_id, seat.skipped)
        ('q1', '', '', ('q2',))
        """
        claims = stored if isinstance(stored, dict) else {}
        question_id, answer_id, job_id, take_id, earlier_id = (_id(claims.get(key)) for key in _SEAT_IDS)
        why = claims.get("why")
        return cls(
            question_id,
            answer_id,
            job_id,
            take_id,
            earlier_id,
            typing=claims.get("typing") is True,
            why=whole(why)[:MAX_REASON] if isinstance(why, str) else "",
            skipped=_read_skipped(claims.get("skipped")),
            left=_read_left(claims.get("left")),
        )


def _read_skipped(stored: object) -> tuple[str, ...]:
    claims = stored if isinstance(stored, list | tuple) else ()
    return tuple(claim for claim in claims[-MAX_SKIPPED:] if _id(claim))


def _read_left(stored: object) -> dict[str, str]:
    claims = stored if isinstance(stored, dict) else {}
    return {key: claim for key, claim in [*claims.items()][-MAX_LEFT:] if _id(key) and _id(claim)}


def read_drafts(stored: object) -> dict[str, str]:
    """The newest drafts from the browser's storage, without anything that is not one."""
    claims = stored if isinstance(stored, dict) else {}
    kept = [(key, whole(text)) for key, text in claims.items() if _id(key) and isinstance(text, str)]
    return dict(kept[-MAX_DRAFTS:])


@dataclass(frozen=True)
class Frame:
    """What to show now; None leaves a part of the page as it is.

    Attributes:
        thread: Who says what, as markup: `assistant` is the interviewer, `user` the candidate.
        said: The change of state in one sentence, for screen readers.
        recorder: Clock and bar of a recording to be made.
        take: The recording at hand: its player, and what is to be checked or was wrong with it.
        note: Markup between the thread and the buttons, such as why an answer was refused.
        banner: Markup above the thread, such as the way back from an old attempt.
        draft: Words in the answer box.
        past: The list of attempts.
    """

    stage: Stage
    thread: tuple[tuple[str, Markup], ...]
    said: str
    recorder: Markup = _NOTHING
    take: Markup = _NOTHING
    note: Markup = _NOTHING
    banner: Markup = _NOTHING
    seat: Seat | None = None
    drafts: Drafts | None = None
    draft: str | None = None
    past: Markup | None = None


def thread(
    question: Question | None, words: str | None = None, take: Take | None = None, why: str = ""
) -> tuple[tuple[str, Markup], ...]:
    """Who says what: the question, why it was chosen, and the answer with the recording it was spoken in."""
    asked = view.question_card(question, why) if question else view.markup("<p>{gone}</p>", gone=_NO_QUESTION)
    if words is None:
        return (("assistant", asked),)
    return (("assistant", asked), ("user", view.answer_card(words, take)))


def _id(claim: object) -> str:
    return claim if isinstance(claim, str) and ID.fullmatch(claim) else ""
