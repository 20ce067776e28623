"""The batch from which on a decode step reads more cache than weights."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tutor.drills.family import Draw, Family, Point, Step
from tutor.drills.machines import cache_bytes, placements, shape
from tutor.drills.steps import WEIGHTS


def _crossovers() -> Iterator[Draw]:
    """Batches that fit: at the crossover weights and cache take the same room."""
    for placed, tokens in product(placements(most_filled=0.45), (2048, 4096, 8192, 32768)):
        sequences = placed.weights_gb * 1e9 / (cache_bytes(placed.model, 2) * tokens)
        if placed.format != "INT4" and tokens <= placed.model.context and 3 <= sequences <= 200:
            yield placed.draw() | shape(placed.model) | {"tokens": tokens, "bytes_per_value": 2}


FAMILY = Family(
    name="kv-crossover",
    title="Drill: batch where cache reads match weight reads",
    topic="Roofline and bandwidth",
    chapter="How inference works",
    section="Prefill and decode",
    difficulty=4,
    draws=_crossovers,
    settings=(
        "{model} with {parameters} parameters in {format} decodes on {cards} ({reach}). It has {layers} layers, "
        "{kv_heads} KV heads of dimension {head_dim}, and a BF16 cache.",
        "You decode {model} on {cards} with {reach}: {parameters} parameters in {format}, {layers} layers, {kv_heads} "
        "KV heads, head dimension {head_dim}, cache in BF16.",
        "On {cards} with a bandwidth of {reach} runs {model}: {parameters} weights in {format}, and a BF16 cache over "
        "{layers} layers with {kv_heads} KV heads of width {head_dim}.",
    ),
    asks=(
        "All contexts are {tokens} tokens long. From which batch size on does a step read more cache than weights, "
        "and how long does a step take there at least?",
        "With {tokens} tokens per sequence, at what batch size do KV reads equal weight reads, and what is the lower "
        "bound of the step there?",
        "Each request holds {tokens} tokens. Where do the bytes read for the cache overtake those for the weights, "
        "and what does bandwidth allow for that step?",
    ),
    steps={
        "weights": WEIGHTS,
        "sequence": Step(
            "KV cache of a sequence", "2 * layers * kv_heads * head_dim * bytes_per_value * tokens / 1e9", "GB", 0.08
        ),
        "batch": Step("Crossover batch size", "weights / sequence", "1", 0.1, digits=2),
        "step": Step("Step time at the crossover", "2 * weights / (gpus * bandwidth_tb_per_s)", "ms", 0.06),
    },
    solution=(
        "A decode step reads all weights once, whatever the batch, and on top the cache of every sequence. The "
        "weights are {parameters} × {weight_width}, about {weights}. One sequence has 2 × {layers} × {kv_heads} × "
        "{head_dim} × 2 bytes × {tokens} tokens of cache, about {sequence}. Both are equal when the batch is the one "
        "divided by the other, so at about {batch} sequences. A step then reads twice the weights, and at "
        "{bandwidth_tb_per_s} TB/s per card on {cards} that takes at least {step}. Beyond that point the cache "
        "dominates, and making it smaller, with fewer KV heads or FP8, helps more than quantizing the weights."
    ),
    points=(
        Point(
            "A step reads the weights once for the whole batch, but a separate cache for every sequence.",
            "A step reads the weights once for every sequence of the batch.",
            2,
        ),
        Point(
            "The weights are about {weights}.",
            "The weights have a size clearly different from {weights}.",
            1,
            ("weights",),
        ),
        Point(
            "The cache of one sequence is about {sequence}.",
            "The cache of one sequence has a size clearly different from {sequence}.",
            2,
            ("sequence",),
        ),
        Point(
            "Cache reads catch up with weight reads at a batch of about {batch}.",
            "Cache and weight reads are equal at a batch clearly different from {batch}.",
            3,
            ("batch",),
        ),
        Point(
            "There a step takes at least {step}.",
            "At the crossover a step takes a time clearly different from {step}.",
            2,
            ("step",),
        ),
        Point(
            "Beyond the crossover a smaller cache speeds up decode more than smaller weights do.",
            "Quantizing the weights stays the best remedy however large the batch is.",
        ),
    ),
    misconceptions=(
        (
            "A larger batch lets sequences read the KV cache together, as they read the weights together.",
            "Each sequence attends to its own keys and values, so these reads add up.",
        ),
        (
            "At large batches decode is always bound by arithmetic.",
            "With long contexts the cache reads grow along with the batch and keep it bound by memory bandwidth.",
        ),
    ),
    terms=(
        "KV cache",
        "batch size",
        "decode",
        "memory bandwidth",
        "weights",
        "KV heads",
        "FP8",
        "crossover",
        "lower bound",
    ),
    hints=(
        "List what has to come out of memory in one step, and mark what depends on how many requests there are.",
        "One of the two kinds is shared by everybody, the other one exists once for each request.",
        "Set both amounts equal, solve, and put their sum over what all cards deliver together.",
    ),
)
