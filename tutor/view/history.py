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
    attempts: Sequence[Attempt],
    waiting: Sequence[tuple[Job, Answer]],
    titles: Mapping[str, str],
    zone: tzinfo | None,
    page: str = "",
) -> Markup:
    """Attempts and unfinished gradings, the latest first, each a link that opens it; a mark where the grader changes.

    Args:
        attempts: As many as shall be listed.
        waiting: Jobs that are queued, running or failed, with their answers.
        titles: Name of each waiting question by id.
        zone: Time zone of the screen.
        page: Path of the page that opens them, empty for the one where the list stands.
    """
    before = [*attempts[1:], None]
    rows = [(a.created_at, _attempt_row(a, zone, page) + _change(a, b)) for a, b in zip(attempts, before, strict=False)]
    rows += [
        (job.created_at, _waiting_row(job, titles.get(answer.question_id, ""), zone, page)) for job, answer in waiting
    ]
    rows.sort(key=lambda row: row[0], reverse=True)
    if not rows:
        return markup('<p class="quiet">Nothing here yet. Your first graded answer will be.</p>')
    return markup('<ol class="history">{rows}</ol>', rows=joined(row for _, row in rows))


def _attempt_row(attempt: Attempt, zone: tzinfo | None, page: str) -> Markup:
    moment = when(attempt.created_at, zone)
    told = f"spoken, {moment}" if attempt.answer.spoken else moment
    return _history_row(f"{page}?attempt={attempt.id}", score_text(attempt.grade), name(attempt.question), told)


def _waiting_row(job: Job, title: str, zone: tzinfo | None, page: str) -> Markup:
    word = "not graded" if job.state is JobState.FAILED else "grading"
    title = title or "A question that is no longer in the bank"
    return _history_row(f"{page}?job={job.id}", word, title, when(job.created_at, zone))


def _change(attempt: Attempt, before: Attempt | None) -> Markup:
    """The mark under the first attempt of a new grader: scores on both sides are not quite the same scale."""
    if before is None or before.grade.fingerprint.id == attempt.grade.fingerprint.id:
        return Markup("")
    new, old = attempt.grade.fingerprint, before.grade.fingerprint
    if new.chat_model != old.chat_model:
        told = f"Graded by another model from here on: {new.chat_model}. Before: {old.chat_model}."
    else:
        told = f"Graded in another way from here on, by the same model ({new.chat_model})."
    return markup('<li class="grader quiet"><span aria-hidden="true">▲</span> {told}</li>', told=told)


def _history_row(to: str, score: str, title: str, moment: str) -> Markup:
    return markup(
        '<li><a href="{to}"><span class="{style}">{score}</span><span class="title">{title}</span>'
        '<span class="quiet">{moment}</span></a></li>',
        to=to,
        style="score" if score.isdigit() else "score word",
        score=score,
        title=title,
        moment=moment,
    )
