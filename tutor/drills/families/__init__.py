"""One file a family: its plausible draws, its steps, its texts."""

from __future__ import annotations

from collections.abc import Mapping

from tutor.drills.families import (
    decode_bound,
    kv_cache,
    kv_context,
    kv_crossover,
    lora_share,
    perplexity,
    prefill_time,
    quantized_size,
    queueing_delay,
    requests_in_flight,
    ridge_point,
    serving_cost,
    speculative,
    tensor_parallel,
    tokens_words,
    training_days,
    training_memory,
    weight_bytes,
)
from tutor.drills.family import Family

FAMILIES: Mapping[str, Family] = {
    module.FAMILY.name: module.FAMILY
    for module in (
        weight_bytes,
        kv_cache,
        kv_context,
        decode_bound,
        tensor_parallel,
        ridge_point,
        prefill_time,
        kv_crossover,
        quantized_size,
        speculative,
        training_days,
        training_memory,
        lora_share,
        perplexity,
        tokens_words,
        queueing_delay,
        requests_in_flight,
        serving_cost,
    )
}
"""Every family by its name, in the order of a session: the size of things first, then speed, training, serving."""
