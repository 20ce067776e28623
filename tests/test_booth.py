"""The booth: a recording is kept before anything else, written down once, played, and thrown away."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.fake_speech import FakeAudioReader, FakeRecordings, missing, tone
from tests.fake_tracker import FakeTracker
from tests.fakes import FakeBank, FakeClock, FakeTranscriber
from tests.samples import QUESTION, RUBRIC, answer, attempt, grade
from tests.takes import NOON, recording
from tutor.booth import Booth
from tutor.errors import AudioRefused, EngineDown, TrackerError
from tutor.spoken import TakeState
from tutor.values import Answer, Attempt

TERMS = ("KV cache", "prefill")
SAID = "one cache keeps keys and values of all tokens"
UPLOAD = "/uploads/answer.wav"
DAY_S = 86_400.0


class Room:
    """A booth on fakes, with one upload waiting."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.takes = FakeTracker(clock)
        self.recordings = FakeRecordings(UPLOAD)
        self.reader = FakeAudioReader()
        self.transcriber = FakeTranscriber(SAID)
        self.bank = FakeBank((QUESTION, RUBRIC.model_copy(update={"terms": TERMS})))
        self.booth = self.opened()

    def opened(self, **other: Any) -> Booth:
        """The booth of this room, or one with another plug."""
        plugs = {name: getattr(self, name) for name in ("takes", "recordings", "reader", "transcriber", "bank")}
        return Booth(**{**plugs, **other}, clock=self.clock)

    def kept(self, take_id: str = "k1") -> None:
        self.recordings.sources.add(UPLOAD)
        self.booth.keep(take_id, QUESTION.id, UPLOAD)


@pytest.fixture
def room(clock: FakeClock) -> Room:
    return Room(clock)


# -- keep ------------------------------------------------------------------------------------


def test_a_recording_is_moved_in_and_its_take_has_stopped(room: Room) -> None:
    take = room.booth.keep("k1", QUESTION.id, UPLOAD)
    assert (take.state, take.question_id, take.file_name) == (TakeState.STOPPED, QUESTION.id, "k1.wav")
    assert take.started_at == take.stopped_at == room.clock.now()
    assert (take.duration_s, take.transcript) == (None, None)
    assert room.booth.take("k1") == take
    assert (room.recordings.files, room.recordings.sources) == ({"k1.wav": UPLOAD}, set())


def test_the_same_stop_again_is_the_same_take(room: Room) -> None:
    first = room.booth.keep("k1", QUESTION.id, UPLOAD)
    room.clock.move_s(2)
    assert room.booth.keep("k1", QUESTION.id, UPLOAD) == first
    heard = room.booth.transcribe("k1").take
    assert room.booth.keep("k1", QUESTION.id, UPLOAD) == heard


def test_a_discarded_take_does_not_come_back_by_a_late_event(room: Room) -> None:
    room.kept()
    room.booth.discard("k1")
    room.recordings.sources.add(UPLOAD)
    assert room.booth.keep("k1", QUESTION.id, UPLOAD).state is TakeState.DISCARDED
    assert room.recordings.files == {}


def test_a_recording_for_an_unknown_question_is_refused_and_left_alone(room: Room) -> None:
    with pytest.raises(AudioRefused, match=r"no longer in the bank.*record again") as refused:
        room.booth.keep("k1", "gone", UPLOAD)
    assert refused.value.reason == "unknown_question"
    assert room.booth.take("k1") is None
    assert room.recordings.sources == {UPLOAD}


def test_a_recording_that_never_arrived_is_refused_and_may_still_come(room: Room) -> None:
    with pytest.raises(AudioRefused, match="not there any more"):
        room.booth.keep("k1", QUESTION.id, "/uploads/nothing.wav")
    assert room.booth.recording_path("k1") is None
    assert room.booth.keep("k1", QUESTION.id, UPLOAD).file_name == "k1.wav"


def test_a_full_disk_leaves_the_recording_where_it_is_to_be_given_again(room: Room) -> None:
    room.recordings.fault = TrackerError("The disk is full.")
    with pytest.raises(TrackerError, match="full"):
        room.booth.keep("k1", QUESTION.id, UPLOAD)
    assert room.recordings.sources == {UPLOAD}
    room.recordings.fault = None
    assert room.booth.keep("k1", QUESTION.id, UPLOAD).state is TakeState.STOPPED


