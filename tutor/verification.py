"""Whether a bank can be graded: reference answers under their own rubrics, empty and foreign answers under any."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from tutor.errors import EngineReply
from tutor.values import Fingerprint, Grade, Question, Rubric, Share, Value, Verdict

# The marks are those of the product's description: what a well written rubric gives.
MEDIAN_MARK = 0.90
REFERENCE_MARK = 0.80
OTHER_MARK = 0.10

# What no grade depends on: these may be mended without grading anew.
_UNGRADED_OF_QUESTION = {"title", "topic", "chapter", "section", "difficulty", "target_s", "prerequisites"}
_UNGRADED_OF_RUBRIC = {"terms", "hints", "status"}

_CREDITED = {Verdict.MET, Verdict.PARTLY}
_NOT_MET = set(Verdict) - {Verdict.MET}

GradeText = Callable[[Question, Rubric, str], Grade]


class Point(Value):
    """What became of one criterion, where that was not what it should be."""

    id: str
    text: str
    verdict: Verdict
    probability: Share | None
    quote: str | None
    reason: str | None


class Verified(Value):
    """How one question did."""

    question_id: str
    set: str
    digest: str
    """Hash of all that is graded: question, rubric and the other answer."""
    fingerprint: str
    """Id of what graded it."""
    reference: Share | None
    """Score of the reference answer; None where it could not be judged."""
    nothing: Share | None
    """Score of an empty answer."""
    other: Share | None
    """Score of the reference answer to another question."""
    other_id: str | None
    """That question; None where the bank has only one."""
    failing: tuple[Point, ...]
    """Criteria, without bonus, that the reference answer does not wholly meet."""
    credited: tuple[Point, ...]
    """Criteria that the other answer is given credit for."""
    trouble: str | None = None
    """Why it could not be graded; such a question is graded anew at the next run."""
    seconds: float

    @property
    def is_below(self) -> bool:
        """Whether it misses a mark."""
        if self.reference is None or self.nothing is None or (self.other is None and self.other_id is not None):
            return True
        return self.reference < REFERENCE_MARK or self.nothing > 0 or (self.other or 0.0) > OTHER_MARK


class SetMarks(Value):
    """How the questions of one set did; None where none was verified."""

    questions: int
    """Questions of the set in the bank."""
    verified: int
    median: Share | None
    lowest: Share | None
    highest_other: Share | None
    below: int


class Verification(Value):
    """The report of `tutor bank verify`."""

    fingerprint: Fingerprint
    questions_in_bank: int
    median: Share | None
    """Median score of the reference answers."""
    sets: Mapping[str, SetMarks]
    below: tuple[str, ...]
    """Ids of the questions that miss a mark."""
    questions: tuple[Verified, ...]
    """In the bank's own order."""


