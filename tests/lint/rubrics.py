"""A question and a rubric that the lint has nothing to say about, to be spoilt in one place at a time."""

from __future__ import annotations

from typing import Any

from tutor.lint import Remark, remarks
from tutor.values import Question, Rubric

QUESTION: dict[str, Any] = {
    "id": "kv",
    "question": "What limits decode at batch 1, and how long does a step of a 70 GB model take at 3.5 TB/s?",
    "reference_answer": "Decode is limited by memory bandwidth, because each step reads every weight. So a step takes "
    "at least 20 ms. On an H100 prefill is limited by arithmetic instead, since many tokens share one read.",
    "kind": "numerical",
    "topic": "Roofline and bandwidth",
}
RUBRIC: dict[str, Any] = {
    "question_id": "kv",
    "criteria": [
        {
            "id": "c1",
            "text": "Decode is limited by memory bandwidth.",
            "weight": 3,
            "opposite": "Compute limits it.",
        },
        {"id": "c2", "text": "Each step reads every weight.", "weight": 2, "opposite": "A step reads some weights."},
        {"id": "c3", "text": "A step takes at least 20 ms.", "weight": 2, "opposite": "A step takes another time."},
        {"id": "c4", "text": "In prefill many tokens share one read.", "weight": 1},
    ],
    "figures": [
        {
            "criterion_id": "c3",
            "label": "Step time",
            "formula": "weights_gb / bandwidth_gb_per_s * 1000",
            "inputs": {"weights_gb": 70, "bandwidth_gb_per_s": 3500},
            "unit": "ms",
            "rel_tol": 0.05,
        }
    ],
    "misconceptions": [{"id": "m1", "text": "More FLOPS help.", "correction": "Bytes are what it waits for."}],
    "terms": ["decode", "prefill", "H100", "memory bandwidth", "weights", "roofline"],
    "hints": ["What does everything wait for?", "Divide one quantity by another.", "Mind the unit you end with."],
    "status": "reviewed",
}


def found(question: dict[str, Any] | None = None, **changed: Any) -> list[Remark]:
    """The remarks on the sound pair with these fields changed."""
    return list(
        remarks(
            Question.model_validate(QUESTION | (question or {})),
            Rubric.model_validate(RUBRIC | changed),
        )
    )


def criteria(**changed: Any) -> list[dict[str, Any]]:
    """The sound criteria, the first one changed."""
    return [RUBRIC["criteria"][0] | changed, *RUBRIC["criteria"][1:]]


def figures(*dropped: str, **changed: Any) -> list[dict[str, Any]]:
    """The one figure, changed, without some of its fields."""
    whole = RUBRIC["figures"][0] | changed
    return [{name: value for name, value in whole.items() if name not in dropped}]
