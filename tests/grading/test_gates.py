"""Gates stop answers that say nothing, and no honest one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tutor.grading.gates import gate, is_recited
from tutor.values import Kind, Question

QUESTION = Question(
    id="q",
    question="When an LLM is served, which hardware resource limits the prefill phase and which one limits decode?",
    reference_answer="In prefill many tokens pass through each matrix together, so the phase is limited by compute. "
    "In decode each request brings one token per step, so it is limited by memory bandwidth.",
    kind="concept",
    topic="serving",
)


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("", "blank"),
        (" . ", "blank"),
        (":", "blank"),
        ("42 %", "blank"),
        ("Solution", "nothing_said"),
        ("Thought process:", "nothing_said"),
        ("Let me work through this one step at a time.", "nothing_said"),
        ("The answer is correct.", "nothing_said"),
        ("Yes", "nothing_said"),
        ("true", "nothing_said"),
        ("um, so, let me think", "nothing_said"),
        ("Thanks for watching!", "nothing_said"),
        ("hsebfsfesbfisfisijfsijfijsfnsif", "gibberish"),
        ("asdkjh qwlekj zxmcn asdkfj qweoiu", "gibberish"),
        ("cache " * 60, "repeated"),
        ("banana banana banana banana", "repeated"),
        ("a b c d e f g", "nothing_said"),
        ("The answer is correct and complete.", "nothing_said"),
        ("Der Prefill ist durch Rechenleistung begrenzt und der Decode durch die Bandbreite.", "other_language"),
        (QUESTION.question, "copied_question"),
        ("La respuesta es que el modelo está limitado por la memoria porque lee todos los pesos", "other_language"),
        ("Декодирование ограничено памятью", "other_language"),
        ("解码受内存带宽限制", "other_language"),
        (
            "KV cache, GQA, MQA, MLA, FlashAttention, PagedAttention, prefill, decode, roofline, tensor parallelism, "
            "NVLink, batching, quantization, INT4, FP8, H100, HBM, TTFT, TPOT, speculative decoding, LoRA",
            "keyword_list",
        ),
    ],
)
def test_an_answer_that_says_nothing_is_stopped(answer: str, name: str) -> None:
    assert gate(QUESTION, answer) == name


@pytest.mark.parametrize(
    "answer",
    [
        "Prefill: compute. Decode: memory bandwidth.",
        "um so prefill is compute bound and decode is like memory bandwidth bound",
        "prefill = FLOPs bound -> many tokens; decode = bytes bound -> one token; H100 ridge at 295 FLOP/byte "
        "batch 8 << ridge so bandwidth; GEMM vs GEMV, weights reused vs not reused, cache grows",
        "The model is limited by bandwidth, because one token a step reads every weight once.",
        "vLLM uses PagedAttention with bf16 KV pages",
        "- Prefill: compute bound\n- Decode: memory bandwidth bound\n- Prefill batch tokens, weights reused\n"
        "- Decode single token, weights reloaded\n- Intensity equals batch size\n- Ridge point 295",
    ],
)
def test_an_honest_answer_passes(answer: str) -> None:
    assert gate(QUESTION, answer) is None


@pytest.mark.parametrize("answer", ["2 GiB", "65,536 -> 2,147,483,648", "2*32*8*128*1*32768 = 2147483648"])
def test_a_number_alone_answers_a_numerical_question_and_no_other(answer: str) -> None:
    assert gate(QUESTION.model_copy(update={"kind": Kind.NUMERICAL}), answer) is None


def test_a_number_alone_says_nothing_where_a_reason_is_asked_for() -> None:
    assert gate(QUESTION, "65,536 -> 2,147,483,648") == "blank"


def test_a_numerical_question_still_wants_an_answer() -> None:
    numerical = QUESTION.model_copy(update={"kind": Kind.NUMERICAL})
    assert gate(numerical, "No idea") == "nothing_said"
    assert gate(numerical, "cache 1 " * 30) == "repeated"


def test_a_recited_reference_is_recognised_but_not_stopped() -> None:
    assert is_recited(QUESTION, "Sure. " + QUESTION.reference_answer)
    assert gate(QUESTION, QUESTION.reference_answer) is None
    assert not is_recited(QUESTION, "Prefill is limited by compute and decode by memory bandwidth.")
    assert not is_recited(QUESTION, "...")


def test_no_answer_worth_a_mark_is_stopped_in_the_labelled_set(devset_dir: Path) -> None:
    questions = {}
    for line in (devset_dir / "bank.jsonl").read_text(encoding="utf-8").splitlines():
        q = json.loads(line)
        questions[q["id"]] = Question(**{k: q[k] for k in ("id", "question", "reference_answer", "kind", "topic")})
    answers = [json.loads(line) for line in (devset_dir / "answers.jsonl").read_text(encoding="utf-8").splitlines()]
    stopped = {a["answer_id"]: a["overall"] for a in answers if gate(questions[a["question_id"]], a["answer"])}
    assert len(answers) == 160
    assert max(stopped.values(), default=0) < 0.1