# -- a crash between row and file ------------------------------------------------------------


class Killed(BaseException):
    """The process ended here."""


class Dying:
    """A plug that dies before or after one of its verbs."""

    def __init__(self, plug: object, verb: str, *, after: bool = False) -> None:
        self._plug, self._verb, self._after = plug, verb, after

    def __getattr__(self, verb: str) -> Any:
        if verb != self._verb:
            return getattr(self._plug, verb)

        def last(*given: Any) -> None:
            if self._after:
                getattr(self._plug, verb)(*given)
            raise Killed

        return last


def test_killed_before_the_file_moved_the_page_can_bring_it_again(room: Room) -> None:
    with pytest.raises(Killed):
        room.opened(recordings=Dying(room.recordings, "keep")).keep("k1", QUESTION.id, UPLOAD)
    assert room.booth.recover() == 0
    assert room.takes.recording() == (room.takes.take("k1"),)
    assert room.booth.keep("k1", QUESTION.id, UPLOAD).state is TakeState.STOPPED


def test_killed_after_the_file_moved_the_next_start_brings_row_and_file_together(room: Room) -> None:
    with pytest.raises(Killed):
        room.opened(recordings=Dying(room.recordings, "keep", after=True)).keep("k1", QUESTION.id, UPLOAD)
    assert room.takes.take("k1").state is TakeState.RECORDING
    room.clock.move_s(60)
    assert room.booth.recover() == 1
    take = room.takes.take("k1")
    assert (take.state, take.file_name, take.stopped_at) == (TakeState.STOPPED, "k1.wav", room.clock.now())
    assert take.started_at == NOON
    assert room.booth.recover() == 0
    assert room.booth.transcribe("k1").take.question_id == QUESTION.id


@pytest.mark.parametrize("verb", ["keep", "transcribe"])
def test_killed_after_the_file_moved_the_same_page_goes_on_without_a_new_start(room: Room, verb: str) -> None:
    with pytest.raises(Killed):
        room.opened(takes=Dying(room.takes, "stopped")).keep("k1", QUESTION.id, UPLOAD)
    if verb == "keep":
        assert room.booth.keep("k1", QUESTION.id, UPLOAD).file_name == "k1.wav"
    assert room.booth.transcribe("k1").take.state is TakeState.TRANSCRIBED


def test_killed_after_the_file_moved_a_discard_deletes_it_all_the_same(room: Room) -> None:
    with pytest.raises(Killed):
        room.opened(takes=Dying(room.takes, "stopped")).keep("k1", QUESTION.id, UPLOAD)
    room.booth.discard("k1")
    assert room.recordings.files == {}
    assert room.booth.recover() == 0


@pytest.mark.parametrize(("verb", "left"), [("discard", TakeState.DISCARDED), ("forget_recording", TakeState.STOPPED)])
def test_killed_while_deleting_the_recording_is_gone_and_the_row_follows(
    room: Room, verb: str, left: TakeState
) -> None:
    room.kept()
    dying, later = room.opened(takes=Dying(room.takes, verb)), NOON + timedelta(days=1)
    with pytest.raises(Killed):
        dying.discard("k1") if verb == "discard" else dying.sweep(later)
    assert room.recordings.files == {}
    assert room.booth.recording_path("k1") is None
    with pytest.raises(AudioRefused, match="not there any more"):
        room.booth.transcribe("k1")
    room.booth.discard("k1") if verb == "discard" else room.booth.sweep(later)
    take = room.takes.take("k1")
    assert (take.state, take.file_name) == (left, None)


# -- transcribe ------------------------------------------------------------------------------


def test_a_take_is_written_down_with_the_terms_of_its_question(room: Room) -> None:
    room.kept()
    heard = room.booth.transcribe("k1")
    assert heard.take.transcript is not None
    assert heard.take.transcript.text == SAID
    assert heard.take.duration_s == heard.delivery.duration_s == 3.0
    assert heard.take.started_at == NOON
    assert (heard.delivery.target_s, heard.delivery.n_words) == (QUESTION.target_s, 9)
    ((_, terms),) = room.transcriber.heard
    assert terms == TERMS
    assert room.reader.paths == ["/takes/k1.wav"]
    assert room.booth.heard("k1") == heard


