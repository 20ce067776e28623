"""What was practised: attempts and unfinished gradings as a list of links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import tzinfo

from markupsafe import Markup

from tutor.states import Job, JobState
from tutor.values import Answer, Attempt
from tutor.view.chat import name
from tutor.view.feedback import score_text
from tutor.view.text import joined, markup, when


def history(
    attempts: Sequence[Attempt], waiting: Sequence[tuple[Job, Answer]], titles: Mapping[str, str], zone: tzinfo | None
) -> Markup:
    """Attempts and unfinished gradings, the latest first, each a link that opens it.

    Args:
        attempts: As many as shall be listed.
        waiting: Jobs that are queued, running or failed, with their answers.
        titles: Name of each question by id.
        zone: Time zone of the screen.
    """
    rows = [(a.created_at, _attempt_row(a, zone)) for a in attempts]
    rows += [(job.created_at, _waiting_row(job, titles.get(answer.question_id, ""), zone)) for job, answer in waiting]
    rows.sort(key=lambda row: row[0], reverse=True)
    if not rows:
        return markup('<p class="quiet">Nothing here yet. Your first graded answer will be.</p>')
    return markup('<ol class="history">{rows}</ol>', rows=joined(row for _, row in rows))


def _attempt_row(attempt: Attempt, zone: tzinfo | None) -> Markup:
    score = score_text(attempt.grade)
    return _history_row("attempt", attempt.id, score, name(attempt.question), when(attempt.created_at, zone))


def _waiting_row(job: Job, title: str, zone: tzinfo | None) -> Markup:
    word = "not graded" if job.state is JobState.FAILED else "grading"
    return _history_row(
        "job", job.id, word, title or "A question that is no longer in the bank", when(job.created_at, zone)
    )


def _history_row(kind: str, row_id: str, score: str, title: str, moment: str) -> Markup:
    return markup(
        '<li><a href="?{kind}={id}"><span class="{style}">{score}</span><span class="title">{title}</span>'
        '<span class="quiet">{moment}</span></a></li>',
        kind=kind,
        id=row_id,
        style="score" if score.isdigit() else "score word",
        score=score,
        title=title,
        moment=moment,
    )
