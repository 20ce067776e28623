"""From values to what a screen shows: escaped markup, one word and one sign for each verdict, plain sentences."""

from tutor.view.chat import answer_card, name, question_card, status_line
from tutor.view.dashboard import dashboard
from tutor.view.feedback import VERDICTS, Mark, feedback, preview_card, progress_card, score_text, stopped_card, tally
from tutor.view.history import history
from tutor.view.speech import check_card, delivery_facts, delivery_line, hearing_card, recorder, trouble_card
from tutor.view.text import duration, joined, markup, safe, when

__all__ = [
    "VERDICTS",
    "Mark",
    "answer_card",
    "check_card",
    "dashboard",
    "delivery_facts",
    "delivery_line",
    "duration",
    "feedback",
    "hearing_card",
    "history",
    "joined",
    "markup",
    "name",
    "preview_card",
    "progress_card",
    "question_card",
    "recorder",
    "safe",
    "score_text",
    "status_line",
    "stopped_card",
    "tally",
    "trouble_card",
    "when",
]
