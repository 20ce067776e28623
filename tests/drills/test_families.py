"""Every family over a thousand seeds: plausible, computed, consistent, and never the same twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from math import isclose

import pytest

from tests.adapters.test_shipped_bank import TOPICS
from tests.content.test_own_words import runs, source_runs, texts  # noqa: F401 - the fixture is used by its name
from tests.drills.by_hand import BY_HAND, PLAUSIBLE
from tutor.adapters.bank_yaml import shipped_bank
from tutor.drills import FAMILIES, Drill, Family
from tutor.formula import UNITS, figure_value
from tutor.grading.figures import check
from tutor.grading.gates import gate
from tutor.lint import remarks
from tutor.values import Figure, Kind

SEEDS = range(1_000)
# The checker of numbers and the lint take milliseconds a text, so they see some.
SOME_SEEDS, FEW_SEEDS = SEEDS[::20], SEEDS[::100]
SESSION = 20
each_family = pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)


@lru_cache
def drills(family: str) -> tuple[Drill, ...]:
    return tuple(FAMILIES[family].drill(seed) for seed in SEEDS)


def some(family: Family, seeds: Iterable[int] = SOME_SEEDS) -> Iterator[tuple[Drill, list[tuple[Figure, float]]]]:
    """Drills with the values of their figures."""
    for seed in seeds:
        drill = drills(family.name)[seed]
        yield drill, [(figure, figure_value(figure)) for figure in drill.rubric.figures]


def test_there_are_many_families_over_many_topics() -> None:
    assert len(FAMILIES) >= 13
    assert set(BY_HAND) == set(FAMILIES)
    topics = {family.topic for family in FAMILIES.values()}
    assert topics <= TOPICS
    assert len(topics) >= 8


@each_family
def test_the_numbers_are_those_of_a_reckoning_by_hand(family: Family) -> None:
    for seed, drill in zip(SEEDS, drills(family.name), strict=True):
        by_hand = BY_HAND[family.name](family.draw(seed))
        pairs = zip(drill.rubric.figures, by_hand, strict=True)
        assert all(isclose(figure_value(figure), value, rel_tol=1e-9) for figure, value in pairs), seed


@each_family
def test_nothing_is_absurd(family: Family) -> None:
    for drill in drills(family.name):
        for figure in drill.rubric.figures:
            value = figure_value(figure)
            low, high = PLAUSIBLE.get(figure.label, (0, 1e26))
            assert low <= value <= high, (drill.question.id, figure.label, value)
            assert value > 0
            assert figure.unit in UNITS
            assert set(figure.accept) <= set(UNITS)
            assert figure.formula
            assert figure.value is None


@each_family
def test_a_drill_is_whole(family: Family) -> None:
    for seed, drill in zip(SEEDS, drills(family.name), strict=True):
        question, rubric = drill.question, drill.rubric
        assert (question.id, rubric.question_id) == (f"{family.name}@{seed}",) * 2
        assert (question.kind, question.target_s, rubric.status) == (Kind.NUMERICAL, 180, "reviewed")
        assert question.chapter
        assert question.section
        assert [c.id for c in rubric.criteria] == [f"{family.name}_c{n + 1}" for n in range(len(rubric.criteria))]
        assert 4 <= len(rubric.criteria) <= 6
        assert 1 <= len(rubric.misconceptions) <= 2
        assert 6 <= len(rubric.terms) <= 15
        assert len({term.casefold() for term in rubric.terms}) == len(rubric.terms)
        texts = [c.text for c in rubric.criteria] + [c.opposite for c in rubric.criteria]
        assert len(set(texts)) == 2 * len(rubric.criteria)
        assert not [text for text in (question.question, question.reference_answer, *texts) if set("{}") & set(text)]


@each_family
def test_wordings_change_and_no_text_comes_twice_in_a_session(family: Family) -> None:
    texts = [drill.question.question for drill in drills(family.name)]
    answers = [drill.question.reference_answer for drill in drills(family.name)]
    for start in SEEDS[: -SESSION + 1]:
        assert len(set(texts[start : start + SESSION])) == SESSION
        assert len(set(answers[start : start + SESSION])) > SESSION / 2
    assert len(family.settings) * len(family.asks) >= 9
    starts = [text[:12] for text in texts]
    assert all(a != b for a, b in pairwise(starts))


@each_family
def test_no_number_repeats_before_the_deck_is_through(family: Family) -> None:
    assert len(family.deck) >= 80
    assert len({str(sorted(draw.items())) for draw in family.deck}) == len(family.deck)
    assert family.draw(len(family.deck)) == family.draw(0)


@each_family
def test_the_reference_answer_gives_every_figure(family: Family) -> None:
    for drill, figures in some(family):
        found = check(figures, drill.question.reference_answer, drill.question.question)
        assert {f.label: f.status for f in found if f.status != "right"} == {}, drill.question.id
        assert gate(drill.question, drill.question.reference_answer) is None


@each_family
def test_a_criterion_states_its_own_figures(family: Family) -> None:
    for drill, figures in some(family, SEEDS[7::40]):
        for criterion in drill.rubric.criteria:
            own = [(figure, value) for figure, value in figures if figure.criterion_id == criterion.id]
            stated = check(own, criterion.text, drill.question.question)
            assert [finding.status for finding in stated] == ["right"] * len(own), (drill.question.id, criterion.text)


@each_family
def test_the_question_gives_no_figure_away(family: Family) -> None:
    for drill, figures in some(family, SEEDS[9::40]):
        found = check(figures, drill.question.question, drill.question.question)
        assert {f.label for f in found if f.status == "right"} == set(), drill.question.question


@each_family
def test_three_hints_do_not_give_an_answer_away(family: Family) -> None:
    assert len(set(family.hints)) == 3
    for _, figures in some(family, FEW_SEEDS):
        for hint in family.hints:
            assert {finding.status for finding in check(figures, hint)} <= {"missing"}, hint


@each_family
def test_the_lint_has_nothing_to_say(family: Family) -> None:
    for drill, _ in some(family, FEW_SEEDS):
        assert remarks(drill.question, drill.rubric) == (), drill.question.id


def test_a_seed_is_the_same_drill_on_every_machine() -> None:
    assert FAMILIES["speculative"].draw(0) == {"acceptance": 0.85, "depth": 5, "cost": 0.04}
    assert FAMILIES["perplexity"].draw(1) == {"loss": 3.48, "rise": 0.03, "vocabulary": 32_000}
    assert FAMILIES["queueing-delay"].draw(0) == {"capacity": 12, "arrivals": 7.2, "busy": 10.2}


def test_a_term_is_spelt_the_same_in_drills_and_rubrics() -> None:
    bank = shipped_bank()
    rubrics = [bank.rubric(question.id) for question in bank.questions()]
    spellings: dict[str, set[str]] = {}
    for rubric in [*rubrics, *(drill.rubric for name in FAMILIES for drill in drills(name)[:100])]:
        for term in rubric.terms:
            spellings.setdefault(term.casefold(), set()).add(term)
    # FLOPs are operations, FLOPS operations per second.
    assert [found for found in spellings.values() if len(found) > 1 and found != {"FLOPs", "FLOPS"}] == []


def test_drills_share_no_sentence_with_the_sources(source_runs: frozenset[str]) -> None:  # noqa: F811
    for name in FAMILIES:
        for drill in drills(name)[:9]:
            for value in (drill.question, drill.rubric):
                for text in texts(value.model_dump(mode="json")):
                    assert not runs(text) & source_runs, (drill.question.id, text)
