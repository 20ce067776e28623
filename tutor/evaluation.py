"""How far grades agree with labels given by people: kappa, correlation, error, with intervals by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from tutor.labelled import AnswerLine
from tutor.values import Fingerprint, Grade, Value, Verdict

# FORMATS: two classes split at credit >= .5; four classes in the order missed, partly, met, contradicted.
_LABEL_CLASS = {0.0: 0, 0.5: 1, 1.0: 2, -1.0: 3}
_VERDICT_CLASS = {
    Verdict.MISSED: 0,
    Verdict.PARTLY: 1,
    Verdict.MET: 2,
    Verdict.CONTRADICTED: 3,
    Verdict.UNJUDGED: 0,
}
_WITH_INTERVALS = ("accuracy", "kappa", "kappa4", "r", "rmse")
_RESAMPLES = 1000
_SEED = 20260301


class Agreement(Value):
    """Agreement of grades with labels; None where it is undefined (one class only, no labels)."""

    accuracy: float | None = None
    kappa: float | None = None
    kappa4: float | None = None
    r: float | None = None
    rmse: float | None = None
    rmse_constant: float | None = None
    quote_validity: float | None = None
    judged_share: float | None = None


class Interval(Value):
    """A 95 % interval from resampling whole questions."""

    low: float
    high: float


class Report(Value):
    """What `tutor evaluate --out` writes."""

    n_answers: int
    n_labels: int
    fingerprint: Fingerprint | None
    overall: Agreement
    intervals: Mapping[str, Interval] = Field(default_factory=dict)
    by_style: Mapping[str, Agreement] = Field(default_factory=dict)
    seconds_per_answer: float


@dataclass(frozen=True)
class _Pair:
    labelled: AnswerLine
    grade: Grade


def evaluate(answers: Sequence[AnswerLine], grades: Sequence[Grade]) -> Report:
    """Compare grades with labels.

    Args:
        answers: Labelled answers; those without labels still count for `overall` scores.
        grades: Grades in any order, matched by question and answer id.

    Raises:
        ValueError: An answer has no grade, or a label names a criterion that was not graded.
    """
    by_key = {(g.question_id, g.answer_id): g for g in grades}
    pairs = [_pair(a, by_key) for a in answers]
    styles = sorted({p.labelled.style[:1] for p in pairs if p.labelled.style})
    fingerprints = {p.grade.fingerprint for p in pairs}
    return Report(
        n_answers=len(pairs),
        n_labels=sum(len(p.labelled.labels or {}) for p in pairs),
        fingerprint=fingerprints.pop() if len(fingerprints) == 1 else None,
        overall=_agreement(pairs),
        intervals=_intervals(pairs),
        by_style={s: _agreement([p for p in pairs if p.labelled.style[:1] == s]) for s in styles},
        seconds_per_answer=float(np.mean([p.grade.seconds for p in pairs])) if pairs else 0.0,
    )


def kappa(a: NDArray[np.int64], b: NDArray[np.int64]) -> float | None:
    """Cohen's kappa: agreement beyond what the two marginals give by chance; None if that is certain.

    >>> kappa(np.array([1, 1, 0, 0]), np.array([1, 0, 0, 0]))
    0.5
    """
    observed = float(np.mean(a == b))
    expected = sum(float(np.mean(a == c)) * float(np.mean(b == c)) for c in np.union1d(a, b))
    return None if expected >= 1.0 else (observed - expected) / (1.0 - expected)


def _pair(answer: AnswerLine, by_key: Mapping[tuple[str, str], Grade]) -> _Pair:
    grade = by_key.get((answer.question_id, answer.answer_id))
    if grade is None:
        raise ValueError(f"no grade for answer {answer.answer_id!r} of question {answer.question_id!r}")
    unknown = set(answer.labels or {}) - {c.id for c in grade.criteria}
    if unknown:
        raise ValueError(
            f"answer {answer.answer_id!r} has labels for criteria not graded: {', '.join(sorted(unknown))}"
        )
    return _Pair(answer, grade)


def _agreement(pairs: Sequence[_Pair]) -> Agreement:
    labels, verdicts = _labels_and_verdicts(pairs)
    scores = [
        (p.grade.score, p.labelled.overall)
        for p in pairs
        if p.grade.score is not None and p.labelled.overall is not None
    ]
    return Agreement(
        **_on_criteria(labels, verdicts),
        **_on_scores(np.array([s for s, _ in scores]), np.array([o for _, o in scores])),
        quote_validity=_quote_validity(pairs),
        judged_share=float(np.mean([p.grade.judged_share for p in pairs])) if pairs else None,
    )


def _labels_and_verdicts(pairs: Sequence[_Pair]) -> tuple[list[float], list[Verdict]]:
    labels: list[float] = []
    verdicts: list[Verdict] = []
    for pair in pairs:
        given = {c.id: c.verdict for c in pair.grade.criteria}
        for criterion_id, label in (pair.labelled.labels or {}).items():
            labels.append(label)
            verdicts.append(given[criterion_id])
    return labels, verdicts


def _on_criteria(labels: list[float], verdicts: list[Verdict]) -> dict[str, float | None]:
    if not labels:
        return {}
    made_label = np.array([label >= 0.5 for label in labels], dtype=np.int64)
    made_verdict = np.array([v in (Verdict.MET, Verdict.PARTLY) for v in verdicts], dtype=np.int64)
    label_class = np.array([_LABEL_CLASS[float(label)] for label in labels])
    verdict_class = np.array([_VERDICT_CLASS[v] for v in verdicts])
    return {
        "accuracy": float(np.mean(made_label == made_verdict)),
        "kappa": kappa(made_label, made_verdict),
        "kappa4": kappa(label_class, verdict_class),
    }


def _on_scores(scores: NDArray[np.float64], overall: NDArray[np.float64]) -> dict[str, float | None]:
    if len(scores) == 0:
        return {}
    varied = len(scores) > 1 and float(scores.std()) > 0 and float(overall.std()) > 0
    return {
        "r": float(np.corrcoef(scores, overall)[0, 1]) if varied else None,
        "rmse": float(np.sqrt(np.mean((scores - overall) ** 2))),
        "rmse_constant": float(overall.std()),
    }


def _quote_validity(pairs: Sequence[_Pair]) -> float | None:
    """Share of the shown quotes that are exactly the answer's characters at their place."""
    shown = [
        pair.labelled.answer[c.start : c.end] == c.quote
        for pair in pairs
        for c in pair.grade.criteria
        if c.quote is not None
    ]
    return float(np.mean(shown)) if shown else None


def _intervals(pairs: Sequence[_Pair]) -> dict[str, Interval]:
    """Percentile intervals from resampling questions: answers to one question hang together."""
    questions = sorted({p.labelled.question_id for p in pairs})
    if len(questions) < 2:
        return {}
    groups = {q: [p for p in pairs if p.labelled.question_id == q] for q in questions}
    generator = np.random.default_rng(_SEED)
    drawn = [
        _agreement([p for q in generator.choice(questions, len(questions)) for p in groups[q]])
        for _ in range(_RESAMPLES)
    ]
    intervals = {name: _interval([getattr(a, name) for a in drawn]) for name in _WITH_INTERVALS}
    return {name: interval for name, interval in intervals.items() if interval is not None}


def _interval(values: Sequence[float | None]) -> Interval | None:
    known = [v for v in values if v is not None]
    if not known:
        return None
    low, high = np.percentile(known, (2.5, 97.5))
    return Interval(low=float(low), high=float(high))
