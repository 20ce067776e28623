"""The numbers of the math questions, found again by simulating, enumerating or another way of computing."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from tutor.adapters.bank_yaml import shipped_bank
from tutor.formula import figure_value

BANK = shipped_bank()
IDS = [f"f{n:02d}" for n in range(1, 17)]
Matrix = NDArray[np.float64]


def worth(question_id: str, label: str) -> float:
    """The value of a figure, in its own unit."""
    (found,) = [figure for figure in BANK.rubric(question_id).figures if figure.label == label]
    return figure_value(found)


def with_singular_values(values: list[float], seed: int = 0) -> Matrix:
    """A matrix with these singular values and random singular vectors."""
    rng = np.random.default_rng(seed)
    n = len(values)
    left, right = (np.linalg.qr(rng.normal(size=(n, n)))[0] for _ in range(2))
    return np.asarray(left @ np.diag(values) @ right, dtype=np.float64)


FOUR_BY_FOUR = with_singular_values([9, 6, 3, 1])
LEFT, VALUES, RIGHT = np.linalg.svd(FOUR_BY_FOUR)
OF_RANK_TWO = (LEFT[:, :2] * VALUES[:2]) @ RIGHT[:2]
REST = FOUR_BY_FOUR - OF_RANK_TWO


def first_rank_without_saving(inputs: int, outputs: int) -> int:
    return next(rank for rank in range(1, inputs) if rank * inputs + outputs * rank >= inputs * outputs)


LOW_RANK: dict[tuple[str, str], Callable[[], float]] = {
    ("f02", "Parameters of both factors"): lambda: np.empty((64, 4096)).size + np.empty((14336, 64)).size,
    ("f02", "Parameters of the full matrix"): lambda: 58_720_256,
    ("f02", "Share of the full matrix"): lambda: 100 * (262_144 + 917_504) / 58_720_256,
    ("f02", "Break-even rank"): lambda: 1 / (1 / 4096 + 1 / 14336),
    ("f02", "Adapter size in BF16"): lambda: 2 * 1_179_648 / 1e6,
    ("f03", "Spectral error"): lambda: float(np.linalg.norm(REST, 2)),
    ("f03", "Frobenius error"): lambda: float(np.linalg.norm(REST)),
    ("f03", "Energy kept"): lambda: float(100 * (OF_RANK_TWO**2).sum() / (FOUR_BY_FOUR**2).sum()),
    ("f03", "Relative Frobenius error"): lambda: float(100 * np.linalg.norm(REST) / np.linalg.norm(FOUR_BY_FOUR)),
    ("f04", "Stable rank of the example"): lambda: float((FOUR_BY_FOUR**2).sum() / VALUES[0] ** 2),
}


def total_variation(p: list[float], q: list[float]) -> float:
    """The largest difference of the probabilities that both give to one set of tokens, over all sets."""
    gaps = [a - b for a, b in zip(p, q, strict=True)]
    return max(sum(subset) for size in range(len(p) + 1) for subset in combinations(gaps, size))


def output_of_the_rule(p: list[float], q: list[float]) -> tuple[list[float], float, list[float]]:
    """What comes out, how often the draft is accepted, and what is drawn otherwise, followed through all cases."""
    accept = [min(1.0, a / b) for a, b in zip(p, q, strict=True)]
    rejected = sum(b * (1 - keep) for b, keep in zip(q, accept, strict=True))
    gaps = [max(0.0, a - b) for a, b in zip(p, q, strict=True)]
    residual = [gap / sum(gaps) for gap in gaps]
    out = [b * keep + rejected * r for b, keep, r in zip(q, accept, residual, strict=True)]
    return out, 1 - rejected, residual


def tokens_of_a_round(alpha: float, drafts: int) -> float:
    """Mean over every way in which a round can end: after n accepted drafts, or with all of them."""
    ends = [(n + 1) * alpha**n * (1 - alpha) for n in range(drafts)]
    return sum(ends) + (drafts + 1) * alpha**drafts


TARGET, DRAFT = [0.5, 0.3, 0.15, 0.05], [0.2, 0.2, 0.35, 0.25]
THREE, PROPOSAL = [0.6, 0.3, 0.1], [0.2, 0.3, 0.5]

REJECTION: dict[tuple[str, str], Callable[[], float]] = {
    ("f06", "Acceptance probability"): lambda: output_of_the_rule(TARGET, DRAFT)[1],
    ("f06", "Total variation distance"): lambda: total_variation(TARGET, DRAFT),
    ("f06", "First token as replacement"): lambda: output_of_the_rule(TARGET, DRAFT)[2][0],
    ("f07", "Tokens per round with 4 drafts"): lambda: tokens_of_a_round(0.8, 4),
    ("f07", "Probability that all are accepted"): lambda: 100 * 0.4096,
    ("f07", "Speed-up with 4 drafts"): lambda: tokens_of_a_round(0.8, 4) / 1.2,
    ("f07", "Speed-up with 8 drafts"): lambda: tokens_of_a_round(0.8, 8) / 1.4,
    ("f07", "Longest round on average"): lambda: tokens_of_a_round(0.8, 200),
    ("f08", "Smallest M"): lambda: 3,
    ("f08", "Acceptance with the envelope"): lambda: 100 * (0.2 * 1 + 0.3 / 3 + 0.5 / 15),
    ("f08", "Acceptance of the speculative rule"): lambda: 100 * (1 - total_variation(THREE, PROPOSAL)),
}


def surprise(p: list[float], q: list[float], base: float = math.e) -> float:
    """Cross-entropy as the mean length of a code made for q: p's letters cost log(1/q) each."""
    return math.fsum(a * math.log(1 / b, base) for a, b in zip(p, q, strict=True))


