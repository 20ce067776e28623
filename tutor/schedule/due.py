"""When a question is due again: FSRS for each criterion, one rating a day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache

from fsrs import Card, Rating, Scheduler

from tutor.progress import weights_to_know
from tutor.values import Attempt, Verdict

# FORMATS ruling 6. Unjudged is not in it: it rates nothing.
RATINGS: Mapping[Verdict, Rating] = {
    Verdict.MISSED: Rating.Again,
    Verdict.CONTRADICTED: Rating.Again,
    Verdict.PARTLY: Rating.Hard,
    Verdict.MET: Rating.Good,
}
EASY_DAYS = 3
# An interview is near: nothing is left alone for longer than this.
MAX_INTERVAL_DAYS = 90
# A few minutes of speech are no flash card, so there are no steps of minutes.
_SCHEDULER = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False, maximum_interval=MAX_INTERVAL_DAYS)
# The grader's flag for an answer that is the reference word for word.
_RECITED = "recited"
_ONE_DAY = timedelta(days=1)


def rating(verdict: Verdict, *, recited: bool = False) -> Rating | None:
    """How well a criterion was known; None where nothing was ruled.

    A recited reference was not recalled, so it is hard at most (FORMATS rulings 3 and 6).

    >>> rating(Verdict.MET), rating(Verdict.MET, recited=True), rating(Verdict.UNJUDGED)
    (<Rating.Good: 3>, <Rating.Hard: 2>, None)
    """
    rated = RATINGS.get(verdict)
    return min(rated, Rating.Hard) if rated is not None and recited else rated


def next_day(days: Mapping[date, Rating]) -> date:
    """When a criterion is due after these days of practice (at least one; UTC), at 90 % recall.

    Met on three of them in a row counts as easy.

    >>> next_day({date(2026, 3, 1): Rating.Again}), next_day({date(2026, 3, 1): Rating.Good})
    (datetime.date(2026, 3, 2), datetime.date(2026, 3, 3))
    """
    return _after(tuple(sorted(days.items())))


# An answer changes the days of one question; the others need not be gone through again at each click.
@lru_cache(maxsize=4096)
def _after(days: tuple[tuple[date, Rating], ...]) -> date:
    # Without an id and a moment given, a card would ask the clock.
    card, in_a_row = Card(card_id=0, due=_midnight(days[0][0])), 0
    for day, rated in days:
        in_a_row = in_a_row + 1 if rated is Rating.Good else 0
        card, _ = _SCHEDULER.review_card(card, Rating.Easy if in_a_row >= EASY_DAYS else rated, _midnight(day))
    return card.due.date()


def due_days(attempts: Sequence[Attempt]) -> dict[str, date]:
    """The day (UTC) on which each attempted question is due again, by its card: all drills of a family are one.

    A question is due with the first of its criteria. Those of its latest attempt count, without the bonus points: a
    criterion that the rubric dropped is over, one with a new id starts anew. Once answered, a question rests until
    the next day whatever could not be judged.

    Args:
        attempts: Newest first.
    """
    of_question: dict[str, list[Attempt]] = {}
    for attempt in reversed(attempts):
        of_question.setdefault(attempt.question.card, []).append(attempt)
    return {card: _due_day(found) for card, found in of_question.items()}


def _due_day(attempts: Sequence[Attempt]) -> date:
    """From the attempts at one question, oldest first."""
    rests_until = attempts[-1].created_at.date() + _ONE_DAY
    criteria = _rated_days(attempts, weights_to_know(attempts[-1]))
    return max(rests_until, min((next_day(days) for days in criteria.values()), default=rests_until))


def _rated_days(attempts: Sequence[Attempt], known: Mapping[str, int]) -> dict[str, dict[date, Rating]]:
    """The rating of each day by criterion id: the day's worst, because later answers had read the first feedback."""
    criteria: dict[str, dict[date, Rating]] = {}
    for attempt in attempts:
        day, recited = attempt.created_at.date(), _RECITED in attempt.grade.flags
        for ruling in attempt.grade.criteria:
            rated = rating(ruling.verdict, recited=recited)
            if rated is not None and ruling.id in known:
                days = criteria.setdefault(ruling.id, {})
                days[day] = min(rated, days.get(day, rated))
    return criteria


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, tzinfo=UTC)
