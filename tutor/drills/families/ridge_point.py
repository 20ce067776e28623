"""Arithmetic intensity of decode against the ridge point."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tutor.drills.family import Draw, Family, Point, Step
from tutor.drills.machines import GPUS, WIDTHS


def _intensities() -> Iterator[Draw]:
    """Batches that stay below the ridge: there is something left to gain."""
    batches = (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128)
    for gpu, (format, width), batch in product(GPUS, WIDTHS.items(), batches):
        if 2 * batch / width.bytes <= 0.8 * gpu.ridge:
            yield {
                "gpu": gpu.name,
                "peak_tflop_per_s": gpu.peak_tflop_per_s,
                "bandwidth_tb_per_s": gpu.bandwidth_tb_per_s,
                "format": format,
                "bytes_per_weight": width.bytes,
                "weight_width": width.words,
                "batch": batch,
            }


FAMILY = Family(
    name="ridge-point",
    title="Drill: arithmetic intensity and ridge point",
    topic="Roofline and bandwidth",
    chapter="How inference works",
    section="Prefill and decode",
    difficulty=3,
    draws=_intensities,
    settings=(
        "One {gpu} computes at {peak_tflop_per_s} TFLOP/s in dense BF16 and reads {bandwidth_tb_per_s} TB/s. Weights "
        "are stored in {format} and multiplied in BF16.",
        "Take one {gpu}: {peak_tflop_per_s} TFLOP/s dense BF16, {bandwidth_tb_per_s} TB/s, with weights kept in "
        "{format} and computed with in BF16.",
        "The data sheet of the {gpu} says {bandwidth_tb_per_s} TB/s and {peak_tflop_per_s} TFLOP/s for dense BF16 "
        "products. The weights lie in memory as {format}.",
    ),
    asks=(
        "Where is the ridge point, what is the intensity of the weight products when decoding at batch {batch}, and "
        "which share of the peak can they reach?",
        "Decode runs at batch {batch}. Compare the arithmetic intensity of its weight products with the ridge point: "
        "what percentage of the peak is possible?",
        "Find the ridge point and the intensity of a linear layer in decode at batch {batch}. How much of the peak, "
        "in percent, does that allow?",
    ),
    steps={
        "ridge": Step("Ridge point", "peak_tflop_per_s / bandwidth_tb_per_s", "FLOP/byte", 0.05),
        "intensity": Step("Arithmetic intensity", "2 * batch / bytes_per_weight", "FLOP/byte", 0.04),
        "share": Step("Share of the peak", "100 * intensity / ridge", "%", 0.08, digits=2),
        "full": Step("Batch size at the ridge", "ridge * bytes_per_weight / 2", "1", 0.08),
    },
    solution=(
        "The ridge point is peak over bandwidth: {peak_tflop_per_s} TFLOP/s over {bandwidth_tb_per_s} TB/s is about "
        "{ridge}. In decode every weight is read once, {weight_width}, and used for a multiplication and an addition "
        "per sequence, so 2 × {batch} operations for {weight_width}: an intensity of {intensity}. That lies below the "
        "ridge point, so the products are bound by memory, and the bandwidth allows only the ratio of the two, about "
        "{share} of the peak. To be bound by arithmetic one would need a batch of about {full}. Until then a larger "
        "batch is almost free, apart from the KV cache, whose reads it does not share."
    ),
    points=(
        Point(
            "The ridge point is about {ridge}.",
            "The ridge point is clearly different from {ridge}.",
            2,
            ("ridge",),
        ),
        Point(
            "Each weight that is read serves two operations per sequence of the batch.",
            "Each sequence of the batch reads the weights again, so the batch does not change the intensity.",
            2,
        ),
        Point(
            "The intensity is {intensity}.",
            "The intensity is clearly different from {intensity}.",
            2,
            ("intensity",),
        ),
        Point(
            "The products are memory bound, because their intensity lies below the ridge point.",
            "The products are compute bound at this batch.",
            2,
        ),
        Point(
            "At most about {share} of the peak can be reached.",
            "The share of the peak that can be reached is clearly different from {share}.",
            2,
            ("share",),
        ),
        Point(
            "It would take a batch size of about {full} to be compute bound.",
            "The batch from which it is compute bound is clearly different from {full}.",
            1,
            ("full",),
        ),
    ),
    misconceptions=(
        (
            "A GPU at full utilization in the monitor computes near its peak.",
            "The monitor shows that kernels run, not what they achieve; waiting for memory counts as busy.",
        ),
        (
            "The peak with sparsity is the one that belongs into the ridge point.",
            "Ordinary weights are dense, and for them half of that number counts.",
        ),
    ),
    terms=(
        "arithmetic intensity",
        "ridge point",
        "roofline",
        "memory bound",
        "compute bound",
        "TFLOP/s",
        "memory bandwidth",
        "batch size",
        "decode",
        "KV cache",
    ),
    hints=(
        "Two numbers of the data sheet decide how much work a fetched byte must bring.",
        "Then look at a single weight: how wide is it, and how often is it used before it is thrown away?",
        "The comparison of both tells what limits, and their ratio tells how badly.",
    ),
)
