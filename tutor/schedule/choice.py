"""Which question comes next, and the sentence that says why."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from tutor.progress import TopicProgress, evidence, latest, missed, progress
from tutor.schedule.due import due_days
from tutor.states import Suggestion
from tutor.values import Attempt, Question, Verdict, card_of

# Who misses much and has little time would otherwise meet the same few questions for ever: a new question comes after
# this many repeats, and one that is due goes first after this many answers to others.
REPEATS_IN_A_ROW = 3
PASSED_OVER = 12
_LONGEST_POINT = 110


@dataclass(frozen=True)
class Standing:
    """A topic with its place in the schedule.

    Attributes:
        progress: What its attempts say.
        due: The first day (UTC) on which one of its questions in the bank is due; None before the first attempt.
        is_due: Whether that day has come.
    """

    progress: TopicProgress
    due: date | None
    is_due: bool


@dataclass(frozen=True)
class _Past:
    """What the choice looks at besides the questions.

    Attributes:
        attempts: Newest first.
        days: Their days, oldest first.
        due: Due day by card.
        last: Newest attempt by card.
        touched: Topics with an attempt.
    """

    attempts: Sequence[Attempt]
    days: Sequence[date]
    today: date
    due: Mapping[str, date]
    last: Mapping[str, Attempt]
    touched: frozenset[str]

    def due_of(self, pool: Sequence[Question]) -> list[Question]:
        """Those that are due, the one due longest first."""
        due = [q for q in pool if q.card in self.due and self.due[q.card] <= self.today]
        return sorted(due, key=lambda q: self.due[q.card])

    def answers_since_due(self, question: Question) -> int:
        return len(self.days) - bisect_left(self.days, self.due[question.card])

    def untried(self, pool: Sequence[Question]) -> Question | None:
        """A question never attempted; topics never touched come first."""
        return min((q for q in pool if q.card not in self.last), key=lambda q: q.topic in self.touched, default=None)

    def longest_ago(self, pool: Sequence[Question]) -> Question:
        return min(pool, key=lambda q: self.last[q.card].created_at)


def standings(questions: Sequence[Question], attempts: Sequence[Attempt], now: datetime) -> tuple[Standing, ...]:
    """Every topic with its due day, in the order of `progress`; attempts are newest first."""
    return _standings(questions, attempts, due_days(attempts), _day(now))


def weakest(standings: Sequence[Standing]) -> tuple[Standing, ...]:
    """Topics of the bank that were practised, in the order of need.

    Due ones come first; then the lowest mean, topics without a score after all others; then the one due longest;
    then the order given, which is the bank's.
    """
    return tuple(sorted((s for s in standings if s.due is not None), key=_need))


def suggest(
    questions: Sequence[Question],
    attempts: Sequence[Attempt],
    now: datetime,
    skip: Sequence[str] = (),
    topic: str | None = None,
) -> Suggestion:
    """The question to pose next, the same for the same arguments.

    The first of these that there is: one never attempted, when the last three answers were all repeats; a due
    question that 12 answers to others have passed over; the question due longest of the weakest due topic
    (`weakest`); one never attempted, of a topic never touched if possible; the one answered longest ago. Ties go by
    the bank's order.

    Args:
        questions: The bank's questions, at least one.
        attempts: Newest first.
        now: In UTC.
        skip: Ids of questions just posed, the latest last; none of them comes again while there is another, and
            the latest not at once when all have been posed.
        topic: The topic that the person chose; one that is not in the bank counts as none.
    """
    past = _past(questions, attempts, _day(now))
    chosen = [q for q in questions if q.topic == topic]
    pool = _unposed(chosen or questions, skip)
    if chosen:
        question = next(iter(past.due_of(pool)), None) or past.untried(pool) or past.longest_ago(pool)
        return Suggestion(question, "You chose this topic.")
    return (
        _after_repeats(pool, past)
        or _passed_over(pool, past)
        or _weak(pool, past, _standings(questions, attempts, past.due, past.today))
        or _new(pool, past, _nothing_due(questions, past))
        or _longest_ago(pool, past, _nothing_due(questions, past))
    )


def _past(questions: Sequence[Question], attempts: Sequence[Attempt], today: date) -> _Past:
    topics = {q.card: q.topic for q in questions}
    last = latest(attempts)
    return _Past(
        attempts=attempts,
        days=[a.created_at.date() for a in reversed(attempts)],
        today=today,
        due=due_days(attempts),
        last=last,
        touched=frozenset(topics.get(name, a.question.topic) for name, a in last.items()),
    )


def _unposed(questions: Sequence[Question], skip: Sequence[str]) -> list[Question]:
    cards = [card_of(question_id) for question_id in skip]
    for posed in (cards, cards[-1:]):
        if left := [q for q in questions if q.card not in posed]:
            return left
    return list(questions)


def _nothing_due(questions: Sequence[Question], past: _Past) -> str:
    """Said when nothing is left that is due; some that are may have been skipped."""
    return "Nothing else is due now." if past.due_of(questions) else "Nothing is due now."


def _after_repeats(pool: Sequence[Question], past: _Past) -> Suggestion | None:
    recent = past.attempts[:REPEATS_IN_A_ROW]
    older = ({a.question.card for a in past.attempts[place:]} for place in range(1, REPEATS_IN_A_ROW + 1))
    n_repeats = sum(a.question.card in before for a, before in zip(recent, older, strict=False))
    question = past.untried(pool)
    if question is None or n_repeats < REPEATS_IN_A_ROW:
        return None
    return Suggestion(question, f"Your last {REPEATS_IN_A_ROW} answers were repeats, so this question is a new one.")


def _passed_over(pool: Sequence[Question], past: _Past) -> Suggestion | None:
    due = past.due_of(pool)
    # The one due longest was passed over most.
    if not due or (n := past.answers_since_due(due[0])) < PASSED_OVER:
        return None
    return Suggestion(due[0], f"This question has waited longest: it is due, and {n} other answers came before it.")


def _weak(pool: Sequence[Question], past: _Past, standings: Sequence[Standing]) -> Suggestion | None:
    ranked = [s.progress for s in weakest(standings) if s.is_due]
    for rank, topic in enumerate(ranked):
        due = past.due_of([q for q in pool if q.topic == topic.topic])
        if due:
            place = "is due"
            if len(ranked) == 1:
                place = "is the only topic that is due"
            elif rank == 0 and topic.mean is not None:
                place = "is your weakest topic that is due"
            why = f"{topic.topic} {place}: {evidence(topic)}.{_last_time(past.last[due[0].card])}"
            return Suggestion(due[0], why)
    return None


def _new(pool: Sequence[Question], past: _Past, nothing_due: str) -> Suggestion | None:
    question = past.untried(pool)
    if question is None:
        return None
    if not past.attempts:
        return Suggestion(question, "This is your first question.")
    if question.topic in past.touched:
        return Suggestion(question, f"{nothing_due} You have not tried this question about {question.topic} yet.")
    return Suggestion(question, f"{nothing_due} You have not tried the topic {question.topic} yet.")


def _longest_ago(pool: Sequence[Question], past: _Past, nothing_due: str) -> Suggestion:
    question = past.longest_ago(pool)
    days = (past.today - past.last[question.card].created_at.date()).days
    ago = "today" if days <= 0 else "yesterday" if days == 1 else f"{days} days ago"
    return Suggestion(question, f"{nothing_due} Of all questions you answered this one longest ago: {ago}.")


def _last_time(last: Attempt) -> str:
    points = missed(last)
    if not points:
        return ""
    text = points[0].text.rstrip(". ")
    if len(text) > _LONGEST_POINT:
        text = text[:_LONGEST_POINT].rsplit(" ", 1)[0] + " …"
    if points[0].verdict is Verdict.CONTRADICTED:
        return f" You got “{text}” wrong last time."
    return f" You missed “{text}” last time."


def _standings(
    questions: Sequence[Question], attempts: Sequence[Attempt], due: Mapping[str, date], today: date
) -> tuple[Standing, ...]:
    found = []
    for topic in progress(questions, attempts):
        first = min((due[q.card] for q in questions if q.topic == topic.topic and q.card in due), default=None)
        found.append(Standing(topic, first, first is not None and first <= today))
    return tuple(found)


def _need(standing: Standing) -> tuple[bool, float, date]:
    mean = standing.progress.mean
    return (not standing.is_due, 2.0 if mean is None else mean, standing.due or date.max)


def _day(moment: datetime) -> date:
    return moment.astimezone(UTC).date()
