"""The nouns: question, rubric, answer, verdict, grade, attempt - frozen values without I/O or clock."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator


def _utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("a moment needs a time zone; store UTC")
    return moment.astimezone(UTC)


Moment = Annotated[datetime, AfterValidator(_utc)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Id = Annotated[str, Field(min_length=1, max_length=120, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.@-]*$")]
Text = Annotated[str, Field(min_length=1)]


class Value(BaseModel):
    """Anything that is ever written down: frozen, no unknown keys, no NaN."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True)


class Kind(StrEnum):
    """What sort of answer a question wants."""

    CONCEPT = "concept"
    NUMERICAL = "numerical"
    SYNTHESIS = "synthesis"


class Verdict(StrEnum):
    """What the answer does with one criterion."""

    MET = "met"
    PARTLY = "partly"
    MISSED = "missed"
    CONTRADICTED = "contradicted"
    UNJUDGED = "unjudged"


# FORMATS ruling 1. Unjudged has no credit: it leaves the sum, it is never a zero.
CREDIT: Mapping[Verdict, float | None] = {
    Verdict.MET: 1.0,
    Verdict.PARTLY: 0.5,
    Verdict.MISSED: 0.0,
    Verdict.CONTRADICTED: 0.0,
    Verdict.UNJUDGED: None,
}


def card_of(question_id: str) -> str:
    """What is practised and scheduled as one: a question, or the whole family of a drill.

    >>> card_of("q10"), card_of("kv-cache@17"), card_of("kv-cache@18")
    ('q10', 'kv-cache@', 'kv-cache@')
    """
    family, at, seed = question_id.partition("@")
    return family + at if seed.isdigit() else question_id


class Question(Value):
    """One interview question with its reference answer."""

    id: Id
    question: Text
    """The words the interviewer says."""
    reference_answer: Text
    kind: Kind
    topic: Text
    """What "weak topic" means: one of about twelve chapters."""
    title: str = ""
    """The short name on a screen."""
    chapter: str = ""
    """The chapter to reread."""
    section: str = ""
    difficulty: int = Field(default=3, ge=1, le=5)
    target_s: int = Field(default=120, ge=10, le=900)
    """How long a good spoken answer takes, in seconds."""
    prerequisites: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    """Other answers that are right as well."""

    @property
    def card(self) -> str:
        """What it is scheduled as: see `card_of`."""
        return card_of(self.id)


class Criterion(Value):
    """One checkable proposition that a good answer states."""

    id: Id
    text: Text
    weight: int = Field(ge=1, le=3)
    bonus: bool = False
    """Adds to the numerator only; the score is capped at 1."""
    opposite: str | None = None
    """The false statement a mistaken candidate would make."""
    figures_rule: Literal["any", "all"] = "any"


class Figure(Value):
    """A number the answer should give, computed from a formula or quoted from a source."""

    criterion_id: Id
    label: Text
    formula: str | None = None
    """Arithmetic over the names in `inputs`, such as `2 * layers * kv_heads`."""
    inputs: Mapping[str, float] = Field(default_factory=dict)
    value: float | None = None
    source: str | None = None
    unit: Text
    rel_tol: float = Field(default=0.05, ge=0.0, le=1.0)
    accept: tuple[str, ...] = ()
    """Other units the value may be given in."""

    @model_validator(mode="after")
    def _one_origin(self) -> Figure:
        if (self.formula is None) == (self.value is None):
            raise ValueError("a figure needs either formula and inputs, or value and source")
        if self.value is not None and not self.source:
            raise ValueError("a figure with a value needs its source")
        return self


class Misconception(Value):
    """A popular false statement; asserting it costs like a contradicted criterion of weight 1."""

    id: Id
    text: Text
    correction: Text


