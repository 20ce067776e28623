"""Quantities in typed and spoken words: right value, unit and place, and no quantity where there is only a name."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.formula import UNITS
from tutor.grading.quantities import Quantity, quantities
from tutor.grading.tokens import tokens
from tutor.grading.units import parse_unit

CORPUS = [
    json.loads(line)
    for line in (Path(__file__).parent / "quantities_corpus.jsonl").read_text(encoding="utf-8").splitlines()
]
LEARNED_FROM = [phrase for phrase in CORPUS if not phrase["held_out"]]
HELD_OUT = [phrase for phrase in CORPUS if phrase["held_out"]]
# The held-out phrases were written after the parser was finished; its first run on them was 77 of 82.
LEAST_HELD_OUT_ACCURACY = 0.9

WORDS = """one two twenty hundred thousand million point half a an third of and to the ten times minus e x per / - – ^
** ² ½ ± $ % ~ 1 7.5 1,024 1e-4 99 K k b B GB GiB gigs ms s second tokens token day between or from order few tens h p
fp llama model 70B H100 Q4_K_M 3rd . , ; \n é 漢 İ""".split(" ")


def read(text: str) -> list[tuple[float, str]]:
    return [(q.value, q.unit) for q in quantities(text)]


def agrees(phrase: dict[str, Any]) -> bool:
    found, expected = quantities(phrase["text"]), phrase["expected"]
    return len(found) == len(expected) and all(
        q.unit == e["unit"] and (q.value, q.low, q.high) == pytest.approx((e["value"], e["low"], e["high"]))
        for q, e in zip(found, expected, strict=True)
    )


def test_the_corpus_is_large_and_its_last_third_held_out() -> None:
    assert len(CORPUS) >= 200
    assert len(HELD_OUT) * 3 >= len(CORPUS) - 3
    assert len({phrase["text"] for phrase in CORPUS}) == len(CORPUS)


@pytest.mark.parametrize("phrase", LEARNED_FROM, ids=[p["text"] for p in LEARNED_FROM])
def test_a_phrase_is_read_as_a_person_means_it(phrase: dict[str, Any]) -> None:
    assert agrees(phrase), quantities(phrase["text"])


def test_phrases_nobody_tuned_for_are_read_nine_times_in_ten() -> None:
    misses = [phrase["text"] for phrase in HELD_OUT if not agrees(phrase)]
    assert 1 - len(misses) / len(HELD_OUT) >= LEAST_HELD_OUT_ACCURACY, misses


def test_a_quantity_is_written_with_the_nine_fields_of_the_format() -> None:
    (found,) = quantities("about 2 GiB")
    assert list(asdict(found)) == ["value", "low", "high", "unit", "si_value", "si_unit", "start", "end", "text"]
    assert found == Quantity(2.0, 2.0, 2.0, "GiB", 2.0 * 2**30, "B", 6, 11, "2 GiB")


@pytest.mark.parametrize(
    ("text", "si_value", "si_unit"),
    [
        ("64 KB", 64_000, "B"),
        ("64 KiB", 65_536, "B"),
        ("8 Gb", 1e9, "B"),
        ("8 GB", 8e9, "B"),
        ("100 Gbit/s", 12.5e9, "B/s"),
        ("4 bits", 0.5, "B"),
        ("20 percent", 0.2, ""),
        ("8 times the", 8, ""),
        ("3 hours", 10_800, "s"),
        ("3.35 TB/s", 3.35e12, "B/s"),
        ("989 TFLOPS", 9.89e14, "FLOP/s"),
        ("295 FLOPs per byte", 295, "FLOP/byte"),
        ("3 million tokens a day", 3e6 / 86_400, "token/s"),
        ("$2 per million tokens", 2e-6, "USD/token"),
        ("320 KB per token", 320_000, "B/token"),
    ],
)
def test_base_units_are_bytes_seconds_and_operations(text: str, si_value: float, si_unit: str) -> None:
    (found,) = quantities(text)
    assert found.si_value == pytest.approx(si_value)
    assert found.si_unit == si_unit


@pytest.mark.parametrize(
    "text",
    [
        "H100 A100 p99 FP16 BF16 INT8 fp8 W4A16 Q4_K_M TP4",
        "LLaMA-3, GPT-4, Qwen2.5 and Qwen3-0.6B",
        "a 70B model, the dense 7B model, Llama 3 70B",
        "an age one hundred or an h one hundred or p ninety nine",
        "RoPE, top-k, a one-off, one of the first, the second one",
        "the two phases, step 3, version 2.0.1, #4",
        "the 3rd and the 21st token",
        "a few of them and several others",
        "maps in 3D",
        "",
        " \n\t",
    ],
)
def test_names_labels_and_pronouns_are_no_quantities(text: str) -> None:
    assert read(text) == []


def test_a_list_mark_is_no_quantity_but_the_number_behind_it_is() -> None:
    assert read("1. 40 GB\n2) 80 GB") == [(40.0, "GB"), (80.0, "GB")]


def test_a_change_is_two_quantities_and_an_estimate_is_one_range() -> None:
    assert read("it falls from 80 to 90 ms") == [(80.0, "ms"), (90.0, "ms")]
    assert read("it takes from 80 to 90 ms") == [(85.0, "ms")]


def test_a_size_that_is_too_large_for_a_float_is_left_out() -> None:
    assert read("1e305 TB") == []
    assert read("1e400 and 10^999 tokens") == [(10.0, ""), (999.0, "token")]


@given(st.text())
def test_any_text_is_read_and_every_span_is_exact(text: str) -> None:
    end = 0
    for q in quantities(text):
        assert end <= q.start < q.end <= len(text)
        assert text[q.start : q.end] == q.text
        end = q.end


@given(st.lists(st.sampled_from(WORDS), max_size=14), st.sampled_from(["", " "]))
def test_any_mixture_of_number_words_is_read_in_order_with_exact_spans(words: list[str], gap: str) -> None:
    text, end = gap.join(words), 0
    for q in quantities(text):
        assert end <= q.start < q.end
        assert text[q.start : q.end] == q.text
        assert min(q.low, q.high) - 1e-9 <= q.value <= max(q.low, q.high) + 1e-9
        assert parse_unit(q.unit).si == q.si_unit
        assert q.si_value == pytest.approx(q.value * parse_unit(q.unit).scale)
        end = q.end


@given(st.integers(0, 999_999))
def test_whole_numbers_are_read_back_from_their_words(number: int) -> None:
    assert read(f"{in_words(number)} bytes") == [(float(number), "B")]


def in_words(number: int) -> str:
    small = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    names = [*small.split(), "seventeen", "eighteen", "nineteen"]
    tens = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()
    for size, name in ((1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = f" {'and ' if size == 100 else ''}{in_words(number % size)}" if number % size else ""
            return f"{in_words(number // size)} {name}{rest}"
    if number < 20:
        return names[number]
    return tens[number // 10] + (f" {names[number % 10]}" if number % 10 else "")


@given(st.text())
def test_tokens_cover_every_character_that_is_not_white_space(text: str) -> None:
    rest = list(text)
    for token in tokens(text):
        assert text[token.start : token.end] == token.text
        rest[token.start : token.end] = " " * len(token.text)
    assert "".join(rest).strip() == ""


@pytest.mark.parametrize(
    "unit", ["one ", "million ", "2 × ", "hundred and ", "7.5 to ", "5-", "ten to the ", "half of a ", "1.", "x1", "-"]
)
def test_the_work_grows_with_the_length_of_the_text_not_with_its_square(unit: str) -> None:
    short, long = (calls(unit * (size // len(unit))) for size in (2_000, 8_000))
    assert long <= 5 * short


def calls(text: str) -> int:
    count = 0

    def counted(*_: object) -> None:
        nonlocal count
        count += 1

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        quantities(text)
    finally:
        sys.setprofile(before)
    return count


def test_every_unit_a_rubric_may_use_is_understood_and_worth_the_same() -> None:
    singular = {"1": "", "requests": "request", "requests/s": "request/s", "tokens": "token", "parameters": "parameter"}
    for name, (factor, base) in UNITS.items():
        unit = parse_unit(name)
        assert unit.scale == pytest.approx(factor), name
        assert unit.si == singular.get(base, base), name


@pytest.mark.parametrize("symbol", ["furlong", "GB/s/", "GB furlong", "/"])
def test_an_unknown_unit_is_named(symbol: str) -> None:
    with pytest.raises(ValueError, match="is not a known unit"):
        parse_unit(symbol)


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("seven point thirty nine", 7.39, ""),
        ("3 point 35 TB/s", 3.35, "TB/s"),
        ("three point five ms", 3.5, "ms"),
        ("two to the thirty first", 2.0**31, ""),
        ("2^(10) bytes", 1024, "B"),
        ("ten to the twenty", 1e20, ""),
        ("4 times 10 to the 0.5", 4 * 10**0.5, ""),
        ("1e16 times 10 to the 2", 1e18, ""),
        ("a few tens of GB", 30, "GB"),
        ("the few seconds", 3, "s"),
        ("25 plus or minus 5 ms", 25, "ms"),
        ("at age 30", 30, ""),
        ("989 TFLOPS per second", 989, "TFLOP/s"),
        ("2 gigaflops per request", 2, "GFLOP/s/request"),
        ("5 GB/s per GPU per layer per hour", 5, "GB/s/GPU/layer"),
        ("step 3 ms", 3, "ms"),
        ("20 seconds a user", 20, "s"),
        ("version of 12 layers", 12, "layer"),
    ],
)
def test_rarer_forms_are_read_too(text: str, value: float, unit: str) -> None:
    ((found, spelled),) = read(text)
    assert found == pytest.approx(value)
    assert spelled == unit


def test_an_exponent_no_number_can_have_is_left_alone() -> None:
    assert read("5 e 999") == [(5.0, "")]
    assert read("2⁹⁹⁹⁹⁹⁹⁹ and 3⁻") == [(2.0, ""), (3.0, "")]


def test_a_lone_few_is_no_quantity() -> None:
    assert read("few") == read("a couple") == read("half a") == []


@pytest.mark.parametrize(
    "text",
    [
        "2 GiB at 32K and 64 GiB at 1M",
        "2 gibibytes at thirty two K and sixty four gibibytes at one M",
        "2 GiB at thirty two thousand and sixty four GiB at a million",
        "2 GiB at 32,000 and 64 GiB at 1M",
        "at 32K 2 GiB and at 1M 64 GiB",
        "with a context of thirty two thousand two gibibytes and at a million sixty four gibibytes",
    ],
)
def test_a_context_length_and_the_size_beside_it_are_two_numbers(text: str) -> None:
    lengths = {32_000.0, 1e6}
    assert sorted(q.si_value for q in quantities(text) if q.unit) == [2 * 2**30, 64 * 2**30]
    assert {q.value for q in quantities(text) if not q.unit} == lengths


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("100 and 41 gigabytes", 141),
        ("one thousand and sixty four bytes", 1064),
        ("a link of one thousand and sixty four gigabytes", 1064),
        ("at one thousand and sixty four tokens", 1064),
        ("2 million 500 thousand", 2_500_000),
    ],
)
def test_a_number_in_several_groups_stays_one_number(text: str, value: float) -> None:
    assert [q.value for q in quantities(text)] == [value]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2,0 GiB", [(2.0, "GiB")]),
        ("1,5 GB or 2,25 ms or 12,5 %", [(1.5, "GB"), (2.25, "ms"), (12.5, "%")]),
        ("0,125 ms and 2,0625 gigabytes", [(0.125, "ms"), (2.0625, "GB")]),
        ("1,024 bytes", [(1024.0, "B")]),
        ("layers 2,3 and 4", [(2.0, ""), (3.0, ""), (4.0, "")]),
        ("layers 2,3 share it", [(2.0, ""), (3.0, "")]),
        ("1,2,3 GB", [(1.0, ""), (2.0, ""), (3.0, "GB")]),
        ("2^36 bytes, so 2^36", [(2.0**36, "B"), (2.0**36, "")]),
    ],
)
def test_a_decimal_comma_counts_before_a_unit_only(text: str, expected: list[tuple[float, str]]) -> None:
    assert read(text) == expected
