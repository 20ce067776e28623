"""Tokens of a round of speculative decoding, and the speed-up."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tutor.drills.family import Draw, Family, Point, Step


def _rounds() -> Iterator[Draw]:
    """Drafts that pay: a speed-up of at least ten percent."""
    rates, costs = (0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9), (0.02, 0.04, 0.05, 0.08, 0.1, 0.15)
    for acceptance, depth, cost in product(rates, (2, 3, 4, 5, 6, 7, 8), costs):
        speedup = (1 - acceptance ** (depth + 1)) / (1 - acceptance) / (1 + depth * cost)
        # The longest round must not be the depth that the question says.
        if speedup >= 1.1 and abs(1 / (1 - acceptance) - depth) > 0.1:
            yield {"acceptance": acceptance, "depth": depth, "cost": cost}


FAMILY = Family(
    name="speculative",
    title="Drill: speculative speed-up",
    topic="Sampling and speculation",
    chapter="Inference serving",
    section="Speculative decoding",
    difficulty=4,
    draws=_rounds,
    settings=(
        "A draft model proposes {depth} tokens per round; each is accepted with probability {acceptance}, "
        "independently, and costs {cost:%} of a target pass.",
        "In speculative decoding with depth {depth}, a draft token costs {cost:%} of a pass of the target and is "
        "accepted with probability {acceptance}, independently of the others.",
        "You speculate {depth} tokens ahead. The acceptance rate is {acceptance} per token, independent, and drafting "
        "a token takes {cost:%} of a target pass.",
    ),
    asks=(
        "Verifying takes one pass. How many tokens does a round yield on average, what does it cost in target passes, "
        "and what is the speed-up?",
        "Work out the expected tokens of a round, its cost in passes of the target if one of them verifies, and how "
        "many times faster decoding gets.",
        "What comes out of a round on average, what goes in, and which acceleration results? Verification counts as "
        "one pass.",
    ),
    steps={
        "exponent": Step("Exponent", "depth + 1", "1"),
        "tokens": Step("Tokens per round", "(1 - acceptance ** exponent) / (1 - acceptance)", "tokens", 0.03),
        "passes": Step("Cost of a round", "1 + depth * cost", "1", 0.02),
        "speedup": Step("Speed-up", "tokens / passes", "x", 0.04),
        "most": Step("Longest round on average", "1 / (1 - acceptance)", "tokens", 0.03),
    },
    solution=(
        "A draft token counts only if it and all before it are accepted, and the target always adds one of its own. "
        "So the expected number is a geometric series, one plus {acceptance} plus its square and so on, which sums to "
        "one minus {acceptance} to the power of {exponent}, over one minus {acceptance}: about {tokens} in a round. "
        "A round costs one verification and {depth} drafts of {cost} each, together {passes:n} target passes. "
        "So decoding is about {speedup} as fast as before. Drafting ever further would not help: a round can never "
        "exceed {most} on average, while each draft costs the same. And at large batches verification is no longer "
        "free."
    ),
    points=(
        Point(
            "A draft token counts only if all draft tokens before it were accepted too.",
            "Each draft token counts on its own, whatever happened to those before it.",
            2,
        ),
        Point(
            "A round yields about {tokens}.",
            "A round yields a number of tokens clearly different from {tokens:n}.",
            3,
            ("tokens",),
        ),
        Point(
            "A round costs {passes:n} passes of the target.",
            "A round costs a number of passes clearly different from {passes:n}, for example because drafts are free.",
            1,
            ("passes",),
        ),
        Point(
            "Decoding becomes about {speedup} as fast.",
            "The speed-up is clearly different from {speedup:n}.",
            3,
            ("speedup",),
        ),
        Point(
            "However deep one drafts, a round cannot exceed {most} on average.",
            "With enough drafts a round can be as long as one likes.",
            1,
            ("most",),
        ),
    ),
    misconceptions=(
        (
            "The expected number of tokens is the acceptance rate times the depth.",
            "A rejection also discards what comes behind it, and the target always adds a token of its own.",
        ),
        (
            "A poor draft model makes the output worse.",
            "It only makes it slower; the acceptance rule keeps the distribution of the target.",
        ),
    ),
    terms=(
        "speculative decoding",
        "draft model",
        "draft tokens",
        "acceptance rate",
        "target model",
        "geometric series",
        "verification",
        "speed-up",
    ),
    hints=(
        "How likely is it that the second proposal survives, and the third?",
        "Sum up these chances, and do not forget what the large model contributes itself.",
        "Then divide what comes out by what was spent, both measured in runs of the large model.",
    ),
)