def divergence(p: list[float], q: list[float], base: float = math.e) -> float:
    return surprise(p, q, base) - surprise(p, p, base)


HALVES, SKEWED = [0.5, 0.5], [0.9, 0.1]
TEACHER, STUDENT = [0.7, 0.2, 0.1], [0.5, 0.3, 0.2]

KL: dict[tuple[str, str], Callable[[], float]] = {
    ("f10", "Divergence of p from q in nats"): lambda: math.log(5 / 3),
    ("f10", "Divergence of q from p in nats"): lambda: divergence(SKEWED, HALVES),
    ("f10", "Natural logarithm of two"): lambda: sum(1 / (n * 2**n) for n in range(1, 60)),
    ("f10", "Divergence of p from q in bits"): lambda: math.log(5 / 3) / math.log(2),
    ("f10", "Divergence of q from p in bits"): lambda: divergence(SKEWED, HALVES, 2),
    ("f12", "Cross-entropy of the student"): lambda: surprise(TEACHER, STUDENT),
    ("f12", "Entropy of the teacher"): lambda: surprise(TEACHER, TEACHER),
    ("f12", "KL divergence"): lambda: divergence(TEACHER, STUDENT),
    ("f12", "Ratio of perplexities"): lambda: 1.4**0.7 * (2 / 3) ** 0.2 * 0.5**0.1,
}

ROW = np.array([0.6, 0.8])
INPUTS = np.array([[1.0, 1.0], [1.0, 0.0]])
"""Two channels (rows) for two tokens (columns)."""


def output_error(row: Matrix) -> float:
    return float((((ROW - row) @ INPUTS) ** 2).sum())


def gptq(row: Matrix, inputs: Matrix) -> tuple[Matrix, list[float]]:
    """The quantised row and each weight just before it was rounded, each time by least squares over the rest."""
    now, before = row.copy(), []
    for n in range(len(row)):
        before.append(float(now[n]))
        now[n] = np.round(now[n])
        rest = inputs[n + 1 :].T
        missing = row @ inputs - now[: n + 1] @ inputs[: n + 1]
        now[n + 1 :] = np.linalg.lstsq(rest, missing, rcond=None)[0] if rest.size else now[n + 1 :]
    return now, before


GPTQ: dict[tuple[str, str], Callable[[], float]] = {
    ("f14", "Error of rounding to nearest"): lambda: output_error(np.round(ROW)),
    ("f14", "Second weight before rounding"): lambda: gptq(ROW, INPUTS)[1][1],
    ("f14", "Error of GPTQ"): lambda: output_error(gptq(ROW, INPUTS)[0]),
    ("f14", "Reduction of the error"): lambda: 100 * (0.52 - 0.32) / 0.52,
    ("f15", "Size of H"): lambda: np.empty((4096, 4096), np.float32).nbytes / 1e6,
    ("f15", "Operations to build H"): lambda: 2.0 ** (1 + 7 + 11 + 12 + 12),
    ("f15", "Tokens per column"): lambda: 2.0 ** (7 + 11 - 12),
    ("f15", "Operations of the predecessor"): lambda: 2.0**48,
    ("f15", "Saving"): lambda: 2.0**48 / 2.0**36,
}
EXACT = LOW_RANK | REJECTION | KL | GPTQ


@pytest.mark.parametrize(("question_id", "label"), EXACT, ids=str)
def test_another_way_of_computing_gives_the_same(question_id: str, label: str) -> None:
    assert worth(question_id, label) == pytest.approx(EXACT[question_id, label](), rel=1e-6)


def test_no_computed_figure_is_left_out() -> None:
    figures = {(n, figure.label) for n in IDS for figure in BANK.rubric(n).figures if figure.formula}
    assert figures == set(EXACT)


def test_factors_save_parameters_below_the_break_even_rank_only() -> None:
    assert math.ceil(worth("f02", "Break-even rank")) == first_rank_without_saving(4096, 14336)


def test_no_other_matrix_of_rank_two_comes_closer() -> None:
    rng = np.random.default_rng(1)
    for _ in range(2000):
        near = OF_RANK_TWO + 0.2 * rng.normal(size=(4, 4))
        left, values, right = np.linalg.svd(near)
        other = FOUR_BY_FOUR - (left[:, :2] * values[:2]) @ right[:2]
        assert np.linalg.norm(other, 2) >= 3 - 1e-9
        assert np.linalg.norm(other) >= math.sqrt(10) - 1e-9


