"""Size of a model quantized in groups, scales included."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tutor.drills.family import Draw, Family, Point, Step
from tutor.drills.machines import MODELS


def _quantized() -> Iterator[Draw]:
    """Group-wise schemes as they are shipped: a 16-bit scale a group, with or without a zero point."""
    for model, bits, group, has_zero in product(MODELS, (3, 4, 8), (32, 64, 128), (False, True)):
        zero_bits = bits if has_zero else 0
        # Where the scales are lost in the rounding there would be nothing to find out.
        if model.parameters >= 1e9 and (16 + zero_bits) / group >= 0.03 * bits:
            yield {
                "model": model.name,
                "parameters": model.parameters,
                "bits": bits,
                "group": group,
                "zero_bits": zero_bits,
                "beside": f"a 16-bit scale and a {bits}-bit zero point" if has_zero else "a 16-bit scale",
                "sum": f"(16 + {bits}) bits" if has_zero else "16 bits",
            }


FAMILY = Family(
    name="quantized-size",
    title="Drill: quantized size with scales",
    topic="Quantization",
    chapter="How inference works",
    section="How quantization works",
    difficulty=3,
    draws=_quantized,
    settings=(
        "All {parameters} parameters of {model} are quantized to {bits} bits in groups of {group}; each group has "
        "{beside}.",
        "Somebody quantizes {model} with {parameters} parameters to {bits} bits. Every {group} weights share {beside}.",
        "{model}, {parameters} parameters, is stored with {bits} bits per weight and {beside} for each group of "
        "{group}.",
    ),
    asks=(
        "How many bits per weight is that really, how large does the model get, and how many times smaller than BF16?",
        "What is the effective width of a weight, the total size, and the saving against BF16?",
        "Compute the true bits per weight, the size in GB, and the factor by which it shrinks from BF16.",
    ),
    steps={
        "extra": Step("Extra bits per weight", "(16 + zero_bits) / group", "bit", 0.04),
        "width": Step("Bits per weight", "bits + extra", "bit", 0.012, digits=4),
        "size": Step("Quantized size", "parameters * width / 8 / 1e9", "GB", 0.02),
        "factor": Step("Factor against BF16", "16 / width", "x", 0.02),
    },
    solution=(
        "The scales have to be counted too. A group carries {beside}, and spread over {group} weights that is {sum} "
        "over {group}, about {extra} for each. So a weight really takes {width}. Times {parameters} parameters and "
        "divided by 8 bits per byte, the model is about {size} large. In BF16 it has 16 bits per weight, and 16 "
        "divided by {width:n} is a factor of about {factor:n}. Smaller groups follow outliers better and keep "
        "accuracy, but every halving of the group doubles this overhead."
    ),
    points=(
        Point(
            "What a group stores besides its weights is spread over the weights of the group.",
            "Scales cost nothing that counts, or each weight has a scale of its own.",
            2,
        ),
        Point(
            "Scales and zero points add about {extra} per weight.",
            "What is added per weight is clearly different from {extra}.",
            1,
            ("extra",),
        ),
        Point(
            "A weight effectively takes {width}.",
            "A weight effectively takes just {bits} bits, or another width than {width}.",
            2,
            ("width",),
        ),
        Point(
            "The quantized model is about {size} large.",
            "The quantized model has a size clearly different from {size}.",
            3,
            ("size",),
        ),
        Point(
            "It is about {factor} smaller than in BF16.",
            "The factor against BF16 is clearly different from {factor:n}.",
            2,
            ("factor",),
        ),
        Point(
            "Smaller groups keep more accuracy but cost more for scales.",
            "Smaller groups cost accuracy, or cost nothing.",
        ),
    ),
    misconceptions=(
        (
            "A weight of {bits} bits costs {bits} bits of memory and nothing else.",
            "Scales and zero points are stored beside the weights, and the smaller the group the more of them there "
            "are.",
        ),
        (
            "The group size only changes speed, not size or accuracy.",
            "It sets how many weights an outlier can spoil, and how many scales have to be stored.",
        ),
    ),
    terms=("quantization", "INT4", "INT8", "group size", "scale", "zero point", "BF16", "bits per weight", "outliers"),
    hints=(
        "What is stored for a group of weights besides the weights themselves?",
        "Share that out among all members of the group and add it to the nominal width.",
        "From bits to bytes first; for the saving, compare widths and not sizes.",
    ),
)