def test_a_word_that_was_probably_a_term_is_a_doubt(room: Room) -> None:
    room.transcriber.says = "the KV cash keeps keys and values"
    room.kept()
    (doubt,) = room.booth.transcribe("k1").doubts
    assert (doubt.likely, room.transcriber.says[doubt.start : doubt.end]) == ("KV cache", doubt.heard)


def test_a_take_is_written_down_once(room: Room) -> None:
    room.kept()
    first = room.booth.transcribe("k1")
    room.transcriber.says = "other words"
    assert room.booth.transcribe("k1") == first
    assert len(room.transcriber.heard) == 1


def test_of_two_pages_at_once_both_see_the_first_transcript(room: Room) -> None:
    room.kept()

    class Slow(FakeTranscriber):
        def transcribe(self, *given: Any) -> Any:
            room.booth.transcribe("k1")
            return super().transcribe(*given)

    assert room.opened(transcriber=Slow("later words")).transcribe("k1") == room.booth.heard("k1")
    assert room.takes.take("k1").transcript is not None
    assert str(room.takes.take("k1").transcript).count(SAID) == 1


@pytest.mark.parametrize("plug", ["reader", "transcriber"])
@pytest.mark.parametrize("error", [AudioRefused("silence", "Nothing was said."), EngineDown("It went away.")])
def test_whatever_goes_wrong_the_take_and_its_file_stay_and_it_can_be_tried_again(
    room: Room, plug: str, error: Any
) -> None:
    room.kept()
    before = room.takes.take("k1")
    if plug == "reader":
        room.reader.rule = lambda path: error
    else:
        room.transcriber.says = error
    for _ in range(2):
        with pytest.raises(type(error), match=str(error)):
            room.booth.transcribe("k1")
    assert room.takes.take("k1") == before
    assert room.booth.recording_path("k1") == "/takes/k1.wav"
    assert room.booth.heard("k1") is None
    room.reader.rule, room.transcriber.says = lambda path: tone(2.0), SAID
    assert room.booth.transcribe("k1").take.duration_s == 2.0


@pytest.mark.parametrize("state", ["unknown", "discarded", "recording", "deleted"])
def test_a_take_without_a_recording_is_refused_with_what_to_do(room: Room, state: str) -> None:
    if state == "recording":
        room.takes.keep(recording("k1"))
    elif state != "unknown":
        room.kept()
        room.booth.discard("k1") if state == "discarded" else room.booth.sweep(NOON + timedelta(days=1))
    with pytest.raises(AudioRefused, match=r"not there any more\. Record again") as refused:
        room.booth.transcribe("k1")
    assert refused.value.reason == missing().reason
    assert room.transcriber.heard == []


def test_a_take_discarded_while_it_is_written_down_stays_discarded(room: Room) -> None:
    room.kept()

    class Slow(FakeTranscriber):
        def transcribe(self, *given: Any) -> Any:
            room.booth.discard("k1")
            return super().transcribe(*given)

    with pytest.raises(AudioRefused, match="not there any more"):
        room.opened(transcriber=Slow(SAID)).transcribe("k1")
    take = room.takes.take("k1")
    assert (take.state, take.transcript, room.recordings.files) == (TakeState.DISCARDED, None, {})


def test_a_take_whose_question_left_the_bank_is_written_down_without_terms_and_target(room: Room) -> None:
    room.kept()
    heard = room.opened(bank=FakeBank()).transcribe("k1")
    assert (heard.doubts, heard.delivery.target_s) == ((), None)
    assert room.transcriber.heard[0][1] == ()


def test_nothing_is_heard_of_an_unknown_take(room: Room) -> None:
    assert room.booth.heard("nobody") is None
    assert room.booth.take("nobody") is None


# -- play, delete ----------------------------------------------------------------------------


def test_the_player_finds_a_recording_while_it_is_there(room: Room) -> None:
    assert room.booth.recording_path("k1") is None
    room.kept()
    assert room.booth.recording_path("k1") == "/takes/k1.wav"
    room.recordings.files.clear()
    assert room.booth.recording_path("k1") is None


