"""What each button does, as frames; the worker is played by hand."""

from __future__ import annotations

import json
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest

from tests.fakes import FakeClock
from tests.samples import QUESTION
from tests.web.table import OTHER, WORDS, Table, text
from tutor import view
from tutor.states import EngineState
from tutor.web.frame import ALL_BUTTONS, BUTTONS, MAX_REASON, Seat, Stage, read_drafts


def test_the_first_visit_poses_a_question_with_an_id_for_its_answer(table: Table) -> None:
    (frame,) = table.open()
    assert frame.stage is Stage.ASKED
    assert frame.seat.question_id == QUESTION.id
    assert (frame.seat.answer_id, frame.seat.take_id) == ("id0", "id1")
    assert "KV cache" in text(frame)
    assert frame.seat.why
    assert view.safe(frame.seat.why[1:]) in text(frame)
    assert "Aim for about 2 min" in frame.recorder


def test_who_would_rather_write_gets_the_box_at_once_and_next_time(table: Table) -> None:
    (asked,) = table.open()
    (frame,) = table.moves.write(asked.seat, {})
    assert frame.stage is Stage.TYPING
    assert (frame.seat.typing, frame.draft) == (True, "")
    assert not frame.recorder
    (following,) = table.moves.next(frame.seat, {})
    assert following.stage is Stage.TYPING
    (speaking,) = table.moves.spoken.speak(following.seat)
    assert speaking.stage is Stage.ASKED
    assert not speaking.seat.typing


def test_a_question_with_a_draft_opens_in_the_box(table: Table) -> None:
    (frame,) = table.open(Seat(QUESTION.id, "a1"), {QUESTION.id: "half a thou"})
    assert frame.stage is Stage.TYPING
    (other,) = table.moves.next(frame.seat, {QUESTION.id: "half a thou"})
    assert other.stage is Stage.ASKED


def test_a_reload_brings_the_same_question_id_and_draft_back(table: Table) -> None:
    seat = Seat(OTHER.id, "mine", "")
    (frame,) = table.open(seat, {OTHER.id: "half a thou", QUESTION.id: "x"})
    assert frame.seat == seat
    assert frame.draft == "half a thou"


def test_a_question_that_left_the_bank_is_replaced_on_reload(table: Table) -> None:
    (frame,) = table.open(Seat("gone", "mine", ""))
    assert frame.seat is not None
    assert frame.seat.question_id == QUESTION.id


def test_grading_shows_each_verdict_then_the_score(table: Table) -> None:
    table.meanwhile = [table.judged(1), lambda: None, table.judged(2), table.finished]
    frames = list(table.moves.grade(Seat(QUESTION.id, "a1", ""), {QUESTION.id: WORDS, OTHER.id: "kept"}, WORDS))
    assert [f and f.stage for f in frames] == [
        Stage.GRADING,
        None,
        Stage.GRADING,
        None,
        Stage.GRADING,
        Stage.GRADED,
    ]
    assert frames[0].seat == Seat(QUESTION.id, "a1", "job-1")
    assert frames[0].drafts == {OTHER.id: "kept"}
    assert "Judging point 2 of 3" in text(frames[2])
    assert "Judging point 3 of 3" in text(frames[4])
    assert "62" in text(frames[5])
    assert frames[5].said == "62 of 100. 1 made, 1 partly, 1 missed."
    assert not table.meanwhile


def test_the_state_is_announced_once_while_verdicts_arrive(table: Table) -> None:
    table.meanwhile = [table.judged(1), table.judged(2), table.finished]
    frames = [f for f in table.moves.grade(Seat(QUESTION.id, "a1", ""), {}, WORDS) if f]
    assert [f.said for f in frames[:-1]] == ["Grading."] * (len(frames) - 1)


def test_a_refused_answer_stays_in_the_box_with_a_sentence(table: Table) -> None:
    (frame,) = table.moves.grade(Seat(QUESTION.id, "a1", ""), {QUESTION.id: "no"}, "no")
    assert frame.stage is Stage.REFUSED
    assert "too short" in frame.note
    assert frame.draft is None
    assert frame.drafts is None
    assert table.tracker.unfinished() == ()


def test_who_insists_after_a_refusal_is_graded_as_the_same_answer(table: Table) -> None:
    (refused,) = table.moves.grade(Seat(QUESTION.id, "a1", ""), {}, "no")
    assert list(BUTTONS[refused.stage]) == ["grade", "insist", "speak", "next"]
    table.meanwhile = [table.finished]
    last = list(table.moves.insist(refused.seat, {QUESTION.id: "no", OTHER.id: "kept"}, "no"))[-1]
    assert last.stage is Stage.GRADED
    (made,) = table.tracker.attempts()
    assert (made.answer.id, made.answer.text) == ("a1", "no")


