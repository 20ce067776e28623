"""A rubric's figures against an answer's numbers: right in any unit, wrong only where nothing else can be meant."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.grading.figures import check, combined, find
from tutor.grading.heard import listen, products
from tutor.values import Figure, FigureFinding

QUESTION = "LLaMA-3-70B has 80 layers, 8 KV heads and head dim 128. How much KV cache does a token add, in KB?"


def figure(target: float, unit: str, label: str = "a", rel_tol: float = 0.05, **more: object) -> tuple[Figure, float]:
    origin = more if "formula" in more else {"value": target, "source": "guide", **more}
    made = {"criterion_id": "c1", "label": label, "unit": unit, "rel_tol": rel_tol, **origin}
    return Figure.model_validate(made), target


CACHE = figure(
    320.0,
    "KiB",
    "KV cache per token",
    formula="2 * layers * kv_heads * head_dim * bytes / 1024",
    inputs={"layers": 80, "kv_heads": 8, "head_dim": 128, "bytes": 2},
)
FLOOR = figure(10.53, "ms", "decode lower bound")
PERPLEXITY = figure(8.7233, "1", "perplexity", 0.02)
COMPUTE = figure(8.4e22, "FLOP", "training FLOPs")


def status(of: tuple[Figure, float], answer: str, question: str = "") -> str:
    return check([of], answer, question)[0].status


@pytest.mark.parametrize(
    "answer",
    [
        "320 KB",
        "320 KiB",
        "0.32 MB",
        "327,680 bytes",
        "about a third of a meg",
        "three hundred and twenty",
        "three hundred twenty k b per token",
        "310 KB",
        "2 × 80 × 8 × 128 × 2 B = 327680 B",
        "640 KB, no wait, 320 KB",
        "not 640 KB but 320 KB",
        "310 to 330 KB",
    ],
)
def test_the_value_counts_in_any_unit_and_spelling(answer: str) -> None:
    assert status(CACHE, answer, QUESTION) == "right"


@pytest.mark.parametrize(
    "answer", ["320 GB", "640 KB", "about 160 KB", "it is 320 KB, no wait, 640 KB", "2.6 MB per token"]
)
def test_another_value_of_the_same_kind_is_wrong(answer: str) -> None:
    assert status(CACHE, answer, QUESTION) == "wrong"


@pytest.mark.parametrize("answer", ["a few hundred KB", "hundreds of KB per token", "200 to 700 KB", "about 370 KB"])
def test_only_the_order_of_magnitude_is_magnitude(answer: str) -> None:
    assert status(CACHE, answer, QUESTION) == "magnitude"


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "it depends",
        "80 layers and 8 heads",
        "it reads 3.35 TB/s",
        "two bytes each",
        "it isn't 320 KB",
        "a card has 80 GB",
        "rather than 640 KB",
        "the two reasons are 12 and 13",
    ],
)
def test_numbers_that_mean_something_else_are_neither_right_nor_wrong(answer: str) -> None:
    assert status(CACHE, answer, QUESTION) == "missing"


def test_a_right_product_with_a_wrong_outcome_is_a_slip() -> None:
    assert status(CACHE, "2 × 80 × 8 × 128 × 2 bytes, so 655 KB") == "slip"
    assert status(CACHE, "2 × 80 × 8 × 64 × 2 bytes, so 655 KB") == "wrong"
    assert status(FLOOR, "141 GB / 13.4 TB/s = 95 ms") == "slip"


def test_the_finding_shows_the_words_and_the_number_that_were_heard() -> None:
    answer = "so roughly 0.32 megabytes per token"
    (found,) = check([CACHE], answer)
    assert found == FigureFinding(
        criterion_id="c1",
        label="KV cache per token",
        status="right",
        value=0.32,
        unit="MB/token",
        quote="0.32 megabytes per token",
    )


def test_a_missing_figure_has_no_words() -> None:
    (found,) = check([CACHE], "no idea")
    assert (found.value, found.unit, found.quote) == (None, None, None)


@pytest.mark.parametrize(
    ("said", "meant", "unit"), [("64 KB", 64, "KiB"), ("2 GB", 2, "GiB"), ("3 TiB", 3, "TB"), ("64 k", 65_536, "B")]
)
def test_powers_of_1000_and_of_1024_are_taken_for_each_other(said: str, meant: float, unit: str) -> None:
    assert status(figure(meant, unit, rel_tol=0.001), said) == "right"


def test_bits_are_not_taken_for_bytes() -> None:
    assert status(figure(8, "GB"), "64 Gb") == "right"
    assert status(figure(8, "GB"), "8 Gb") == "wrong"


def test_a_percentage_is_a_share() -> None:
    assert status(figure(0.3, "1", "utilisation"), "about 30 percent") == "right"
    assert status(figure(30, "%", "utilisation"), "a share of 0.3") == "right"
    assert status(figure(30, "%", "utilisation"), "thirty") == "right"
    assert status(figure(30, "%", "utilisation"), "60 %") == "wrong"


def test_flops_are_an_amount_or_a_rate_and_per_second_alone_is_one_too() -> None:
    assert status(COMPUTE, "8.4e22 FLOPS") == "right"
    assert status(figure(4e17, "FLOP/s"), "four times ten to the seventeen per second") == "right"
    assert status(figure(989, "TFLOP/s"), "nine eighty nine teraflops") == "right"


def test_a_bare_number_may_be_in_an_accepted_unit() -> None:
    assert status(figure(327_680, "B", accept=("KB",)), "320") == "right"
    assert status(figure(327_680, "B"), "320") == "missing"


def test_a_small_bare_number_is_no_evidence_for_a_figure_with_a_unit() -> None:
    assert status(figure(2, "GiB"), "there are 2 reasons") == "missing"
    assert status(figure(2, "GiB"), "it is 2 GB") == "right"


def test_a_bare_number_with_the_right_digits_and_another_power_of_ten_is_wrong() -> None:
    assert status(COMPUTE, "eight point four times ten to the twenty one") == "wrong"
    assert status(COMPUTE, "three times ten to the twenty one") == "missing"


def test_a_pure_number_is_wrong_only_under_its_name() -> None:
    assert status(PERPLEXITY, "the perplexity is about 6.2") == "wrong"
    assert status(PERPLEXITY, "a perplexity of twelve") == "wrong"
    assert status(PERPLEXITY, "there are 6.2 of them") == "missing"
    assert status(PERPLEXITY, "all three parts of the question, the perplexity first") == "missing"
    assert status(PERPLEXITY, "8.7 equally likely tokens") == "right"
    assert status(PERPLEXITY, "the perplexity is the log of 8.72") == "missing"


def test_a_negative_number_is_never_the_positive_one() -> None:
    assert status(PERPLEXITY, "the perplexity is -8.72") == "missing"
    assert status(figure(-2.5, "1", "log odds"), "minus two point five") == "right"


def test_a_target_of_zero_is_met_by_zero_only() -> None:
    assert status(figure(0.0, "1", "overlap"), "the overlap is 0") == "right"
    assert status(figure(0.0, "1", "overlap"), "the overlap is 4.5") == "missing"


def test_a_number_from_the_question_is_evidence_only_in_words_of_ones_own() -> None:
    asked = "What would a model score that spreads its probability over a vocabulary of 151,936 tokens?"
    uniform = figure(151_936, "1", "perplexity of uniform guess", 0.02)
    assert status(uniform, "a vocabulary of 151,936 tokens, that is the question", asked) == "missing"
    assert status(uniform, "then the perplexity is 151,936, simply its size", asked) == "right"


def test_the_inputs_of_a_figure_are_never_called_wrong() -> None:
    assert (
        status(figure(20, "GB", "rest", formula="a - b", inputs={"a": 80e9, "b": 60e9}), "80 GB minus weights")
        == "missing"
    )


def test_each_figure_gets_its_own_number() -> None:
    short, long = figure(2, "GiB", "cache at 32K"), figure(64, "GiB", "cache at 1M")
    answer = "that's roughly twenty one gigs and at one million about six hundred and seventy gigabytes"
    found = check([short, long], answer)
    assert [(f.status, f.value) for f in found] == [("wrong", 21.0), ("wrong", 670.0)]
    found = check([short, long], "2 GiB and then 640 GB")
    assert [(f.status, f.value) for f in found] == [("right", 2.0), ("wrong", 640.0)]
    found = check([short, long], "275 GB at 32K and about 281 TB at 1M")
    assert [(f.status, f.value) for f in found] == [("wrong", 275.0), ("wrong", 281.0)]


def test_a_number_that_fits_one_figure_closely_is_not_taken_for_a_coarser_one() -> None:
    found = check([figure(55.02, "1", "perplexity", 0.03), figure(50, "x", "outlier", 0.2)], "a perplexity of 55")
    assert [f.status for f in found] == ["right", "missing"]


def test_alternatives_for_the_same_quantity_may_share_a_number() -> None:
    found = check([figure(212_340, "s", "time"), figure(58.98, "h", "time")], "around 59 hours")
    assert [f.status for f in found] == ["right", "right"]


def test_an_unknown_unit_is_the_authors_mistake() -> None:
    with pytest.raises(ValueError, match="furlong"):
        check([figure(1, "furlong")], "one furlong is 2 km")


@pytest.mark.parametrize(
    ("statuses", "best", "together"),
    [
        ("right missing", "right", "magnitude"),
        ("right right", "right", "right"),
        ("right wrong", "right", "wrong"),
        ("missing wrong", "wrong", "wrong"),
        ("magnitude slip", "magnitude", "slip"),
        ("missing missing", "missing", "missing"),
        ("", "missing", "missing"),
    ],
)
def test_several_figures_of_a_criterion_are_alternatives_or_belong_together(
    statuses: str, best: str, together: str
) -> None:
    found = [FigureFinding.model_validate({"criterion_id": "c", "label": "l", "status": s}) for s in statuses.split()]
    assert (combined(found), combined(found, "all")) == (best, together)


def test_a_calculation_is_followed_through_products_and_quotients() -> None:
    answer = "two times 32 layers times eight heads, and 273 divided by 27, then 4 × 3 / 0, then 5"
    assert [p.value for p in products(listen(answer, ""), answer)] == pytest.approx([512, 273 / 27, 12])


@given(st.text(), st.text())
def test_any_answer_gets_one_finding_per_figure(answer: str, question: str) -> None:
    wanted = [CACHE, FLOOR, PERPLEXITY, COMPUTE]
    found = check(wanted, answer, question)
    assert [f.label for f in found] == [f.label for f, _ in wanted]
    assert all((f.quote or "") in answer for f in found)
    places = find(wanted, answer, question)
    assert [f.finding for f in places] == list(found)
    assert all((f.start is None) == (f.end is None) == (f.finding.quote is None) for f in places)
    assert all(answer[f.start : f.end] == f.finding.quote for f in places if f.start is not None)


@given(st.floats(1e-12, 1e24), st.sampled_from(["GB", "KiB/token", "ms", "token/s", "FLOP", "%"]))
def test_a_value_said_in_its_own_unit_is_right_and_three_times_it_never_is(value: float, unit: str) -> None:
    of = figure(value, unit, "share of the whole")
    assert status(of, f"it is {value:.6g} {unit}") == "right"
    assert status(of, f"it is {3 * value:.6g} {unit}") in ("wrong", "missing")


def devset_table(folder: Path) -> Counter[tuple[float, str]]:
    """Counts of (label, status) over all criteria with figures of the labelled answers."""
    lines = {n: (folder / f"{n}.jsonl").read_text(encoding="utf-8").splitlines() for n in ("bank", "answers")}
    bank = {q["id"]: q for q in map(json.loads, lines["bank"]) if q["figures"]}
    table: Counter[tuple[float, str]] = Counter()
    for answer in map(json.loads, lines["answers"]):
        question = bank.get(answer["question_id"])
        if question is None:
            continue
        wanted = [(Figure(**f | {"unit": f["unit"] or "1"}, source="guide"), f["value"]) for f in question["figures"]]
        found = check(wanted, answer["answer"], question["question"])
        for criterion in {f.criterion_id for f in found}:
            of_one = [f for f in found if f.criterion_id == criterion]
            rule = "all" if criterion == "q08_c2" else "any"
            table[answer["labels"][criterion], combined(of_one, rule)] += 1
    return table


def test_on_the_labelled_answers_right_is_nearly_always_labelled_right(devset_dir: Path) -> None:
    table = devset_table(devset_dir)
    right = {label: n for (label, status), n in table.items() if status == "right"}
    made = sum(n for (label, _), n in table.items() if label == 1)
    assert right[1] >= 0.95 * made
    assert sum(n for label, n in right.items() if label < 1) <= 2


def test_on_the_labelled_answers_wrong_is_claimed_only_where_a_person_did(devset_dir: Path) -> None:
    table = devset_table(devset_dir)
    wrong = Counter({label: n for (label, status), n in table.items() if status == "wrong"})
    assert wrong[-1] >= 20
    assert wrong[1] == wrong[0.5] == 0
    assert wrong[0] <= 1


SHORT, LONG = figure(2, "GiB", "KV cache at 32K tokens"), figure(64, "GiB", "KV cache at 1M tokens")
RIDGE = figure(295, "FLOP/byte", "H100 ridge point")


def statuses(answer: str) -> list[str]:
    return [f.status for f in check([SHORT, LONG], answer)]


@pytest.mark.parametrize(
    "answer",
    [
        "The cache is 2 GiB at 32K and 64 GiB at 1M.",
        "2 gigs at thirty two K and sixty four gigs at one M",
        "at 32K 2 GiB and at 1M 64 GiB",
        "2,0 GiB at 32K and 2^36 bytes at 1M",
        "2 GiB, and at 1M it is 2^36",
        "2 GiB at 32K, no wait, 64 GiB at 1M",
        "2 GiB at 32K, wait, at 1M it is 64 GiB",
        "at 32K 2 GiB, wait, at 1M 64 GiB",
        "2 GiB at 32K and 640 GiB at 1M, no wait, 64 GiB at 1M",
        "4 GiB at 32K, no wait, 2 GiB at 32K, and 64 GiB at 1M",
    ],
)
def test_two_figures_are_right_each_at_its_own_length(answer: str) -> None:
    assert statuses(answer) == ["right", "right"]


@pytest.mark.parametrize(
    "answer",
    ["2 GiB at 32K, no wait, 5 GiB at 32K", "2 GiB at 32K tokens, no wait, 5 GiB", "at 32K 2 GiB, no wait, 5 GiB"],
)
def test_a_value_is_taken_back_over_the_length_it_was_said_for(answer: str) -> None:
    (found,) = check([SHORT], answer)
    assert (found.status, found.value) == ("wrong", 5.0)


@pytest.mark.parametrize(
    "answer",
    [
        "I don't know the size really. Our GPU has 80 GB of memory so it should fit.",
        "The GPU's memory is 80 GB.",
        "it fits on an 80 GB card",
        "we have 80 GB of HBM",
        "with 80 GB you would be fine",
        "that is less than 80 GB",
        "the weights take 75 GB",
        "75 gigs for the weights",
        "if it were FP16 it would be 128 GiB",
    ],
)
def test_a_size_of_another_thing_or_case_is_neither_near_nor_wrong(answer: str) -> None:
    assert statuses(answer) == ["missing", "missing"]


@pytest.mark.parametrize(
    "answer", ["If it were FP16 it would be 4 GiB; in FP8 it is 2 GiB.", "in FP16 it is 4 GiB, in FP8 2 GiB"]
)
def test_another_case_of_a_figure_that_is_met_is_not_the_other_figure(answer: str) -> None:
    assert statuses(answer) == ["right", "missing"]


def test_a_value_said_for_the_other_figure_is_still_wrong() -> None:
    assert statuses("2 GiB at 32K and 4 GiB at 1M") == ["right", "wrong"]
    assert statuses("the cache is 2 GiB at 32K, and 640 GiB then") == ["right", "wrong"]


@pytest.mark.parametrize(
    "answer",
    [
        "decode has 1 FLOP/byte",
        "decode is about 1 FLOP/byte",
        "decode at batch one sits around one flop per byte",
        "1 flop per byte for decode",
    ],
)
def test_the_intensity_of_decode_is_not_the_ridge_point(answer: str) -> None:
    assert status(RIDGE, answer) == "missing"


@pytest.mark.parametrize(
    "answer",
    [
        "the ridge point is 30 FLOPs per byte",
        "about 30 flops per byte",
        "an H100 has 30 FLOP/byte",
        "it's 30 FLOP/byte",
    ],
)
def test_a_wrong_ridge_point_is_wrong_under_its_name_and_without_a_name(answer: str) -> None:
    assert status(RIDGE, answer) == "wrong"


def test_more_words_for_a_figure_let_it_be_said_under_them() -> None:
    answer = "the roofline knee is 30 FLOP/byte"
    statuses_of = [
        f.finding.status for hints in ((), ("the knee of the roofline",)) for f in find([RIDGE], answer, "", hints)
    ]
    assert statuses_of == ["missing", "wrong"]
    with pytest.raises(ValueError, match="zip"):
        find([RIDGE], answer, "", ("one", "two"))


def test_the_place_of_a_finding_is_where_it_was_said_and_not_an_earlier_number_with_the_same_digits() -> None:
    answer = "32 GiB of HBM would hold it: 2 GiB"
    (found,) = find([SHORT], answer)
    assert (found.start, found.end, found.finding.quote) == (29, 34, "2 GiB")
    (missing,) = find([SHORT], "no idea")
    assert (missing.start, missing.end) == (None, None)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("at 32K that's 20 GB", ["wrong", "missing"]),
        ("20 GB at 32K", ["wrong", "missing"]),
        ("at 1M that's 20 GB", ["missing", "wrong"]),
        ("20 GB at 32K and 7 GB at 1M", ["wrong", "wrong"]),
    ],
)
def test_a_wrong_value_belongs_to_the_figure_whose_length_is_named(answer: str, expected: list[str]) -> None:
    assert statuses(answer) == expected
