"""From the signals of one criterion to the probability that the answer makes it."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

from tutor.values import Verdict


@dataclass(frozen=True)
class Signals:
    """What the stages measured for one criterion.

    Attributes:
        judge: Judge's log odds of yes on the nearest segments.
        null: The same for an answer that says nothing: the zero of this criterion.
        cosine: Cosine of the nearest segment, in [-1, 1].
        word_share: Share of the criterion's content words in the answer, in [0, 1].
        question_share: Share of them in the question, in [0, 1]: words that were given prove little.
    """

    judge: float
    null: float
    cosine: float
    word_share: float
    question_share: float


@dataclass(frozen=True)
class Fusion:
    """A logistic model: P(label >= .5) = 1 / (1 + exp(-(intercept + sum(weight * signal)))).

    Attributes:
        name: Stands in the fingerprint; changes whenever a number changes.
        partly: From this probability on a criterion counts as partly made.
        met: From this probability on it counts as made.
    """

    name: str
    intercept: float
    judge: float
    null: float
    cosine: float
    word_share: float
    question_share: float
    partly: float
    met: float

    def probability(self, signals: Signals) -> float:
        """Estimated P(label >= .5), in (0, 1)."""
        z = (
            self.intercept
            + self.judge * signals.judge
            + self.null * signals.null
            + self.cosine * signals.cosine
            + self.word_share * signals.word_share
            + self.question_share * signals.question_share
        )
        return 1.0 / (1.0 + exp(-max(min(z, 30.0), -30.0)))

    def verdict(self, probability: float) -> Verdict:
        """Met, partly or missed by the two thresholds."""
        if probability >= self.met:
            return Verdict.MET
        return Verdict.PARTLY if probability >= self.partly else Verdict.MISSED


# A server without probabilities only says yes or no: this is how much that is worth, in log odds.
WORD_ONLY_LOG_ODDS = 2.0

FUSION = Fusion(
    name="fusion-0",
    intercept=0.0,
    judge=0.5,
    null=-0.2,
    cosine=2.0,
    word_share=1.0,
    question_share=-1.0,
    partly=0.5,
    met=0.65,
)