@pytest.mark.parametrize("text", [" ", "word " * 4001], ids=["blank", "too long"])
def test_an_answer_that_nobody_can_insist_on_offers_no_button_for_it(table: Table, text: str) -> None:
    for move in (table.moves.grade, table.moves.insist):
        (frame,) = move(Seat(QUESTION.id, "a1", ""), {}, text)
        assert frame.stage is Stage.TYPING
        assert "insist" not in BUTTONS[frame.stage]
    assert table.tracker.unfinished() == ()


def test_two_clicks_make_one_attempt(table: Table) -> None:
    seat = Seat(QUESTION.id, "a1", "")
    table.graded(seat)
    (again,) = table.moves.grade(seat, {}, WORDS)
    assert again.stage is Stage.GRADED
    assert len(table.tracker.attempts()) == 1


def test_other_words_from_a_second_window_are_asked_for_once_more(table: Table) -> None:
    seat = Seat(QUESTION.id, "a1", "")
    table.graded(seat)
    (frame,) = table.moves.grade(seat, {}, WORDS + " And it grows with the context.")
    assert frame.stage is Stage.TYPING
    assert "Another window" in frame.note
    assert frame.seat.answer_id not in ("a1", "")
    assert table.graded(frame.seat, WORDS + " And it grows.")[-1].stage is Stage.GRADED
    assert len(table.tracker.attempts()) == 2


def test_a_reload_while_grading_takes_up_the_watch(table: Table) -> None:
    table.moves.grade(Seat(QUESTION.id, "a1", ""), {}, WORDS).__next__()
    table.meanwhile = [table.finished]
    frames = table.open(Seat(QUESTION.id, "a1", "job-1"))
    assert [f and f.stage for f in frames] == [Stage.GRADING, None, Stage.GRADED]


def test_a_reload_before_the_browser_learnt_of_its_job_finds_it_by_the_answer(table: Table) -> None:
    seat = Seat(QUESTION.id, "a1", "")
    table.moves.grade(seat, {}, WORDS).__next__()
    table.meanwhile = [table.finished]
    assert table.open(seat, {QUESTION.id: WORDS})[-1].stage is Stage.GRADED
    (done,) = table.open(seat, {QUESTION.id: WORDS})
    assert done.stage is Stage.GRADED


def test_a_reload_after_the_grade_shows_it_again(table: Table) -> None:
    seat = table.graded(Seat(QUESTION.id, "a1", ""))[-1].seat
    (frame,) = table.open(seat)
    assert frame.stage is Stage.GRADED


def test_a_browser_that_forgot_everything_finds_the_unfinished_grading(table: Table) -> None:
    table.moves.grade(Seat(QUESTION.id, "a1", ""), {}, WORDS).__next__()
    table.failed()
    (frame,) = table.open()
    assert frame.stage is Stage.FAILED
    assert frame.seat == Seat(QUESTION.id, "a1", "job-1")


def test_a_failure_says_why_and_keeps_the_words(table: Table) -> None:
    table.meanwhile = [table.failed]
    last = list(table.moves.grade(Seat(QUESTION.id, "a1", ""), {}, WORDS))[-1]
    assert last.stage is Stage.FAILED
    assert "model server does not answer" in text(last)
    assert "keys and values" in text(last)
    assert next(iter(BUTTONS[last.stage])) == "retry"
    assert table.tracker.attempts() == ()


def test_a_retry_grades_the_same_words(table: Table) -> None:
    table.meanwhile = [table.failed]
    seat = list(table.moves.grade(Seat(QUESTION.id, "a1", ""), {}, WORDS))[-1].seat
    table.meanwhile = [table.finished]
    last = list(table.moves.retry(seat))[-1]
    assert last.stage is Stage.GRADED
    assert table.tracker.attempts()[0].answer.text == WORDS


def test_a_cancelled_grading_can_be_taken_up_or_edited(table: Table) -> None:
    seat = next(table.moves.grade(Seat(QUESTION.id, "a1", ""), {}, WORDS)).seat
    (frame,) = table.moves.cancel(seat)
    assert frame.stage is Stage.CANCELLED
    assert table.tracker.attempts() == ()
    (edited,) = table.moves.again(seat, {})
    assert edited.draft == WORDS
    assert edited.drafts == {QUESTION.id: WORDS}
    assert edited.seat.answer_id != "a1"
    table.meanwhile = [table.finished]
    assert list(table.moves.retry(seat))[-1].stage is Stage.GRADED