def test_a_product_of_thin_factors_has_their_rank_and_can_be_merged() -> None:
    rng = np.random.default_rng(2)
    weights, b, a, x = (rng.normal(size=shape) for shape in ((6, 5), (6, 2), (2, 5), (5,)))
    mixed = rng.normal(size=(2, 2))
    assert np.linalg.matrix_rank(b @ a) == 2
    assert np.linalg.matrix_rank(weights + b @ a) == 5
    assert weights @ x + b @ (a @ x) == pytest.approx((weights + b @ a) @ x)
    assert (b @ mixed) @ (np.linalg.inv(mixed) @ a) == pytest.approx(b @ a)


def test_what_comes_out_follows_the_target_whatever_the_draft() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        p, q = (rng.dirichlet(np.ones(7)).tolist() for _ in range(2))
        out, accepted, _ = output_of_the_rule(p, q)
        assert out == pytest.approx(p)
        assert accepted == pytest.approx(1 - total_variation(p, q))


def test_drawing_the_replacement_from_the_target_favours_what_the_draft_overrates() -> None:
    _, accepted, _ = output_of_the_rule(TARGET, DRAFT)
    out = [min(a, b) + (1 - accepted) * a for a, b in zip(TARGET, DRAFT, strict=True)]
    overrated = np.greater(DRAFT, TARGET)
    assert (np.greater(out, TARGET) >= overrated).all()
    assert out[0] < TARGET[0]


def test_simulated_rounds_yield_as_many_tokens() -> None:
    accepted = np.random.default_rng(4).random((200_000, 4)) < 0.8
    tokens = 1 + np.cumprod(accepted, axis=1).sum(axis=1)
    assert tokens.mean() == pytest.approx(worth("f07", "Tokens per round with 4 drafts"), rel=0.005)


def test_simulated_envelope_takes_three_proposals_and_gives_the_target() -> None:
    rng = np.random.default_rng(5)
    proposed = rng.choice(3, size=300_000, p=PROPOSAL)
    kept = proposed[rng.random(300_000) < np.divide(THREE, PROPOSAL)[proposed] / 3]
    assert 300_000 / kept.size == pytest.approx(3, rel=0.01)
    assert np.bincount(kept) / kept.size == pytest.approx(THREE, abs=0.005)


def test_the_gradient_of_distillation_is_student_minus_teacher() -> None:
    logits, step = np.log(STUDENT), 1e-6

    def loss(z: Matrix) -> float:
        return surprise(TEACHER, (np.exp(z) / np.exp(z).sum()).tolist())

    nudges = np.eye(3) * step
    slopes = [(loss(logits + nudge) - loss(logits - nudge)) / (2 * step) for nudge in nudges]
    assert slopes == pytest.approx([-0.2, 0.1, 0.1], abs=1e-6)


def test_one_peak_covers_both_under_forward_and_picks_one_under_reverse() -> None:
    places = np.linspace(-6, 6, 241)

    def peak(middle: float, width: float) -> Matrix:
        shape = np.exp(-(((places - middle) / width) ** 2) / 2) + 1e-12
        return np.asarray(shape / shape.sum(), dtype=np.float64)

    two = (peak(-2, 0.5) + peak(2, 0.5)) / 2
    models = {(m / 4, w / 4): peak(m / 4, w / 4) for m in range(-12, 13) for w in range(1, 13)}
    forward = min(models, key=lambda key: float((two * np.log(two / models[key])).sum()))
    reverse = min(models, key=lambda key: float((models[key] * np.log(models[key] / two)).sum()))
    assert forward == (0, 2)
    assert (abs(reverse[0]), reverse[1]) == (2, 0.5)


def test_no_whole_numbers_give_a_smaller_error_than_gptq_finds_here() -> None:
    grid = [np.array([a, b], dtype=np.float64) for a in range(-3, 5) for b in range(-3, 5)]
    assert min(map(output_error, grid)) == pytest.approx(output_error(gptq(ROW, INPUTS)[0]))


def test_compensation_by_the_inverse_is_what_least_squares_gives() -> None:
    rng = np.random.default_rng(6)
    row, inputs = rng.normal(size=6), rng.normal(size=(6, 40))
    inverse = np.linalg.inv(inputs @ inputs.T)
    error = np.round(row[0]) - row[0]
    change = error / inverse[0, 0] * inverse[:, 0]
    assert row[1] + change[1] == pytest.approx(gptq(row, inputs)[1][1])
    assert float(((change @ inputs) ** 2).sum()) == pytest.approx(error**2 / inverse[0, 0])


def test_damping_bounds_the_eigenvalues_of_a_singular_hessian() -> None:
    inputs = np.random.default_rng(7).normal(size=(32, 5))
    hessian = inputs @ inputs.T
    damping = 0.01 * np.diag(hessian).mean()
    assert np.linalg.matrix_rank(hessian) == 5
    assert np.linalg.eigvalsh(hessian + damping * np.eye(32)).min() == pytest.approx(damping)
