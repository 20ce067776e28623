"""Every figure of every family computed once more, step by step and without formulas as text."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

Draw = Mapping[str, Any]
GB, GIB, DAY_S = 10**9, 1024**3, 24 * 60 * 60


def token_bytes(d: Draw) -> int:
    """Keys, then values, of all heads of all layers."""
    one_vector = d["head_dim"] * d["bytes_per_value"]
    keys = values = one_vector * d["kv_heads"]
    return sum(keys + values for _ in range(d["layers"]))


def weights_gb(d: Draw) -> float:
    return {2: 2.0, 1: 1.0, 0.5: 0.5}[d["bytes_per_weight"]] * (d["parameters"] / GB)


def step_s(d: Draw, gb: float) -> float:
    """Time to read so much, each card its share."""
    return (gb / d["gpus"]) * GB / (d["bandwidth_tb_per_s"] * 1e12)


def weight_bytes(d: Draw) -> list[float]:
    memory_gb = sum(d["memory_gb"] for _ in range(d["gpus"]))
    return [weights_gb(d), weights_gb(d) / memory_gb * 100, memory_gb - weights_gb(d)]


def kv_cache(d: Draw) -> list[float]:
    return [token_bytes(d) / d["layers"], token_bytes(d), d["free_gb"] * GB / token_bytes(d)]


def kv_context(d: Draw) -> list[float]:
    one = token_bytes(d) * d["tokens"]
    return [token_bytes(d), one / GIB, one * d["sequences"] / GIB]


def kv_crossover(d: Draw) -> list[float]:
    sequence_gb = token_bytes(d) * d["tokens"] / GB
    batch = weights_gb(d) / sequence_gb
    return [weights_gb(d), sequence_gb, batch, 1000 * step_s(d, weights_gb(d) + batch * sequence_gb)]


def decode_bound(d: Draw) -> list[float]:
    once_s = step_s(d, weights_gb(d))
    return [weights_gb(d), 1000 * once_s, 1 / once_s, d["batch"] / once_s]


def tensor_parallel(d: Draw) -> list[float]:
    all_reduces = sum(1 for _ in range(d["layers"]) for _ in ("attention", "mlp"))
    return [weights_gb(d), d["gpus"] * d["bandwidth_tb_per_s"], 1000 * step_s(d, weights_gb(d)), all_reduces]


def ridge_point(d: Draw) -> list[float]:
    """The share found by comparing times: computing at the peak against reading, for one weight."""
    multiply_s = 2 * d["batch"] / (d["peak_tflop_per_s"] * 1e12)
    read_s = d["bytes_per_weight"] / (d["bandwidth_tb_per_s"] * 1e12)
    ridge = (d["peak_tflop_per_s"] * 1e12) / (d["bandwidth_tb_per_s"] * 1e12)
    return [ridge, d["batch"] * 2 / d["bytes_per_weight"], 100 * multiply_s / read_s, d["batch"] * read_s / multiply_s]


def prefill_time(d: Draw) -> list[float]:
    flop = d["tokens"] * 2 * d["parameters"]
    per_s = d["utilization"] * d["gpus"] * d["peak_tflop_per_s"] * 1e12
    return [flop, per_s / 1e12, flop / per_s * 1000, d["tokens"] * per_s / flop]


def quantized_size(d: Draw) -> list[float]:
    """By the bits of a whole group."""
    group_bits = d["group"] * d["bits"] + 16 + d["zero_bits"]
    each = group_bits / d["group"]
    return [each - d["bits"], each, d["parameters"] / d["group"] * group_bits / 8 / GB, 16 * d["group"] / group_bits]


def speculative(d: Draw) -> list[float]:
    """Mean over the ways in which a round can end."""
    a, k = d["acceptance"], d["depth"]
    tokens = sum((n + 1) * a**n * (1 - a) for n in range(k)) + (k + 1) * a**k
    passes = 1 + sum(d["cost"] for _ in range(k))
    return [tokens, passes, tokens / passes, sum(a**n for n in range(400))]


def training_days(d: Draw) -> list[float]:
    """Two operations forward, four back."""
    flop = (2 + 4) * d["parameters"] * d["trillions"] * 10**12
    per_s = d["gpus"] * d["mfu"] * d["peak_tflop_per_s"] * 10**12
    return [flop, per_s, flop / (per_s * DAY_S)]


def training_memory(d: Draw) -> list[float]:
    """BF16 weight and gradient, FP32 master weight and two moments."""
    total = (2 + 2 + 4 + 4 + 4) * d["parameters"] / GB
    return [total, total / d["gpus"], d["memory_gb"] - total / d["gpus"]]


def lora_share(d: Draw) -> list[float]:
    down, up = d["rank"] * d["hidden"], d["hidden"] * d["rank"]
    trained = sum(down + up for _ in range(d["layers"]) for _ in ("query", "output"))
    return [down + up, trained, trained / d["parameters"] * 100, trained * 2 / 10**6]


def perplexity(d: Draw) -> list[float]:
    before, after = math.e ** d["loss"], math.e ** (d["loss"] + d["rise"])
    return [before, math.log2(before), (after / before - 1) * 100, -math.log(1 / d["vocabulary"])]


def tokens_words(d: Draw) -> list[float]:
    passage = d["words"] / 0.75
    prompt = sum(passage for _ in range(d["passages"]))
    return [passage, prompt, prompt / d["window"] * 100, d["price"] * (d["requests"] * prompt / 10**6)]


def queueing_delay(d: Draw) -> list[float]:
    """By the mean number in the system and Little's law."""
    load, peak = d["arrivals"] / d["capacity"], d["busy"] / d["capacity"]
    stay_s = load / (1 - load) / d["arrivals"]
    return [100 * load, 1000 * stay_s, 1000 * load * stay_s, 1000 * peak / (1 - peak) / d["busy"]]


