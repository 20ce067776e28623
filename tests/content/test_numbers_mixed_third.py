"""The last third of the mixed review asks for no figure; what its answers claim is tried out small."""

from __future__ import annotations

import itertools
from math import erf, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from tutor.adapters.bank_yaml import shipped_bank

BANK = shipped_bank()
IDS = ["m14", "m15", "m16", "m17", "m19", "q20"]
Matrix = NDArray[np.float64]


def test_none_of_them_has_a_figure_to_compute() -> None:
    assert [question_id for question_id in IDS if BANK.rubric(question_id).figures] == []


def chance_of_a_lead(lead: float, spread: float, runs: int) -> float:
    """How often the mean of one of two equal builds is ahead of the other's by `lead` or more, runs being normal."""
    deviation = spread * sqrt(2 / runs)
    return 0.5 * (1 - erf(lead / deviation / sqrt(2)))


def test_m14_three_percent_in_three_runs_is_chance_or_not_according_to_the_spread() -> None:
    assert chance_of_a_lead(3, spread=3, runs=3) > 0.1
    assert chance_of_a_lead(3, spread=0.5, runs=3) < 1e-6
    # More runs settle it even where the spread is as large as the lead.
    assert chance_of_a_lead(3, spread=3, runs=30) < 1e-3


def test_m14_equal_builds_win_three_runs_in_a_row_now_and_then() -> None:
    outcomes = list(itertools.product([True, False], repeat=3))
    assert sum(all(won) for won in outcomes) / len(outcomes) == 1 / 8


def test_m14_interleaving_divides_a_drift_between_both_builds() -> None:
    # Each run is 1% slower than the one before, and the builds are equal.
    times = 1 + 0.01 * np.arange(6)
    one_after_the_other = times[3:].mean() / times[:3].mean()
    interleaved = times[1::2].mean() / times[0::2].mean()
    assert one_after_the_other - 1 > 0.029
    assert interleaved - 1 < 0.011


@pytest.mark.parametrize("attention_share", [0.1, 0.5, 0.9])
def test_m15_cost_outgrows_the_pixels_by_the_share_of_full_attention(attention_share: float) -> None:
    pixels = 2 * 2
    tokens = (128 // 16 * (128 // 16)) / (64 // 16 * (64 // 16))
    cost = (1 - attention_share) * tokens + attention_share * tokens**2
    assert tokens == pixels
    assert cost == pytest.approx(pixels * (1 + attention_share * (pixels - 1)))
    assert cost > pixels


def second_layer_keys(tokens: Matrix) -> Matrix:
    """Keys after one layer of causal attention: rows are positions."""
    random = np.random.default_rng(7)
    to_query, to_key, to_value, next_key = random.normal(scale=0.3, size=(4, tokens.shape[1], tokens.shape[1]))
    scores = (tokens @ to_query) @ (tokens @ to_key).T
    scores[np.triu_indices(len(tokens), 1)] = -np.inf
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    mixed = weights / weights.sum(axis=1, keepdims=True) @ (tokens @ to_value)
    return np.asarray((tokens + mixed) @ next_key)


def test_m16_what_is_kept_fits_only_if_all_tokens_from_the_first_on_agree() -> None:
    random = np.random.default_rng(3)
    prefix, mine, yours = random.normal(size=(5, 4)), random.normal(size=(3, 4)), random.normal(size=(2, 4))
    one, other = second_layer_keys(np.vstack([prefix, mine])), second_layer_keys(np.vstack([prefix, yours]))
    np.testing.assert_allclose(one[:5], other[:5])
    changed = prefix.copy()
    changed[0] += 1
    assert not np.isclose(second_layer_keys(changed)[1:], one[1:5]).any()


def test_m17_rounding_with_an_eye_on_the_teacher_beats_rounding_each_weight_by_itself() -> None:
    random = np.random.default_rng(11)
    # Inputs that resemble each other, as activations do: errors of several weights can then cancel out.
    inputs = random.normal(size=(200, 1)) + 0.3 * random.normal(size=(200, 8))
    teacher = random.uniform(-4, 4, size=8)

    def distance(student: Matrix) -> float:
        return float(np.mean((inputs @ student - inputs @ teacher) ** 2))

    neighbours = itertools.product(*[(np.floor(weight), np.ceil(weight)) for weight in teacher])
    best = min(distance(np.array(student)) for student in neighbours)
    assert 0 < best < 0.7 * distance(np.round(teacher))


def ms_per_token(*, active: float = 27e9, bits: int = 16, cache: float = 4e9, batch: int = 1, kept: float = 1) -> float:
    """Milliseconds per token that 1 TB/s allows: weights once a pass, one cache for each request."""
    return 1000 * (active * bits / 8 + batch * cache) / (batch * kept) / 1e12


def test_q20_every_lever_shortens_the_time_per_token() -> None:
    slow = ms_per_token()
    assert slow == pytest.approx(58)
    levers = [
        ms_per_token(bits=8),
        ms_per_token(active=3e9),
        ms_per_token(cache=2e9),
        ms_per_token(batch=8),
        ms_per_token(kept=1.9),
    ]
    assert max(levers) < slow
    # One request by itself gets no faster in a batch: its step lasts longer.
    assert 8 * ms_per_token(batch=8) > slow
