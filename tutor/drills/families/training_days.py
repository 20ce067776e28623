"""FLOPs of a training run, and its days at an MFU."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tutor.drills.family import Draw, Family, Point, Step
from tutor.drills.machines import GPUS, MODELS


def _runs() -> Iterator[Draw]:
    """Runs of a few days up to four months, on between five and 2,500 tokens a parameter."""
    trillions, clusters, shares = (0.5, 1, 2, 5, 15), (128, 512, 1024, 4096, 16384), (0.3, 0.35, 0.4, 0.5)
    for model, tokens, gpu, gpus, mfu in product(MODELS[1::2], trillions, GPUS[:5], clusters, shares):
        flop, per_day = 6 * model.parameters * tokens * 1e12, gpus * gpu.peak_tflop_per_s * 1e12 * mfu * 86_400
        if 3 <= flop / per_day <= 120 and 5 <= tokens * 1e12 / model.parameters <= 2_500:
            yield {
                "model": model.name,
                "parameters": model.parameters,
                "trillions": tokens,
                "gpu": gpu.name,
                "gpus": gpus,
                "peak_tflop_per_s": gpu.peak_tflop_per_s,
                "mfu": mfu,
            }


FAMILY = Family(
    name="training-days",
    title="Drill: training compute and days",
    topic="Training",
    chapter="Training and alignment",
    section="How much compute training needs",
    difficulty=2,
    draws=_runs,
    settings=(
        "A model of the size of {model}, {parameters} parameters, is trained on {trillions} trillion tokens with "
        "{gpus} {gpu} at {mfu:%} MFU; a card's dense BF16 peak is {peak_tflop_per_s} TFLOP/s.",
        "You have {gpus} {gpu} with {peak_tflop_per_s} TFLOP/s each and reach an MFU of {mfu:%}. The model has "
        "{parameters} parameters, like {model}, and the data {trillions} trillion tokens.",
        "Pretraining {parameters} parameters, as many as {model} has, on {trillions} trillion tokens: the cluster has "
        "{gpus} {gpu} of {peak_tflop_per_s} TFLOP/s and runs at {mfu:%} MFU.",
    ),
    asks=(
        "How much compute is that, and how many days does it take?",
        "Estimate the FLOPs of the run, what the cluster really delivers, and the days.",
        "What does the run cost in FLOPs, and when will it be done?",
    ),
    steps={
        "work": Step("Training FLOPs", "6 * parameters * trillions * 1e12", "FLOP", 0.05),
        "speed": Step("Effective throughput", "gpus * peak_tflop_per_s * 1e12 * mfu", "FLOP/s", 0.05),
        "seconds": Step("Training time in seconds", "work / speed", "s", 0.06),
        "days": Step("Training time", "seconds / 86400", "days", 0.06, ("h", "s")),
    },
    solution=(
        "Training takes about six operations per parameter and token, two on the way forward and four on the way "
        "back. So 6 × {parameters} × {trillions} trillion tokens is about {work}. The cluster's peak is {gpus} × "
        "{peak_tflop_per_s} TFLOP/s, of which {mfu:%} are used, so it delivers about {speed}. The work over this "
        "speed is about {seconds}, and with 86,400 seconds a day that is about {days}. Restarts and evaluations come "
        "on top. At the same MFU twice the cards would halve the time, but in practice a larger cluster communicates "
        "more and its MFU falls."
    ),
    points=(
        Point(
            "Training compute is about 6 × parameters × tokens.",
            "Training compute is about 2 × parameters × tokens, or has another factor than 6.",
            2,
        ),
        Point(
            "The run needs about {work}.",
            "The run needs a number of FLOPs clearly different from {work:n}.",
            2,
            ("work",),
        ),
        Point(
            "The cluster really delivers about {speed}.",
            "The throughput is clearly different from {speed}, for example because MFU is left out.",
            2,
            ("speed",),
        ),
        Point(
            "Training takes about {days}.",
            "Training takes a time clearly different from {days}.",
            3,
            ("days",),
        ),
        Point(
            "More cards shorten the run only as long as the MFU holds.",
            "Twice the cards always halve the time, whatever has to be communicated.",
        ),
    ),
    misconceptions=(
        (
            "MFU says which share of the time the GPUs are busy.",
            "It compares the useful operations of the model with the peak; a busy card can have a low MFU.",
        ),
        (
            "The backward pass costs as much as the forward pass.",
            "It needs gradients for activations and for weights, and that is twice as much.",
        ),
    ),
    terms=(
        "FLOPs",
        "MFU",
        "6ND",
        "parameters",
        "tokens",
        "TFLOP/s",
        "BF16",
        "forward pass",
        "backward pass",
        "pretraining",
    ),
    hints=(
        "Size of the model and size of the data are all you need for the first number.",
        "Remember what the way back costs, compared with the way forward.",
        "Then ask what all machines together really achieve, not what their data sheets promise.",
    ),
)