def test_a_discarded_take_leaves_no_file_and_no_words(room: Room) -> None:
    room.kept()
    room.booth.transcribe("k1")
    for _ in range(2):
        room.booth.discard("k1")
    take = room.takes.take("k1")
    assert (take.state, take.file_name, take.transcript) == (TakeState.DISCARDED, None, None)
    assert room.recordings.files == {}
    assert room.booth.heard("k1") is None


def test_a_recording_that_is_replaced_goes_unless_an_answer_was_spoken_in_it(room: Room) -> None:
    for id in ("k1", "k2"):
        room.kept(id)
    room.takes.submit(spoken_attempt("k1").answer)
    assert room.booth.is_answered("k1")
    for id in ("k1", "k2", "nobody"):
        room.booth.replace(id)
    assert set(room.recordings.files) == {"k1.wav"}
    assert room.takes.take("k1").state is TakeState.STOPPED
    assert room.takes.take("k2").state is TakeState.DISCARDED


def test_discarding_an_unknown_take_is_no_error(room: Room) -> None:
    room.booth.discard("nobody")
    assert room.booth.take("nobody") is None


def test_old_recordings_are_deleted_and_their_transcripts_stay(room: Room) -> None:
    for id in ("k1", "k2", "k3"):
        room.kept(id)
        room.booth.transcribe(id)
        room.clock.move_s(DAY_S)
    assert room.booth.sweep(NOON + timedelta(days=2)) == 2
    assert set(room.recordings.files) == {"k3.wav"}
    heard = room.booth.heard("k1")
    assert heard is not None
    assert heard.take.file_name is None
    assert heard.take.state is TakeState.TRANSCRIBED
    assert room.booth.sweep(NOON + timedelta(days=2)) == 0


def test_a_recording_that_cannot_be_deleted_keeps_no_other_and_is_tried_again(room: Room) -> None:
    for id in ("k1", "k2", "k3"):
        room.kept(id)

    class Locked(FakeRecordings):
        def delete(self, file_name: str) -> None:
            if file_name != "k3.wav":
                raise TrackerError(f"{file_name} cannot be deleted.")
            room.recordings.delete(file_name)

    later = NOON + timedelta(days=1)
    with pytest.raises(TrackerError, match=r"k1\.wav cannot be deleted"):
        room.opened(recordings=Locked()).sweep(later)
    assert set(room.recordings.files) == {"k1.wav", "k2.wav"}
    assert room.booth.sweep(later) == 2
    assert room.recordings.files == {}


# -- a graded answer -------------------------------------------------------------------------


def spoken_attempt(take_id: str | None = "k1") -> Attempt:
    words = Answer(**{**answer(text=SAID).model_dump(), "spoken": take_id is not None, "take_id": take_id})
    return attempt(words).model_copy(update={"grade": grade()})


def test_a_graded_spoken_answer_shows_its_delivery_and_when_its_quotes_were_said(room: Room) -> None:
    room.kept()
    heard = room.booth.transcribe("k1")
    spoken = room.booth.spoken(spoken_attempt())
    assert spoken is not None
    assert (spoken.take, spoken.delivery) == (heard.take, heard.delivery)
    assert spoken.starts_s == {"c0": 0.0, "c1": 0.0}


def test_the_target_is_that_of_the_day_and_not_of_the_bank(room: Room) -> None:
    room.kept()
    room.booth.transcribe("k1")
    then = QUESTION.model_copy(update={"target_s": 30})
    spoken = room.opened(bank=FakeBank()).spoken(spoken_attempt().model_copy(update={"question": then}))
    assert spoken is not None
    assert spoken.delivery.target_s == 30


def test_a_deleted_recording_leaves_delivery_and_times(room: Room) -> None:
    room.kept()
    room.booth.transcribe("k1")
    room.booth.sweep(NOON + timedelta(days=1))
    spoken = room.booth.spoken(spoken_attempt())
    assert spoken is not None
    assert spoken.take.file_name is None
    assert spoken.starts_s


@pytest.mark.parametrize("why", ["typed", "unknown", "not transcribed", "discarded"])
def test_nothing_is_said_of_an_answer_without_a_transcript(room: Room, why: str) -> None:
    if why == "not transcribed":
        room.kept()
    if why == "discarded":
        room.kept()
        room.booth.transcribe("k1")
        room.booth.discard("k1")
    assert room.booth.spoken(spoken_attempt(None if why == "typed" else "k1")) is None
