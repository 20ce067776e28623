"""What a million tokens cost on rented GPUs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tutor.drills.family import Draw, Family, Point, Step


def _bills() -> Iterator[Draw]:
    """Prices of rented cards and rates that a well-run server of that size has."""
    per_card, loads = (600, 800, 1000, 1500, 2000, 2500, 3000), (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
    for gpus, price, each, load in product((2, 4, 8), (1.2, 1.5, 2, 2.5, 3, 4), per_card, loads):
        yield {"gpus": gpus, "price": price, "rate": gpus * each, "load": load}


FAMILY = Family(
    name="serving-cost",
    title="Drill: cost of a million tokens",
    topic="Serving and scheduling",
    chapter="Inference serving",
    section="Metrics",
    difficulty=2,
    draws=_bills,
    settings=(
        "A server of {gpus} GPUs is rented at {price} dollars per GPU and hour. Fully loaded it makes {rate} tokens "
        "per second; on average it is loaded to {load:%}.",
        "You rent {gpus} GPUs for {price} dollars an hour each. At full load they generate {rate} tokens per second, "
        "but the average load is {load:%}.",
        "{gpus} GPUs at {price} dollars an hour apiece generate {rate} tokens per second when busy, and over the day "
        "they are busy to {load:%}.",
    ),
    asks=(
        "What does a million tokens cost, and what would it cost at full load?",
        "How much is a million generated tokens, really and in the best case?",
        "Compute the price of a million output tokens at this load and at full load.",
    ),
    steps={
        "hourly": Step("Cost per hour", "gpus * price", "USD", 0.02),
        "made": Step("Tokens per hour", "rate * load * 3600", "tokens", 0.05),
        "best": Step("Cost per million tokens at full load", "hourly / (rate * 3600) * 1e6", "USD", 0.06),
        "real": Step("Cost per million tokens at this load", "hourly / made * 1e6", "USD", 0.06),
    },
    solution=(
        "An hour of the server costs {gpus} × {price}, which is {hourly}, whether it is busy or not. At {load:%} load "
        "it makes {rate} × {load} tokens a second, and times 3,600 seconds that is about {made} in an hour. So a "
        "million tokens really cost about {real} at this load. At full load the same hour would yield more, and a "
        "million would cost only about {best}. Idle time is paid for like work, so load matters as much as speed. "
        "Filling the batch, or smoothing the traffic, can save more than a faster kernel does."
    ),
    points=(
        Point(
            "An hour of the server costs {hourly}.",
            "An hour of the server costs an amount clearly different from {hourly}.",
            1,
            ("hourly",),
        ),
        Point(
            "It generates about {made} in an hour.",
            "In an hour it generates a number of tokens clearly different from {made:n}.",
            2,
            ("made",),
        ),
        Point(
            "At this load a million tokens cost about {real}.",
            "At this load a million tokens cost an amount clearly different from {real}.",
            3,
            ("real",),
        ),
        Point(
            "At full load a million tokens would cost about {best}.",
            "At full load a million tokens would cost an amount clearly different from {best}.",
            2,
            ("best",),
        ),
        Point(
            "Idle time is paid for too, so the price falls in proportion as the load rises.",
            "Only busy time is paid for, so the load does not change the price of a token.",
        ),
    ),
    misconceptions=(
        (
            "The price of a token is set by the speed that one user sees.",
            "What counts is the throughput of all users together; a large batch is slower for each and cheaper for "
            "all.",
        ),
        (
            "Input and output tokens cost the same to serve.",
            "A prompt is processed in parallel, while each output token needs a step of its own.",
        ),
    ),
    terms=("throughput", "tokens per second", "GPU", "utilization", "batch size", "output tokens", "cost", "load"),
    hints=(
        "What is paid in an hour, and what is made in it?",
        "Do not forget that the machines are paid for in quiet hours as well.",
        "Put the one over the other and scale up to a round number; then think the quiet hours away.",
    ),
)
