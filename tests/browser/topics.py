"""A bank of twelve topics and many attempts that differ from topic to topic, for a full dashboard."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.fakes import FakeBank
from tests.grades import FINGERPRINT, graded
from tutor.values import Answer, Attempt, Criterion, Question, Rubric, Verdict

TOPICS = (
    "How inference works",
    "Inference serving",
    "KV cache",
    "Quantization",
    "Attention variants",
    "Distributed training and the memory it takes",
    "Tokenizers",
    "Evaluation",
    "Retrieval",
    "Alignment",
    "Hardware",
    "Agents",
)
POINTS = (
    "Decode is limited by memory bandwidth: each step reads all weights for one token.",
    "Batching shares each read of the weights among many requests.",
    "The time to the first token grows with the length of the prompt.",
    "A queue in front hides the difference only up to the capacity of the server.",
)
OTHER = FINGERPRINT.model_copy(update={"id": "ba9876543210", "chat_model": "another-model"})
ANSWER = "Every step reads all the weights."


def _question(n: int) -> Question:
    topic = TOPICS[n % 12]
    return Question(
        id=f"q{n}",
        question=f"What is worth knowing about {topic}, part {n // 12 + 1}?",
        reference_answer="All of the points.",
        kind="concept",
        topic=topic,
        title=f"{topic}, part {n // 12 + 1}",
    )


def _rubric(n: int) -> Rubric:
    criteria = tuple(Criterion(id=f"c{k}", text=text, weight=1 + k % 3) for k, text in enumerate(POINTS))
    return Rubric(question_id=f"q{n}", criteria=criteria)


BANK = FakeBank(*((_question(n), _rubric(n)) for n in range(24)))


def attempts(n: int, until: datetime | None = None) -> list[Attempt]:
    """So many attempts, oldest first, the newest an hour ago; the last topic is never tried, every third is spoken.

    The first half was graded by another model. Topics differ in strength, and some go up or down.
    """
    end = until or datetime.now(UTC)
    return [_attempt(k, n, end - timedelta(hours=1 + 5 * (n - 1 - k))) for k in range(n)]


def _attempt(k: int, n: int, at: datetime) -> Attempt:
    place = k % 11 + 12 * (k // 11 % 2)
    question = BANK.questions()[place]
    points = [Verdict.MET if (k * 7 + i * 5 + place) % 11 < place % 12 else Verdict.MISSED for i in range(4)]
    if k % 5 == 0:
        points[1] = Verdict.CONTRADICTED
    slope = (place % 3 - 1) * 0.4 * (k / n - 0.5)
    score = None if k % 17 == 16 else min(max(0.2 + place % 12 / 16 + slope, 0.0), 1.0)
    answer = Answer(id=f"many{k}", question_id=question.id, text=ANSWER, spoken=k % 3 == 0, created_at=at)
    grade = graded(question.id, answer.id, points, score=score, quote=ANSWER)
    texts = zip(grade.criteria, POINTS, strict=True)
    criteria = tuple(verdict.model_copy(update={"text": text}) for verdict, text in texts)
    grade = grade.model_copy(update={"criteria": criteria, "fingerprint": OTHER if k < n // 2 else FINGERPRINT})
    rubric = BANK.rubric(question.id)
    return Attempt(id=f"m{k}", created_at=at, question=question, rubric=rubric, answer=answer, grade=grade)