@dataclass(frozen=True)
class Case:
    """A question to verify.

    Attributes:
        set: Name of its set.
        other: The question whose reference answer should earn nothing here.
    """

    set: str
    question: Question
    rubric: Rubric
    other: Question | None

    @property
    def digest(self) -> str:
        """Hash of all that the scores depend on, apart from the grader."""
        parts = {
            "question": self.question.model_dump(mode="json", exclude=_UNGRADED_OF_QUESTION),
            "rubric": self.rubric.model_dump(mode="json", exclude=_UNGRADED_OF_RUBRIC),
            "other": self.other.reference_answer if self.other else None,
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def cases(entries: Sequence[tuple[str, Question, Rubric]]) -> tuple[Case, ...]:
    """One case for each entry (set, question, rubric), with the next question of another topic, in a circle."""
    questions = [question for _, question, _ in entries]
    return tuple(
        Case(name, question, rubric, _other(question, questions[n + 1 :] + questions[:n]))
        for n, (name, question, rubric) in enumerate(entries)
    )


def run(
    bank: Sequence[Case], only: Collection[str], fingerprint: Fingerprint, grade: GradeText, earlier: Sequence[Verified]
) -> Iterator[Verification]:
    """The report as it grows: what can be kept of an earlier one first, then once after each question.

    Args:
        bank: All cases of the bank.
        only: Ids of the questions to verify; all when empty.
        fingerprint: What grades.
        grade: Grades a text as an answer. May raise EngineError.
        earlier: What an earlier run found out; kept where neither question, rubric nor grader have changed.
    """
    known = {found.question_id: found for found in earlier if found.reference is not None}
    done = {
        case.question.id: known[case.question.id].model_copy(update={"set": case.set})
        for case in bank
        if case.question.id in known and _is_same(known[case.question.id], case, fingerprint)
    }
    yield report(bank, done, fingerprint)
    for case in bank:
        if case.question.id not in done and (not only or case.question.id in only):
            done[case.question.id] = verified(case, fingerprint, grade)
            yield report(bank, done, fingerprint)


def verified(case: Case, fingerprint: Fingerprint, grade: GradeText) -> Verified:
    """Grade the three answers to one question. Raises EngineError, but a single unreadable reply is told as trouble."""
    texts = [case.question.reference_answer, "", case.other.reference_answer if case.other else ""]
    trouble: str | None = None
    grades: list[Grade] = []
    try:
        grades = [grade(case.question, case.rubric, text) for text in texts]
    except EngineReply as error:
        trouble = str(error)
    reference, nothing, other = grades or (None, None, None)
    bonus = {criterion.id for criterion in case.rubric.criteria if criterion.bonus}
    return Verified(
        question_id=case.question.id,
        set=case.set,
        digest=case.digest,
        fingerprint=fingerprint.id,
        reference=reference.score if reference else None,
        nothing=nothing.score if nothing else None,
        other=other.score if other and case.other else None,
        other_id=case.other.id if case.other else None,
        failing=tuple(point for point in _points(reference, _NOT_MET) if point.id not in bonus),
        credited=_points(other, _CREDITED),
        trouble=trouble,
        seconds=round(sum(g.seconds for g in grades), 2),
    )


def report(bank: Sequence[Case], done: Mapping[str, Verified], fingerprint: Fingerprint) -> Verification:
    """What is known so far, set by set."""
    ordered = tuple(done[case.question.id] for case in bank if case.question.id in done)
    names = dict.fromkeys(case.set for case in bank)
    return Verification(
        fingerprint=fingerprint,
        questions_in_bank=len(bank),
        median=_median(ordered),
        sets={name: _marks(name, bank, ordered) for name in names},
        below=tuple(found.question_id for found in ordered if found.is_below),
        questions=ordered,
    )


def _other(question: Question, following: Sequence[Question]) -> Question | None:
    return next((q for q in following if q.topic != question.topic), next(iter(following), None))


def _is_same(found: Verified, case: Case, fingerprint: Fingerprint) -> bool:
    return (found.digest, found.fingerprint) == (case.digest, fingerprint.id)


def _points(grade: Grade | None, verdicts: Collection[Verdict]) -> tuple[Point, ...]:
    return tuple(
        Point(id=c.id, text=c.text, verdict=c.verdict, probability=c.probability, quote=c.quote, reason=c.reason)
        for c in (grade.criteria if grade else ())
        if c.verdict in verdicts
    )


def _marks(name: str, bank: Sequence[Case], ordered: Sequence[Verified]) -> SetMarks:
    of_set = [found for found in ordered if found.set == name]
    return SetMarks(
        questions=sum(case.set == name for case in bank),
        verified=len(of_set),
        median=_median(of_set),
        lowest=min((found.reference for found in of_set if found.reference is not None), default=None),
        highest_other=max((found.other for found in of_set if found.other is not None), default=None),
        below=sum(found.is_below for found in of_set),
    )


def _median(of: Sequence[Verified]) -> float | None:
    """Of the reference answers that were judged."""
    scores = [found.reference for found in of if found.reference is not None]
    return median(scores) if scores else None
