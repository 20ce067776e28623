"""An answer is cut into exact pieces that cover it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tutor.grading.segments import LONG_WORDS, WINDOW_WORDS, segments


def test_typed_sentences_are_segments() -> None:
    answer = "Decode reads 3.35 TB/s of weights. Why? Each step has one token!  Prefill has many."
    assert [s.text for s in segments(answer)] == [
        "Decode reads 3.35 TB/s of weights.",
        "Why?",
        "Each step has one token!",
        "Prefill has many.",
    ]


def test_lines_are_segments_too() -> None:
    assert [s.text for s in segments("- weights stay\n- cache grows\n\nend")] == [
        "- weights stay",
        "- cache grows",
        "end",
    ]


def test_speech_without_punctuation_becomes_overlapping_windows() -> None:
    words = [f"w{i}" for i in range(60)]
    pieces = segments(" ".join(words))
    assert [s.text.split()[0] for s in pieces] == ["w0", "w20", "w40"]
    assert all(len(s.text.split()) <= WINDOW_WORDS for s in pieces)
    assert pieces[-1].text.endswith("w59")


def test_a_sentence_at_the_limit_stays_whole_and_one_above_is_cut() -> None:
    assert len(segments("word " * LONG_WORDS)) == 1
    assert len(segments("word " * (LONG_WORDS + 1))) == 2


def test_nothing_has_no_segments() -> None:
    assert segments(" \n ") == ()


@given(st.text(max_size=400))
def test_every_segment_is_its_exact_place_in_the_answer(answer: str) -> None:
    for piece in segments(answer):
        assert answer[piece.start : piece.end] == piece.text
        assert piece.text == piece.text.strip()


@given(st.text(alphabet="ab .?!\nA", max_size=400))
def test_every_word_is_in_some_segment(answer: str) -> None:
    covered = set()
    for piece in segments(answer):
        covered.update(range(piece.start, piece.end))
    assert all(i in covered for i, c in enumerate(answer) if not c.isspace())
