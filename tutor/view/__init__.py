"""From values to what a screen shows: escaped markup, one word and one sign for each verdict, plain sentences."""

from tutor.view.chat import answer_card, name, question_card, status_line
from tutor.view.feedback import VERDICTS, Mark, feedback, progress_card, score_text, stopped_card, tally
from tutor.view.history import history
from tutor.view.text import duration, joined, markup, safe, when

__all__ = [
    "VERDICTS",
    "Mark",
    "answer_card",
    "duration",
    "feedback",
    "history",
    "joined",
    "markup",
    "name",
    "progress_card",
    "question_card",
    "safe",
    "score_text",
    "status_line",
    "stopped_card",
    "tally",
    "when",
]
