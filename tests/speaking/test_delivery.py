"""Pace and pauses are facts of the recording, whatever shape its spans have."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.speaking.takes import heard
from tutor.speaking import delivery
from tutor.spoken import Word

TIMES = st.floats(min_value=0, max_value=600, allow_nan=False)
SPANS = st.lists(st.tuples(TIMES, TIMES), max_size=20)


def test_the_two_paces_are_of_the_take_and_of_speech() -> None:
    facts = delivery(heard("one two three four", speech=[(1, 2), (3, 4)], duration_s=8), 120)
    assert facts.words_per_minute == 30
    assert facts.words_per_minute_of_speech == 120
    assert (facts.speech_s, facts.duration_s, facts.target_s) == (2, 8, 120)


def test_a_question_without_target_has_none() -> None:
    assert delivery(heard("one"), None).target_s is None


@pytest.mark.parametrize(
    ("gap_s", "n_pauses", "n_long_pauses", "longest_s"),
    [(0.2, 0, 0, 0), (0.25, 1, 0, 0.25), (1.9, 1, 0, 1.9), (2.0, 1, 1, 2.0), (7.5, 1, 1, 7.5)],
)
def test_a_silence_counts_from_a_quarter_second_and_is_long_from_two(
    gap_s: float, n_pauses: int, n_long_pauses: int, longest_s: float
) -> None:
    facts = delivery(heard("one two", speech=[(0, 1.1), (1.1 + gap_s, 12)]), None)
    assert (facts.n_pauses, facts.n_long_pauses, facts.longest_pause_s) == (n_pauses, n_long_pauses, longest_s)


def test_silence_around_the_speech_is_no_pause() -> None:
    facts = delivery(heard("one two", speech=[(5, 6)], duration_s=30), None)
    assert (facts.n_pauses, facts.longest_pause_s, facts.first_word_s) == (0, 0, 5)


def test_spans_out_of_order_or_over_each_other_are_the_same_speech() -> None:
    tidy = delivery(heard("one", speech=[(1, 4), (6, 9)]), None)
    assert delivery(heard("one", speech=[(6, 8), (2, 4), (1, 3), (7, 9), (8, 9), (5, 5), (5.5, 4.5)]), None) == tidy


def test_a_span_inside_another_does_not_shorten_it() -> None:
    assert delivery(heard("one", speech=[(0, 10), (2, 3), (12, 13)]), None).longest_pause_s == 2


def test_a_take_without_speech_has_no_pace_of_speech() -> None:
    facts = delivery(heard("", duration_s=10), None)
    assert (facts.n_words, facts.words_per_minute) == (0, 0)
    assert facts.words_per_minute_of_speech is None
    assert facts.first_word_s is None


def test_a_take_without_length_has_no_pace() -> None:
    assert delivery(heard("one", duration_s=0), None).words_per_minute is None


@pytest.mark.parametrize("timed", [True, False])
def test_words_are_counted_alike_with_and_without_times(timed: bool) -> None:
    assert delivery(heard("so - don't use an H-100 ...", timed=timed), None).n_words == 5


def test_the_recognisers_words_count_where_it_gives_them() -> None:
    take = heard("one two three")
    words = (Word(text=" one", start_s=0, end_s=1, probability=1),)
    assert delivery(take.model_copy(update={"words": words}), None).n_words == 1


@given(speech=SPANS, duration_s=TIMES, text=st.text(max_size=80), timed=st.booleans())
def test_no_take_breaks_it(speech: list[tuple[float, float]], duration_s: float, text: str, timed: bool) -> None:
    facts = delivery(heard(text, speech=speech, duration_s=duration_s, timed=timed), 60)
    paces = [facts.words_per_minute, facts.words_per_minute_of_speech]
    assert all(math.isfinite(pace) for pace in paces if pace is not None)
    assert 0 <= facts.n_long_pauses <= facts.n_pauses
    assert (facts.longest_pause_s > 0) == (facts.n_pauses > 0)


@given(speech=SPANS)
def test_speech_and_pauses_fit_into_the_take(speech: list[tuple[float, float]]) -> None:
    duration_s = max((end for span in speech for end in span), default=1.0)
    facts = delivery(heard("some words", speech=speech, duration_s=duration_s), None)
    first_s = facts.first_word_s or 0
    assert first_s + facts.speech_s + facts.longest_pause_s <= duration_s + 1e-5
    assert first_s + facts.speech_s + 0.25 * facts.n_pauses <= duration_s + 1e-5
    assert facts.speech_s + 2 * facts.n_long_pauses <= duration_s + 1e-5
