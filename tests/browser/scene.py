"""Questions, rubrics and grades for the browser: ordinary ones, and one whose every text is hostile."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.fakes import FakeBank
from tests.grades import FINGERPRINT
from tutor.values import (
    CREDIT,
    Answer,
    Attempt,
    Criterion,
    CriterionVerdict,
    Figure,
    FigureFinding,
    Grade,
    Misconception,
    MisconceptionFinding,
    Question,
    Rubric,
    Verdict,
)

HOSTILE = (
    "<script>window.stolen=1</script><img src=x onerror='window.stolen=1'>"
    " ![beacon](http://evil.example/a.png) [link](javascript:window.stolen=1) http://evil.example $$\\frac{1}{2}$$"
    " {{7*7}} ${window.stolen=1} <details open ontoggle=window.stolen=1> `code` **bold** | a | b |"
)
LONG_WORD = "w" * 300

_DECODE = (
    "Decode is limited by memory bandwidth: each step reads all weights for one token.",
    "Weights in 4 bits are a quarter of the bytes of 16 bits.",
    "Prefill is limited by compute, because many tokens share each read of the weights.",
    "Weight-only kernels turn the weights back to 16 bits before they multiply.",
    "Activations stay in 16 bits.",
    "Batching shares each read of the weights among many requests.",
    "Quantizing the cache helps long contexts.",
)
DECODE = Question(
    id="w4-decode",
    question="Your team quantized the weights of a 70B model to 4 bits. Decode became almost three times faster, "
    "but prefill hardly changed. Explain both observations.",
    reference_answer="Decode reads every weight once for each token, so its time is bytes over bandwidth; a quarter "
    "of the bytes is up to four times the speed.\n\nPrefill multiplies many tokens with each weight it reads. It is "
    "limited by arithmetic, and weight-only kernels still compute in 16 bits, after turning the weights back.",
    kind="concept",
    topic="quantization",
    title="4-bit weights: decode against prefill",
    target_s=180,
    alternatives=("A roofline argument with the arithmetic intensity of both phases.",),
)
DECODE_RUBRIC = Rubric(
    question_id="w4-decode",
    criteria=tuple(Criterion(id=f"c{i}", text=text, weight=1 + (i < 3)) for i, text in enumerate(_DECODE)),
    figures=(
        Figure(criterion_id="c1", label="size of the weights in 4 bits", formula="70 * 0.5", unit="GB"),
        Figure(
            criterion_id="c0", label="time of a step at 3.35 TB/s", value=10.4, source="35 GB / 3.35 TB/s", unit="ms"
        ),
    ),
    misconceptions=(
        Misconception(
            id="m1",
            text="With 4-bit weights the arithmetic is done in 4 bits.",
            correction="the weights are turned back to 16 bits in registers, and the tensor cores multiply in 16 bits.",
        ),
    ),
    terms=("PagedAttention", "roofline"),
    status="reviewed",
)
CACHE = Question(
    id="kv-bytes",
    question="How many bytes does one token add to the KV cache of Llama 3 8B in 16 bits, and why does that matter?",
    reference_answer="2 x 32 layers x 8 heads x 128 x 2 bytes = 128 KiB a token.",
    kind="numerical",
    topic="KV cache",
    title="Bytes of cache for each token",
    target_s=90,
)
BAD = Question(
    id="bad-text",
    question="Why? " + HOSTILE,
    reference_answer=HOSTILE,
    kind="synthesis",
    topic="<b>topic</b>",
    title="<img src=x onerror=window.stolen=1> **title** " + LONG_WORD[:150],
)
BANK = FakeBank(
    (DECODE, DECODE_RUBRIC),
    (CACHE, Rubric(question_id="kv-bytes", criteria=(Criterion(id="c0", text="128 KiB for each token.", weight=1),))),
    (BAD, Rubric(question_id="bad-text", criteria=(Criterion(id="c0", text=HOSTILE, weight=1),))),
)
ANSWER = (
    "Every step has to stream all the weights from memory, so decode is bound by bandwidth and not by compute. "
    "With 4 bits I move four times fewer bytes, 35 gigabytes instead of 140. Prefill is different, it has many tokens. "
    "The activations are int4 as well."
)
_PATTERN = (Verdict.MET, Verdict.MET, Verdict.PARTLY, Verdict.MISSED, Verdict.CONTRADICTED, Verdict.MISSED)


def ruling(number: int, criterion: Criterion, text: str, unsure: bool = False) -> CriterionVerdict:
    """The verdict on the n-th criterion: a fixed pattern, the last of seven unjudged; quotes are whole sentences."""
    verdict = Verdict.UNJUDGED if unsure or number > len(_PATTERN) else _PATTERN[number - 1]
    has_words = verdict in (Verdict.MET, Verdict.PARTLY, Verdict.CONTRADICTED)
    sentences = text.split(". ")
    quote = sentences[min(number - 1, len(sentences) - 1)]
    start = text.index(quote)
    return CriterionVerdict(
        id=criterion.id,
        text=criterion.text,
        verdict=verdict,
        credit=CREDIT[verdict],
        quote=quote if has_words else None,
        start=start if has_words else None,
        end=start + len(quote) if has_words else None,
        reason="the model's reply could not be read as yes or no" if verdict is Verdict.UNJUDGED else None,
    )


def graded(question: Question, answer: Answer, verdicts: tuple[CriterionVerdict, ...]) -> Grade:
    """A grade with figures and a misconception where the rubric has them."""
    judged = sum(v.verdict is not Verdict.UNJUDGED for v in verdicts) / len(verdicts)
    rubric = BANK.rubric(question.id)
    status = ("right", "missing")
    return Grade(
        question_id=question.id,
        answer_id=answer.id,
        score=None if judged < 0.5 else 0.62,
        band=None if judged < 0.5 else (0.57, 0.68),
        judged_share=judged,
        fingerprint=FINGERPRINT,
        seconds=14.2,
        criteria=verdicts,
        figures=tuple(
            FigureFinding(
                criterion_id=f.criterion_id,
                label=f.label,
                status=status[i % 2],
                quote="35 gigabytes" if i % 2 == 0 else None,
            )
            for i, f in enumerate(rubric.figures)
        ),
        misconceptions=tuple(
            MisconceptionFinding(id=m.id, quote=answer.text[:20], start=0, end=20) for m in rubric.misconceptions
        ),
    )


def attempts(n: int) -> list[Attempt]:
    """The n newest attempts of a past month, one each three hours."""
    made = []
    for i in range(n):
        question = (DECODE, CACHE, BAD)[i % 3]
        at = datetime(2026, 2, 1, 9, 0, tzinfo=UTC) + timedelta(hours=3 * i)
        answer = Answer(id=f"old{i}", question_id=question.id, text=ANSWER, created_at=at)
        rubric = BANK.rubric(question.id)
        verdicts = tuple(ruling(k, c, ANSWER) for k, c in enumerate(rubric.criteria, start=1))
        grade = graded(question, answer, verdicts)
        made.append(Attempt(id=f"t{i}", created_at=at, question=question, rubric=rubric, answer=answer, grade=grade))
    return made
