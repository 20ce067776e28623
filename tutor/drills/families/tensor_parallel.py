"""The lower bound of a decode step on several cards, and their all-reduces."""

from __future__ import annotations

from collections.abc import Iterator

from tutor.drills.family import Draw, Family, Point, Step
from tutor.drills.machines import placements
from tutor.drills.steps import WEIGHTS


def _split() -> Iterator[Draw]:
    """Splits that the heads allow and the memory asks for."""
    for placed in placements(0.8, 0.12):
        divides = placed.model.kv_heads % placed.n_gpus == 0 and placed.model.heads % placed.n_gpus == 0
        if placed.n_gpus > 1 and divides and placed.weights_gb >= 10:
            yield placed.draw() | {"layers": placed.model.layers}


FAMILY = Family(
    name="tensor-parallel",
    title="Drill: tensor-parallel lower bound",
    topic="Roofline and bandwidth",
    chapter="How inference works",
    section="Estimating parameters, compute and memory",
    difficulty=3,
    draws=_split,
    settings=(
        "{model} ({parameters} parameters, {layers} layers, {format}) is split by tensor parallelism over {cards} "
        "with {reach}.",
        "You serve {model} with tensor parallelism on {cards}, {reach}. It has {layers} layers and {parameters} "
        "parameters in {format}.",
        "With tensor parallelism over {cards} at {reach} you decode {model}: {parameters} parameters in {format}, "
        "{layers} layers.",
    ),
    asks=(
        "What is the lower bound of a decode step at batch 1, and how many all-reduces does a step need?",
        "How fast can a token come at best at batch 1, and how often must the cards exchange results for it?",
        "Bound the time per token for a single sequence, and count the all-reduces it involves.",
    ),
    steps={
        "weights": WEIGHTS,
        "bandwidth": Step("Aggregate bandwidth", "gpus * bandwidth_tb_per_s", "TB/s", 0.03),
        "step": Step("Decode lower bound", "weights / bandwidth", "ms", 0.05),
        "reduces": Step("All-reduces per step", "2 * layers", "1", 0.02),
    },
    solution=(
        "Decode at batch 1 waits for the weights. {parameters} parameters at {weight_width} make about {weights}. "
        "Each of the {gpus} cards holds and reads only its share, and all read at the same time, so their bandwidths "
        "add up: {gpus} × {bandwidth_tb_per_s} TB/s is {bandwidth}. The lower bound is the one over the other, about "
        "{step} per token. But every layer needs two all-reduces, one behind attention and one behind the MLP, so a "
        "step waits for {reduces} of them. With so little data these are pure latency, and that is why the gain falls "
        "short of the number of cards, above all without NVLink."
    ),
    points=(
        Point(
            "Every card reads only its share of the weights, so the bandwidths add up.",
            "Every card reads all of the weights, so more cards do not shorten the step.",
            2,
        ),
        Point(
            "The weights are about {weights}.",
            "The weights have a size clearly different from {weights}.",
            1,
            ("weights",),
        ),
        Point(
            "Together the cards read {bandwidth}.",
            "Together the cards read at a speed clearly different from {bandwidth}.",
            2,
            ("bandwidth",),
        ),
        Point(
            "A step takes at least {step}.",
            "The lower bound of a step is clearly different from {step}.",
            3,
            ("step",),
        ),
        Point(
            "Two all-reduces a layer make {reduces} of them in a step.",
            "A step needs a single all-reduce, or a number of them clearly different from {reduces}.",
            2,
            ("reduces",),
        ),
        Point(
            "Communication comes on top, so the speed-up is smaller than the number of cards.",
            "The speed-up is always exactly the number of cards.",
        ),
    ),
    misconceptions=(
        (
            "Tensor parallelism gives different layers to different cards.",
            "That is pipeline parallelism; here every matrix is cut, and all cards work on the same layer.",
        ),
        (
            "All-reduces of a single token are free because they move so little data.",
            "Their cost is latency, paid again in each layer, and hardly depends on the size.",
        ),
    ),
    terms=(
        "tensor parallelism",
        "TP",
        "all-reduce",
        "NVLink",
        "memory bandwidth",
        "lower bound",
        "decode",
        "attention",
        "MLP",
    ),
    hints=(
        "What does one card have to fetch when each matrix is cut into equal parts?",
        "All of them fetch at once, so you may treat them as one large card for a moment.",
        "For the second part, recall at which places of a block partial sums have to be put together.",
    ),
)
