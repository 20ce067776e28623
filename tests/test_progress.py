"""What attempts say about a topic: unscored is never zero, and grades of two models are marked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.grades import FINGERPRINT, graded
from tests.samples import QUESTION, RUBRIC
from tutor.progress import TopicProgress, evidence, latest, missed, progress
from tutor.values import Answer, Attempt, Criterion, Fingerprint, Question, Verdict

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
MET, PARTLY, MISSED, WRONG, UNJUDGED = Verdict
OTHER = FINGERPRINT.model_copy(update={"id": "ba9876543210", "chat_model": "other-chat"})


def question(id: str, topic: str = "memory") -> Question:
    return QUESTION.model_copy(update={"id": id, "topic": topic})


def tried(
    of: Question,
    score: float | None,
    hours: float = 0,
    verdicts: Sequence[Verdict] = (MET, PARTLY, MISSED),
    by: Fingerprint = FINGERPRINT,
) -> Attempt:
    """An attempt so many hours after the start."""
    at = START + timedelta(hours=hours)
    answer = Answer(id=f"a-{of.id}-{hours}", question_id=of.id, text="one", created_at=at)
    grade = graded(of.id, answer.id, verdicts, score=score).model_copy(update={"fingerprint": by})
    return Attempt(
        id=f"t-{of.id}-{hours}",
        created_at=at,
        question=of,
        rubric=RUBRIC.model_copy(update={"question_id": of.id}),
        answer=answer,
        grade=grade,
    )


def told(questions: Sequence[Question], *attempts: Attempt) -> dict[str, TopicProgress]:
    newest_first = sorted(attempts, key=lambda a: a.created_at, reverse=True)
    return {topic.topic: topic for topic in progress(questions, newest_first)}


A, B, C = question("a"), question("b"), question("c", "serving")


def test_topics_stand_in_the_order_of_the_bank_also_before_the_first_attempt() -> None:
    assert progress([C, A, B], ()) == (
        TopicProgress("serving", n_questions=1),
        TopicProgress("memory", n_questions=2),
    )


def test_the_mean_is_over_the_last_attempt_of_each_question() -> None:
    memory = told([A, B, C], tried(A, 0.2, 1), tried(A, 0.6, 2), tried(B, 0.4, 3))["memory"]
    assert memory.mean == pytest.approx(0.5)
    assert (memory.n_attempts, memory.n_answered, memory.n_questions, memory.n_scored) == (3, 2, 2, 2)
    assert memory.last_seen == START + timedelta(hours=3)


def test_an_attempt_without_a_score_counts_as_an_attempt_and_never_as_zero() -> None:
    memory = told([A, B], tried(A, 0.6, 1), tried(A, None, 2), tried(B, None, 3))["memory"]
    assert memory.mean == pytest.approx(0.6)
    assert (memory.n_attempts, memory.n_answered, memory.n_scored) == (3, 2, 1)


def test_without_any_score_there_is_no_mean() -> None:
    assert told([A], tried(A, None))["memory"].mean is None


def test_a_score_of_zero_is_a_score() -> None:
    assert told([A], tried(A, 0.0))["memory"].mean == 0.0


def test_the_trend_is_the_last_three_scored_attempts_against_the_three_before() -> None:
    scores = (0.1, 0.2, 0.3, None, 0.6, 0.7, 0.8)
    attempts = [tried(A, score, hours) for hours, score in enumerate(scores)]
    assert told([A], *attempts)["memory"].trend == pytest.approx(0.5)
    assert told([A], *attempts[1:])["memory"].trend is None


def test_a_question_is_counted_under_the_topic_the_bank_gives_it_today() -> None:
    moved = A.model_copy(update={"topic": "serving"})
    topics = told([moved], tried(A, 0.5))
    assert list(topics) == ["serving"]
    assert topics["serving"].n_attempts == 1


def test_a_topic_that_left_the_bank_keeps_its_attempts() -> None:
    topics = told([C], tried(A, 0.5))
    assert list(topics) == ["serving", "memory"]
    assert (topics["memory"].n_attempts, topics["memory"].n_questions, topics["memory"].n_answered) == (1, 0, 0)


def test_the_graders_behind_a_mean_are_named_newest_first() -> None:
    memory = told([A, B], tried(A, 0.2, 1), tried(B, 0.4, 2, by=OTHER))["memory"]
    assert memory.graders == (OTHER, FINGERPRINT)


def test_a_grader_whose_grades_no_longer_count_is_not_named() -> None:
    assert told([A], tried(A, 0.2, 1), tried(A, 0.4, 2, by=OTHER))["memory"].graders == (OTHER,)


def test_a_grader_behind_the_trend_is_named() -> None:
    attempts = [tried(A, 0.5, hours, by=FINGERPRINT if hours < 3 else OTHER) for hours in range(6)]
    assert told([A], *attempts)["memory"].graders == (OTHER, FINGERPRINT)


def test_points_missed_or_wrong_last_time_are_listed_weightiest_first() -> None:
    attempts = [tried(A, 0.2, 1, (MISSED, MISSED, MISSED)), tried(A, 0.2, 2, (MET, WRONG, UNJUDGED))]
    memory = told([A, B], *attempts, tried(B, 0.1, 3, (MISSED, PARTLY, MET)))["memory"]
    assert [v.id for v in memory.missed] == ["c0", "c1"]
    assert memory.missed[0].text == "text of c0"


def test_a_bonus_is_missed_by_nobody() -> None:
    attempt = tried(A, 0.5, 1, (MET, MISSED, MISSED))
    bonus = tuple(Criterion(id=f"c{i}", text="t", weight=1, bonus=i == 1) for i in range(3))
    attempt = attempt.model_copy(update={"rubric": RUBRIC.model_copy(update={"criteria": bonus})})
    assert [v.id for v in missed(attempt)] == ["c2"]


def test_the_latest_attempt_of_each_question_is_found() -> None:
    new, old = tried(A, 0.5, 2), tried(A, 0.1, 1)
    assert latest([new, old]) == {"a": new}


@pytest.mark.parametrize(
    ("topic", "sentence"),
    [
        (TopicProgress("x", n_attempts=1, n_scored=1, mean=0.414), "41 of 100 at your only attempt"),
        (TopicProgress("x", n_attempts=1), "no score yet after 1 attempt"),
        (TopicProgress("x", n_attempts=2), "no score yet after 2 attempts"),
        (TopicProgress("x", n_attempts=2, n_scored=1, mean=0.0), "0 of 100, your latest score in 2 attempts"),
    ],
)
def test_the_evidence_says_what_the_mean_stands_on(topic: TopicProgress, sentence: str) -> None:
    assert evidence(topic) == sentence


@given(
    st.lists(
        st.tuples(st.sampled_from([A, B, C]), st.none() | st.floats(0, 1), st.sampled_from([FINGERPRINT, OTHER])),
        max_size=30,
    )
)
def test_whatever_was_attempted_numbers_stay_in_range_and_every_attempt_is_counted_once(
    rows: list[tuple[Question, float | None, Fingerprint]],
) -> None:
    attempts = [tried(of, score, hours, by=by) for hours, (of, score, by) in enumerate(rows)]
    topics = told([A, B, C], *attempts)
    assert sum(t.n_attempts for t in topics.values()) == len(rows)
    for topic in topics.values():
        assert topic.n_scored <= topic.n_answered <= topic.n_questions
        assert (topic.mean is None) == (topic.n_scored == 0) == (topic.graders == ())
        assert topic.mean is None or 0 <= topic.mean <= 1
        assert topic.trend is None or -1 <= topic.trend <= 1
