"""Grades made by hand."""

from __future__ import annotations

from collections.abc import Sequence

from tutor.values import CREDIT, CriterionVerdict, Fingerprint, Grade, Verdict

FINGERPRINT = Fingerprint(
    id="0123456789ab",
    chat_model="fake-chat",
    server="fake 1",
    embedder="fake-embedder",
    prompt="p",
    fusion="f",
    gates="g",
    figures="n",
)
_WITH_WORDS = (Verdict.MET, Verdict.PARTLY, Verdict.CONTRADICTED)


def ruling(criterion_id: str, verdict: Verdict, quote: str = "one") -> CriterionVerdict:
    """A verdict on a criterion; its quote stands at the very start of the answer."""
    words = verdict in _WITH_WORDS
    return CriterionVerdict(
        id=criterion_id,
        text=f"text of {criterion_id}",
        verdict=verdict,
        credit=CREDIT[verdict],
        quote=quote if words else None,
        start=0 if words else None,
        end=len(quote) if words else None,
        reason="unreadable reply" if verdict is Verdict.UNJUDGED else None,
    )


def graded(
    question_id: str,
    answer_id: str,
    verdicts: Sequence[Verdict],
    *,
    score: float | None = None,
    judged_share: float = 1.0,
    quote: str = "one",
) -> Grade:
    """A grade with criteria c0, c1, ..."""
    return Grade(
        question_id=question_id,
        answer_id=answer_id,
        score=score,
        judged_share=judged_share,
        fingerprint=FINGERPRINT,
        seconds=1.0,
        criteria=tuple(ruling(f"c{i}", v, quote) for i, v in enumerate(verdicts)),
    )
