"""A question with its rubric, and answers, grades and attempts that fit them."""

from __future__ import annotations

from datetime import datetime

from tests.fakes import FakeBank, FakeClock
from tests.grades import graded, ruling
from tutor.values import Answer, Attempt, Criterion, CriterionVerdict, Grade, Question, Rubric, Verdict

QUESTION = Question(
    id="kv-cache",
    question="What does the KV cache store?",
    reference_answer="Keys and values of all earlier tokens, so that a step reads instead of recomputing them.",
    kind="concept",
    topic="memory",
)
RUBRIC = Rubric(
    question_id="kv-cache",
    criteria=(
        Criterion(id="c0", text="It stores keys and values.", weight=2),
        Criterion(id="c1", text="It spares recomputation.", weight=1),
        Criterion(id="c2", text="It grows with the context.", weight=1),
    ),
)
VERDICTS = (Verdict.MET, Verdict.PARTLY, Verdict.MISSED)
BANK = FakeBank((QUESTION, RUBRIC))


def answer(id: str = "a1", text: str = "one cache keeps keys and values", at: datetime | None = None) -> Answer:
    return Answer(id=id, question_id="kv-cache", text=text, created_at=at or FakeClock().now())


def rulings() -> tuple[CriterionVerdict, ...]:
    return tuple(ruling(f"c{i}", verdict) for i, verdict in enumerate(VERDICTS))


def grade(answer_id: str = "a1", score: float | None = 0.625) -> Grade:
    return graded("kv-cache", answer_id, VERDICTS, score=score)


def attempt(of: Answer, id: str = "t1", at: datetime | None = None, question: Question = QUESTION) -> Attempt:
    moment = at or FakeClock().now()
    return Attempt(id=id, created_at=moment, question=question, rubric=RUBRIC, answer=of, grade=grade(of.id))
