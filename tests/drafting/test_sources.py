"""The source pages are imported as they stand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import skip_or_fail
from tests.drafting.test_pages import topics
from tutor.drafting import Drafted, drafted, found
from tutor.values import Kind


def source(name: str) -> tuple[Drafted, ...]:
    root = Path(__file__).resolve().parents[2]
    page = Path(os.environ.get("TUTOR_SOURCES_DIR") or root.parent / "shared" / "sources") / f"{name}.txt"
    if not page.is_file():
        skip_or_fail(f"no {page}; set TUTOR_SOURCES_DIR to the folder with the source pages")
    return drafted(found(page.read_text(encoding="utf-8"), "page", str(page)), name)


def test_the_self_test_has_forty_questions_by_chapter() -> None:
    questions = source("self-test")
    assert len(questions) == 40
    assert topics(questions) == {
        "Basics": 7,
        "Transformer": 9,
        "Training and alignment": 5,
        "How inference works": 7,
        "Inference serving": 5,
        "Synthesis": 7,
    }
    kinds = [question.entry.question.kind for question in questions]
    assert [n for n, kind in enumerate(kinds, 1) if kind is Kind.NUMERICAL] == [2, 17, 26]
    assert kinds.count(Kind.SYNTHESIS) == 7


def test_the_mixed_review_has_twenty_questions() -> None:
    questions = source("mixed-review")
    assert topics(questions) == {"Mixed questions": 20}
    assert [q.entry.question.id for q in questions] == [f"mixed-review-{n:02}" for n in range(1, 21)]


@pytest.mark.parametrize("name", ["self-test", "mixed-review"])
def test_nothing_around_the_questions_is_taken_for_one(name: str) -> None:
    for question in (one.entry.question for one in source(name)):
        text = f"{question.question}\n{question.reference_answer}"
        assert not any(
            words in text for words in ("First pass:", "Report an issue", "\nAnswer", "See ", "About the num")
        )
        assert "\\(" not in text


@pytest.mark.parametrize("name", ["self-test", "mixed-review"])
def test_every_rubric_has_a_few_criteria_in_words_of_its_reference(name: str) -> None:
    for question in source(name):
        rubric, reference = question.entry.rubric, question.entry.question.reference_answer
        assert 2 <= len(rubric.criteria) <= 8
        assert rubric.status == "draft"
        for criterion, origin in zip(rubric.criteria, question.origins, strict=True):
            assert criterion.id == origin.criterion_id
            assert criterion.text[1:12].strip(".") in reference[origin.start : origin.end]


def test_the_figures_of_the_references_are_figures_of_the_rubrics() -> None:
    figures = {
        (figure.value, figure.unit)
        for name in ("self-test", "mixed-review")
        for question in source(name)
        for figure in question.entry.rubric.figures
    }
    assert {(10.5, "ms/token"), (320, "KB/token"), (59, "h"), (2, "GiB"), (64, "GiB"), (10.1, "token/s")} <= figures
