"""One state of the page as a value: where the person is, what is shown, and which buttons there are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from markupsafe import Markup

from tutor.practice import whole

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@-]{0,119}")
_NOTHING = Markup()
# All drafts travel with each click, so they must stay well below what the guard lets in.
MAX_DRAFTS = 8

Drafts = Mapping[str, str]
"""Unsent words by question id, kept in the browser."""


class Stage(StrEnum):
    """What the page is doing; each stage has its own buttons."""

    EMPTY = "empty"
    ASKED = "asked"
    REFUSED = "refused"
    GRADING = "grading"
    GRADED = "graded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    READING = "reading"


# The buttons of a stage with their words; the first is the one obvious next thing to do, except where that is to wait.
BUTTONS: Mapping[Stage, Mapping[str, str]] = {
    Stage.EMPTY: {},
    Stage.ASKED: {"grade": "Grade my answer", "next": "Another question"},
    Stage.REFUSED: {"grade": "Grade my answer", "insist": "Grade it anyway", "next": "Another question"},
    Stage.GRADING: {"cancel": "Cancel grading"},
    Stage.GRADED: {"next": "Next question", "again": "Try again"},
    Stage.FAILED: {"retry": "Retry grading", "next": "Next question", "again": "Edit my answer"},
    Stage.CANCELLED: {"retry": "Grade it after all", "next": "Next question", "again": "Edit my answer"},
    Stage.READING: {},
}
QUIET_STAGES = (Stage.GRADING,)
WRITING_STAGES = (Stage.ASKED, Stage.REFUSED)
ALL_BUTTONS = ("grade", "insist", "cancel", "retry", "next", "again")


@dataclass(frozen=True)
class Seat:
    """Where this browser is in its practice; kept in the browser, so every part of it is a claim to check.

    Attributes:
        question_id: The question posed, empty before the first.
        answer_id: Made when the question was posed; what makes a double click one answer.
        job_id: The grading of that answer, empty until it was sent.
    """

    question_id: str = ""
    answer_id: str = ""
    job_id: str = ""

    @classmethod
    def read(cls, stored: object) -> Seat:
        """A seat from the browser's storage; anything that is not an id counts as absent.

        >>> Seat.read({"question_id": "q1", "answer_id": ["?"], "job_id": "<b>"})
        Seat(question_id='q1', answer_id='', job_id='')
        """
        claims = stored if isinstance(stored, dict) else {}
        return cls(*(_id(claims.get(key)) for key in ("question_id", "answer_id", "job_id")))


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
        note: Markup between the thread and the buttons, such as why an answer was refused.
        banner: Markup above the thread, such as the way back from an old attempt.
        draft: Words in the answer box.
        past: The list of attempts.
    """

    stage: Stage
    thread: tuple[tuple[str, Markup], ...]
    said: str
    note: Markup = _NOTHING
    banner: Markup = _NOTHING
    seat: Seat | None = None
    drafts: Drafts | None = None
    draft: str | None = None
    past: Markup | None = None


def _id(claim: object) -> str:
    return claim if isinstance(claim, str) and _ID.fullmatch(claim) else ""
