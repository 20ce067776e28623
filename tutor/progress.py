"""From attempts to what a dashboard says: topics with their means, trends and missed points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from tutor.values import Attempt, CriterionVerdict, Fingerprint, Question, Verdict

# A trend compares this many scored attempts with as many before them; fewer would be noise.
TREND_ATTEMPTS = 3


@dataclass(frozen=True)
class TopicProgress:
    """One topic as its attempts tell it.

    Attributes:
        topic: Its name in the bank.
        n_attempts: All attempts, also those without a score.
        n_questions: How many questions of the bank have this topic; 0 when the topic left the bank.
        n_answered: How many of those were attempted.
        mean: Mean score in [0, 1] over the last scored attempt of each question, the way it stands today; None
            without any score. An attempt without a score is never a zero: the scored one before it stands.
        n_scored: How many questions `mean` stands on.
        last_seen: When the newest attempt was made.
        trend: Mean score of the last three scored attempts minus that of the three before, in [-1, 1]; None where
            there are fewer than six.
        graders: The different fingerprints behind `mean` and `trend`, newest first. More than one is worth a mark:
            grades of different models are not quite the same scale.
        missed: Points missed or got wrong in the last attempt of each question, the weightiest first.
    """

    topic: str
    n_attempts: int = 0
    n_questions: int = 0
    n_answered: int = 0
    mean: float | None = None
    n_scored: int = 0
    last_seen: datetime | None = None
    trend: float | None = None
    graders: tuple[Fingerprint, ...] = ()
    missed: tuple[CriterionVerdict, ...] = ()


def progress(questions: Sequence[Question], attempts: Sequence[Attempt]) -> tuple[TopicProgress, ...]:
    """Every topic of the bank in its order, then topics that only attempts know.

    Args:
        questions: The bank's questions in its own order; a question's topic is what the bank says today.
        attempts: Newest first.
    """
    of_question = {question.card: question.topic for question in questions}
    by_topic: dict[str, list[Attempt]] = {question.topic: [] for question in questions}
    for attempt in attempts:
        topic = of_question.get(attempt.question.card, attempt.question.topic)
        by_topic.setdefault(topic, []).append(attempt)
    return tuple(_topic(topic, found, of_question) for topic, found in by_topic.items())


def latest(attempts: Iterable[Attempt]) -> dict[str, Attempt]:
    """The newest attempt of each question or family of drills by its card, from attempts newest first."""
    found: dict[str, Attempt] = {}
    for attempt in attempts:
        found.setdefault(attempt.question.card, attempt)
    return found


def missed(attempt: Attempt) -> tuple[CriterionVerdict, ...]:
    """Points missed or got wrong, the weightiest first; a bonus is missed by nobody."""
    weights = weights_to_know(attempt)
    wrong = [v for v in attempt.grade.criteria if v.verdict in (Verdict.MISSED, Verdict.CONTRADICTED)]
    return tuple(sorted((v for v in wrong if v.id in weights), key=lambda v: -weights[v.id]))


def weights_to_know(attempt: Attempt) -> Mapping[str, int]:
    """Weight in 1..3 by criterion id, without the bonus points."""
    return {criterion.id: criterion.weight for criterion in attempt.rubric.criteria if not criterion.bonus}


def change(scores: Sequence[float]) -> float | None:
    """Mean of the first three scores minus that of the next three; None where there are fewer than six.

    >>> round(change([0.9, 0.8, 0.7, 0.5, 0.5, 0.5, 0.1]), 3)
    0.3
    """
    if len(scores) < 2 * TREND_ATTEMPTS:
        return None
    return (sum(scores[:TREND_ATTEMPTS]) - sum(scores[TREND_ATTEMPTS : 2 * TREND_ATTEMPTS])) / TREND_ATTEMPTS


def evidence(topic: TopicProgress) -> str:
    """A topic's mean with what it stands on.

    >>> evidence(TopicProgress("Serving", n_attempts=3, n_scored=1, mean=0.41))
    '41 of 100, your latest score in 3 attempts'
    >>> evidence(TopicProgress("Serving", n_attempts=3, n_scored=2, mean=0.41))
    '41 of 100 on average over 2 questions'
    """
    attempts = "1 attempt" if topic.n_attempts == 1 else f"{topic.n_attempts} attempts"
    if topic.mean is None:
        return f"no score yet after {attempts}"
    score = f"{round(100 * topic.mean)} of 100"
    if topic.n_scored > 1:
        return f"{score} on average over {topic.n_scored} questions"
    return f"{score}, your latest score in {attempts}" if topic.n_attempts > 1 else f"{score} at your only attempt"


def _topic(topic: str, attempts: Sequence[Attempt], of_question: Mapping[str, str]) -> TopicProgress:
    scored = [(attempt, score) for attempt in attempts if (score := attempt.grade.score) is not None]
    standing: dict[str, float] = {}
    graders: dict[str, Fingerprint] = {}
    trend = change([score for _, score in scored])
    for place, (attempt, score) in enumerate(scored):
        stands = attempt.question.card not in standing
        if stands:
            standing[attempt.question.card] = score
        if stands or (trend is not None and place < 2 * TREND_ATTEMPTS):
            graders.setdefault(attempt.grade.fingerprint.id, attempt.grade.fingerprint)
    last = latest(attempts)
    points = [(weights_to_know(a)[v.id], v) for a in last.values() for v in missed(a)]
    return TopicProgress(
        topic=topic,
        n_attempts=len(attempts),
        n_questions=sum(of == topic for of in of_question.values()),
        n_answered=sum(card in of_question for card in last),
        mean=sum(standing.values()) / len(standing) if standing else None,
        n_scored=len(standing),
        last_seen=attempts[0].created_at if attempts else None,
        trend=trend,
        graders=tuple(graders.values()),
        missed=tuple(verdict for _, verdict in sorted(points, key=lambda point: -point[0])),
    )
