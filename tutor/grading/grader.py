"""The stages in order: gate, segments, nearest evidence, judge, figures, fusion, quote, score."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from tutor.errors import EngineReply
from tutor.formula import figure_value
from tutor.grading import figures, gates, judge, score, segments, similarity, wording
from tutor.grading.fusion import FUSION, WORD_ONLY_LOG_ODDS, Fusion, Signals
from tutor.ports import ChatModel, Clock, Embedder
from tutor.values import (
    CREDIT,
    Answer,
    Criterion,
    CriterionVerdict,
    Fingerprint,
    Grade,
    Question,
    Rubric,
    Verdict,
)

# A yes needs words: below this cosine the nearest segment is about something else.
MIN_EVIDENCE_COSINE = 0.15
NO_EVIDENCE = "no_evidence"
RECITED = "recited"


@dataclass(frozen=True)
class Sighting:
    """What was seen of one criterion.

    Attributes:
        signals: None where the judge gave no usable ruling, with the reason.
        words: The piece of the answer to quote: where its figure was said, else the nearest segment.
    """

    criterion: Criterion
    signals: Signals | None
    words: segments.Segment
    reason: str | None = None


@dataclass(frozen=True)
class Grader:
    """Grades answers with one served model and one embedder.

    Attributes:
        server: Name and version of what serves the model, for the fingerprint.
        chat_digest: SHA-256 of the model file where it is known.
    """

    chat: ChatModel
    embedder: Embedder
    clock: Clock
    server: str
    chat_digest: str | None = None
    fusion: Fusion = FUSION
    _nulls: dict[str, float] = field(default_factory=dict, repr=False)

    def grade(
        self,
        question: Question,
        rubric: Rubric,
        answer: Answer,
        on_verdict: Callable[[CriterionVerdict], None] = lambda _: None,
    ) -> Grade:
        """Grade one answer, reporting each verdict as it falls.

        Raises:
            EngineError: A model could not work, or could rule on nothing at all; nothing was graded.
        """
        started_s = self.clock.elapsed_s()
        stopped_by = gates.gate(question, answer.text)
        if stopped_by:
            verdicts = tuple(_gated(c, stopped_by) for c in rubric.criteria)
            found: tuple[figures.Found, ...] = ()
        else:
            found = figures_said(question, rubric, answer.text)
            verdicts = self._verdicts(rubric, found, answer.text, on_verdict)
        by_id = {v.id: v.verdict for v in verdicts}
        return Grade(
            question_id=question.id,
            answer_id=answer.id,
            score=score.score(rubric.criteria, by_id),
            judged_share=score.judged_share(rubric.criteria, by_id),
            gate=stopped_by,
            flags=(RECITED,) if not stopped_by and gates.is_recited(question, answer.text) else (),
            fingerprint=self.fingerprint(),
            seconds=max(self.clock.elapsed_s() - started_s, 0.0),
            criteria=verdicts,
            figures=tuple(f.finding for f in found),
        )

    def fingerprint(self) -> Fingerprint:
        """Everything that may change a grade of the same words."""
        parts = {
            "chat_model": self.chat.name,
            "chat_digest": self.chat_digest,
            "server": self.server,
            "embedder": self.embedder.name,
            "prompt": judge.PROMPT,
            "fusion": self.fusion.name,
            "gates": gates.GATES,
            "figures": figures.FIGURES,
        }
        digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
        return Fingerprint(id=digest[:12], **parts)

    def sightings(self, rubric: Rubric, found: Sequence[figures.Found], answer: str) -> Iterator[Sighting]:
        """What was seen of each criterion, one judge call at a time.

        Raises EngineDown or EngineTimeout.
        """
        pieces = segments.segments(answer)
        nearest = similarity.nearest(
            self.embedder.embed([c.text for c in rubric.criteria]), self.embedder.embed([p.text for p in pieces])
        )
        for criterion, evidence in zip(rubric.criteria, nearest, strict=True):
            near = [pieces[i] for i in evidence.indices]
            best = _best(criterion, near, evidence.cosines)
            heard = [f for f in found if f.finding.criterion_id == criterion.id]
            status = figures.combined([f.finding for f in heard], criterion.figures_rule) if heard else None
            try:
                seen = Signals(
                    judge=self._log_odds(criterion.text, [piece.text for piece in near]),
                    null=self._null_log_odds(criterion.text),
                    cosine=evidence.cosine,
                    word_share=wording.word_share(criterion.text, answer),
                    figure=status,
                )
            except EngineReply as error:
                yield Sighting(criterion, None, best, str(error))
                continue
            place = next(((f.start, f.end) for f in heard if f.finding.status == status), (None, None))
            yield Sighting(criterion, seen, _words(answer, pieces, best, *place))

    def _verdicts(
        self,
        rubric: Rubric,
        found: Sequence[figures.Found],
        answer: str,
        on_verdict: Callable[[CriterionVerdict], None],
    ) -> tuple[CriterionVerdict, ...]:
        verdicts: list[CriterionVerdict] = []
        for sighting in self.sightings(rubric, found, answer):
            verdicts.append(self._verdict(sighting))
            on_verdict(verdicts[-1])
        if all(v.verdict is Verdict.UNJUDGED for v in verdicts):
            raise EngineReply(f"Not one point could be judged. {verdicts[-1].reason}")
        return tuple(verdicts)

    def _verdict(self, sighting: Sighting) -> CriterionVerdict:
        criterion, signals, words = sighting.criterion, sighting.signals, sighting.words
        if signals is None:
            return _without_words(criterion, Verdict.UNJUDGED, sighting.reason)
        probability = self.fusion.probability(signals)
        verdict = self.fusion.verdict(signals)
        if verdict is Verdict.MISSED:
            return _without_words(criterion, verdict, None, probability)
        if signals.cosine < MIN_EVIDENCE_COSINE and signals.figure in (None, "missing"):
            return _without_words(criterion, Verdict.MISSED, NO_EVIDENCE, probability)
        return CriterionVerdict(
            id=criterion.id,
            text=criterion.text,
            verdict=verdict,
            credit=CREDIT[verdict],
            probability=probability,
            quote=words.text,
            start=words.start,
            end=words.end,
        )

    def _log_odds(self, criterion_text: str, excerpts: Sequence[str]) -> float:
        ruling = judge.rule(self.chat, criterion_text, excerpts)
        if ruling.log_odds is not None:
            return ruling.log_odds
        return WORD_ONLY_LOG_ODDS if ruling.yes else -WORD_ONLY_LOG_ODDS

    def _null_log_odds(self, criterion_text: str) -> float:
        if criterion_text not in self._nulls:
            self._nulls[criterion_text] = self._log_odds(criterion_text, [judge.NULL_ANSWER])
        return self._nulls[criterion_text]


def figures_said(question: Question, rubric: Rubric, answer: str) -> tuple[figures.Found, ...]:
    """What the answer says for each figure of the rubric, in its order."""
    wanted = [(figure, figure_value(figure)) for figure in rubric.figures]
    return figures.find(wanted, answer, question.question)


def _best(criterion: Criterion, near: Sequence[segments.Segment], cosines: Sequence[float]) -> segments.Segment:
    """The piece to quote: the cosine alone often prefers a neighbour that shares the topic but not the words."""
    return max(
        zip(near, cosines, strict=True), key=lambda pair: pair[1] + wording.word_share(criterion.text, pair[0].text)
    )[0]


def _words(
    answer: str, pieces: Sequence[segments.Segment], nearest: segments.Segment, start: int | None, end: int | None
) -> segments.Segment:
    """The piece that holds a figure's place, or the nearest piece where no figure was said."""
    if start is None or end is None:
        return nearest
    holder = next((p for p in pieces if p.start <= start and end <= p.end), None)
    return holder or segments.Segment(start, end, answer[start:end])


def _gated(criterion: Criterion, gate: str) -> CriterionVerdict:
    if gate == gates.OTHER_LANGUAGE:
        return _without_words(criterion, Verdict.UNJUDGED, "the answer is in another language than the question")
    return _without_words(criterion, Verdict.MISSED, gate)


def _without_words(
    criterion: Criterion, verdict: Verdict, reason: str | None, probability: float | None = None
) -> CriterionVerdict:
    return CriterionVerdict(
        id=criterion.id,
        text=criterion.text,
        verdict=verdict,
        credit=CREDIT[verdict],
        probability=probability,
        reason=reason,
    )
