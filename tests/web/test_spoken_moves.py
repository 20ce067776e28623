"""A recording on the page: kept at once, one take for one Stop, checked before it is graded, never lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.samples import QUESTION
from tests.web.table import OTHER, SPOKEN, WORDS, Table, text
from tutor.errors import AudioRefused, EngineDown, TrackerError
from tutor.spoken import TakeState
from tutor.web.frame import BUTTONS, Seat, Stage
from tutor.web.uploads import WAITING

SEAT = Seat(QUESTION.id, "a1", take_id="t1", why="It is due.")
FULL = TrackerError("The recording cannot be kept: the disk is full. Make room, then try again.")
SILENCE = AudioRefused("silence", "No speech was heard. Record again.")


def test_a_recording_is_kept_transcribed_and_shown_for_checking(table: Table) -> None:
    hearing, check = table.spoken(SEAT)
    assert (hearing.stage, check.stage) == (Stage.HEARING, Stage.CHECK)
    assert 'src="/take/t1"' in hearing.take
    assert 'src="/take/t1"' in check.take
    assert check.draft == SPOKEN
    assert check.drafts == {QUESTION.id: SPOKEN}
    assert "page detention" in check.take
    assert "PagedAttention" in check.take
    assert list(BUTTONS[check.stage]) == ["grade", "redo", "next"]
    assert "It is due" in text(check)
    assert table.tracker.unfinished() == ()


def test_the_take_is_kept_before_the_page_shows_anything(table: Table) -> None:
    next(table.moves.spoken.keep(SEAT, {}, table.recording()))
    assert table.booth.take("t1").state is TakeState.STOPPED
    assert table.ear.heard == []


def test_nothing_of_a_kept_recording_stays_where_gradio_put_it(table: Table) -> None:
    table.spoken(SEAT)
    assert [path for path in table.folder.rglob("*") if path.name != WAITING] == []


def test_the_browser_may_load_the_file_until_it_is_transcribed(table: Table) -> None:
    source = table.recording()
    moves = table.moves.spoken.keep(SEAT, {}, source)
    next(moves)
    assert Path(source).read_bytes() == b"sound"
    assert [path.name for path in Path(source).parent.iterdir()] == ["audio.wav"]


def test_two_events_of_one_stop_are_one_take(table: Table) -> None:
    source = table.recording()
    first = table.moves.spoken.keep(SEAT, {}, source)
    next(first)
    second = table.kept(SEAT, {}, source)
    assert list(first)[-2].seat.take_id == second[-1].seat.take_id == "t1"
    assert list(table.recordings.files) == ["t1.wav"]
    assert len(table.ear.heard) == 1


def test_another_recording_from_a_second_window_is_another_take(table: Table) -> None:
    table.spoken(SEAT)
    frames = table.kept(SEAT, {}, table.recording(at="other"))
    assert frames[-1].seat.take_id != "t1"
    assert len(table.recordings.files) == 2


def test_a_seat_from_before_there_were_takes_gets_an_id(table: Table) -> None:
    assert table.spoken(Seat(QUESTION.id, "a1"))[-1].seat.take_id == "id0"


def test_a_checked_transcript_is_graded_as_spoken(table: Table) -> None:
    seat = table.spoken(SEAT)[-1].seat
    frames = table.graded(seat, SPOKEN.replace("page detention", "PagedAttention"))
    assert frames[-1].stage is Stage.GRADED
    (attempt,) = table.tracker.attempts()
    assert (attempt.answer.spoken, attempt.answer.take_id) == (True, "t1")
    assert 'src="/take/t1"' in text(frames[0])
    assert 'src="/take/t1"' in text(frames[-1])
    assert "Delivery" in text(frames[-1])
    (read,) = table.open(attempt=attempt.id)
    assert 'src="/take/t1"' in text(read)


def test_typed_words_are_no_spoken_answer(table: Table) -> None:
    frames = table.graded(SEAT, WORDS)
    assert table.tracker.attempts()[0].answer.take_id is None
    assert "Delivery" not in text(frames[-1])
    assert "audio" not in text(frames[-1])


def test_a_refused_transcript_keeps_its_recording_at_hand(table: Table) -> None:
    seat = table.spoken(SEAT)[-1].seat
    (frame,) = table.moves.grade(seat, {}, "no")
    assert frame.stage is Stage.REFUSED_TAKE
    assert list(BUTTONS[frame.stage]) == ["grade", "insist", "redo", "next"]
    assert 'src="/take/t1"' in frame.take
    assert "page detention" not in frame.take
    (blank,) = table.moves.grade(seat, {}, " ")
    assert blank.stage is Stage.CHECK


def test_a_reload_before_the_transcript_is_there_takes_it_up(table: Table) -> None:
    next(table.moves.spoken.keep(SEAT, {}, table.recording()))
    hearing, check = table.open(SEAT)
    assert (hearing.stage, check.stage) == (Stage.HEARING, Stage.CHECK)
    assert check.draft == SPOKEN


def test_a_reload_while_checking_keeps_what_was_edited(table: Table) -> None:
    seat = table.spoken(SEAT)[-1].seat
    (frame,) = table.open(seat, {QUESTION.id: "edited words"})
    assert frame.stage is Stage.CHECK
    assert frame.draft == "edited words"
    assert "page detention" not in frame.take
    assert frame.past is not None
    assert len(table.ear.heard) == 1


def test_a_question_left_while_checking_comes_back_with_its_recording_and_the_edited_words(table: Table) -> None:
    seat = table.spoken(SEAT)[-1].seat
    drafts = {QUESTION.id: "edited words"}
    (elsewhere,) = table.moves.next(seat, drafts)
    assert (elsewhere.stage, elsewhere.seat.left) == (Stage.ASKED, {QUESTION.id: "t1"})
    assert elsewhere.seat.take_id != "t1"
    for (back,) in (table.moves.next(elsewhere.seat, drafts), table.open(elsewhere.seat, drafts, question=QUESTION.id)):
        assert (back.stage, back.seat.take_id, back.draft) == (Stage.CHECK, "t1", "edited words")
        assert 'src="/take/t1"' in back.take
        assert back.past is not None
    assert table.graded(back.seat, SPOKEN)[-1].stage is Stage.GRADED
    assert table.tracker.attempts()[0].answer.take_id == "t1"


def test_a_recording_that_was_sent_or_discarded_meanwhile_does_not_come_back(table: Table) -> None:
    seat = table.spoken(SEAT)[-1].seat
    (elsewhere,) = table.moves.next(seat, {})
    table.graded(seat, SPOKEN)
    (back,) = table.moves.next(elsewhere.seat, {})
    assert (back.stage, back.seat.take_id == "t1") == (Stage.ASKED, False)
    table.booth.discard("t1")
    assert next(table.moves.next(elsewhere.seat, {})).stage is Stage.ASKED


def test_leaving_a_silent_second_try_keeps_the_first(table: Table) -> None:
    (redo,) = table.moves.spoken.redo(table.spoken(SEAT)[-1].seat)
    table.ear.says = SILENCE
    unheard = table.kept(redo.seat, {}, table.recording(at="other"))[-1]
    (elsewhere,) = table.moves.next(unheard.seat, {})
    (back,) = table.moves.next(elsewhere.seat, {})
    assert (back.stage, back.draft) == (Stage.CHECK, SPOKEN)


def test_an_answer_to_another_question_does_not_forget_a_recording_that_was_left(table: Table) -> None:
    (elsewhere,) = table.moves.next(table.spoken(SEAT)[-1].seat, {})
    graded = table.graded(elsewhere.seat)[-1]
    (back,) = table.moves.next(graded.seat, {})
    assert (back.stage, back.seat.take_id) == (Stage.CHECK, "t1")


def test_a_refused_recording_stays_and_stores_no_answer(table: Table) -> None:
    table.ear.says = SILENCE
    frame = table.spoken(SEAT)[-1]
    assert frame.stage is Stage.UNHEARD
    assert "No speech was heard" in frame.take
    assert 'src="/take/t1"' in frame.take
    assert list(BUTTONS[frame.stage]) == ["redo", "type", "next"]
    assert table.booth.recording_path("t1") is not None
    assert table.tracker.unfinished() == ()
    (typing,) = table.moves.write(frame.seat, {})
    assert typing.seat.take_id != "t1"
    assert table.graded(typing.seat, WORDS)[-1].stage is Stage.GRADED
    assert table.tracker.attempts()[0].answer.take_id is None


def test_a_failed_recogniser_is_asked_again_for_the_same_recording(table: Table) -> None:
    table.ear.says = EngineDown("The speech model does not answer.")
    frame = table.spoken(SEAT)[-1]
    assert frame.stage is Stage.UNTRANSCRIBED
    assert "The recording is kept." in frame.said
    assert list(BUTTONS[frame.stage]) == ["hear", "redo", "type"]
    table.ear.says = SPOKEN
    assert list(table.moves.spoken.hear(frame.seat, {}))[-1].draft == SPOKEN


@pytest.fixture
def unkept(table: Table) -> Seat:
    """The place of a person whose recording could not be kept."""
    table.recordings.fault = FULL
    (frame,) = table.spoken(SEAT)
    assert frame.stage is Stage.UNTRANSCRIBED
    assert "disk is full" in frame.take
    assert "audio" not in frame.take
    return frame.seat


def waiting(table: Table) -> list[str]:
    return [path.name for path in table.folder.rglob("*") if path.is_file()]


def test_a_recording_that_cannot_be_kept_waits_and_is_kept_by_another_press(table: Table, unkept: Seat) -> None:
    assert waiting(table) == ["t1"]
    assert list(table.moves.spoken.hear(unkept, {}))[-1].stage is Stage.UNTRANSCRIBED
    table.recordings.fault = None
    assert list(table.moves.spoken.hear(unkept, {}))[-1].draft == SPOKEN
    assert waiting(table) == []


def test_a_reload_offers_to_keep_a_waiting_recording_again(table: Table, unkept: Seat) -> None:
    (frame,) = table.open(unkept)
    assert frame.stage is Stage.UNTRANSCRIBED
    assert next(iter(BUTTONS[frame.stage])) == "hear"
    table.recordings.fault = None
    assert table.open(unkept)[-1].draft == SPOKEN


def test_a_new_start_keeps_what_was_waiting_as_soon_as_it_can(table: Table, unkept: Seat) -> None:
    table.moves.spoken.bring_in()
    assert waiting(table) == ["t1"]
    table.recordings.fault = None
    table.moves.spoken.bring_in()
    assert waiting(table) == []
    assert table.booth.take("t1").state is TakeState.STOPPED
    assert table.open(unkept)[-1].draft == SPOKEN


def test_a_new_start_leaves_alone_what_it_does_not_know(table: Table, unkept: Seat) -> None:
    (table.folder / WAITING / ".DS_Store").touch()
    (table.folder / WAITING / "stranger").touch()
    table.recordings.fault = None
    table.moves.spoken.bring_in()
    assert sorted(waiting(table)) == [".DS_Store", "stranger"]


def test_another_recording_does_not_take_the_place_of_a_waiting_one(table: Table, unkept: Seat) -> None:
    frames = table.kept(unkept, {}, table.recording(at="other"))
    assert frames[-1].seat.take_id != "t1"
    assert len(waiting(table)) == 2


def test_recording_again_replaces_a_waiting_recording_once_there_are_new_words(table: Table, unkept: Seat) -> None:
    (redo,) = table.moves.spoken.redo(unkept)
    assert (redo.stage, redo.seat.earlier_id) == (Stage.ASKED_AGAIN, "t1")
    (back,) = table.moves.spoken.back(redo.seat, {})
    assert (back.stage, back.seat.take_id) == (Stage.UNTRANSCRIBED, "t1")
    table.recordings.fault = None
    assert table.kept(redo.seat, {}, table.recording(at="other"))[-1].stage is Stage.CHECK
    assert waiting(table) == []


def test_no_two_events_lose_a_recording_whose_take_has_no_id_yet(table: Table) -> None:
    source, seat = table.recording(), Seat(QUESTION.id, "a1")
    first = table.moves.spoken.keep(seat, {}, source)
    next(first)
    second = table.kept(seat, {}, source)
    assert list(first)[-2].seat.take_id == second[-1].seat.take_id == "id0"
    assert table.kept(seat, {}, source)[-1].stage is Stage.CHECK


def test_a_path_that_is_no_upload_is_no_recording_and_is_left_alone(table: Table) -> None:
    own = table.folder.with_name(f"{table.folder.name}-own") / "diary.wav"
    own.parent.mkdir()
    own.write_bytes(b"mine")
    (frame,) = table.kept(SEAT, {}, str(own))
    assert frame.stage is Stage.ASKED
    assert "not there any more" in frame.note
    assert own.read_bytes() == b"mine"
    assert table.recordings.files == {}


def test_a_file_that_went_missing_is_told_beside_the_recorder(table: Table) -> None:
    (frame,) = table.kept(SEAT, {}, str(table.folder / "gone" / "audio.wav"))
    assert frame.stage is Stage.ASKED
    assert "not there any more" in frame.note
    assert frame.recorder


def test_recording_again_can_be_taken_back_until_there_are_new_words(table: Table) -> None:
    seat = table.spoken(SEAT)[-1].seat
    (redo,) = table.moves.spoken.redo(seat)
    assert redo.stage is Stage.ASKED_AGAIN
    assert redo.seat.earlier_id == "t1"
    (reloaded,) = table.open(redo.seat, {QUESTION.id: "edited"})
    assert reloaded.stage is Stage.ASKED_AGAIN
    (back,) = table.moves.spoken.back(redo.seat, {QUESTION.id: "edited"})
    assert (back.stage, back.draft, back.seat.take_id) == (Stage.CHECK, "edited", "t1")


def test_new_words_replace_the_recording_before(table: Table) -> None:
    (redo,) = table.moves.spoken.redo(table.spoken(SEAT)[-1].seat)
    table.ear.says = "Other words."
    frame = table.kept(redo.seat, {QUESTION.id: SPOKEN}, table.recording(at="other"))[-1]
    assert frame.draft == "Other words."
    assert frame.seat.earlier_id == ""
    assert table.booth.take("t1").state is TakeState.DISCARDED
    assert len(table.recordings.files) == 1


def test_a_recording_that_another_window_sent_meanwhile_is_not_replaced(table: Table) -> None:
    seat = table.spoken(SEAT)[-1].seat
    (redo,) = table.moves.spoken.redo(seat)
    table.graded(seat, SPOKEN)
    assert table.kept(redo.seat, {}, table.recording(at="other"))[-1].stage is Stage.CHECK
    assert table.booth.recording_path("t1") is not None
    assert table.booth.heard("t1") is not None


def test_editing_a_failed_answer_and_recording_again_leaves_it_its_recording(table: Table) -> None:
    seat = table.spoken(SEAT)[-1].seat
    table.meanwhile = [table.failed]
    failed = list(table.moves.grade(seat, {}, SPOKEN))[-1]
    (edited,) = table.moves.again(failed.seat, {})
    (redo,) = table.moves.spoken.redo(edited.seat)
    table.kept(redo.seat, {}, table.recording(at="other"))
    table.meanwhile = [table.finished]
    assert 'src="/take/t1"' in text(list(table.moves.retry(failed.seat))[-1])


def test_a_silent_second_try_does_not_cost_the_first(table: Table) -> None:
    (redo,) = table.moves.spoken.redo(table.spoken(SEAT)[-1].seat)
    table.ear.says = SILENCE
    unheard = table.kept(redo.seat, {}, table.recording(at="other"))[-1]
    assert unheard.stage is Stage.UNHEARD
    (again,) = table.moves.spoken.redo(unheard.seat)
    assert again.seat.earlier_id == "t1"
    (back,) = table.moves.spoken.back(again.seat, {})
    assert back.draft == SPOKEN


def test_words_typed_before_speaking_stay_above_the_transcript(table: Table) -> None:
    frame = table.spoken(SEAT, {QUESTION.id: "First this."})[-1]
    assert frame.draft == f"First this.\n\n{SPOKEN}"


def test_a_cancelled_spoken_answer_comes_back_with_its_recording(table: Table) -> None:
    seat = table.spoken(SEAT)[-1].seat
    grading = next(table.moves.grade(seat, {}, SPOKEN))
    list(table.moves.cancel(grading.seat))
    (frame,) = table.moves.again(grading.seat, {})
    assert frame.stage is Stage.CHECK
    assert (frame.draft, frame.seat.take_id) == (SPOKEN, "t1")
    assert frame.seat.answer_id != "a1"


def test_trying_again_after_a_spoken_answer_starts_with_the_microphone(table: Table) -> None:
    graded = table.graded(table.spoken(SEAT)[-1].seat, SPOKEN)[-1]
    (frame,) = table.moves.again(graded.seat, {})
    assert frame.stage is Stage.ASKED
    assert frame.seat.take_id not in ("t1", "")


@pytest.mark.parametrize(
    "claim",
    [replace(SEAT, take_id="unknown"), replace(SEAT, take_id=""), Seat(OTHER.id, "a2", take_id="t1")],
    ids=["unknown take", "no take", "take of another question"],
)
def test_a_take_is_only_a_claim(table: Table, claim: Seat) -> None:
    table.spoken(SEAT)
    (frame,) = table.open(claim)
    assert frame.stage is Stage.ASKED
    assert table.moves.spoken.checked(claim) is None


def test_a_recording_that_was_discarded_elsewhere_is_asked_for_anew(table: Table) -> None:
    seat = table.spoken(SEAT)[-1].seat
    table.booth.discard("t1")
    (frame,) = table.open(seat)
    assert frame.stage is Stage.ASKED
    (heard,) = table.moves.spoken.hear(seat, {})
    assert heard.stage is Stage.ASKED
    assert heard.seat.take_id != "t1"
    assert table.kept(seat, {}, table.recording(at="other"))[-1].stage is Stage.CHECK
