"""Time in an M/M/1 queue against utilization."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tutor.drills.family import Draw, Family, Point, Step


def _queues() -> Iterator[Draw]:
    """Rates that one would say: whole numbers or tenths, first at ease, then near the limit."""
    capacities = (2, 4, 5, 8, 10, 12, 16, 20, 25, 40, 50)
    for capacity, load, peak in product(capacities, (0.4, 0.5, 0.6, 0.7, 0.75, 0.8), (0.85, 0.9, 0.95)):
        arrivals, busy = round(capacity * load, 6), round(capacity * peak, 6)
        # A result in ms that is also one of the rates would be said by the question.
        said = {round(1000 / (capacity - rate), 6) for rate in (arrivals, busy)} & {capacity, arrivals, busy}
        if (10 * arrivals) % 1 == 0 and (10 * busy) % 1 == 0 and not said:
            yield {"capacity": capacity, "arrivals": arrivals, "busy": busy}


FAMILY = Family(
    name="queueing-delay",
    title="Drill: queueing delay and utilization",
    topic="Serving and scheduling",
    chapter="Math Fundamentals",
    section="Queueing theory",
    difficulty=3,
    draws=_queues,
    settings=(
        "A server finishes {capacity} requests per second on average and gets {arrivals} per second; treat it as an "
        "M/M/1 queue.",
        "Model a service as an M/M/1 queue: {arrivals} requests arrive per second, and it could finish {capacity}.",
        "Requests come at random, {arrivals} a second, to a single server that manages {capacity} a second. Take "
        "M/M/1.",
    ),
    asks=(
        "What is the utilization, how long does a request stay on average, how much of that is waiting, and how long "
        "is it at {busy} per second?",
        "Find the utilization, the mean time in the system and the mean wait. What does the time become when {busy} "
        "arrive?",
        "How busy is it, how long does a request take in all, how long does it wait, and what happens to its time at "
        "{busy} per second?",
    ),
    steps={
        "utilization": Step("Utilization", "100 * arrivals / capacity", "%", 0.03),
        "service": Step("Service time", "1000 / capacity", "ms", 0.03),
        "stay": Step("Mean time in the system", "1000 / (capacity - arrivals)", "ms", 0.05, ("s",)),
        "wait": Step("Mean waiting time", "stay - service", "ms", 0.06, ("s",)),
        "later": Step("Mean time under peak load", "1000 / (capacity - busy)", "ms", 0.06, ("s",)),
    },
    solution=(
        "The utilization is arrivals over capacity, {arrivals} over {capacity}, which is {utilization}. In an M/M/1 "
        "queue the mean time in the system is one over the difference of both rates, one over {capacity} minus "
        "{arrivals} per second, about {stay}. Serving alone takes one over {capacity} seconds, that is {service}, so "
        "the rest, about {wait}, is waiting. At {busy} per second the difference of the rates shrinks, and a request "
        "stays about {later}. So the delay does not grow in proportion to the load: it goes with one over one minus "
        "the utilization and explodes near full load, which is why one plans with headroom."
    ),
    points=(
        Point(
            "The utilization is {utilization}.",
            "The utilization is clearly different from {utilization}.",
            1,
            ("utilization",),
        ),
        Point(
            "The mean time in the system is one over the difference between service rate and arrival rate.",
            "The mean time in the system is the service time, or grows in proportion to the arrival rate.",
            2,
        ),
        Point(
            "A request stays about {stay} on average.",
            "A request stays a time clearly different from {stay}.",
            3,
            ("stay",),
        ),
        Point(
            "About {wait} of this is waiting.",
            "The waiting time is clearly different from {wait}.",
            2,
            ("wait",),
        ),
        Point(
            "At the higher rate a request stays about {later}.",
            "At the higher rate a request stays a time clearly different from {later}.",
            2,
            ("later",),
        ),
        Point(
            "The delay grows like one over one minus the utilization and explodes near full load.",
            "The delay grows in proportion to the utilization, also near full load.",
        ),
    ),
    misconceptions=(
        (
            "A server at ninety percent load has ten percent to spare, so nobody waits.",
            "Arrivals come in bursts; what matters is how often several are there at once, and near full load that is "
            "nearly always.",
        ),
        (
            "Nobody waits as long as the arrival rate stays below the capacity.",
            "That only keeps the queue from growing for ever; at random arrivals there is a queue most of the time.",
        ),
    ),
    terms=("M/M/1", "utilization", "arrival rate", "service rate", "queue", "waiting time", "service time", "latency"),
    hints=(
        "Two rates are given; one compares them in two ways, by a quotient and by a difference.",
        "The mean stay depends on how much faster the server is than the stream of work.",
        "Take off what the work itself needs, and then repeat with a smaller margin.",
    ),
)