def requests_in_flight(d: Draw) -> list[float]:
    latency_s = d["ttft_s"] + sum(d["tpot_ms"] for _ in range(d["output"])) / 1000
    flying = latency_s * d["rate"]
    each = token_bytes(d | {"bytes_per_value": 2}) * d["context"]
    return [latency_s, flying, flying * each / GB]


def serving_cost(d: Draw) -> list[float]:
    hourly = sum(d["price"] for _ in range(d["gpus"]))
    made = d["rate"] * 60 * 60 * d["load"]
    return [hourly, made, hourly / (made / 10**6), hourly / (d["rate"] * 60 * 60 / 10**6)]


BY_HAND: Mapping[str, Callable[[Draw], list[float]]] = {
    "weight-bytes": weight_bytes,
    "kv-cache": kv_cache,
    "kv-context": kv_context,
    "kv-crossover": kv_crossover,
    "decode-bound": decode_bound,
    "tensor-parallel": tensor_parallel,
    "ridge-point": ridge_point,
    "prefill-time": prefill_time,
    "quantized-size": quantized_size,
    "speculative": speculative,
    "training-days": training_days,
    "training-memory": training_memory,
    "lora-share": lora_share,
    "perplexity": perplexity,
    "tokens-words": tokens_words,
    "queueing-delay": queueing_delay,
    "requests-in-flight": requests_in_flight,
    "serving-cost": serving_cost,
}
"""What the figures of a family are, in the order of its rubric, from a draw."""

PLAUSIBLE: Mapping[str, tuple[float, float]] = {
    "KV cache of the batch": (1, 512),
    "KV cache of all": (1, 150),
    "Tokens that fit": (8_000, 2_000_000),
    "Decode lower bound": (0.5, 80),
    "Tokens per second at batch 1": (10, 2_000),
    "Tokens per second of the batch": (50, 64_000),
    "Crossover batch size": (3, 200),
    "Step time at the crossover": (2, 100),
    "Share of the memory": (30, 90),
    "Memory left": (2, 1_440),
    "Share of the peak": (0.1, 80),
    "Ridge point": (50, 500),
    "Prefill time": (50, 60_000),
    "Speed-up": (1.1, 8),
    "Training time": (3, 120),
    "Memory left per card": (10, 192),
    "Trainable share": (0.001, 5),
    "Perplexity": (3, 50),
    "Share of the window": (5, 85),
    "Cost of the requests": (1, 20_000),
    "Utilization": (30, 95),
    "Mean time under peak load": (10, 20_000),
    "Requests in flight": (5, 200),
    "Cost per million tokens at this load": (0.05, 10),
}
"""Least and most that somebody would meet, by label, in the figure's unit."""
