"""The lower bound of a decode step from weights and bandwidth."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tutor.drills.family import Draw, Family, Point, Step
from tutor.drills.machines import WIDTHS, placements
from tutor.drills.steps import WEIGHTS


def _alone() -> Iterator[Draw]:
    """One card, a model that it holds, a step that somebody would measure, and a batch below the ridge point."""
    for placed, batch in product(placements(0.85, 0.05), (4, 8, 16, 32)):
        step_ms = placed.weights_gb / placed.gpu.bandwidth_tb_per_s
        is_small = 2 * batch / WIDTHS[placed.format].bytes <= 0.8 * placed.gpu.ridge
        if placed.n_gpus == 1 and placed.weights_gb >= 1 and 0.5 <= step_ms <= 80 and is_small:
            yield placed.draw() | {"batch": batch}


FAMILY = Family(
    name="decode-bound",
    title="Drill: decode lower bound from bandwidth",
    topic="Roofline and bandwidth",
    chapter="How inference works",
    section="Estimating parameters, compute and memory",
    difficulty=2,
    draws=_alone,
    settings=(
        "{model} with {parameters} parameters in {format} runs on one {gpu}, whose memory delivers "
        "{bandwidth_tb_per_s} TB/s.",
        "Take one {gpu} with {bandwidth_tb_per_s} TB/s and {model}, {parameters} parameters stored in {format}.",
        "You decode {model} on a single {gpu}. It has {parameters} weights in {format}, and the card reads "
        "{bandwidth_tb_per_s} TB/s.",
    ),
    asks=(
        "How long does a decode step take at least at batch 1, how many tokens per second is that, and how many at "
        "batch {batch}?",
        "What is the lower bound for a token at batch 1, which rate follows, and what can a batch of {batch} reach?",
        "Give the fastest possible step for one sequence, its tokens per second, and the total rate with {batch} "
        "sequences.",
    ),
    steps={
        "weights": WEIGHTS,
        "step": Step("Decode lower bound", "weights / bandwidth_tb_per_s", "ms", 0.05),
        "rate": Step("Tokens per second at batch 1", "1000 / step", "token/s", 0.06),
        "batched": Step("Tokens per second of the batch", "batch * rate", "token/s", 0.06),
    },
    solution=(
        "At batch 1 decode is bound by memory: each step has to read all the weights once. {parameters} parameters at "
        "{weight_width} are about {weights}. Divided by {bandwidth_tb_per_s} TB/s that takes at least {step}, and one "
        "over it gives about {rate}. A batch of {batch} shares the same read, so the step hardly gets longer and all "
        "sequences together reach up to {batched}, as long as the batch stays below the ridge point. It is only a "
        "lower bound: reading the KV cache, launching kernels and sampling come on top, and no card quite "
        "reaches the bandwidth of its data sheet."
    ),
    points=(
        Point(
            "The lower bound is the bytes of the weights divided by the memory bandwidth.",
            "The lower bound is the operations of a token divided by the peak arithmetic of the card.",
            2,
        ),
        Point(
            "The weights are about {weights}.",
            "The weights have a size clearly different from {weights}.",
            1,
            ("weights",),
        ),
        Point(
            "A step takes at least {step}.",
            "The lower bound of a step is clearly different from {step}.",
            3,
            ("step",),
        ),
        Point(
            "One sequence gets at most about {rate}.",
            "One sequence gets a rate clearly different from {rate}.",
            1,
            ("rate",),
        ),
        Point(
            "The batch as a whole can reach about {batched}.",
            "The batch as a whole reaches a rate clearly different from {batched}.",
            2,
            ("batched",),
        ),
        Point(
            "The sequences of a small batch share one read of the weights, so the step hardly gets longer.",
            "Each sequence of the batch reads the weights anew, so the step gets longer in proportion.",
        ),
    ),
    misconceptions=(
        (
            "At batch 1 a card with more TFLOPS decodes faster.",
            "Its arithmetic mostly waits; what counts at batch 1 is how fast the weights come out of memory.",
        ),
        (
            "Real decoding can be faster than this bound with better kernels.",
            "Kernels can only come closer to it; getting below needs fewer bytes, or several tokens for one read.",
        ),
    ),
    terms=("decode", "memory bandwidth", "lower bound", "weights", "batch size", "KV cache", "TB/s", "BF16", "FP8"),
    hints=(
        "With a single sequence, what does the card spend its time on?",
        "Every matrix has to be fetched once before the next word can appear.",
        "Put an amount over a speed; for many sequences ask whether the amount changes at all.",
    ),
)
