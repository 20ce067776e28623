"""KV cache of a context, and of a batch of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tutor.drills.family import Draw, Family, Point, Step
from tutor.drills.machines import MODELS, WIDTHS, cache_bytes, shape
from tutor.drills.steps import PER_LAYER, PER_TOKEN


def _contexts() -> Iterator[Draw]:
    """Contexts the model was made for, with caches that are neither tiny nor larger than a server."""
    contexts, batches = (2048, 4096, 8192, 16384, 32768, 65536, 131072), (4, 8, 16, 24, 32, 64)
    for model, (name, value), tokens, sequences in product(MODELS, WIDTHS.items(), contexts, batches):
        one_gib = cache_bytes(model, value.bytes) * tokens / 2**30
        if value.bytes >= 1 and tokens <= model.context and one_gib >= 0.2 and 2 <= one_gib * sequences <= 500:
            yield shape(model) | {
                "format": name,
                "bytes_per_value": value.bytes,
                "width": value.words,
                "tokens": tokens,
                "sequences": sequences,
            }


FAMILY = Family(
    name="kv-context",
    title="Drill: KV cache at a context length",
    topic="KV cache",
    chapter="How inference works",
    section="Estimating parameters, compute and memory",
    difficulty=2,
    draws=_contexts,
    settings=(
        "A server runs {model} with {layers} layers, {kv_heads} KV heads and a head dimension of {head_dim}; its "
        "cache is in {format}.",
        "Consider {model}. It has {layers} layers and {kv_heads} KV heads of dimension {head_dim}, and you cache in "
        "{format}.",
        "The config of {model} says {layers} layers, {kv_heads} key-value heads, head dimension {head_dim}. Cached "
        "numbers are {format}.",
    ),
    asks=(
        "How large is the KV cache of one sequence with {tokens} tokens, and of {sequences} such sequences?",
        "What does a context of {tokens} tokens take in the cache, and what do {sequences} users with such a context "
        "need together?",
        "Estimate the cache for {tokens} tokens, first for one request, then for a batch of {sequences}.",
    ),
    steps={
        "per_layer": PER_LAYER,
        "per_token": PER_TOKEN,
        "one": Step("KV cache of one sequence", "per_token * tokens / 2 ** 30", "GiB", 0.08, ("GB",)),
        "all": Step("KV cache of the batch", "sequences * one", "GiB", 0.08, ("GB",)),
    },
    solution=(
        "One token leaves a key and a value in every layer: 2 × {layers} layers × {kv_heads} KV heads × {head_dim} × "
        "{width} is {per_token}. A sequence of {tokens} tokens needs that many times as much, about {one}. The batch "
        "shares the weights but not the cache, as every sequence has its own, so all {sequences} together take about "
        "{all}. It is linear in both directions: twice the context or twice the users means twice the bytes, and a "
        "cache with half as many bytes per value would halve it."
    ),
    points=(
        Point(
            "A token's cache is 2 × layers × KV heads × head dimension × bytes per value.",
            "A token's cache is another product, for example with a single vector in place of keys and values.",
            2,
        ),
        Point(
            "One token takes {per_token}.",
            "One token takes a number of bytes clearly different from {per_token:n}.",
            1,
            ("per_token",),
        ),
        Point(
            "The cache of one sequence is about {one}.",
            "The cache of one sequence has a size clearly different from {one}.",
            3,
            ("one",),
        ),
        Point(
            "The cache of the whole batch is about {all}.",
            "The cache of the whole batch has a size clearly different from {all}.",
            2,
            ("all",),
        ),
        Point(
            "The cache grows linearly with the context length.",
            "The cache grows with the square of the context length.",
        ),
    ),
    misconceptions=(
        (
            "Sequences of one batch share their KV cache as they share the weights.",
            "Only a common prefix can be shared; what differs between sequences is stored for each of them.",
        ),
        (
            "The KV cache grows with the square of the context, as attention does.",
            "Attention computes a score for each pair of tokens, but stores one entry a token.",
        ),
    ),
    terms=(
        "KV cache",
        "KV heads",
        "head dimension",
        "context length",
        "GiB",
        "KiB",
        "batch",
        "sequences",
        "BF16",
        "FP8",
    ),
    hints=(
        "Do it in three stages: a token, a sequence, a batch.",
        "A position leaves two vectors behind in each head that is cached, all the way down the stack.",
        "The last two stages are plain multiplications, since nothing is shared and nothing is squared.",
    ),
)
