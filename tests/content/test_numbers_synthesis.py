"""The numbers of questions across chapters and of the mixed review, and some of what they claim, tried out small."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from tutor.adapters.bank_yaml import shipped_bank
from tutor.formula import figure_value

BANK = shipped_bank()
IDS = ["q15", "s35", "s36", "q16", "q17", "s39", "s40", "m01", "m03", "m04", "m05", "m06", "q13", "m08"]
Matrix = NDArray[np.float64]


def worth(question_id: str, label: str) -> float:
    """The value of a figure, in its own unit."""
    (found,) = [figure for figure in BANK.rubric(question_id).figures if figure.label == label]
    return figure_value(found)


def llama_weights() -> int:
    """Parameters of LLaMA 3 8B that a step reads, counted matrix by matrix: all but the input embedding."""
    attention = 4096 * 4096 + 2 * 4096 * 1024 + 4096 * 4096
    mlp = 3 * 4096 * 14336
    norms = 2 * 4096
    return 32 * (attention + mlp + norms) + 4096 + 4096 * 128_256


def attention_bytes(batch: int) -> int:
    """What attention reads and writes in all layers: caches of 4,096 tokens, a new entry, queries in, outputs out."""
    entry = 2 * 1024 * 2
    return batch * 32 * (4096 * entry + entry + 4096 * 2 + 4096 * 2)


def step_bytes(batch: int) -> int:
    return 2 * llama_weights() + attention_bytes(batch) + batch * 128_256 * 2


def trainable_parameters() -> int:
    """Entries of the thin matrices of rank 16 beside queries and values, in 64 layers of 5,120 channels."""
    return sum(np.empty(shape).size for _ in range(64) for _ in "qv" for shape in ((16, 5120), (5120, 16)))


EXACT: dict[tuple[str, str], Callable[[], float]] = {
    ("s35", "Lower bound at batch 1"): lambda: step_bytes(1) / 3.35e9,
    ("s35", "Lower bound at batch 64"): lambda: step_bytes(64) / 3.35e9,
    ("s35", "Share of attention at batch 1"): lambda: 100 * attention_bytes(1) / step_bytes(1),
    ("s35", "Share of attention at batch 64"): lambda: 100 * attention_bytes(64) / step_bytes(64),
    ("m01", "Fewest tokens of the prompt"): lambda: 13_000,
    ("m01", "Most tokens of the prompt"): lambda: 16_000,
    ("m05", "Parameters of all adapters"): trainable_parameters,
    ("m05", "Trainable share"): lambda: trainable_parameters() / 270e6,
    ("q13", "Weight bytes"): lambda: 27e9 * 8 / 8 / 1e9,
    ("q13", "Decode ceiling"): lambda: 1 / (27 / 273),
}
MEASURED: dict[tuple[str, str], float] = {
    ("s36", "Difference in the logits"): 3e-5,
    ("m01", "Fewest tokens per word"): 1.3,
    ("m01", "Most tokens per word"): 1.6,
}


@pytest.mark.parametrize(("question_id", "label"), EXACT, ids=str)
def test_another_way_of_computing_gives_the_same(question_id: str, label: str) -> None:
    # The rubric takes the parameters from their published number, 8.03B, which is rounded.
    assert worth(question_id, label) == pytest.approx(EXACT[question_id, label](), rel=1e-4)


@pytest.mark.parametrize(("question_id", "label"), MEASURED, ids=str)
def test_what_was_measured_is_carried_over_unrounded(question_id: str, label: str) -> None:
    assert worth(question_id, label) == MEASURED[question_id, label]


def test_no_figure_is_left_out() -> None:
    figures = [(n, figure.label, figure.formula) for n in IDS for figure in BANK.rubric(n).figures]
    assert {(n, label) for n, label, formula in figures if formula} == set(EXACT)
    assert {(n, label) for n, label, formula in figures if not formula} == set(MEASURED)


def test_the_bounds_and_shares_are_the_ones_of_the_study_guide_when_rounded() -> None:
    assert [round(worth("s35", f"Lower bound at batch {n}"), 1) for n in (1, 64)] == [4.6, 14.8]
    assert [round(worth("s35", f"Share of attention at batch {n}")) for n in (1, 64)] == [3, 70]


def test_the_adapters_of_a_27b_model_are_about_21_million_parameters_and_a_tiny_share() -> None:
    assert round(worth("m05", "Parameters of all adapters") / 1e6) == 21
    assert round(worth("m05", "Trainable share"), 2) == 0.08


def test_what_comes_on_top_of_weights_and_caches_is_about_a_megabyte_per_sequence() -> None:
    per_sequence = step_bytes(1) - 2 * llama_weights() - 4096 * 131_072
    assert 0.8e6 < per_sequence < 1.2e6


def operations_per_byte(batch: int, inputs: int, outputs: int) -> float:
    """Intensity of a matrix product in 16 bits, its inputs and outputs counted too."""
    return 2 * batch * inputs * outputs / (2 * (inputs * outputs + batch * (inputs + outputs)))


def test_only_the_intensity_of_operators_with_weights_grows_with_the_batch() -> None:
    of_weights = [operations_per_byte(batch, 4096, 14_336) for batch in (1, 64)]
    assert of_weights == pytest.approx([1, 64], rel=0.03)
    assert of_weights[1] < 989 / 3.35
    # One value of a key serves the 32 / 8 query heads of its group, with a multiplication and an addition in each.
    of_attention = [batch * 32 * 2 * 128 * 4096 * 2 / (batch * 8 * 2 * 128 * 4096 * 2) for batch in (1, 64)]
    assert of_attention == [4, 4]


def test_a_sum_in_chunks_of_another_size_flips_a_close_argmax() -> None:
    rng = np.random.default_rng(0)
    flips = 0
    for _ in range(200):
        row = rng.normal(size=2048).astype(np.float32)
        in_one, in_eight = row.cumsum()[-1], row.reshape(8, -1).cumsum(axis=1)[:, -1].cumsum()[-1]
        rival = (in_one + in_eight) / np.float32(2)
        flips += (in_one > rival) != (in_eight > rival)
    assert flips > 20


def test_a_prefix_is_shared_only_up_to_the_first_different_word() -> None:
    documents, questions = ["doc"] * 500, [["why"], ["how"]]
    behind = [[*documents, *question] for question in questions]
    in_front = [[*question, *documents] for question in questions]
    assert [shared(*pair) for pair in (behind, in_front)] == [500, 0]


def shared(first: list[str], second: list[str]) -> int:
    """Words at the beginning that both have."""
    return next(n for n, (a, b) in enumerate(zip(first, second, strict=True)) if a != b)


def test_a_step_that_is_too_long_climbs_the_other_side_of_a_valley() -> None:
    def losses(rate: float) -> list[float]:
        at, found = 1.0, []
        for _ in range(20):
            found.append(at**2)
            at -= rate * 2 * at
        return found

    assert losses(0.1) == sorted(losses(0.1), reverse=True)
    assert losses(1.1) == sorted(losses(1.1))
    assert losses(1.1)[-1] > 1000


def test_bits_for_scales_and_a_cache_keep_half_the_bits_from_being_half_the_time() -> None:
    def step_s(bits: float) -> float:
        scales = 16 / 32 if bits < 8 else 0
        return 1e-3 + (27e9 * (bits + scales) / 8 + 2e9) / 273e9

    assert 1.5 < step_s(8) / step_s(4) < 1.8
