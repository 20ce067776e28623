"""The numbers of training, inference and serving, found again, and what these questions claim, tried out small."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from tutor.adapters.bank_yaml import shipped_bank
from tutor.formula import figure_value

BANK = shipped_bank()
IDS = ["s18", "s19", "s20", "s21", "s22", "s23", "q02", "s27", "q08", "s31", "s32"]
Matrix = NDArray[np.float64]


def worth(question_id: str, label: str) -> float:
    """The value of a figure, in its own unit."""
    (found,) = [figure for figure in BANK.rubric(question_id).figures if figure.label == label]
    return figure_value(found)


EXACT: dict[tuple[str, str], Callable[[], float]] = {
    ("s18", "Tokens per parameter of LLaMA 3 8B"): lambda: 15_000 / 8,
    ("s27", "Share of the bytes that remains"): lambda: 100 * 2.0 ** (2 - 4),
}
MEASURED: dict[tuple[str, str], float] = {
    ("s18", "Optimal tokens per parameter"): 20,
    ("s23", "Default repetition penalty"): 1.1,
    ("q08", "W4 per-channel perplexity"): 55.02,
    ("q08", "W4 per-group perplexity"): 41.49,
    ("q08", "unquantized perplexity"): 25.94,
    ("q08", "massive activation in residual stream"): 6900,
    ("q08", "largest FFN-input channel over median"): 50,
}


@pytest.mark.parametrize(("question_id", "label"), EXACT, ids=str)
def test_another_way_of_computing_gives_the_same(question_id: str, label: str) -> None:
    assert worth(question_id, label) == pytest.approx(EXACT[question_id, label](), rel=1e-6)


@pytest.mark.parametrize(("question_id", "label"), MEASURED, ids=str)
def test_what_was_measured_is_carried_over_unrounded(question_id: str, label: str) -> None:
    assert worth(question_id, label) == MEASURED[question_id, label]


def test_no_figure_is_left_out() -> None:
    figures = [(n, figure.label, figure.formula) for n in IDS for figure in BANK.rubric(n).figures]
    assert {(n, label) for n, label, formula in figures if formula} == set(EXACT)
    assert {(n, label) for n, label, formula in figures if not formula} == set(MEASURED)


def test_the_exact_size_of_the_model_gives_about_as_many_tokens_per_parameter() -> None:
    assert worth("s18", "Tokens per parameter of LLaMA 3 8B") == pytest.approx(15e12 / 8.03e9, rel=0.01)


def test_advantages_within_a_group_rank_answers_whatever_the_scale_of_the_reward() -> None:
    rewards = np.array([1.0, 0.0, 0.0, 1.0, 0.0])
    advantages = (rewards - rewards.mean()) / rewards.std()
    rescaled = 10 * rewards + 3
    assert advantages.mean() == pytest.approx(0)
    assert ((advantages > 0) == (rewards > 0)).all()
    assert (rescaled - rescaled.mean()) / rescaled.std() == pytest.approx(advantages)


def test_requests_of_different_adapters_share_one_product_with_the_base_weights() -> None:
    rng = np.random.default_rng(0)
    base, inputs = rng.normal(size=(6, 5)), rng.normal(size=(3, 5))
    adapters = [(rng.normal(size=(6, 2)), rng.normal(size=(2, 5))) for _ in inputs]
    merged = [(base + b @ a) @ x for (b, a), x in zip(adapters, inputs, strict=True)]
    apart = inputs @ base.T + [b @ (a @ x) for (b, a), x in zip(adapters, inputs, strict=True)]
    assert apart == pytest.approx(np.stack(merged))


def softmax(logits: Matrix) -> Matrix:
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=-1, keepdims=True), dtype=np.float64)


def nucleus(probabilities: Matrix, p: float) -> set[int]:
    """The smallest set of tokens that have `p` together."""
    order = np.argsort(-probabilities)
    needed = int(np.searchsorted(np.cumsum(probabilities[order]), p)) + 1
    return set(order[:needed].tolist())


def test_temperature_before_top_p_leaves_another_set_than_after_it() -> None:
    logits = np.log([0.5, 0.25, 0.15, 0.1])
    assert nucleus(softmax(logits), 0.7) == {0, 1}
    assert nucleus(softmax(logits / 2), 0.7) == {0, 1, 2}


def test_min_p_keeps_fewer_tokens_the_surer_the_model_is() -> None:
    kept = [int((row >= 0.1 * row.max()).sum()) for row in softmax(np.outer([1, 4], [3.0, 2.0, 1.5, 0.5]))]
    assert kept == [3, 1]


def test_a_penalty_moves_the_argmax_and_a_temperature_never_does() -> None:
    logits, occurred = np.array([2.0, 1.9, -1.0]), [0]
    penalised = logits.copy()
    penalised[occurred] /= worth("s23", "Default repetition penalty")
    assert (logits.argmax(), penalised.argmax()) == (0, 1)
    assert {int((logits / temperature).argmax()) for temperature in (0.1, 0.7, 2.0)} == {0}


def keys_of_the_second_layer(hidden: Matrix, *, causal: bool) -> Matrix:
    """What the second of two attention layers would cache for each position (weights from one seed)."""
    rng = np.random.default_rng(1)
    q, k, v = (hidden @ rng.normal(size=(4, 4)) for _ in range(3))
    scores = q @ k.T
    if causal:
        scores[np.triu_indices(len(hidden), 1)] = -np.inf
    return np.asarray((hidden + softmax(scores) @ v) @ rng.normal(size=(4, 4)), dtype=np.float64)


def test_only_with_a_causal_mask_do_cached_keys_stay_valid() -> None:
    long = np.random.default_rng(2).normal(size=(6, 4))
    for causal in (True, False):
        before = keys_of_the_second_layer(long[:5], causal=causal)
        after = keys_of_the_second_layer(long, causal=causal)[:5]
        assert np.allclose(before, after) is causal


def rounded_to_four_bits(weights: Matrix, group: int) -> Matrix:
    """Weights with one scale for each `group` of values that follow each other."""
    grouped = weights.reshape(-1, group)
    scale = np.abs(grouped).max(axis=1, keepdims=True) / 7
    return np.asarray((np.round(grouped / scale) * scale).reshape(weights.shape), dtype=np.float64)


def test_with_a_scale_for_a_group_an_outlier_harms_fewer_values() -> None:
    row = np.random.default_rng(3).normal(size=4096)
    row[1000] = 50.0
    errors = {group: np.abs(rounded_to_four_bits(row, group) - row) for group in (128, 4096)}
    assert (errors[4096] > 0.5).sum() > 20 * (errors[128] > 0.5).sum()
    assert (errors[4096] ** 2).sum() > 10 * (errors[128] ** 2).sum()


def test_blocks_let_many_more_requests_in_than_space_for_the_longest_reply() -> None:
    lengths = np.random.default_rng(4).geometric(1 / 300, size=1000).clip(max=2048)
    in_blocks = -(-lengths // 16) * 16
    memory = 64 * 2048
    assert int((in_blocks.cumsum() <= memory).sum()) > 4 * (memory // 2048)
    assert 1 - lengths.sum() / in_blocks.sum() < 0.05


def test_speculation_in_greedy_mode_gives_the_same_text_whatever_the_draft() -> None:
    following = np.random.default_rng(5).permutation(20)
    plain = [0]
    while len(plain) < 30:
        plain.append(int(following[plain[-1]]))
    for draft in (following, np.roll(following, 1), np.where(np.arange(20) % 3, following, 0)):
        text, passes = [0], 0
        while len(text) < 30:
            text += accepted_and_own(draft, following, text[-1])
            passes += 1
        assert text[:30] == plain
        assert (passes < 30 - 1) == bool((draft == following).any())


def accepted_and_own(draft: NDArray[np.int_], target: NDArray[np.int_], last: int) -> list[int]:
    """One round with four drafted tokens: those the target would have chosen too, then one of its own."""
    kept: list[int] = []
    while len(kept) < 4 and draft[last] == target[last]:
        last = int(draft[last])
        kept.append(last)
    return [*kept, int(target[last])]


def step_s(tokens: int) -> float:
    """Time of one pass of an 8B model in BF16 on an H100 by the roofline, without attention."""
    return max(2 * 8e9 / 3.35e12, 2 * 8e9 * tokens / 989e12)


def test_checking_drafts_is_free_with_a_small_batch_and_not_with_a_large_one() -> None:
    assert step_s(5 * 8) == step_s(8)
    assert step_s(5 * 256) > 4 * step_s(256)
