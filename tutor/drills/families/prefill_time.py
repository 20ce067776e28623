"""Compute and time of a prompt."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tutor.drills.family import Draw, Family, Point, Step
from tutor.drills.machines import Placement, placements


def _prompts() -> Iterator[Draw]:
    """Prompts that the model takes, with times between a blink and a minute."""
    for placed, tokens, share in product(placements(0.7, 0.25), (1000, 2000, 4000, 8000, 16000), (0.4, 0.5, 0.6)):
        takes_time = 50 <= _prompt_ms(placed, tokens) <= 20_000
        # At half the peak of two cards the question would say the result.
        if placed.format == "BF16" and tokens <= placed.model.context and takes_time and placed.n_gpus * share != 1:
            yield placed.draw() | {"tokens": tokens, "utilization": share}


def _prompt_ms(placed: Placement, tokens: int) -> float:
    """At the peak of all cards."""
    return 2 * placed.model.parameters * tokens / (placed.n_gpus * placed.gpu.peak_tflop_per_s * 1e9)


FAMILY = Family(
    name="prefill-time",
    title="Drill: prefill time of a prompt",
    topic="Roofline and bandwidth",
    chapter="How inference works",
    section="Prefill and decode",
    difficulty=3,
    draws=_prompts,
    settings=(
        "{model} with {parameters} parameters in BF16 runs on {cards} with a dense peak of {peak}, of which prefill "
        "reaches {utilization:%}.",
        "You prefill with {model}, {parameters} parameters in BF16, on {cards} with a peak of {peak}, and get "
        "{utilization:%} of that.",
        "On {cards} with {peak} in dense BF16, prefill of {model} with {parameters} parameters attains "
        "{utilization:%} of the peak.",
    ),
    asks=(
        "How much compute does a prompt of {tokens} tokens take, how long does it run, and how many prompt tokens per "
        "second is that?",
        "Estimate operations, time and tokens per second for the prefill of {tokens} tokens.",
        "A prompt has {tokens} tokens. How many FLOPs does it need, what time passes, and at which rate are its "
        "tokens processed?",
    ),
    steps={
        "work": Step("Prefill FLOPs", "2 * parameters * tokens", "FLOP", 0.05, ("TFLOP",)),
        "speed": Step("Effective throughput", "gpus * peak_tflop_per_s * utilization", "TFLOP/s", 0.05),
        "time": Step("Prefill time", "work / (speed * 1e12) * 1000", "ms", 0.06, ("s",)),
        "rate": Step("Prompt tokens per second", "tokens / time * 1000", "token/s", 0.06),
    },
    solution=(
        "A forward pass costs about two operations per parameter and token, so 2 × {parameters} × {tokens} tokens is "
        "about {work}. The hardware really gives {gpus} × {peak_tflop_per_s} × {utilization}, about {speed}. The work "
        "over this speed is about {time}, which goes straight into the time to first token. That corresponds to about "
        "{rate}. Prefill is compute bound, because many tokens share each read of the weights, so faster memory would "
        "not help. The quadratic part of attention is left out here; it starts to matter for long prompts."
    ),
    points=(
        Point(
            "A forward pass takes about two operations per parameter and token.",
            "A forward pass takes six operations per parameter and token, or one per token.",
            2,
        ),
        Point(
            "The prompt takes about {work}.",
            "The prompt takes a number of FLOPs clearly different from {work:n}.",
            2,
            ("work",),
        ),
        Point(
            "The cards really deliver about {speed}.",
            "The cards deliver a speed clearly different from {speed}.",
            1,
            ("speed",),
        ),
        Point(
            "Prefill takes about {time}.",
            "Prefill takes a time clearly different from {time}.",
            3,
            ("time",),
        ),
        Point(
            "The prompt is processed at about {rate}.",
            "The prompt is processed at a rate clearly different from {rate}.",
            1,
            ("rate",),
        ),
        Point(
            "Prefill is compute bound, so more memory bandwidth would not shorten it.",
            "Prefill is bound by memory bandwidth, like decode at batch 1.",
        ),
    ),
    misconceptions=(
        (
            "Prefill of a thousand tokens takes as long as a thousand decode steps.",
            "All prompt tokens go through the layers together and share each read of the weights.",
        ),
        (
            "Weight-only INT4 makes prefill several times faster.",
            "The products are still computed in BF16, and there prefill spends its time.",
        ),
    ),
    terms=("prefill", "TTFT", "compute bound", "FLOPs", "TFLOP/s", "parameters", "prompt", "attention", "BF16"),
    hints=(
        "The rule of thumb for training has a part for the way forward; only that part is needed here.",
        "Do not reckon with the data sheet but with what is really achieved on all devices.",
        "One division gives the duration, another one the pace.",
    ),
)
