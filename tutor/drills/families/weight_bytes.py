"""What the weights weigh, and what they leave of the memory."""

from __future__ import annotations

from collections.abc import Iterator

from tutor.drills.family import Draw, Family, Point, Step
from tutor.drills.machines import placements
from tutor.drills.steps import WEIGHTS


def _weighed() -> Iterator[Draw]:
    """The smallest server that leaves room, and never one that is nearly empty."""
    for placed in placements(0.85, 0.35):
        n_gpus, each_gb = placed.n_gpus, placed.gpu.memory_gb
        added = f"{each_gb:g} GB" if n_gpus == 1 else f"{n_gpus} × {each_gb:g} GB, so {n_gpus * each_gb:,g} GB"
        left_gb = n_gpus * each_gb - placed.weights_gb
        # The question says the memory of a card, so no result may be that very number.
        if placed.weights_gb >= 2 and min(abs(placed.weights_gb - each_gb), abs(left_gb - each_gb)) > 0.01 * each_gb:
            yield placed.draw() | {"added": added}


FAMILY = Family(
    name="weight-bytes",
    title="Drill: weights in memory",
    topic="Blocks and parameters",
    chapter="How inference works",
    section="Estimating parameters, compute and memory",
    difficulty=1,
    draws=_weighed,
    settings=(
        "{model} has {parameters} parameters and shall run in {format} on {cards} with {room}.",
        "You want to load {model}, {parameters} parameters in {format}, onto {cards} with {room}.",
        "There are {cards} with {room} of memory, and {model} with {parameters} parameters is stored in {format}.",
    ),
    asks=(
        "How large are the weights, which share of the memory do they take, and how much is left?",
        "What do the weights weigh, how full does that make the memory, and what remains for everything else?",
        "Estimate the size of the weights, the percentage of all memory they occupy, and the rest.",
    ),
    steps={
        "weights": WEIGHTS,
        "memory": Step("Memory of all cards", "gpus * memory_gb", "GB", 0.01),
        "share": Step("Share of the memory", "100 * weights / memory", "%", 0.05),
        "left": Step("Memory left", "memory - weights", "GB", 0.06),
    },
    solution=(
        "In {format} each parameter takes {weight_width}, so {parameters} parameters are about {weights}. The memory "
        "is {added}. The weights therefore fill about {share} of it, and about {left} are left. That rest is not "
        "free: it has to hold the KV cache of all running requests, the activations and what the runtime itself "
        "needs, so I would not plan with the last ten percent. In a format with half as many bytes the weights would "
        "take half of that room."
    ),
    points=(
        Point(
            "The size is the number of parameters times the bytes of each, {weight_width} in {format}.",
            "The size is the number of parameters times another number of bytes than {weight_width}.",
            2,
        ),
        Point(
            "The weights take about {weights}.",
            "The weights take a size clearly different from {weights}.",
            3,
            ("weights",),
        ),
        Point(
            "They fill about {share} of the memory.",
            "They fill a share of the memory clearly different from {share}.",
            2,
            ("share",),
        ),
        Point(
            "About {left} of memory are left.",
            "The memory left is clearly different from {left}.",
            2,
            ("left",),
        ),
        Point(
            "What is left has to hold the KV cache and the activations too.",
            "What is left stays unused, because running the model needs nothing beyond its weights.",
        ),
    ),
    misconceptions=(
        (
            "A model fits as soon as its weights fit.",
            "Without room for the KV cache and activations it cannot serve a single long request.",
        ),
        (
            "A billion parameters are a gigabyte, whatever the format.",
            "That holds for one byte each; two bytes give twice as much and four bits half as much.",
        ),
    ),
    terms=("parameters", "weights", "BF16", "FP8", "INT4", "GB", "KV cache", "activations"),
    hints=(
        "Ask first how wide a single stored number is in this format.",
        "Multiply, then add up what the cards offer, and compare both.",
        "Put the smaller amount over the larger one, and take their difference.",
    ),
)
