"""The dashboard page: weak topics with their evidence, and every attempt."""

from __future__ import annotations

import gradio as gr
from markupsafe import Markup

from tutor import view
from tutor.practice import Practice
from tutor.web.trouble import in_words

# More attempts than this are listed only for whom asks: thousands would make the page slow to open.
ROWS = 30


def dashboard_page(practice: Practice) -> None:
    """Lay out the page inside the route that is open; it is read anew whenever it is opened."""
    topics = gr.HTML(elem_id="dashboard", js_on_load=None)
    past = gr.HTML(elem_id="past", js_on_load=None)

    def opened(request: gr.Request) -> tuple[str, str]:
        return shown(practice, everything="all" in request.query_params)

    # Without triggers it runs when the page opens.
    gr.on(None, opened, None, [topics, past], api_visibility="private", show_progress="hidden")


def shown(practice: Practice, *, everything: bool) -> tuple[str, str]:
    """Topics, and the list of attempts with its heading, or a sentence about why they cannot be read.

    Args:
        practice: The verbs of a session.
        everything: All attempts, not only the newest.
    """
    try:
        standings = practice.standings()
        return str(view.dashboard(standings, None)), str(_attempts(practice, everything))
    except Exception as error:  # noqa: BLE001 - the boundary: whatever it is, the person gets a sentence
        return str(view.markup('<p class="refused" role="alert">{why}</p>', why=in_words(error))), ""


def _attempts(practice: Practice, everything: bool) -> Markup:
    """Attempts, also at questions that were deleted, and unfinished gradings; nothing before the first answer."""
    waiting = practice.unfinished()
    # One more than is shown tells whether there are more.
    attempts = practice.attempts(limit=None if everything else ROWS + 1)
    if not attempts and not waiting:
        return Markup("")
    asked = (practice.question(answer.question_id) for _, answer in waiting)
    titles = {question.id: view.name(question) for question in asked if question}
    rest = Markup("")
    if not everything and len(attempts) > ROWS:
        attempts = attempts[:ROWS]
        rest = view.markup('<p class="all"><a href="/dashboard?all=1">Show all attempts</a></p>')
    rows = view.history(attempts, waiting, titles, None, page="/")
    return view.markup('<h2 id="attempts">Your attempts</h2>{rows}{rest}', rows=rows, rest=rest)
