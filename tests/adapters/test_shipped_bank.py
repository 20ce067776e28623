"""The questions that come with the program."""

from __future__ import annotations

import pytest

from tutor.adapters.bank_yaml import shipped_bank
from tutor.formula import figure_value
from tutor.values import Kind, Rubric

BANK = shipped_bank()
IDS = [question.id for question in BANK.questions()]


def rubric_and_texts(question_id: str) -> tuple[Rubric, list[str]]:
    rubric = BANK.rubric(question_id)
    return rubric, [criterion.text for criterion in rubric.criteria]


def test_there_is_a_question_of_each_kind() -> None:
    assert {"q01", "q10", "q19"} <= set(IDS)
    assert {question.kind for question in BANK.questions()} == set(Kind)


@pytest.mark.parametrize(
    ("question_id", "label", "computed"),
    [
        ("q01", "H100 ridge point", 989 / 3.35),
        ("q10", "KV cache at 32K tokens", 2 * 32 * 8 * 128 * 1 * 32_768 / 2**30),
        ("q10", "KV cache at 1M tokens", 2 * 32 * 8 * 128 * 1 * 1_048_576 / 2**30),
        ("q10", "KV cache per token", 2 * 32 * 8 * 128 * 1),
    ],
)
def test_figures_are_what_the_arithmetic_says(question_id: str, label: str, computed: float) -> None:
    figures = {figure.label: figure for figure in BANK.rubric(question_id).figures}
    assert figure_value(figures[label]) == pytest.approx(computed, rel=1e-9)


@pytest.mark.parametrize("question_id", IDS)
def test_every_question_says_where_to_reread(question_id: str) -> None:
    question = next(question for question in BANK.questions() if question.id == question_id)
    assert question.title
    assert question.chapter
    assert question.section
    assert 60 <= question.target_s <= 300


@pytest.mark.parametrize("question_id", IDS)
def test_a_rubric_is_complete(question_id: str) -> None:
    rubric, texts = rubric_and_texts(question_id)
    assert rubric.terms
    assert 1 <= len(rubric.misconceptions) <= 3
    for criterion in rubric.criteria:
        assert criterion.opposite not in texts
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("question_id", IDS)
def test_hints_do_not_give_an_answer_away(question_id: str) -> None:
    rubric, _ = rubric_and_texts(question_id)
    numbers = {f"{figure_value(figure):g}" for figure in rubric.figures}
    for hint in rubric.hints:
        words = set(hint.lower().replace(",", "").replace(".", "").split())
        assert not words & numbers
        for criterion in rubric.criteria:
            said = {word for word in criterion.text.lower().strip(".").split() if len(word) > 3}
            assert len(words & said) < len(said) * 0.6, (hint, criterion.text)
