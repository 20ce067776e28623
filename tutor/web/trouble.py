"""The boundary to the screen: whatever went wrong becomes one sentence."""

from __future__ import annotations

import logging
from uuid import uuid4

from tutor.errors import TutorError

log = logging.getLogger(__name__)


def in_words(error: Exception, advice: str = "Reload the page, then try again.") -> str:
    """The sentence for a person; an error that nobody foresaw is logged under a number, without its values.

    Args:
        error: What was raised.
        advice: What to do about an error that nobody foresaw.
    """
    if isinstance(error, TutorError):
        return str(error)
    number = uuid4().hex[:8]
    # No traceback: its values may hold a person's words or keys.
    log.error("error %s: %s at %s", number, type(error).__name__, _place(error))
    return f"Something went wrong here (error {number}). {advice}"


def _place(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "an unknown place" if trace is None else f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
