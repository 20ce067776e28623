"""KV cache of a token, and how many tokens fit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tutor.drills.family import Draw, Family, Point, Step
from tutor.drills.machines import MODELS, WIDTHS, cache_bytes, shape
from tutor.drills.steps import PER_LAYER, PER_TOKEN


def _tokens() -> Iterator[Draw]:
    """Memory that holds between one long prompt and a busy server's contexts."""
    for model, (name, value), free_gb in product(MODELS, WIDTHS.items(), (2, 4, 6, 8, 10, 12, 16, 20, 24, 30, 40, 60)):
        n_fitting = free_gb * 1e9 / cache_bytes(model, value.bytes)
        if value.bytes >= 1 and 8_000 <= n_fitting <= 2_000_000:
            yield shape(model) | {
                "format": name,
                "bytes_per_value": value.bytes,
                "width": value.words,
                "free_gb": free_gb,
            }


FAMILY = Family(
    name="kv-cache",
    title="Drill: KV cache per token",
    topic="KV cache",
    chapter="How inference works",
    section="Estimating parameters, compute and memory",
    difficulty=2,
    draws=_tokens,
    settings=(
        "{model} has {layers} layers with {heads} query heads and {kv_heads} KV heads of dimension {head_dim}, and "
        "its cache is kept in {format}.",
        "Take {model}: {layers} layers, {heads} query heads but only {kv_heads} KV heads, head dimension {head_dim}, "
        "cached values in {format}.",
        "You serve {model} with a cache in {format}. Its config lists {layers} layers, {heads} attention heads, "
        "{kv_heads} key-value heads and a head dimension of {head_dim}.",
    ),
    asks=(
        "How many bytes does one token add to the KV cache, and how many tokens fit into {free_gb} GB?",
        "Work out the cache of a single token. If {free_gb} GB are left for the cache, for how many tokens is that?",
        "What does every token cost in cache memory, and when are {free_gb} GB of it full?",
    ),
    steps={
        "per_layer": PER_LAYER,
        "per_token": PER_TOKEN,
        "fitting": Step("Tokens that fit", "free_gb * 1e9 / per_token", "tokens", 0.08),
    },
    solution=(
        "I start with one layer. It keeps a key and a value for each KV head, so 2 × {kv_heads} heads × {head_dim} × "
        "{width}, which is {per_layer}. There are {layers} layers, so one token takes {per_token} in all. The {heads} "
        "query heads do not come into it, because queries are used once and never stored. With {free_gb} GB left I "
        "divide: {free_gb} GB over {per_token} gives about {fitting}, shared by all requests that run at the same "
        "time. The size grows linearly, so each further token costs the same again."
    ),
    points=(
        Point(
            "The cache of a token is a product: 2 × layers × KV heads × head dimension × bytes per value.",
            "The cache of a token is another product, for example without the layers or with the hidden size squared.",
            2,
        ),
        Point(
            "One layer keeps {per_layer} per token.",
            "One layer keeps a number of bytes per token clearly different from {per_layer:n}.",
            1,
            ("per_layer",),
        ),
        Point(
            "One token takes {per_token} in all layers together.",
            "One token takes a number of bytes clearly different from {per_token:n}.",
            3,
            ("per_token",),
        ),
        Point(
            "About {fitting} fit into the memory that is left.",
            "The number of tokens that fit is clearly different from {fitting:n}.",
            2,
            ("fitting",),
        ),
        Point(
            "The query heads do not matter, because only keys and values are stored.",
            "The number of query heads decides how much is stored for a token.",
        ),
    ),
    misconceptions=(
        (
            "The cache keeps the queries, keys and values of every token.",
            "A query is needed only in the step that computes it; keys and values are what later tokens look at.",
        ),
        (
            "Every new token makes the cache of each earlier token larger.",
            "Each token adds the same number of bytes, once; earlier entries stay as they are.",
        ),
    ),
    terms=("KV cache", "KV heads", "head dimension", "layers", "keys", "values", "query heads", "GQA", "BF16", "FP8"),
    hints=(
        "Begin with what a single layer has to remember of a single token.",
        "Two different vectors are kept for each head of the smaller kind; then go through the whole depth.",
        "For the second part, divide the room there is by what one of them occupies.",
    ),
)
