"""From the signals of one criterion to the probability that the answer makes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp
from typing import Literal

from tutor.values import Verdict

FigureStatus = Literal["right", "magnitude", "slip", "wrong", "missing"]

# A server without probabilities only says yes or no: this is how much that is worth, in log odds.
WORD_ONLY_LOG_ODDS = 2.0


@dataclass(frozen=True)
class Signals:
    """What the stages measured for one criterion.

    Attributes:
        judge: Judge's log odds of yes on the nearest segments.
        null: The same for an answer that says nothing: the zero of this criterion.
        cosine: Cosine of the nearest segment, in [-1, 1].
        word_share: Share of the criterion's content words in the answer, in [0, 1].
        figure: What was heard for its figures; None for a criterion without figures.
    """

    judge: float
    null: float
    cosine: float
    word_share: float
    figure: FigureStatus | None = None

    def features(self) -> dict[str, float]:
        """The signals as named numbers; a slip counts as wrong, the right order of magnitude as half right.

        >>> Signals(judge=2.0, null=-1.0, cosine=0.5, word_share=0.25, figure="magnitude").features()["figure_right"]
        0.5
        """
        return {
            "judge": self.judge,
            "null": self.null,
            "cosine": self.cosine,
            "word_share": self.word_share,
            "figure_right": {"right": 1.0, "magnitude": 0.5}.get(self.figure or "", 0.0),
            "figure_missing": float(self.figure == "missing"),
            "figure_wrong": float(self.figure in ("wrong", "slip")),
        }


@dataclass(frozen=True)
class Fusion:
    """A logistic model: P(label >= .5) = 1 / (1 + exp(-(intercept + sum(weight * feature)))).

    Attributes:
        name: Stands in the fingerprint; changes whenever a number changes.
        weights: One weight for each name of `Signals.features`.
        partly: From this probability on a criterion counts as partly made.
        met: From this probability on it counts as made.
    """

    name: str
    intercept: float
    weights: Mapping[str, float]
    partly: float
    met: float

    def probability(self, signals: Signals) -> float:
        """Estimated P(label >= .5), in (0, 1).

        >>> even = Fusion(name="even", intercept=0.0, weights={"judge": 1.0}, partly=0.5, met=0.7)
        >>> even.probability(Signals(judge=0.0, null=0.0, cosine=0.0, word_share=0.0))
        0.5
        """
        features = signals.features()
        z = self.intercept + sum(weight * features[name] for name, weight in self.weights.items())
        return 1.0 / (1.0 + exp(-max(min(z, 30.0), -30.0)))

    def verdict(self, signals: Signals) -> Verdict:
        """Contradicted where a figure is plainly wrong, else met, partly or missed by the two thresholds."""
        if signals.figure in ("wrong", "slip"):
            return Verdict.CONTRADICTED
        probability = self.probability(signals)
        if probability >= self.met:
            return Verdict.MET
        return Verdict.PARTLY if probability >= self.partly else Verdict.MISSED


# Printed by `make fit`, which fits on data/labelled; see docs/decisions/0005-first-fusion.md.
FUSION = Fusion(
    name="fusion-1",
    intercept=-2.24,
    weights={
        "judge": 1.73,
        "null": -0.68,
        "cosine": 0.94,
        "word_share": 2.16,
        "figure_right": 2.3,
        "figure_missing": -1.97,
        "figure_wrong": -4.61,
    },
    partly=0.5,
    met=0.7,
)