class Rubric(Value):
    """What a good answer to one question says."""

    question_id: Id
    criteria: tuple[Criterion, ...] = Field(min_length=1)
    figures: tuple[Figure, ...] = ()
    misconceptions: tuple[Misconception, ...] = ()
    terms: tuple[str, ...] = ()
    """Key terms, as a speech recogniser should spell them."""
    hints: tuple[str, ...] = ()
    status: Literal["reviewed", "draft"] = "draft"

    @model_validator(mode="after")
    def _consistent(self) -> Rubric:
        ids = [c.id for c in self.criteria]
        if len(set(ids)) != len(ids):
            raise ValueError("two criteria have the same id")
        for figure in self.figures:
            if figure.criterion_id not in ids:
                raise ValueError(f"figure {figure.label!r} names the unknown criterion {figure.criterion_id!r}")
        if all(c.bonus for c in self.criteria):
            raise ValueError("at least one criterion must not be a bonus")
        return self


class Answer(Value):
    """The candidate's words, appended before grading and never changed."""

    id: Id
    """Made by the page, so that a double click is one answer."""
    question_id: Id
    text: str
    spoken: bool = False
    take_id: Id | None = None
    created_at: Moment


class CriterionVerdict(Value):
    """The ruling on one criterion with the words that earned it."""

    id: Id
    text: Text
    verdict: Verdict
    credit: Share | None
    probability: Share | None = None
    """Estimated P(label >= .5)."""
    quote: str | None = None
    """Exact characters `answer[start:end]`; None where nothing is credited or contradicted."""
    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, ge=0)
    reason: str | None = None
    """Why it is unjudged, or why a yes did not count (`no_evidence`)."""

    @model_validator(mode="after")
    def _shows_its_words(self) -> CriterionVerdict:
        if self.credit != CREDIT[self.verdict]:
            raise ValueError(f"credit of {self.verdict} is {CREDIT[self.verdict]}, not {self.credit}")
        needs_words = self.verdict in (Verdict.MET, Verdict.PARTLY, Verdict.CONTRADICTED)
        if needs_words != (self.quote is not None and self.start is not None and self.end is not None):
            raise ValueError("met, partly and contradicted carry a quote with its place; other verdicts do not")
        if self.verdict is Verdict.UNJUDGED and not self.reason:
            raise ValueError("unjudged needs a reason")
        return self


class FigureFinding(Value):
    """What was heard for one figure of the rubric."""

    criterion_id: Id
    label: Text
    status: Literal["right", "magnitude", "slip", "wrong", "missing"]
    value: float | None = None
    unit: str | None = None
    quote: str | None = None


class MisconceptionFinding(Value):
    """A misconception the answer asserts."""

    id: Id
    quote: Text
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class Fingerprint(Value):
    """Everything that may change a grade of the same words; `id` is a hash of the rest."""

    id: str
    chat_model: str
    chat_digest: str | None = None
    server: str
    embedder: str
    prompt: str
    fusion: str
    gates: str
    figures: str


class Grade(Value):
    """One graded answer, exactly the line that `tutor grade --out` writes."""

    question_id: str
    answer_id: str
    score: Share | None
    """None where too little was judged: unjudged is not zero."""
    band: tuple[Share, Share] | None = None
    judged_share: Share
    gate: str | None = None
    flags: tuple[str, ...] = ()
    fingerprint: Fingerprint
    seconds: float = Field(ge=0.0)
    criteria: tuple[CriterionVerdict, ...]
    figures: tuple[FigureFinding, ...] = ()
    misconceptions: tuple[MisconceptionFinding, ...] = ()


class Attempt(Value):
    """A graded answer as a fact: appended once, with all it was graded by."""

    id: Id
    created_at: Moment
    question: Question
    rubric: Rubric
    answer: Answer
    grade: Grade
    transcriber: str | None = None


class Correction(Value):
    """A later fact that points to an attempt: a correction or an appeal."""

    id: Id
    attempt_id: Id
    kind: Literal["correction", "appeal"]
    criterion_id: Id | None = None
    note: str
    created_at: Moment
