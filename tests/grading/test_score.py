"""Rubric arithmetic: unjudged is not zero, a bonus never hurts, a contradiction costs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tutor.grading.score import judged_share, score
from tutor.values import Criterion, Verdict


def rubric(*weights: int, bonus: int = 0) -> list[Criterion]:
    criteria = [Criterion(id=f"c{i}", text="t", weight=w) for i, w in enumerate(weights)]
    return criteria + ([Criterion(id="bonus", text="t", weight=bonus, bonus=True)] if bonus else [])


def by_id(criteria: list[Criterion], *verdicts: Verdict) -> dict[str, Verdict]:
    return {c.id: v for c, v in zip(criteria, verdicts, strict=True)}


def test_an_unjudged_criterion_leaves_the_sum() -> None:
    criteria = rubric(3, 1)
    verdicts = by_id(criteria, Verdict.MET, Verdict.UNJUDGED)
    assert score(criteria, verdicts) == 1.0
    assert judged_share(criteria, verdicts) == 0.75


def test_too_little_judged_is_no_score_at_all() -> None:
    criteria = rubric(1, 2)
    assert score(criteria, by_id(criteria, Verdict.MET, Verdict.UNJUDGED)) is None


def test_exactly_half_judged_is_enough() -> None:
    criteria = rubric(1, 1)
    assert score(criteria, by_id(criteria, Verdict.MISSED, Verdict.UNJUDGED)) == 0.0


def test_a_bonus_adds_to_the_numerator_only_and_the_score_is_capped() -> None:
    criteria = rubric(2, 2, bonus=2)
    assert score(criteria, by_id(criteria, Verdict.MET, Verdict.MISSED, Verdict.MET)) == 1.0
    assert score(criteria, by_id(criteria, Verdict.MET, Verdict.MISSED, Verdict.MISSED)) == 0.5
    assert score(criteria, by_id(criteria, Verdict.MET, Verdict.MET, Verdict.MET)) == 1.0


def test_contradictions_and_misconceptions_cost_a_fifth_of_their_share() -> None:
    criteria = rubric(2, 2)
    assert score(criteria, by_id(criteria, Verdict.MET, Verdict.CONTRADICTED)) == 0.4
    assert score(criteria, by_id(criteria, Verdict.MET, Verdict.MET), misconceptions=2) == 0.9
    assert score(criteria, by_id(criteria, Verdict.CONTRADICTED, Verdict.CONTRADICTED), misconceptions=9) == 0.0


@given(
    st.lists(st.tuples(st.integers(1, 3), st.sampled_from(list(Verdict))), min_size=1, max_size=8), st.integers(0, 3)
)
def test_a_score_is_a_share_or_nothing(rows: list[tuple[int, Verdict]], misconceptions: int) -> None:
    criteria = rubric(*(w for w, _ in rows))
    verdicts = by_id(criteria, *(v for _, v in rows))
    value = score(criteria, verdicts, misconceptions)
    assert (value is None) == (judged_share(criteria, verdicts) < 0.5)
    assert value is None or 0.0 <= value <= 1.0
