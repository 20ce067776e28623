"""Reading replies: each ugly one in tests/golden/replies has one meaning, and most mean nothing."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.adapters.chat_openai_reply import (
    Reply,
    Unusable,
    read_label,
    read_models,
    read_odds,
    read_reply,
    strict_json,
)
from tutor.ports import Choice

GOLDEN = Path(__file__).parents[1] / "golden" / "replies"
YES_NO = ("Yes", "No")
# What each reply means as words and by log probabilities; None is no verdict.
MEANINGS: dict[str, tuple[str | None, str | None]] = {
    "another_language.json": (None, None),
    "blank_token_first.json": (None, "No"),
    "code_fence.json": (None, None),
    "content_is_a_list.json": (None, None),
    "error_with_status_200.json": (None, None),
    "event_stream.txt": (None, None),
    "html_page.txt": (None, None),
    "label_in_json.json": ("Yes", None),
    "label_is_a_boolean.json": (None, None),
    "label_with_a_score.json": (None, None),
    "llamacpp_yes.json": (None, "Yes"),
    "nan_logprob.txt": (None, None),
    "no_choices.json": (None, None),
    "probabilities_called_logprobs.json": (None, None),
    "prose_that_begins_like_no.json": (None, None),
    "prose_with_both.json": (None, None),
    "small_letters_and_a_full_stop.json": ("Yes", None),
    "thinking_ate_the_budget.json": (None, None),
    "thought_never_ends.json": (None, None),
    "thought_then_no.json": ("No", None),
    "truncated.txt": (None, None),
    "two_labels_under_one_key.json": (None, None),
}


def test_every_golden_reply_has_a_meaning() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == MEANINGS.keys()


@pytest.mark.parametrize("name", MEANINGS)
def test_a_golden_reply_means_what_it_should(name: str) -> None:
    body = (GOLDEN / name).read_bytes()

    def meaning(read: object) -> str | None:
        try:
            return read(read_reply(body), YES_NO).label  # type: ignore[operator]
        except Unusable:
            return None

    assert (meaning(read_label), meaning(read_odds)) == MEANINGS[name]


def test_a_real_reply_of_the_embedded_server_is_read_whole() -> None:
    reply = read_reply((GOLDEN / "llamacpp_yes.json").read_bytes())
    assert len(reply.alternatives) == 20
    assert reply.finish_reason == "length"
    assert reply.prompt_tokens is not None
    assert reply.cached_tokens is not None
    assert 0 < reply.cached_tokens < reply.prompt_tokens


def odds(*alternatives: tuple[str, float], labels: tuple[str, ...] = YES_NO) -> Choice:
    return read_odds(Reply("", alternatives=tuple((token, math.log(p)) for token, p in alternatives)), labels)


class TestOdds:
    def test_spellings_are_summed(self) -> None:
        choice = odds(("Yes", 0.3), (" yes", 0.1), ("YES", 0.1), ("No", 0.25))
        assert choice.probability == pytest.approx(2 / 3)
        assert choice.log_odds == pytest.approx(math.log(2))

    def test_words_that_only_begin_like_a_label_do_not_count(self) -> None:
        assert odds(("Yes", 0.4), ("Not", 0.3), ("None", 0.2), ("No", 0.1)).probability == pytest.approx(0.8)

    def test_an_unlisted_label_is_as_likely_as_the_last_entry_at_most(self) -> None:
        choice = odds(("Yes", 0.5), ("So", 0.2), ("Then", 0.1))
        assert choice.log_odds == pytest.approx(math.log(0.5 / 0.1))

    def test_an_unlisted_label_is_not_likelier_than_what_is_left_over(self) -> None:
        assert odds(
            ("No", 0.98),
        ).probability == pytest.approx(0.02)

    def test_odds_are_finite_even_if_the_list_adds_up_to_more_than_one(self) -> None:
        choice = odds(("Yes", 1.0), ("So", 1e-4))
        assert choice.log_odds is not None
        assert math.isfinite(choice.log_odds)
        assert choice.label == "Yes"

    def test_three_labels_share_the_probability(self) -> None:
        choice = odds(("made", 0.2), ("absent", 0.5), ("wrong", 0.3), labels=("made", "absent", "wrong"))
        assert choice.label == "absent"
        assert choice.probability == pytest.approx(0.2)
        assert choice.log_odds == pytest.approx(math.log(0.2 / 0.5))

    def test_labels_that_hardly_occur_are_no_verdict(self) -> None:
        with pytest.raises(Unusable, match="instead of Yes or No"):
            odds(("The", 0.99), ("Yes", 4e-4), ("No", 5e-4))
        assert odds(("The", 0.99), ("Yes", 6e-4), ("No", 5e-4)).label == "Yes"

    def test_no_list_is_no_verdict(self) -> None:
        with pytest.raises(Unusable, match="no log probabilities"):
            odds()

    @given(st.lists(st.tuples(st.sampled_from(["Yes", "no", " No", "yes", "So", "", "▁"]), st.floats(-60, 0))))
    def test_any_list_gives_a_consistent_choice_or_none(self, alternatives: list[tuple[str, float]]) -> None:
        try:
            choice = read_odds(Reply("", alternatives=tuple(alternatives)), YES_NO)
        except Unusable:
            return
        assert choice.probability is not None
        assert choice.log_odds is not None
        assert 0.0 <= choice.probability <= 1.0
        assert math.isfinite(choice.log_odds)
        assert (choice.label == "Yes") == (choice.log_odds >= 0.0)
        assert choice.probability == pytest.approx(1 / (1 + math.exp(-choice.log_odds)))


class TestWords:
    @pytest.mark.parametrize("content", ["Yes", "yes", "YES.", '{"label": "Yes"}', '{\n "label" : "Yes"\n}'])
    def test_exactly_the_label_is_a_verdict(self, content: str) -> None:
        assert read_label(Reply(content, "stop"), YES_NO) == Choice("Yes", None)

    @pytest.mark.parametrize(
        "content", ["", "Yes Yes", "Yes!", "Y", "Yes No", "yes..", '{"label": "yes"}', '["Yes"]', "{}"]
    )
    def test_anything_else_is_none(self, content: str) -> None:
        with pytest.raises(Unusable):
            read_label(Reply(content, "stop"), YES_NO)

    def test_a_cut_reply_is_none_even_if_it_begins_with_a_label(self) -> None:
        with pytest.raises(Unusable, match="finish_reason length"):
            read_label(Reply("Yes", "length"), YES_NO)

    def test_what_it_said_is_shortened_to_one_printable_line(self) -> None:
        with pytest.raises(Unusable, match=r"it said 'a b' instead"):
            read_label(Reply("a\x1b\n\tb"), YES_NO)
        with pytest.raises(Unusable) as caught:
            read_label(Reply("word " * 1000), YES_NO)
        assert len(str(caught.value)) < 120

    @given(st.text(max_size=40))
    def test_any_text_is_a_label_or_unusable(self, content: str) -> None:
        try:
            assert read_label(Reply(content), YES_NO).label in YES_NO
        except Unusable:
            assert content not in YES_NO


class TestBytes:
    @given(st.binary(max_size=200))
    def test_any_bytes_are_a_completion_or_unusable(self, body: bytes) -> None:
        try:
            reply = read_reply(body)
        except Unusable:
            return
        assert isinstance(reply, Reply)

    @pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}', '{"a": 1, "a": 2}', "", "{'a': 1}"])
    def test_json_is_read_strictly(self, text: str) -> None:
        with pytest.raises(Unusable):
            strict_json(text)

    def test_a_number_too_long_to_convert_is_not_valid(self) -> None:
        with pytest.raises(Unusable):
            strict_json("9" * 10_000)

    def test_models_are_listed_in_the_servers_order(self) -> None:
        assert read_models(b'{"object": "list", "data": [{"id": "b", "x": 1}, {"id": "a"}]}') == ("b", "a")

    @pytest.mark.parametrize("body", [b"[]", b'{"data": [{"id": ""}]}', b'{"data": [{"name": "a"}]}', b"<html>"])
    def test_anything_else_is_not_a_list_of_models(self, body: bytes) -> None:
        with pytest.raises(Unusable):
            read_models(body)
