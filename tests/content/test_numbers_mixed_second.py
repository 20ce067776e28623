"""The numbers of the mixed review's questions on fusion, strides, sparse models, drafts and full queues."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from statistics import mean, quantiles

import numpy as np
import pytest

from tutor.adapters.bank_yaml import shipped_bank
from tutor.formula import figure_value
from tutor.grading.figures import check

BANK = shipped_bank()
IDS = ["m09", "m10", "m11", "m12", "m13"]


def worth(question_id: str, label: str) -> float:
    """The value of a figure, in its own unit."""
    (found,) = [figure for figure in BANK.rubric(question_id).figures if figure.label == label]
    return figure_value(found)


def sectors(stride: int) -> set[int]:
    """Sectors of 32 bytes that a warp touches; its threads read 4 bytes each, `stride` values apart."""
    return {(thread * stride * 4 + byte) // 32 for thread in range(32) for byte in range(4)}


def accepted(depth: int) -> float:
    """Draft tokens kept on average, over all equally likely rows of accepting and rejecting at one half."""
    rows = list(product((True, False), repeat=depth))
    return mean([*row, False].index(False) for row in rows)


def speed_up(depth: int) -> float:
    return (accepted(depth) + 1) / (1 + depth / 10)


def drained_after_min(arriving_per_100: int) -> float:
    """Minutes until one minute of work is gone, counted in hundredths of a second that a second brings and takes."""
    backlog, seconds = 60 * 100, 0
    while backlog > 0:
        backlog += arriving_per_100 - 100
        seconds += 1
    return seconds / 60


EXACT: dict[tuple[str, str], Callable[[], float]] = {
    ("m10", "Share of the fetched bytes that is used"): lambda: 100 * 32 * 4 / (len(sectors(1000)) * 32),
    ("m10", "Sectors of a coalesced read"): lambda: len(sectors(1)),
    ("m11", "Weights kept resident"): lambda: np.dtype(np.int8).itemsize * 120,
    ("m11", "Weights read for a token"): lambda: 120 / 4,
    ("m12", "Accepted tokens per round"): lambda: accepted(4),
    ("m12", "Tokens per round"): lambda: (1 - 0.5**5) / (1 - 0.5),
    ("m12", "Cost of a round in target passes"): lambda: 14 / 10,
    ("m12", "Speed-up"): lambda: speed_up(4),
    ("m13", "Time to drain at 95%"): lambda: drained_after_min(95),
    ("m13", "Time to drain at 80%"): lambda: drained_after_min(80),
}


@pytest.mark.parametrize(("question_id", "label"), EXACT, ids=str)
def test_another_way_of_computing_gives_the_same(question_id: str, label: str) -> None:
    assert worth(question_id, label) == pytest.approx(EXACT[question_id, label](), rel=1e-9)


def test_no_figure_is_left_out() -> None:
    figures = [(n, figure.label, figure.formula) for n in IDS for figure in BANK.rubric(n).figures]
    assert {(n, label) for n, label, formula in figures if formula} == set(EXACT)
    assert all(formula for _, _, formula in figures)


def mlp_bytes(batch: int) -> tuple[int, int]:
    """Bytes in BF16 of a gated MLP of 4,096 and 14,336 channels: its weights, and what lies between its kernels.

    Gate and up are written, read by the activation, whose result is written and read by the down projection.
    """
    return 2 * 3 * 4096 * 14_336, 2 * 6 * 14_336 * batch


def test_intermediates_are_nothing_at_batch_1_and_most_of_the_traffic_at_batch_4096() -> None:
    shares = [between / (weights + between) for weights, between in map(mlp_bytes, (1, 4096))]
    assert shares[0] < 0.001
    assert shares[1] > 0.6


def test_a_large_stride_moves_a_kilobyte_for_128_bytes() -> None:
    assert [len(sectors(stride)) for stride in (1, 2, 4, 8, 1000)] == [4, 8, 16, 32, 32]
    assert len(sectors(1000)) * 32 == 1024
    assert {thread * 4 // 32 for thread in range(8)} == {0}


def test_the_chain_of_the_draft_is_the_one_of_the_study_guide_when_rounded() -> None:
    labels = ["Accepted tokens per round", "Tokens per round", "Cost of a round in target passes", "Speed-up"]
    assert [round(worth("m12", label), digits) for label, digits in zip(labels, (4, 2, 1, 2), strict=True)] == [
        0.9375,
        1.94,
        1.4,
        1.38,
    ]


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("It is about 1.4 times as fast.", True),
        ("The speedup is 1.38.", True),
        ("It is twice as fast.", False),
        ("The speedup is 1.94x.", False),
    ],
)
def test_a_rounded_speed_up_is_right_and_a_doubled_one_is_not(answer: str, right: bool) -> None:
    (figure,) = [figure for figure in BANK.rubric("m12").figures if figure.label == "Speed-up"]
    question = {question.id: question for question in BANK.questions()}["m12"].question
    (finding,) = check([(figure, figure_value(figure))], answer, question)
    assert (finding.status == "right") is right


def test_two_drafts_do_better_than_four_at_an_acceptance_of_one_half() -> None:
    assert max(range(1, 9), key=speed_up) == 2


def test_a_batch_of_eight_reads_nearly_all_the_experts() -> None:
    # Four experts, of which each token takes one at random: a token reads a quarter.
    rng = np.random.default_rng(0)
    read = [len(set(rng.integers(4, size=8))) / 4 for _ in range(500)]
    assert mean(read) > 0.85


def responses(utilisation: float) -> list[float]:
    """Times in the system, in service times, of requests that arrive at random at a server with random work."""
    rng = np.random.default_rng(1)
    gaps, work = rng.exponential(1 / utilisation, 200_000), rng.exponential(1, 200_000)
    found, waiting = [], 0.0
    for gap, own in zip(gaps.tolist(), work.tolist(), strict=True):
        waiting = max(0.0, waiting - gap)
        waiting += own
        found.append(waiting)
    return found


def test_p95_rises_sharply_near_full_utilisation_and_stands_far_above_the_mean() -> None:
    at_80, at_95 = responses(0.8), responses(0.95)
    assert quantiles(at_95, n=20)[-1] > 2.5 * quantiles(at_80, n=20)[-1]
    assert quantiles(at_95, n=20)[-1] > 2 * mean(at_95)
