"""Requests in flight by Little's law, and their cache."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tutor.drills.family import Draw, Family, Point, Step
from tutor.drills.machines import MODELS, cache_bytes, shape


def _flights() -> Iterator[Draw]:
    """Loads of a chat service whose cache a server could hold."""
    rates, waits, lengths, paces = (2, 4, 5, 8, 10), (0.3, 0.5, 0.8), (150, 200, 300, 400), (15, 20, 25, 40)
    for model, rate, ttft_s, output, pace, context in product(MODELS[4::3], rates, waits, lengths, paces, (1500, 3000)):
        in_flight = rate * (ttft_s + output * pace / 1000)
        if in_flight >= 5 and 2 <= in_flight * context * cache_bytes(model, 2) / 1e9 <= 150:
            yield shape(model) | {
                "rate": rate,
                "ttft_s": ttft_s,
                "output": output,
                "tpot_ms": pace,
                "context": context,
                "token_bytes": cache_bytes(model, 2),
            }


FAMILY = Family(
    name="requests-in-flight",
    title="Drill: requests in flight by Little's law",
    topic="Serving and scheduling",
    chapter="Inference serving",
    section="Metrics",
    difficulty=3,
    draws=_flights,
    settings=(
        "A service of {model} gets {rate} requests per second, with a TTFT of {ttft_s} seconds, then {output} tokens "
        "at {tpot_ms} ms each.",
        "{rate} requests arrive per second at {model}. The first token comes after {ttft_s} seconds, and {output} "
        "more follow, one every {tpot_ms} ms.",
        "You serve {model}: TTFT {ttft_s} seconds, TPOT {tpot_ms} ms, replies of {output} tokens, {rate} requests per "
        "second.",
    ),
    asks=(
        "How long does a request take, how many run at once, and how much KV cache do they hold at {context} tokens "
        "each and {token_bytes} bytes per token?",
        "What is the latency, how many requests are in flight on average, and what does their cache take, with "
        "{context} tokens each at {token_bytes} bytes?",
        "Find the end-to-end latency, the mean concurrency, and the memory for the cache if a request holds {context} "
        "tokens of {token_bytes} bytes.",
    ),
    steps={
        "latency": Step("End-to-end latency", "ttft_s + output * tpot_ms / 1000", "s", 0.04, ("ms",)),
        "flying": Step("Requests in flight", "rate * latency", "requests", 0.06),
        "cache": Step("KV cache of all", "flying * context * token_bytes / 1e9", "GB", 0.08, ("GiB",)),
        "tokens": Step("Output tokens per second", "rate * output", "token/s", 0.04),
    },
    solution=(
        "A request takes the time to first token plus its tokens times the time of each: {ttft_s} + {output} × "
        "{tpot_ms} ms, together about {latency}. By Little's law the mean number in the system is the arrival rate "
        "times that time, {rate} × {latency:n}, so about {flying} are in flight. Each holds {context} tokens of "
        "{token_bytes} bytes, and for all of them that makes about {cache} of cache. The service has to produce "
        "{rate} × {output}, so about {tokens}. The law holds whatever the distribution of arrivals is. It also shows "
        "that slower decoding costs memory, because requests stay longer and more of them overlap."
    ),
    points=(
        Point(
            "The latency is TTFT plus the number of output tokens times TPOT.",
            "The latency is the TTFT alone, or TTFT times the number of tokens.",
            1,
        ),
        Point(
            "A request takes about {latency}.",
            "A request takes a time clearly different from {latency}.",
            2,
            ("latency",),
        ),
        Point(
            "By Little's law the number in flight is arrival rate times latency.",
            "The number in flight is the arrival rate, or the rate divided by the latency.",
            2,
        ),
        Point(
            "About {flying} are in flight on average.",
            "The number of requests in flight is clearly different from {flying:n}.",
            3,
            ("flying",),
        ),
        Point(
            "Together they hold about {cache} of cache.",
            "Together they hold a size of cache clearly different from {cache}.",
            2,
            ("cache",),
        ),
        Point(
            "Slower decoding needs more cache, because requests overlap longer.",
            "The speed of decoding has no influence on how much cache is needed.",
        ),
    ),
    misconceptions=(
        (
            "Little's law needs Poisson arrivals.",
            "It holds for any arrivals, as long as the system is stable and averages are taken over a long time.",
        ),
        (
            "A batch limit equal to the arrival rate per second is enough.",
            "Requests stay for several seconds, so many more of them are there at the same time.",
        ),
    ),
    terms=("Little's law", "TTFT", "TPOT", "latency", "concurrency", "arrival rate", "KV cache", "throughput"),
    hints=(
        "Follow a request from its arrival to its last word and add up the time.",
        "A famous law links how many there are, how often they come and how long they stay.",
        "Every one of them occupies memory the whole time; add that up.",
    ),
)
