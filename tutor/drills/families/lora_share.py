"""Parameters of LoRA, their share of the model, and the size of the adapter."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tutor.drills.family import Draw, Family, Point, Step
from tutor.drills.machines import MODELS, shape


def _adapters() -> Iterator[Draw]:
    """Models whose query and output projections are square, with ranks from frugal to generous."""
    for model, rank in product(MODELS, (4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256)):
        if model.heads * model.head_dim == model.hidden and model.parameters >= 1e9 and 16 * rank <= model.hidden:
            yield shape(model) | {"rank": rank}


FAMILY = Family(
    name="lora-share",
    title="Drill: share of LoRA parameters",
    topic="Fine-tuning and alignment",
    chapter="Training and alignment",
    section="LoRA",
    difficulty=2,
    draws=_adapters,
    settings=(
        "{model} ({parameters} parameters, {layers} layers, hidden size {hidden}) gets LoRA of rank {rank} on the "
        "query and the output projection of every layer; both are square.",
        "You fine-tune {model}, {parameters} parameters, with LoRA: rank {rank}, on two square matrices a layer, "
        "query and output projection. There are {layers} layers of width {hidden}.",
        "LoRA of rank {rank} goes onto the query and output projections of {model}, each {hidden} by {hidden}, in all "
        "{layers} layers. The model has {parameters} parameters.",
    ),
    asks=(
        "How many parameters are trained, what share of the model is that, and how large is the adapter in BF16?",
        "Count the trainable parameters, give their percentage of the whole, and the size of the adapter in BF16.",
        "What does the adapter have in parameters, in percent of the model, and in megabytes when stored in BF16?",
    ),
    steps={
        "matrix": Step("LoRA parameters of one matrix", "2 * rank * hidden", "parameters", 0.03),
        "trained": Step("Trainable parameters", "2 * layers * matrix", "parameters", 0.04),
        "share": Step("Trainable share", "100 * trained / parameters", "%", 0.06, digits=2),
        "size": Step("Adapter size", "2 * trained / 1e6", "MB", 0.08, ("MiB",)),
    },
    solution=(
        "LoRA replaces the update of a matrix by two thin factors. For a matrix of {hidden} by {hidden} these are "
        "{rank} × {hidden} and {hidden} × {rank}, together 2 × {rank} × {hidden}, which is {matrix}. With two such "
        "matrices in each of {layers} layers, 2 × {layers} times that are about {trained}. Of {parameters} parameters "
        "this is about {share}. At 2 bytes each the adapter file is about {size}. Everything is linear in the rank. "
        "And only these few need gradients and optimizer states, which is where training saves its memory."
    ),
    points=(
        Point(
            "Each matrix gets two thin factors with rank times input plus output dimension parameters.",
            "Each matrix gets factors with rank times input times output dimension parameters.",
            2,
        ),
        Point(
            "One matrix gets {matrix}.",
            "One matrix gets a number of parameters clearly different from {matrix:n}.",
            1,
            ("matrix",),
        ),
        Point(
            "In all about {trained} are trained.",
            "The number of trained parameters is clearly different from {trained:n}.",
            3,
            ("trained",),
        ),
        Point(
            "That is about {share} of the model.",
            "The share of the model is clearly different from {share}.",
            2,
            ("share",),
        ),
        Point(
            "The adapter takes about {size} in BF16.",
            "The adapter takes a size clearly different from {size}.",
            1,
            ("size",),
        ),
        Point(
            "Gradients and optimizer states are needed for the trained parameters only.",
            "Gradients and optimizer states are still kept for all parameters of the model.",
        ),
    ),
    misconceptions=(
        (
            "LoRA trains a small choice of the original weights.",
            "The original weights are frozen; what is trained are new factors beside them.",
        ),
        (
            "Doubling the rank makes the adapter four times as large.",
            "Both factors have one side of that length, so their count grows linearly with the rank.",
        ),
    ),
    terms=("LoRA", "rank", "adapter", "parameters", "hidden size", "output projection", "BF16", "optimizer states"),
    hints=(
        "Draw the two matrices that stand in for one update and write their sides next to them.",
        "Count one pair, then ask how many such pairs there are in the whole network.",
        "For the last two numbers, compare with everything there is, and give each number its width.",
    ),
)
