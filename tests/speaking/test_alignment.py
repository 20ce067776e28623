"""Quotes have the time at which they were said, whatever the person corrects; words nobody said have none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.speaking.takes import SECONDS_A_WORD, heard
from tutor.speaking import quote_starts
from tutor.spoken import Transcript, Word
from tutor.values import CREDIT, CriterionVerdict, Verdict

SAID = "so page detention splits the cash into pages"
WORDS = st.lists(st.sampled_from(["the", "cache", "Page,", "a", "H-100", "...", "isn't"]), max_size=30).map(" ".join)


def ruling(id: str, answer: str, quote: str | None) -> CriterionVerdict:
    verdict = Verdict.MISSED if quote is None else Verdict.MET
    start = None if quote is None else answer.index(quote)
    end = None if quote is None or start is None else start + len(quote)
    return CriterionVerdict(id=id, text="t", verdict=verdict, credit=CREDIT[verdict], quote=quote, start=start, end=end)


def said_at(quote: str, text: str, transcript: str | Transcript = SAID) -> float | None:
    take = heard(transcript) if isinstance(transcript, str) else transcript
    return quote_starts(take, text, [ruling("c1", text, quote)]).get("c1")


@pytest.mark.parametrize("i", range(8))
def test_in_an_untouched_transcript_every_word_has_its_own_time(i: int) -> None:
    assert said_at(SAID.split()[i], SAID) == i * SECONDS_A_WORD


def test_quotes_are_found_in_the_corrected_text() -> None:
    corrected = "so PagedAttention splits the cache into pages"
    verdicts = [
        ruling("c1", corrected, "PagedAttention splits the cache into pages"),
        ruling("c2", corrected, None),
        ruling("c3", corrected, "into pages"),
    ]
    assert quote_starts(heard(SAID), corrected, verdicts) == {"c1": 1.5, "c3": 3.0}


def test_a_quote_at_the_very_start_has_the_time_of_the_first_word() -> None:
    assert said_at("so page detention", SAID) == 0.0
    assert said_at("So: page detention", "So: page detention splits it") == 0.0


def test_a_lightly_corrected_quote_has_the_time_of_its_first_heard_word() -> None:
    corrected = "PagedAttention splits the KV cache into pages"
    assert said_at(corrected, corrected) == 1.5


def test_a_quote_that_follows_a_typed_draft_keeps_its_time_and_the_draft_has_none() -> None:
    spoken = "the decode step reads all of the weights for every token"
    text = "Prefill is bound by compute because the prompt is one big product. " + spoken
    assert said_at("decode step reads all of the weights", text, spoken) == 0.5
    assert said_at("every token", text, spoken) == 4.5
    assert said_at("Prefill is bound by compute", text, spoken) is None
    assert said_at("because the prompt is one big product", text, spoken) is None


def test_a_text_that_was_written_anew_has_no_times() -> None:
    text = "The allocator hands out blocks of fixed size, and the table maps them into the sequence."
    for quote in (text, "The allocator hands out blocks", "table maps them into the sequence", "blocks of fixed size"):
        assert said_at(quote, text) is None


def test_words_typed_between_heard_ones_have_no_time() -> None:
    text = "so page detention, which vLLM brought up, splits the cash into pages"
    assert said_at("which vLLM brought up", text) is None
    assert said_at("page detention", text) == 0.5
    assert said_at("splits the cash", text) == 1.5


@pytest.mark.parametrize("quote", ["the cache", "cache"])
def test_a_quote_of_one_or_two_words_must_have_been_heard_whole(quote: str) -> None:
    assert said_at(quote, "so page detention splits the cache into pages") is None


def test_little_words_alone_are_no_sign_that_a_quote_was_said() -> None:
    assert said_at("it is in the batch", "it is in the batch", "it is in the weights") is None
    assert said_at("so it is in the", "so it is in the batch", "it is in the weights") is None
    assert said_at("big is the batch", "big is the batch", "big is the batch") == 0.0


def test_words_that_lie_far_apart_in_the_recording_were_not_said_as_one_quote() -> None:
    passage = "the cache is split into pages"
    times = [0.0, *(40.0 + i for i in range(5))]
    words = tuple(
        Word(text=w, start_s=s, end_s=s + 1, probability=1) for w, s in zip(passage.split(), times, strict=True)
    )
    take = heard(passage).model_copy(update={"words": words})
    assert said_at(passage, passage, take) == 40.0
    far = tuple(word.model_copy(update={"start_s": i * 20.0, "end_s": i * 20.0 + 1}) for i, word in enumerate(words))
    assert said_at(passage, passage, take.model_copy(update={"words": far})) is None


def test_times_that_run_backwards_a_little_are_still_one_passage() -> None:
    words = tuple(
        Word(text=t, start_s=s, end_s=9, probability=1) for t, s in [("big", 2.0), ("hot", 1.5), ("cache", 3)]
    )
    assert said_at("big hot cache", "big hot cache", heard("big hot cache").model_copy(update={"words": words})) == 2.0


def test_case_and_punctuation_do_not_matter() -> None:
    assert said_at("Splits the cash!", "So: page detention. Splits the cash!") == 1.5


def test_hyphens_do_not_matter() -> None:
    assert said_at("H-100 is fast", "an H-100 is fast", transcript="an H 100 is fast") == 0.5
    assert said_at("H 100 is fast", "an H 100 is fast", transcript="an H-100 is fast") == 0.5


def test_a_quote_of_a_part_of_a_word_has_that_word() -> None:
    assert said_at("tention", SAID) == 1.0
    assert said_at("tention spl", SAID) == 1.0


@pytest.mark.parametrize("text", ["...", "nothing of this"])
def test_where_no_word_was_heard_no_time_is_known(text: str) -> None:
    assert said_at(text, text, "one two") is None


def test_without_word_times_no_quote_has_a_start() -> None:
    assert said_at("splits", SAID, heard(SAID, timed=False)) is None


def test_a_text_that_says_one_word_ten_thousand_times_is_aligned() -> None:
    text = "pages " * 10_000
    assert said_at(text, text, text) == 0.0


@given(said=WORDS, text=WORDS, edges=st.tuples(st.integers(0, 60), st.integers(1, 60)))
def test_a_time_is_that_of_a_word_that_was_heard(said: str, text: str, edges: tuple[int, int]) -> None:
    quote = text[edges[0] : edges[0] + edges[1]]
    start_s = said_at(quote, text, said) if quote else None
    assert start_s is None or start_s in {i * SECONDS_A_WORD for i in range(len(said.split()))}