def test_a_cancel_seen_by_the_watch_ends_it(table: Table) -> None:
    table.meanwhile = [lambda: table.tracker.cancel("job-1")]
    assert list(table.moves.grade(Seat(QUESTION.id, "a1", ""), {}, WORDS))[-1].stage is Stage.CANCELLED


def test_a_cancel_that_came_too_late_shows_the_grade(table: Table) -> None:
    seat = table.graded(Seat(QUESTION.id, "a1", ""))[-1].seat
    (frame,) = table.moves.cancel(seat)
    assert frame.stage is Stage.GRADED


def test_trying_again_after_a_grade_brings_written_words_back_to_be_improved(table: Table) -> None:
    seat = table.graded(Seat(QUESTION.id, "a1", ""))[-1].seat
    (frame,) = table.moves.again(seat, {})
    assert frame.stage is Stage.TYPING
    assert frame.draft == WORDS
    assert frame.seat.question_id == QUESTION.id
    assert frame.seat.answer_id != "a1"


def test_next_poses_another_question_and_brings_its_draft(table: Table) -> None:
    (frame,) = table.moves.next(Seat(QUESTION.id, "a1", "job"), {OTHER.id: "begun", QUESTION.id: "x"})
    assert frame.seat.question_id == OTHER.id
    assert frame.draft == "begun"
    assert frame.drafts == {OTHER.id: "begun", QUESTION.id: "x"}


def test_another_question_goes_through_all_of_them_and_then_starts_over(clock: FakeClock, tmp_path: Path) -> None:
    third = OTHER.model_copy(update={"id": "third"})
    table = Table(clock, tmp_path, third)
    (frame,) = table.open()
    posed = [frame.seat.question_id]
    for _ in range(6):
        (frame,) = table.moves.next(frame.seat, {})
        posed.append(frame.seat.question_id)
    assert set(posed[:3]) == {QUESTION.id, OTHER.id, "third"}
    assert all(before != after for before, after in pairwise(posed))
    assert set(posed[3:6]) == set(posed[:3])


def test_an_answer_ends_what_was_skipped(table: Table) -> None:
    seat = Seat(QUESTION.id, "a1", skipped=(OTHER.id,))
    assert table.graded(seat)[-1].seat.skipped == ()


def test_a_link_opens_an_attempt_without_leaving_ones_place(table: Table) -> None:
    table.graded(Seat(QUESTION.id, "a1", ""))
    (frame,) = table.open(Seat(OTHER.id, "a2", ""), attempt="t-a1")
    assert frame.stage is Stage.READING
    assert frame.seat is None
    assert frame.drafts is None
    assert "Back to practice" in frame.banner
    assert f'href="?question={QUESTION.id.replace("-", "&#45;")}"' in frame.banner


def test_a_link_opens_an_unfinished_grading(table: Table) -> None:
    table.moves.grade(Seat(QUESTION.id, "a1", ""), {}, WORDS).__next__()
    table.failed()
    (frame,) = table.open(Seat(OTHER.id, "a2", ""), job="job-1")
    assert frame.stage is Stage.FAILED
    assert frame.seat == Seat(QUESTION.id, "a1", "job-1")


def test_a_link_poses_a_question_unless_it_is_the_one_at_hand(table: Table) -> None:
    (frame,) = table.open(Seat(QUESTION.id, "a1", ""), question=OTHER.id)
    assert frame.seat.question_id == OTHER.id
    (same,) = table.open(Seat(OTHER.id, "a2", ""), question=OTHER.id)
    assert same.seat == Seat(OTHER.id, "a2", "")


@pytest.mark.parametrize("job_id", ["job-1", ""])
def test_a_link_poses_the_graded_question_at_hand_anew(table: Table, job_id: str) -> None:
    table.graded(Seat(QUESTION.id, "a1", ""))
    (frame,) = table.open(Seat(QUESTION.id, "a1", job_id), question=QUESTION.id)
    assert frame.stage is Stage.ASKED
    assert frame.seat.question_id == QUESTION.id
    assert frame.seat.answer_id not in ("a1", "")
    assert not frame.draft
    assert table.graded(frame.seat)[-1].stage is Stage.GRADED
    assert len(table.tracker.attempts()) == 2


def test_a_link_to_the_question_of_a_cancelled_grading_brings_its_words_back(table: Table) -> None:
    seat = next(table.moves.grade(Seat(QUESTION.id, "a1", ""), {}, WORDS)).seat
    list(table.moves.cancel(seat))
    (frame,) = table.open(seat, question=QUESTION.id)
    assert frame.stage is Stage.TYPING
    assert frame.draft == WORDS


