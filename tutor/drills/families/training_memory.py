"""What Adam in mixed precision keeps in memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tutor.drills.family import Draw, Family, Point, Step
from tutor.drills.machines import GPUS, MODELS


def _sharded() -> Iterator[Draw]:
    """Clusters in which the states fit but are not lost."""
    for model, gpu, gpus in product(MODELS, GPUS[:5], (4, 8, 16, 24, 32, 48, 64, 96, 128, 256)):
        if 0.15 <= 16 * model.parameters / 1e9 / gpus / gpu.memory_gb <= 0.85:
            yield {
                "model": model.name,
                "parameters": model.parameters,
                "gpu": gpu.name,
                "memory_gb": gpu.memory_gb,
                "gpus": gpus,
            }


FAMILY = Family(
    name="training-memory",
    title="Drill: memory of mixed-precision training",
    topic="Training",
    chapter="Training and alignment",
    section="How much compute training needs",
    difficulty=3,
    draws=_sharded,
    settings=(
        "{model} with {parameters} parameters is trained with Adam in mixed precision, everything sharded evenly over "
        "{gpus} {gpu} cards of {memory_gb} GB.",
        "You train all {parameters} parameters of {model} in mixed precision with Adam on {gpus} {gpu} cards of "
        "{memory_gb} GB, and shard every state across them.",
        "A cluster of {gpus} {gpu} cards with {memory_gb} GB each trains {model}, {parameters} parameters, by Adam in "
        "mixed precision with fully sharded states.",
    ),
    asks=(
        "How much memory do weights, gradients and optimizer need in total, and how much per card? What is left there?",
        "Estimate the training states in total and per card, and the room that stays for activations.",
        "What do all states come to, what falls on a single card, and how much of it remains?",
    ),
    steps={
        "weights": Step("BF16 weights alone", "2 * parameters / 1e9", "GB", 0.03),
        "total": Step("Training states", "16 * parameters / 1e9", "GB", 0.05, ("TB",)),
        "card": Step("States per card", "total / gpus", "GB", 0.06),
        "left": Step("Memory left per card", "memory_gb - card", "GB", 0.08),
    },
    solution=(
        "With Adam in mixed precision I reckon 16 bytes per parameter: 2 for the BF16 weight, 2 for its gradient, and "
        "12 for the FP32 master copy and the two moments, 4 each. The weights alone would be about {weights}; the "
        "states together are eight times as much, about {total}. Sharded evenly over {gpus} cards, that is about "
        "{card} on each of them. Of its {memory_gb} GB a card then has about {left} left, and there the activations "
        "and buffers have to fit. They grow with batch and sequence length and can be recomputed when they do not fit."
    ),
    points=(
        Point(
            "Mixed-precision Adam needs about 16 bytes per parameter.",
            "Training needs the 2 bytes of the weight per parameter, or as many as inference.",
            2,
        ),
        Point(
            "Most of it is the optimizer: an FP32 master copy and two moments.",
            "Most of it is the gradients, or the weights themselves.",
        ),
        Point(
            "All states together take about {total}.",
            "All states together take a size clearly different from {total}.",
            3,
            ("total",),
        ),
        Point(
            "Each card holds about {card} of states.",
            "Each card holds a size of states clearly different from {card}.",
            2,
            ("card",),
        ),
        Point(
            "About {left} stay free on each card.",
            "What stays free on each card is clearly different from {left}.",
            1,
            ("left",),
        ),
        Point(
            "The activations come on top of the states.",
            "The activations are part of the states or need no memory in training.",
        ),
    ),
    misconceptions=(
        (
            "A model that fits a card for inference can be trained on it.",
            "Gradients and optimizer states make it about eight times as large, before any activations.",
        ),
        (
            "Mixed precision halves everything that training stores.",
            "The master copy and both moments stay in FP32; only weights and gradients get smaller.",
        ),
    ),
    terms=("Adam", "mixed precision", "gradients", "optimizer states", "FP32", "BF16", "master weights", "activations"),
    hints=(
        "List all numbers that exist for a single parameter during training, and how wide each one is.",
        "Some of them are kept in full precision; the optimizer alone has more than one.",
        "Add up, multiply by the size of the model, and share it out evenly.",
    ),
)
