"""Words that sound alike share a key, and grammatical forms of a word are the same word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.speaking.sounds import is_form_of, sound, spelled_out, squashed


@pytest.mark.parametrize(
    ("heard", "meant"),
    [
        ("cash", "cache"),
        ("wait", "weight"),
        ("waits", "weights"),
        ("bites", "bytes"),
        ("fase", "phase"),
        ("queery", "queeri"),
        ("macs", "max"),
        ("night", "nite"),
        ("knit", "nit"),
        ("rite", "write"),
    ],
)
def test_words_of_one_sound_have_one_key(heard: str, meant: str) -> None:
    assert sound(heard) == sound(meant)


@pytest.mark.parametrize(
    ("word", "other"),
    [("bits", "bytes"), ("size", "says"), ("encode", "decode"), ("rate", "ratio"), ("prefer", "prefill")],
)
def test_words_of_other_sound_have_other_keys(word: str, other: str) -> None:
    assert sound(word) != sound(other)


@pytest.mark.parametrize(
    ("words", "spelled"),
    [
        ("age one hundred", "h100"),
        ("be f sixteen", "bf16"),
        ("tea tea f tea", "ttft"),
        ("Are DMA", "rdma"),
        ("eff pea eight", "fp8"),
        ("el forty", "l40"),
        ("page", "page"),
    ],
)
def test_names_of_letters_and_numbers_are_spelled_out(words: str, spelled: str) -> None:
    assert spelled_out(tuple(words.split())) == spelled


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("layer", "layers"),
        ("decoded", "decode"),
        ("decoder", "decoding"),
        ("batch", "batching"),
        ("pad", "padding"),
        ("parallel", "parallelism"),
        ("rejected", "rejection"),
        ("accept", "acceptance"),
        ("quantised", "quantization"),
        ("matrix", "matrices"),
        ("latency", "latencies"),
        ("queuing", "queueing"),
        ("KV", "kv"),
    ],
)
def test_an_ending_or_a_british_spelling_makes_no_other_word(word: str, other: str) -> None:
    assert is_form_of(word, other)
    assert is_form_of(other, word)


@pytest.mark.parametrize(
    ("word", "other"),
    [("prefix", "prefill"), ("is", "ed"), ("loss", "lost"), ("token", "tokenizer"), ("a", "as"), ("", "the")],
)
def test_other_words_are_no_forms(word: str, other: str) -> None:
    assert not is_form_of(word, other)


@given(st.text(max_size=30))
def test_any_text_has_a_sound_without_spaces(text: str) -> None:
    assert " " not in sound(text)
    assert squashed(squashed(text)) == squashed(text)
