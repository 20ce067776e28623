"""Which question comes next: ratings, days, needs, reasons - and nobody is forgotten."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import pytest
from fsrs import Rating
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.test_progress import MET, MISSED, PARTLY, START, UNJUDGED, WRONG, question, tried
from tutor.progress import TopicProgress
from tutor.schedule import RATINGS, Standing, due_days, next_day, rating, standings, suggest, weakest
from tutor.schedule.choice import PASSED_OVER
from tutor.values import Attempt, Criterion, Question, Rubric, Verdict

DAY = 24.0
A, B, C, D = question("a"), question("b"), question("c", "serving"), question("d", "training")
BANK = (A, B, C, D)
FIRST = START.date()
ALL_MET, ALL_MISSED = (MET, MET, MET), (MISSED, MISSED, MISSED)


def after_days(days: float) -> datetime:
    return START + timedelta(days=days)


def newest_first(*attempts: Attempt) -> list[Attempt]:
    return sorted(attempts, key=lambda a: a.created_at, reverse=True)


def day(n: int) -> date:
    return FIRST + timedelta(days=n)


def due_in(*attempts: Attempt) -> int:
    """Days from the newest attempt until question a is due."""
    ordered = newest_first(*attempts)
    return (due_days(ordered)["a"] - ordered[0].created_at.date()).days


def recited(attempt: Attempt) -> Attempt:
    return attempt.model_copy(update={"grade": attempt.grade.model_copy(update={"flags": ("recited",)})})


# -- ratings and days ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verdict", "rated", "when_recited"),
    [
        (MISSED, Rating.Again, Rating.Again),
        (WRONG, Rating.Again, Rating.Again),
        (PARTLY, Rating.Hard, Rating.Hard),
        (MET, Rating.Good, Rating.Hard),
        (UNJUDGED, None, None),
    ],
)
def test_a_verdict_rates_as_ruled(verdict: Verdict, rated: Rating | None, when_recited: Rating | None) -> None:
    assert rating(verdict) == rated
    assert rating(verdict, recited=True) == when_recited
    assert (verdict in RATINGS) == (rated is not None)


@pytest.mark.parametrize(
    ("ratings", "days"),
    [
        ([Rating.Again], 1),
        ([Rating.Hard], 1),
        ([Rating.Good], 2),
        ([Rating.Good, Rating.Again], 1),
    ],
)
def test_a_first_answer_comes_back_after_the_days_of_fsrs_6(ratings: list[Rating], days: int) -> None:
    known = {day(2 * n): rated for n, rated in enumerate(ratings)}
    assert next_day(known) == max(known) + timedelta(days=days)


def test_met_on_three_different_days_in_a_row_is_easy() -> None:
    three = {day(n): Rating.Good for n in (0, 2, 12)}
    broken = {**three, day(2): Rating.Hard}
    assert (next_day(three) - day(12)).days > 1.5 * (next_day(broken) - day(12)).days
    explicit = {**three, day(12): Rating.Easy}
    assert next_day(three) == next_day(explicit)


def test_no_point_rests_longer_than_ninety_days() -> None:
    known, today = {}, FIRST
    for _ in range(12):
        known[today] = Rating.Good
        following = next_day(known)
        assert timedelta(days=1) <= following - today <= timedelta(days=90)
        today = following
    assert following - max(known) == timedelta(days=90)


def test_a_question_is_due_with_the_first_of_its_criteria() -> None:
    assert due_in(tried(A, 1.0, 0, ALL_MET)) == 2
    assert due_in(tried(A, 0.7, 0, (MET, MET, MISSED))) == 1


def test_many_answers_on_one_day_are_one_rating_the_worst() -> None:
    five = [tried(A, 1.0, hours, ALL_MET) for hours in range(5)]
    assert due_in(*five) == due_in(five[0]) == 2
    # After a miss the reference was on the screen: saying it then is no recall.
    assert due_in(tried(A, 0.0, 0, ALL_MISSED), tried(A, 1.0, 1, ALL_MET)) == 1


def test_days_are_those_of_utc_and_begin_at_midnight() -> None:
    late = tried(A, 0.0, 14.9, ALL_MISSED)
    assert late.created_at.date() == FIRST
    assert due_days([late])["a"] == day(1)
    (standing,) = standings([A], [late], datetime(2026, 3, 2, 0, 0, tzinfo=UTC))
    assert standing.is_due
    (standing,) = standings([A], [late], datetime(2026, 3, 1, 23, 59, tzinfo=UTC))
    assert not standing.is_due


def test_a_recited_answer_comes_back_sooner_than_an_honest_one() -> None:
    honest = [tried(A, 1.0, DAY * n, ALL_MET) for n in (0, 2, 12)]
    assert due_in(*honest[:2], recited(honest[2])) < due_in(*honest)
    assert due_in(recited(honest[0])) < due_in(honest[0])


def test_what_could_not_be_judged_neither_helps_nor_harms() -> None:
    assert due_in(tried(A, 1.0, 0, (MET, MET, UNJUDGED))) == 2
    met = [tried(A, 1.0, 0, ALL_MET), tried(A, 1.0, 2 * DAY, (MET, UNJUDGED, UNJUDGED))]
    # The two unjudged points are due now, but the question was just answered.
    assert due_in(*met) == 1


def test_a_question_of_which_nothing_was_judged_rests_one_day() -> None:
    assert due_in(tried(A, None, 0, (UNJUDGED, UNJUDGED, UNJUDGED))) == 1


def rubric(*ids: str, bonus: str = "") -> Rubric:
    criteria = (Criterion(id=id, text=f"text of {id}", weight=1, bonus=id == bonus) for id in ids)
    return Rubric(question_id="a", criteria=tuple(criteria))


def test_a_criterion_with_a_new_id_starts_anew_and_a_dropped_one_is_over() -> None:
    old = tried(A, 0.6, 0, (MET, MET, MISSED))
    again = tried(A, 1.0, 3 * DAY, (MET, MET, MET))
    without_c2 = tried(A, 1.0, 3 * DAY, (MET, MET)).model_copy(update={"rubric": rubric("c0", "c1")})
    assert due_in(old, without_c2) > due_in(old, again)


def test_a_bonus_point_makes_nothing_due() -> None:
    attempt = tried(A, 1.0, 0, (MET, MET, MISSED)).model_copy(update={"rubric": rubric("c0", "c1", "c2", bonus="c2")})
    assert due_in(attempt) == 2


# -- topics ----------------------------------------------------------------------------------


def test_a_topic_is_due_when_one_of_its_questions_is() -> None:
    attempts = newest_first(tried(A, 1.0, 0, ALL_MET), tried(B, 0.0, 1, ALL_MISSED))
    memory, serving, training = standings(BANK, attempts, after_days(1))
    assert (memory.due, memory.is_due) == (day(1), True)
    assert (serving.due, serving.is_due) == (training.due, training.is_due) == (None, False)


def test_a_topic_that_left_the_bank_is_never_due() -> None:
    found = standings([C], [tried(A, 0.0, 0, ALL_MISSED)], after_days(9))
    assert [(s.progress.topic, s.due, s.is_due) for s in found] == [("serving", None, False), ("memory", None, False)]


def test_need_is_due_first_then_the_lowest_mean_then_due_longest_then_the_banks_order() -> None:
    def standing(topic: str, mean: float | None, due: int | None, is_due: bool = True) -> Standing:
        return Standing(TopicProgress(topic, mean=mean), None if due is None else day(due), is_due)

    rows = [
        standing("resting and weak", 0.1, 9, False),
        standing("no score", None, 1),
        standing("new", None, None, False),
        standing("tie, due later", 0.5, 3),
        standing("tie, due longer", 0.5, 2),
        standing("same tie", 0.5, 2),
        standing("strong", 0.9, 0),
        standing("weak", 0.2, 3),
    ]
    assert [s.progress.topic for s in weakest(rows)] == [
        "weak",
        "tie, due longer",
        "same tie",
        "tie, due later",
        "strong",
        "no score",
        "resting and weak",
    ]


# -- the next question and its reason --------------------------------------------------------


def test_the_first_question_is_the_banks_first() -> None:
    suggested = suggest(BANK, (), START)
    assert (suggested.question, suggested.why) == (A, "This is your first question.")


def test_another_first_question_may_be_asked_for() -> None:
    assert suggest(BANK, (), START, skip=("a",)).question == B


def test_the_weakest_due_topic_comes_first_with_its_evidence() -> None:
    attempts = newest_first(
        tried(A, 0.8, 0, (MET, MET, PARTLY)), tried(C, 0.41, 1, (MISSED, MET, MET)), tried(D, 0.6, 2, ALL_MISSED)
    )
    suggested = suggest(BANK, attempts, after_days(2))
    assert suggested.question == C
    assert suggested.why == (
        "serving is your weakest topic that is due: 41 of 100 at your only attempt. You missed “text of c0” last time."
    )


def test_in_the_weakest_topic_the_question_due_longest_comes() -> None:
    attempts = newest_first(tried(A, 0.1, DAY, ALL_MISSED), tried(B, 0.3, 0, ALL_MISSED), tried(C, 0.9, 1, ALL_MISSED))
    suggested = suggest(BANK, attempts, after_days(5))
    assert suggested.question == B
    assert "20 of 100 on average over 2 questions" in suggested.why


def test_what_was_wrong_is_called_wrong_and_long_points_are_cut_between_words() -> None:
    long = "memory bandwidth " * 20
    attempt = tried(A, 0.1, 0, (WRONG, MISSED, MET))
    (first, *others) = attempt.grade.criteria
    grade = attempt.grade.model_copy(update={"criteria": (first.model_copy(update={"text": long}), *others)})
    why = suggest([A], [attempt.model_copy(update={"grade": grade})], after_days(1)).why
    assert why.startswith("memory is the only topic that is due: 10 of 100 at your only attempt. You got “memory")
    assert why.endswith(" …” wrong last time.")
    assert len(why) < 240


def test_a_topic_that_is_due_without_a_score_is_not_called_weakest() -> None:
    unjudged = (UNJUDGED, UNJUDGED, UNJUDGED)
    attempts = newest_first(tried(C, None, 0, unjudged), tried(D, None, 1, unjudged))
    assert suggest(BANK, attempts, after_days(1)).why == "serving is due: no score yet after 1 attempt."


def test_a_question_just_posed_gives_way_to_the_next_topic() -> None:
    attempts = newest_first(tried(C, 0.1, 0, ALL_MISSED), tried(D, 0.6, 1, ALL_MISSED))
    suggested = suggest(BANK, attempts, after_days(1), skip=("c",))
    assert suggested.question == D
    assert suggested.why.startswith("training is due: 60 of 100")


def test_questions_just_posed_come_again_only_when_all_have_been() -> None:
    attempts = newest_first(tried(C, 0.1, 0, ALL_MISSED), tried(D, 0.6, 1, ALL_MISSED))
    suggested = suggest(BANK, attempts, after_days(1), skip=("c", "d"))
    assert suggested.question == A
    assert suggested.why == "Nothing else is due now. You have not tried the topic memory yet."
    assert suggest(BANK, attempts, after_days(1), skip=("a", "b", "d", "c")).question == D
    assert suggest(BANK, attempts, after_days(1), skip=("c", "a", "b", "d")).question == C
    assert suggest([C], attempts, after_days(1), skip=("c", "c")).question == C
    assert suggest(BANK, attempts, after_days(1), skip=("gone",)).question == C


def test_when_nothing_is_due_topics_never_touched_come_first() -> None:
    attempts = [tried(A, 1.0, 0, ALL_MET)]
    suggested = suggest(BANK, attempts, after_days(0.1))
    assert suggested.question == C
    assert suggested.why == "Nothing is due now. You have not tried the topic serving yet."


def test_then_questions_never_attempted_then_the_one_answered_longest_ago() -> None:
    attempts = newest_first(*(tried(q, 1.0, hours, ALL_MET) for hours, q in enumerate((D, A, C))))
    suggested = suggest(BANK, attempts, after_days(0.3))
    assert suggested.question == B
    assert suggested.why == "Nothing is due now. You have not tried this question about memory yet."
    attempts = newest_first(*attempts, tried(B, 1.0, 4, ALL_MET))
    for days, ago in ((0.3, "today"), (1, "yesterday")):
        suggested = suggest(BANK, attempts, after_days(days))
        assert suggested.question == D
        assert suggested.why == f"Nothing is due now. Of all questions you answered this one longest ago: {ago}."


def test_longest_ago_is_told_in_days() -> None:
    attempts = newest_first(*(tried(A, 1.0, DAY * n, ALL_MET) for n in (0, 2, 12)))
    assert suggest([A], attempts, after_days(20)).why.endswith("longest ago: 8 days ago.")


def test_a_chosen_topic_is_kept_whatever_is_due_elsewhere() -> None:
    attempts = newest_first(tried(C, 0.0, 0, ALL_MISSED), tried(B, 1.0, 1, ALL_MET))
    for days, expected in ((1, A), (3, B)):
        suggested = suggest(BANK, attempts, after_days(days), topic="memory")
        assert (suggested.question, suggested.why) == (expected, "You chose this topic.")
    assert suggest(BANK, attempts, after_days(3), skip=("b",), topic="memory").question == A
    assert suggest(BANK, attempts, after_days(1), skip=("c",), topic="serving").question == C
    done = newest_first(*attempts, tried(A, 1.0, 2 * DAY + 5, ALL_MET), tried(B, 1.0, 2 * DAY + 6, ALL_MET))
    assert suggest(BANK, done, after_days(2.5), topic="memory").question == A


def test_after_three_repeats_in_a_row_comes_a_new_question() -> None:
    attempts = [tried(A, 0.0, DAY * n, ALL_MISSED) for n in range(3)]
    assert suggest(BANK, newest_first(*attempts), after_days(3)).question == A
    attempts.append(tried(A, 0.0, DAY * 3, ALL_MISSED))
    suggested = suggest(BANK, newest_first(*attempts), after_days(4))
    assert suggested.question == C
    assert suggested.why == "Your last 3 answers were repeats, so this question is a new one."
    assert suggest([A], newest_first(*attempts), after_days(4)).question == A


def test_a_due_question_that_twelve_answers_passed_over_comes_first() -> None:
    old = [tried(D, 0.9, 0, (MET, MET, PARTLY))]
    others = [tried((A, C)[n % 2], 0.1, DAY + n / 10, ALL_MISSED) for n in range(12)]
    two = (A, C, D)
    assert suggest(two, newest_first(*old, *others[:11]), after_days(2.5)).question == A
    suggested = suggest(two, newest_first(*old, *others), after_days(2.5))
    assert suggested.question == D
    assert suggested.why == "This question has waited longest: it is due, and 12 other answers came before it."


def test_a_long_break_alone_passes_nothing_over() -> None:
    attempts = newest_first(tried(A, 0.9, 0, ALL_MISSED), tried(C, 0.2, DAY, ALL_MISSED))
    assert suggest((A, C), attempts, after_days(300)).question == C


# -- over many days --------------------------------------------------------------------------


@dataclass
class Course:
    """What a simulated person answered, oldest first, and how long anything had to wait."""

    attempts: list[Attempt]
    longest_due: int = 0
    """Most answers to others between the day a question came due and its next answer."""


def practise(bank: Sequence[Question], n_days: int, a_day: int, skill: dict[str, float], seed: int) -> Course:
    """A person who makes each point of a question with a fixed chance."""
    chance, course = random.Random(seed), Course([])
    for n in range(n_days):
        before: tuple[str, ...] = ()
        for k in range(a_day):
            posed = suggest(bank, course.attempts[::-1], after_days(n), skip=before).question
            assert posed.id not in before or len(bank) == 1
            due = due_days(course.attempts[::-1]).get(posed.id, day(n_days))
            waited = sum(a.created_at.date() >= due for a in course.attempts)
            course.longest_due = max(course.longest_due, waited)
            verdicts = [MET if chance.random() < skill[posed.id] else MISSED for _ in range(3)]
            course.attempts.append(tried(posed, verdicts.count(MET) / 3, DAY * n + k / 10, verdicts))
            before = (posed.id,)
    return course


TWELVE = tuple(question(f"q{n}", f"topic {n % 5}") for n in range(12))
SKILLS = {
    "hopeless": {q.id: 0.0 for q in TWELVE},
    "one hopeless topic": {q.id: 0.0 if q.topic == "topic 0" else 0.9 for q in TWELVE},
    "perfect": {q.id: 1.0 for q in TWELVE},
}


@pytest.mark.parametrize("a_day", [1, 4])
@pytest.mark.parametrize("kind", SKILLS)
def test_no_question_starves_over_sixty_days(a_day: int, kind: str) -> None:
    course = practise(TWELVE, 60, a_day, SKILLS[kind], seed=a_day)
    # New ones come at least every fourth answer; due ones after twelve others, and then one after the other.
    first = {}
    for place, attempt in enumerate(course.attempts):
        first.setdefault(attempt.question.id, place)
    assert len(first) == 12
    assert max(first.values()) < 4 * 12
    assert course.longest_due <= PASSED_OVER + 12 * 4 / 3


@settings(max_examples=12, deadline=None)
@given(
    st.integers(1, 8),
    st.integers(1, 4),
    st.lists(st.floats(0, 1), min_size=8, max_size=8),
    st.integers(0, 10**6),
)
def test_whoever_practises_meets_every_question_and_never_one_twice_in_a_row(
    n_questions: int, a_day: int, skills: list[float], seed: int
) -> None:
    bank = tuple(question(f"q{n}", f"topic {n % 3}") for n in range(n_questions))
    skill = dict(zip((q.id for q in bank), skills, strict=False))
    attempts = practise(bank, 33, a_day, skill, seed).attempts
    assert {a.question.id for a in attempts} == {q.id for q in bank}
    again = [suggest(bank, attempts[::-1], after_days(34)) for _ in range(2)]
    assert again[0] == again[1]


def test_who_knows_a_topic_less_meets_it_more() -> None:
    skills = {q.id: 0.3 if q.topic == "topic 0" else 0.95 for q in TWELVE}
    attempts = practise(TWELVE, 60, 2, skills, seed=7).attempts
    weak = [a for a in attempts if a.question.topic == "topic 0"]
    assert len(weak) / len(attempts) > 1.5 * 3 / 12
