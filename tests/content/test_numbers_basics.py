"""The numbers of basics and transformer, found again, and what these questions claim, tried out small."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from tutor.adapters.bank_yaml import shipped_bank
from tutor.formula import figure_value

BANK = shipped_bank()
IDS = ["s01", "s04", "s05", "s06", "s07", "s08", "s09", "q06", "s11", "s12", "s13", "s14", "q09"]
Matrix = NDArray[np.float64]
HAN = "学习语言模型"


def worth(question_id: str, label: str) -> float:
    """The value of a figure, in its own unit."""
    (found,) = [figure for figure in BANK.rubric(question_id).figures if figure.label == label]
    return figure_value(found)


def qwen_sizes() -> dict[str, int]:
    """Parameters of the parts of Qwen3-0.6B, one matrix after the other as its configuration gives them."""
    width, ffn, heads, kv_heads, head_dim = 1024, 3072, 16, 8, 128
    projections = [(width, heads * head_dim), *2 * [(width, kv_heads * head_dim)], (heads * head_dim, width)]
    attention = sum(rows * columns for rows, columns in projections) + 2 * head_dim
    feed_forward = width * ffn + width * ffn + ffn * width
    return {"embedding": 151_936 * width, "blocks": 28 * (attention + feed_forward + 2 * width), "final norm": width}


EXACT: dict[tuple[str, str], Callable[[], float]] = {
    ("s05", "Size of the base vocabulary"): lambda: len(set(np.arange(10_000).astype(np.uint8).tolist())),
    ("s05", "Byte values"): lambda: len({bytes([n]) for n in range(1 << 8)}),
    ("s06", "UTF-8 length of a Chinese character"): lambda: len(HAN.encode("utf-8")) / len(HAN),
    ("s14", "Share of the FFN in large models"): lambda: 100 * 8 / (8 + 4),
    ("s14", "Share of the embedding in Qwen3-0.6B"): lambda: (
        100 * qwen_sizes()["embedding"] / sum(qwen_sizes().values())
    ),
}
MEASURED: dict[tuple[str, str], float] = {
    ("s11", "Least attention on the first token"): 40,
    ("s11", "Most attention on the first token"): 77,
    ("s13", "Multiple to which the width is rounded up"): 256,
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


def test_bf16_divides_its_bits_like_the_upper_half_of_fp32() -> None:
    half, single = np.finfo(np.float16), np.finfo(np.float32)
    assert (half.nexp, half.nmant) == (5, 10)
    assert (single.nexp, 16 - 1 - single.nexp) == (8, 7)
    largest_bf16 = np.array([0x7F7F0000], np.uint32).view(np.float32)[0]
    assert largest_bf16 / single.max == pytest.approx(1, rel=0.004)
    assert half.max == np.float16(65_504)


def merged(tokens: list[bytes], pair: tuple[bytes, bytes]) -> list[bytes]:
    """The tokens with every occurrence of a pair, from the left, made one token."""
    done: list[bytes] = []
    for token in tokens:
        if done and (done[-1], token) == pair:
            done[-1] += token
        else:
            done.append(token)
    return done


def learned(text: str, merges: int) -> list[tuple[bytes, bytes]]:
    """The merge rules of a byte-level BPE, in their order."""
    tokens, rules = [bytes([n]) for n in text.encode()], []
    for _ in range(merges):
        rules.append(Counter(pairwise(tokens)).most_common(1)[0][0])
        tokens = merged(tokens, rules[-1])
    return rules


def encoded(text: str, rules: list[tuple[bytes, bytes]]) -> list[bytes]:
    tokens = [bytes([n]) for n in text.encode()]
    for rule in rules:
        tokens = merged(tokens, rule)
    return tokens


def test_a_byte_level_bpe_encodes_whatever_it_has_never_seen() -> None:
    rules = learned("low lower lowest " * 5, 6)
    assert encoded("low", rules) == [b"low"]
    for unseen in (HAN, "🙂", "\x00\x7f", "zzz"):
        assert b"".join(encoded(unseen, rules)).decode() == unseen


def test_the_order_of_the_merges_decides_the_tokens() -> None:
    rules = [(b"a", b"b"), (b"b", b"c")]
    assert encoded("abc", rules) == [b"ab", b"c"]
    assert encoded("abc", rules[::-1]) == [b"a", b"bc"]


def streamed(tokens: list[bytes]) -> list[str]:
    """What incremental detokenization sends: the window from the last whole text on, once it is whole again."""
    sent: list[str] = []
    window = b""
    for token in tokens:
        window += token
        text = window.decode("utf-8", errors="replace")
        if not text.endswith("\ufffd"):
            sent.append(text)
            window = b""
    return sent


def test_a_token_alone_may_be_no_text_and_a_window_gives_it_whole() -> None:
    cut = [b"a\xe5", b"\xad\xa6", b"!"]
    assert "\ufffd" in "".join(token.decode("utf-8", errors="replace") for token in cut)
    assert streamed(cut) == ["a学", "!"]


def softmax(scores: Matrix) -> Matrix:
    shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=-1, keepdims=True), dtype=np.float64)


@pytest.mark.parametrize("d_k", [64, 256])
def test_dot_products_spread_by_the_root_of_the_dimension(d_k: int) -> None:
    q, k = np.random.default_rng(0).normal(size=(2, 20_000, d_k))
    assert (q * k).sum(axis=1).var() == pytest.approx(d_k, rel=0.05)


def test_without_scaling_softmax_comes_close_to_one_hot_and_its_gradients_vanish() -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(2000, 256)) @ rng.normal(size=(256, 32))
    scaled, plain = softmax(scores / 16), softmax(scores)
    assert np.median(scaled.max(axis=1)) < 0.4
    assert np.median(plain.max(axis=1)) > 0.95
    # The slope of softmax at its largest weight is p * (1 - p).
    slopes = [np.median(p.max(axis=1) * (1 - p.max(axis=1))) for p in (scaled, plain)]
    assert slopes[1] < slopes[0] / 5


@pytest.mark.parametrize(("new", "total"), [(3, 8), (5, 5), (1, 6)])
def test_the_mask_of_new_tokens_is_the_lower_end_of_the_whole_mask(new: int, total: int) -> None:
    mask = np.tril(np.ones((new, total)), k=total - new)
    assert (mask == np.tril(np.ones((total, total)))[total - new :]).all()
    assert new > 1 or mask.all()
    assert [row.nonzero()[0].max() for row in mask] == [total - new + i for i in range(new)]


def rotated(vector: Matrix, position: int) -> Matrix:
    """A vector with RoPE: each two numbers are one complex number, turned by position times frequency."""
    pairs = vector[0::2] + 1j * vector[1::2]
    turned = pairs * np.exp(1j * position * 10_000.0 ** -(np.arange(pairs.size) / pairs.size))
    return np.stack([turned.real, turned.imag], axis=1).ravel()


def test_rotated_queries_and_keys_know_only_their_distance() -> None:
    q, k = np.random.default_rng(2).normal(size=(2, 64))
    near = [float(rotated(q, m) @ rotated(k, m + 5)) for m in (0, 7, 1000)]
    assert near == pytest.approx([near[0]] * 3)
    assert float(rotated(q, 0) @ rotated(k, 6)) != pytest.approx(near[0])


def test_without_a_norm_in_it_the_residual_stream_grows_with_depth_and_its_gradient_stays() -> None:
    rng = np.random.default_rng(3)
    pre = post = rng.normal(size=256)
    gain, sizes = 1.0, []
    for _ in range(48):
        weights = rng.normal(size=(256, 256)) / 16
        pre = pre + weights @ (pre / pre.std())
        after = post + weights @ post
        gain /= after.std()
        post = after / after.std()
        sizes.append(pre.std())
    assert post.std() == pytest.approx(1)
    assert sizes[47] > 1.5 * sizes[11] > 2 * sizes[0]
    # Along the residual path a Post-Norm block passes its gradient on divided by the norm's scale; Pre-Norm by 1.
    assert gain < 1e-6


def test_three_matrices_of_two_thirds_of_the_width_have_the_parameters_of_two() -> None:
    width, multiple = 4096, 256
    exact = width * 8 / 3
    assert 3 * width * exact == pytest.approx(2 * width * 4 * width)
    assert -(-int(exact) // multiple) * multiple == 11_008


def test_gate_and_up_are_one_product_with_their_matrices_side_by_side() -> None:
    rng = np.random.default_rng(4)
    x, gate, up = rng.normal(size=(3, 8)), rng.normal(size=(8, 21)), rng.normal(size=(8, 21))
    assert x @ np.hstack([gate, up]) == pytest.approx(np.hstack([x @ gate, x @ up]))


@pytest.mark.parametrize(("d_ff", "times"), [(8 / 3, 2), (3.5, 2.625), (4, 3)])
def test_a_gated_feed_forward_has_two_to_three_times_the_parameters_of_attention(d_ff: float, times: float) -> None:
    attention, feed_forward = 4 * [(1.0, 1.0)], [(1.0, d_ff), (1.0, d_ff), (d_ff, 1.0)]
    assert sum(a * b for a, b in feed_forward) / sum(a * b for a, b in attention) == pytest.approx(times)


def test_the_parameters_of_qwen_are_those_that_the_question_names() -> None:
    assert sum(qwen_sizes().values()) == pytest.approx(596e6, rel=1e-3)
    assert qwen_sizes()["embedding"] == pytest.approx(155.6e6, rel=1e-3)


def test_a_small_batch_scattered_over_experts_reads_more_of_them_for_each_token() -> None:
    rng = np.random.default_rng(5)
    read = {
        batch: np.mean(
            [len({e for _ in range(batch) for e in rng.choice(64, size=8, replace=False)}) for _ in range(50)]
        )
        for batch in (1, 8, 256)
    }
    assert [read[1], read[256]] == [8, 64]
    assert read[8] > 5 * read[1]
    assert read[256] / 256 < read[8] / 8 / 10