def test_a_link_to_the_question_of_an_unfinished_grading_stays_with_it(table: Table) -> None:
    seat = next(table.moves.grade(Seat(QUESTION.id, "a1", ""), {}, WORDS)).seat
    table.failed()
    (frame,) = table.open(seat, question=QUESTION.id)
    assert frame.stage is Stage.FAILED


def test_a_link_to_a_topic_poses_a_question_of_it(table: Table) -> None:
    (frame,) = table.open(Seat(QUESTION.id, "a1"), topic=OTHER.topic)
    assert frame.seat.question_id == OTHER.id
    assert frame.seat.why
    (same,) = table.open(Seat(OTHER.id, "a2", take_id="t2"), topic=OTHER.topic)
    assert same.seat == Seat(OTHER.id, "a2", take_id="t2")


@pytest.mark.parametrize(
    "query", [{"topic": "no"}, {"attempt": "no"}, {"job": "no"}, {"question": "no"}, {"attempt": ""}]
)
def test_a_link_to_nothing_leads_back_to_ones_place(table: Table, query: dict[str, str]) -> None:
    (frame,) = table.open(Seat(OTHER.id, "a2", ""), **query)
    assert frame.seat == Seat(OTHER.id, "a2", "")


def test_while_engines_load_the_answer_waits(table: Table) -> None:
    table.states = (EngineState("language model", "loading"),)
    first = next(table.moves.grade(Seat(QUESTION.id, "a1", ""), {}, WORDS))
    assert "as soon as the language model is ready" in text(first)


def test_the_list_of_attempts_follows_each_change(table: Table) -> None:
    (asked,) = table.open()
    assert "Nothing here yet" in asked.past
    frames = table.graded(Seat(QUESTION.id, "a1", ""))
    assert "grading" in frames[0].past
    assert "?attempt=t-a1" in unescape(frames[-1].past)
    assert 'href="/dashboard"' in frames[-1].past


def test_only_the_latest_attempts_are_listed(table: Table) -> None:
    for n in range(5):
        table.graded(Seat(QUESTION.id, f"a{n}", ""))
    (frame,) = table.open()
    assert unescape(frame.past).count("?attempt=") == 3


@pytest.mark.parametrize(
    "stored",
    [None, "x", 3, [], ["question_id"], {"question_id": {}}, {"job_id": "../../etc"}, {"answer_id": "a" * 121}],
)
def test_what_a_browser_stored_is_only_a_claim(stored: object) -> None:
    assert Seat.read(stored) == Seat()


def test_a_seat_and_drafts_come_back_as_they_were_stored() -> None:
    seat = Seat("q-1", "a.b", "j@2", "t1", "t0", typing=True, why="It is due.", skipped=("q", "q-1"), left={"q": "t9"})
    assert Seat.read(vars(seat)) == seat
    assert Seat.read(json.loads(json.dumps(vars(seat)))) == seat
    assert Seat.read({"skipped": "q1", "left": ["q1"]}) == Seat()
    assert Seat.read({"skipped": [3, "<b>", {}, "q"], "left": {"q": 3, "<b>": "t", "r": "../t"}}).skipped == ("q",)
    assert Seat.read({"left": {"q": 3, "<b>": "t", "r": "../t", "s": "t1"}}).left == {"s": "t1"}
    many = Seat.read({"skipped": [f"q{n}" for n in range(20)], "left": {f"q{n}": "t" for n in range(20)}})
    assert many.skipped == tuple(many.left) == tuple(f"q{n}" for n in range(12, 20))
    assert len(Seat.read({"why": "x" * 9999}).why) == MAX_REASON
    assert Seat.read({"typing": 1, "why": ["x"]}) == Seat()
    assert read_drafts({"q": "words", "<b>": "x", "n": 3}) == {"q": "words"}
    assert read_drafts({"q": "half a \ud83d"}) == {"q": "half a \ufffd"}
    assert read_drafts("words") == {}
    assert list(read_drafts({f"q{n}": "words" for n in range(20)})) == [f"q{n}" for n in range(12, 20)]


def test_every_stage_that_offers_something_has_words_on_its_buttons() -> None:
    assert set(BUTTONS) == set(Stage)
    assert all(words for stage in BUTTONS.values() for words in stage.values())
    assert {name for stage in BUTTONS.values() for name in stage} == set(ALL_BUTTONS)
    assert all(list(stage) == sorted(stage, key=ALL_BUTTONS.index) for stage in BUTTONS.values())
