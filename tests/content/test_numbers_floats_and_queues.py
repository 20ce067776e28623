"""The numbers of the math questions on floating-point sums and queues, found again by simulating or enumerating."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from tutor.adapters.bank_yaml import shipped_bank
from tutor.formula import figure_value

BANK = shipped_bank()
IDS = [f"f{n}" for n in range(17, 25)]
Floats = NDArray[np.float32]


def worth(question_id: str, label: str) -> float:
    """The value of a figure, in its own unit."""
    (found,) = [figure for figure in BANK.rubric(question_id).figures if figure.label == label]
    return figure_value(found)


def bf16(numbers: Floats) -> Floats:
    """FP32 numbers rounded to the nearest BF16, ties to even."""
    bits = numbers.astype(np.float32).view(np.uint32)
    kept = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
    return kept.view(np.float32)


def next_bf16(number: float) -> float:
    bits = np.array([number], np.float32).view(np.uint32) + np.uint32(0x10000)
    return float(bits.view(np.float32)[0])


def last_count(kept: Callable[[float], float]) -> float:
    """The first power of two that does not grow any more when one is added to it."""
    return next(2.0**n for n in range(60) if kept(2.0**n + 1) == 2.0**n)


def bf16_of(number: float) -> float:
    return float(bf16(np.array([number], np.float32))[0])


TERMS = 2**20

FLOATS: dict[tuple[str, str], Callable[[], float]] = {
    ("f17", "Epsilon of BF16"): lambda: next_bf16(1) - 1,
    ("f17", "Epsilon of FP16"): lambda: float(np.finfo(np.float16).eps),
    ("f17", "Epsilon of FP32"): lambda: float(np.finfo(np.float32).eps),
    ("f17", "Gap at 1,000 in BF16"): lambda: next_bf16(1000) - 1000,
    ("f17", "Gap at 1,000 in FP16"): lambda: float(np.spacing(np.float16(1000))),
    ("f18", "Last count in BF16"): lambda: last_count(bf16_of),
    ("f18", "Last count in FP16"): lambda: last_count(lambda number: float(np.float16(number))),
    ("f18", "Last count in FP32"): lambda: last_count(lambda number: float(np.float32(number))),
    ("f18", "Half the gap above 1.0 in BF16"): lambda: (next_bf16(1) - 1) / 2,
    ("f19", "Gap of FP32 near 1e8"): lambda: float(np.spacing(np.float32(1e8))),
    ("f20", "Bound of the sequential sum"): lambda: 100 / 16,
    ("f20", "Additions on a path of the tree"): lambda: float(len(range(1, TERMS.bit_length()))),
    ("f20", "Bound of the pairwise sum"): lambda: 20 * float(np.finfo(np.float32).eps) / 2,
    ("f20", "Typical error of the sequential sum"): lambda: 2.0**10 / 2.0**24,
    ("f20", "Terms until the BF16 bound is one"): lambda: 2 / (next_bf16(1) - 1),
}


def chain(up: float, down: list[float], states: int = 800) -> NDArray[np.float64]:
    """Probabilities of 0, 1, 2 ... requests: arrivals at `up` per second, departures at `down` (its last for more)."""
    rates = np.zeros((states, states))
    for n in range(states - 1):
        rates[n, n + 1], rates[n + 1, n] = up, down[min(n, len(down) - 1)]
    balance = (rates - np.diag(rates.sum(axis=1))).T
    balance[-1] = 1
    return np.asarray(np.linalg.solve(balance, np.eye(states)[-1]), dtype=np.float64)


def in_system(up: float, down: list[float]) -> float:
    probabilities = chain(up, down)
    return float(probabilities @ np.arange(probabilities.size))


def waits(services: NDArray[np.float64], arrivals_per_s: float) -> NDArray[np.float64]:
    """Seconds that each request waits at one server, first come first served (Lindley's recursion, unrolled)."""
    gaps = np.random.default_rng(12).exponential(1 / arrivals_per_s, services.size - 1)
    walk = np.concatenate([[0.0], np.cumsum(services[:-1] - gaps)])
    return np.asarray(walk - np.minimum.accumulate(walk), dtype=np.float64)


def long_run_in_flight(rate: float, stay_s: float) -> float:
    """Requests that are inside at the middle of a long stretch of even arrivals."""
    arrived = np.arange(0, 100, 1 / rate)
    return float(((arrived <= 50.01) & (arrived + stay_s > 50.01)).sum())


QUEUES: dict[tuple[str, str], Callable[[], float]] = {
    ("f21", "Requests in flight"): lambda: long_run_in_flight(20, 6),
    ("f21", "Tokens of KV cache held"): lambda: 2000 * long_run_in_flight(20, 6),
    ("f21", "Highest rate"): lambda: 50 / 3,
    ("f21", "Longest stay at the full rate"): lambda: 5,
    ("f22", "Response time at 80% utilisation"): lambda: 1000 * in_system(8, [10]) / 8,
    ("f22", "Response time at 95% utilisation"): lambda: 1000 * in_system(9.5, [10]) / 9.5,
    ("f22", "Requests in the system at 80%"): lambda: in_system(8, [10]),
    ("f22", "Requests in the system at 95%"): lambda: in_system(9.5, [10]),
    ("f22", "95th percentile over the mean"): lambda: math.log(20),
    ("f23", "Mean service time"): lambda: 0.45 + 0.55,
    ("f23", "Wait with short and long requests"): lambda: 0.8 * (9 * 0.25 + 30.25) / 10 / 0.4,
    ("f23", "Wait with constant service times"): lambda: 0.8 / 0.4,
    ("f23", "Wait with exponential service times"): lambda: in_system(0.8, [1]) / 0.8 - 1,
    ("f24", "Wait with separate queues"): lambda: in_system(0.8, [1]) / 0.8 - 1,
    ("f24", "Wait with a common queue"): lambda: in_system(1.6, [1, 2]) / 1.6 - 1,
    ("f24", "Response time of a single fast replica"): lambda: in_system(1.6, [2]) / 1.6,
    ("f24", "Response time with a common queue"): lambda: in_system(1.6, [1, 2]) / 1.6,
}
EXACT = FLOATS | QUEUES


@pytest.mark.parametrize(("question_id", "label"), EXACT, ids=str)
def test_another_way_of_computing_gives_the_same(question_id: str, label: str) -> None:
    assert worth(question_id, label) == pytest.approx(EXACT[question_id, label](), rel=1e-6)


def test_no_computed_figure_is_left_out() -> None:
    figures = {(n, figure.label) for n in IDS for figure in BANK.rubric(n).figures if figure.formula}
    assert figures == set(EXACT)


def test_a_counter_in_bf16_stops_and_one_in_fp16_does_not() -> None:
    count, half = np.zeros(1, np.float32), np.float16(0)
    for _ in range(1000):
        count, half = bf16(count + np.float32(1)), np.float16(half + np.float16(1))
    assert [float(count[0]), float(half)] == [256, 1000]


def test_an_update_of_a_thousandth_never_moves_a_weight_of_one() -> None:
    assert bf16_of(1 + 0.001) == bf16_of(1 - 0.001) == 1
    assert bf16_of(1 - 0.0021) < 1


def test_the_order_of_three_numbers_decides_their_sum_in_fp32() -> None:
    large, one = np.float32(1e8), np.float32(1)
    assert (large + -large) + one == 1
    assert large + (-large + one) == 0


def test_sums_of_a_million_numbers_keep_their_bounds() -> None:
    numbers = np.random.default_rng(8).random(TERMS, dtype=np.float32)
    truth = math.fsum(numbers.tolist())
    tree = numbers
    while tree.size > 1:
        tree = tree[0::2] + tree[1::2]
    in_turn = abs(float(np.cumsum(numbers, dtype=np.float32)[-1]) / truth - 1)
    pairwise = abs(float(tree[0]) / truth - 1)
    assert pairwise < worth("f20", "Bound of the pairwise sum")
    assert pairwise < in_turn < 2 * worth("f20", "Typical error of the sequential sum")


def test_products_of_bf16_numbers_are_exact_in_fp32() -> None:
    a, b = (bf16(np.random.default_rng(seed).normal(size=10_000).astype(np.float32)) for seed in (9, 10))
    assert ((a * b).astype(np.float64) == a.astype(np.float64) * b.astype(np.float64)).all()


def test_seventy_one_percent_wait_at_a_common_queue() -> None:
    assert chain(1.6, [1, 2])[2:].sum() == pytest.approx(0.71, abs=0.005)


@pytest.mark.parametrize("load", [0.8, 0.95])
def test_simulated_responses_have_their_mean_and_95th_percentile(load: float) -> None:
    services = np.random.default_rng(13).exponential(0.1, 3_000_000)
    responses = 1000 * (waits(services, 10 * load) + services)
    mean = worth("f22", f"Response time at {100 * load:.0f}% utilisation")
    assert responses.mean() == pytest.approx(mean, rel=0.06)
    assert np.percentile(responses, 95) == pytest.approx(3 * mean, rel=0.06)


def test_simulated_waits_depend_on_the_variability_of_the_service() -> None:
    rng, size = np.random.default_rng(14), 2_000_000
    services = {
        "short and long requests": np.where(rng.random(size) < 0.9, 0.5, 5.5),
        "constant service times": np.ones(size),
        "exponential service times": rng.exponential(1, size),
    }
    for name, durations in services.items():
        assert waits(durations, 0.8).mean() == pytest.approx(worth("f23", f"Wait with {name}"), rel=0.05)
