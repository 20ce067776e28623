"""Agreement measures against numbers worked out by hand."""

from __future__ import annotations

import pytest

from tests.grades import FINGERPRINT, graded
from tutor.evaluation import evaluate
from tutor.labelled import AnswerLine
from tutor.values import Verdict

MET, PARTLY, MISSED, WRONG, UNJUDGED = (
    Verdict.MET,
    Verdict.PARTLY,
    Verdict.MISSED,
    Verdict.CONTRADICTED,
    Verdict.UNJUDGED,
)
WORDS = "one two three"


def line(answer_id: str, *labels: float, question_id: str = "q1", style: str = "", overall: float | None = None):
    return AnswerLine(
        question_id=question_id,
        answer_id=answer_id,
        answer=WORDS,
        style=style,
        labels={f"c{i}": label for i, label in enumerate(labels)},
        overall=overall,
    )


def test_perfect_agreement_is_one() -> None:
    report = evaluate([line("a", 1, 0, 0.5, -1)], [graded("q1", "a", [MET, MISSED, PARTLY, WRONG])])
    assert (report.overall.accuracy, report.overall.kappa, report.overall.kappa4) == (1.0, 1.0, 1.0)
    assert (report.n_answers, report.n_labels, report.fingerprint) == (1, 4, FINGERPRINT)


def test_kappa_splits_at_half_a_credit() -> None:
    report = evaluate([line("a", 1, 0.5, 0, -1)], [graded("q1", "a", [PARTLY, MET, WRONG, MISSED])])
    assert report.overall.kappa == 1.0
    assert report.overall.kappa4 is not None
    assert report.overall.kappa4 < 0


def test_kappa_of_a_known_table() -> None:
    # 3 of 4 agree; chance agreement is .5 * .25 + .5 * .75 = .5; kappa = (.75 - .5) / .5.
    report = evaluate([line("a", 1, 1, 0, 0)], [graded("q1", "a", [MET, MISSED, MISSED, MISSED])])
    assert report.overall.kappa == 0.5


def test_unjudged_counts_as_not_met_and_its_share_is_shown() -> None:
    report = evaluate([line("a", 1, 1)], [graded("q1", "a", [MET, UNJUDGED], judged_share=0.5)])
    assert report.overall.accuracy == 0.5
    assert report.overall.judged_share == 0.5


def test_one_class_alone_has_no_kappa() -> None:
    assert evaluate([line("a", 0, 0)], [graded("q1", "a", [MISSED, MISSED])]).overall.kappa is None


def test_scores_are_compared_with_a_persons_and_with_a_constant() -> None:
    answers = [line("a", 1, overall=1.0), line("b", 0, overall=0.0)]
    grades = [graded("q1", "a", [MET], score=0.8), graded("q1", "b", [MISSED], score=0.4)]
    agreement = evaluate(answers, grades).overall
    assert agreement.r == pytest.approx(1.0)
    assert agreement.rmse == pytest.approx((0.2**2 / 2 + 0.4**2 / 2) ** 0.5)
    assert agreement.rmse_constant == 0.5


def test_a_quote_that_is_not_in_the_answer_is_counted() -> None:
    good, bad = graded("q1", "a", [MET]), graded("q1", "b", [MET], quote="two")
    report = evaluate([line("a", 1), line("b", 1)], [good, bad])
    assert report.overall.quote_validity == 0.5


def test_intervals_resample_questions_and_are_the_same_every_time() -> None:
    answers = [line(f"a{q}", 1, 0, question_id=f"q{q}", style="a_x") for q in range(4)]
    grades = [graded(f"q{q}", f"a{q}", [MET, MISSED if q else MET]) for q in range(4)]
    report = evaluate(answers, grades)
    accuracy = report.intervals["accuracy"]
    assert accuracy.low < report.overall.accuracy < accuracy.high
    assert report == evaluate(answers, list(reversed(grades)))
    assert set(report.by_style) == {"a"}


def test_one_question_has_no_interval() -> None:
    assert evaluate([line("a", 1)], [graded("q1", "a", [MET])]).intervals == {}


def test_answers_without_labels_have_no_agreement() -> None:
    bare = AnswerLine(question_id="q1", answer_id="a", answer=WORDS)
    report = evaluate([bare], [graded("q1", "a", [MET])])
    assert (report.n_labels, report.overall.kappa, report.overall.r) == (0, None, None)


def test_no_answers_is_an_empty_report() -> None:
    report = evaluate([], [])
    assert (report.n_answers, report.overall.judged_share, report.seconds_per_answer) == (0, None, 0.0)


def test_a_missing_grade_is_named() -> None:
    with pytest.raises(ValueError, match="no grade for answer 'a' of question 'q1'"):
        evaluate([line("a", 1)], [])


def test_a_label_without_a_graded_criterion_is_named() -> None:
    with pytest.raises(ValueError, match="c1"):
        evaluate([line("a", 1, 1)], [graded("q1", "a", [MET])])
