"""Fit the fusion on labelled answers, cross-validated by question (`make fit`).

Signals are measured once by the real engines and kept in build/signals.jsonl, so that a second run costs seconds.
Delete that file after a change of prompt, segments, figures or models.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import cohen_kappa_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tutor.adapters.bank_yaml import open_bank, read_answers
from tutor.grading.fusion import Signals
from tutor.grading.grader import figures_said
from tutor.settings import load
from tutor.wiring.engines import Engines, SystemClock

ROOT = Path(__file__).resolve().parents[1]
LABELLED = ROOT / "data" / "labelled"
CACHE = ROOT / "build" / "signals.jsonl"
# Styles with half-right answers; the others are nearly all made or nearly all missed.
HARD = "cdeg"
REGULARISATION = 0.3


def measure() -> list[dict[str, object]]:
    """One row a criterion and answer, from the cache where it is there."""
    CACHE.parent.mkdir(exist_ok=True)
    rows = [json.loads(line) for line in CACHE.read_text().splitlines()] if CACHE.exists() else []
    done = {row["answer_id"] for row in rows}
    bank = open_bank(LABELLED / "bank.jsonl")
    questions = {q.id: q for q in bank.questions()}
    answers = read_answers(LABELLED / "answers.jsonl")
    with Engines(load()) as engines, CACHE.open("a") as cache:
        engines.wait()
        grader = engines.grader(SystemClock())
        for line in answers:
            if line.answer_id in done:
                continue
            rubric = bank.rubric(line.question_id)
            found = figures_said(questions[line.question_id], rubric, line.answer)
            fresh = [
                {
                    "question_id": line.question_id,
                    "answer_id": line.answer_id,
                    "style": line.style[:1],
                    "label": (line.labels or {})[sighting.criterion.id],
                    "signals": asdict(sighting.signals),
                }
                for sighting in grader.sightings(rubric, found, line.answer)
                if sighting.signals is not None
            ]
            cache.writelines(json.dumps(row) + "\n" for row in fresh)
            cache.flush()
            rows.extend(fresh)
            print(f"measured {len(rows)} criteria", file=sys.stderr)
    return rows


def model() -> LogisticRegression:
    """Regularised logistic regression on standardised features."""
    return make_pipeline(StandardScaler(), LogisticRegression(C=REGULARISATION))


def out_of_fold(
    features: NDArray[np.float64], made: NDArray[np.int64], question: NDArray[np.str_]
) -> NDArray[np.float64]:
    """P(made) of each row by a model that saw no answer to its question; shape (rows,)."""
    probability = np.zeros(len(made))
    for held_out in np.unique(question):
        test = question == held_out
        fitted = model().fit(features[~test], made[~test])
        probability[test] = fitted.predict_proba(features[test])[:, 1]
    return probability


def main() -> None:
    """Measure, cross-validate, print the table and the weights to put into tutor/grading/fusion.py."""
    rows = measure()
    named = [Signals(**row["signals"]).features() for row in rows]  # type: ignore[arg-type]
    names = list(named[0])
    features = np.array([[row[name] for name in names] for row in named])
    made = np.array([row["label"] >= 0.5 for row in rows], dtype=np.int64)  # type: ignore[operator]
    question = np.array([row["question_id"] for row in rows])
    hard = np.array([str(row["style"]) in HARD for row in rows])
    print(f"{len(rows)} labels of {len(set(question))} questions, cross-validated by question")
    print(f"{'signals':44}{'AUC':>8}{'kappa':>8}{'hard':>8}")
    for kept in (["judge"], ["judge", "null"], ["cosine"], ["word_share"], names[:4], names):
        p = out_of_fold(features[:, [names.index(name) for name in kept]], made, question)
        scores = (
            roc_auc_score(made, p),
            cohen_kappa_score(made, p >= 0.5),
            cohen_kappa_score(made[hard], p[hard] >= 0.5),
        )
        print(f"{' '.join(kept) if kept != names else 'all':44}" + "".join(f"{s:8.3f}" for s in scores))
    scaler, regression = model().fit(features, made)
    weights = regression.coef_[0] / scaler.scale_
    print(f"intercept {regression.intercept_[0] - float(weights @ scaler.mean_):.3f}")
    print("\n".join(f"{name} {weight:.3f}" for name, weight in zip(names, weights, strict=True)))


if __name__ == "__main__":
    main()
