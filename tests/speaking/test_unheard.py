"""Speech without words is found, silence and slow words are not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tutor.speaking import unheard
from tutor.spoken import Word


def said(*spans: tuple[float, float]) -> tuple[Word, ...]:
    return tuple(Word(text="word", start_s=start, end_s=end, probability=1.0) for start, end in spans)


def test_a_skipped_clause_is_found_between_its_neighbours() -> None:
    assert unheard(said((0, 28), (49, 60)), ((0.2, 30), (30.5, 60)), 60) == ((28.0, 49.0),)


def test_a_long_pause_is_no_loss() -> None:
    assert unheard(said((0, 28), (49, 60)), ((0.2, 28), (49, 60)), 60) == ()


def test_a_hesitation_is_no_loss() -> None:
    assert unheard(said((0, 10), (15, 20)), ((0, 10), (11, 13.5), (15, 20)), 20) == ()


def test_what_was_said_before_the_first_and_after_the_last_word_is_found() -> None:
    assert unheard(said((10, 12)), ((1, 12), (13, 20)), 21) == ((1.0, 10.0), (13.0, 20.0))


def test_without_times_nothing_is_claimed() -> None:
    assert unheard(None, ((0, 60),), 60) == ()


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100)).map(sorted).map(tuple), max_size=8))
def test_only_speech_is_ever_called_unheard(speech: list[tuple[float, float]]) -> None:
    for start, end in unheard(said((40, 60)), tuple(speech), 100):
        assert any(span[0] <= start < span[1] for span in speech)
        assert any(span[0] < end <= span[1] for span in speech)
        assert not 40 <= start < 60
