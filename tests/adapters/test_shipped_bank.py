"""The questions that come with the program."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tutor.adapters.bank_yaml import JsonlBank, shipped_bank
from tutor.formula import figure_value
from tutor.lint import remarks
from tutor.values import Kind, Question

BANK = shipped_bank()
QUESTIONS = {question.id: question for question in BANK.questions()}
IDS = list(QUESTIONS)
# What a weak topic is called by: the chapters, the large ones in parts.
TOPICS = {
    "Language models and tokens",
    "Numerics",
    "Attention and positions",
    "Blocks and parameters",
    "KV cache",
    "Training",
    "Fine-tuning and alignment",
    "Sampling and speculation",
    "Roofline and bandwidth",
    "Quantization",
    "Serving and scheduling",
    "Putting it together",
}
# Two statements in one, but labelled answers refer to these texts word for word, with "partly" for one of the two.
LABELLED = {("q15", "criteria.2.text"), ("q18", "criteria.1.text")}


def test_there_are_questions_of_all_kinds() -> None:
    kinds = Counter(question.kind for question in QUESTIONS.values())
    assert min(kinds[kind] for kind in Kind) >= 3


def test_every_topic_is_one_of_twelve() -> None:
    topics = Counter(question.topic for question in QUESTIONS.values())
    assert set(topics) <= TOPICS
    assert len({question.difficulty for question in QUESTIONS.values()}) >= 4


def test_questions_that_labelled_answers_exist_for_have_their_criteria(devset_dir: Path) -> None:
    labelled = JsonlBank(devset_dir / "bank.jsonl")
    for question_id in {question.id for question in labelled.questions()} & set(IDS):
        mine, theirs = BANK.rubric(question_id).criteria, labelled.rubric(question_id).criteria
        assert [(c.id, c.text, c.weight) for c in mine] == [(c.id, c.text, c.weight) for c in theirs]


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=IDS)
def test_what_should_be_known_first_is_another_question(question: Question) -> None:
    assert set(question.prerequisites) <= set(IDS) - {question.id}


@pytest.mark.parametrize(
    ("question_id", "label", "computed"),
    [
        ("q01", "H100 ridge point", 989 / 3.35),
        ("q10", "KV cache at 32K tokens", 2 * 32 * 8 * 128 * 1 * 32_768 / 2**30),
        ("q10", "KV cache at 1M tokens", 2 * 32 * 8 * 128 * 1 * 1_048_576 / 2**30),
        ("q10", "KV cache per token", 2 * 32 * 8 * 128 * 1),
        ("q11", "Weight bytes", 141.1),
        ("q11", "Aggregate bandwidth", 13.4),
        ("q11", "Weights per GPU", 35.275),
        ("q11", "Decode lower bound", 141.1 / 13.4),
        ("q11", "KV cache per token", 327_680),
        ("q12", "Training FLOPs", 8.4e22),
        ("q12", "Effective throughput", 3.956e17),
        ("q12", "Training time", 8.4e22 / 3.956e17 / 3600),
        ("q12", "H100 dense BF16 peak", 989),
        ("q14", "Perplexity", 8.723322),
        ("q14", "Perplexity of uniform guess", 151_936),
    ],
)
def test_figures_are_what_the_arithmetic_says(question_id: str, label: str, computed: float) -> None:
    figures = {figure.label: figure for figure in BANK.rubric(question_id).figures}
    assert figure_value(figures[label]) == pytest.approx(computed, rel=1e-6)


def test_what_is_typed_in_was_measured_or_is_on_a_data_sheet() -> None:
    typed = [figure for q in IDS for figure in BANK.rubric(q).figures if figure.formula is None]
    assert all(figure.source and len(figure.source) > 20 for figure in typed)


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=IDS)
def test_every_question_says_where_to_reread(question: Question) -> None:
    assert question.title
    assert question.chapter
    assert question.section
    assert question.target_s == {Kind.CONCEPT: 120, Kind.NUMERICAL: 180, Kind.SYNTHESIS: 240}[question.kind]


def test_a_term_is_spelt_the_same_everywhere() -> None:
    spellings: dict[str, set[str]] = {}
    for question_id in IDS:
        for term in BANK.rubric(question_id).terms:
            spellings.setdefault(term.casefold(), set()).add(term)
    # FLOPs are operations, FLOPS operations per second.
    assert [found for found in spellings.values() if len(found) > 1 and found != {"FLOPs", "FLOPS"}] == []


def test_misconceptions_are_named_after_their_question() -> None:
    ids = [(question_id, m.id) for question_id in IDS for m in BANK.rubric(question_id).misconceptions]
    assert [(question_id, id) for question_id, id in ids if not id.startswith(f"{question_id}_m")] == []


def test_every_warning_of_the_lint_is_there_for_a_reason() -> None:
    found = {
        (question_id, remark.field): remark.message
        for question_id, question in QUESTIONS.items()
        for remark in remarks(question, BANK.rubric(question_id))
    }
    assert {place: message for place, message in found.items() if place not in LABELLED} == {}
    assert found.keys() >= LABELLED
