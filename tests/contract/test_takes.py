"""What every keeper of takes promises, on the fake and on the database."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from tests.fake_tracker import FakeTracker
from tests.samples import answer
from tests.takes import NOON, TRANSCRIPT, recording, stopped
from tutor.adapters.tracker_sql import SqlTracker
from tutor.ports import Takes
from tutor.spoken import Take, TakeState

Plug = FakeTracker | SqlTracker


@pytest.fixture
def takes(tracker: Plug) -> Plug:
    return tracker


# -- kept ------------------------------------------------------------------------------------


@pytest.mark.parametrize("take", [recording(), stopped()], ids=["recording", "stopped"])
def test_a_take_comes_back_as_it_was_kept(takes: Takes, take: Take) -> None:
    assert takes.keep(take) == take
    assert takes.take("k1") == take


def test_a_take_with_its_transcript_can_be_kept_at_once(takes: Takes) -> None:
    whole = stopped().model_copy(update={"state": TakeState.TRANSCRIBED, "transcript": TRANSCRIPT, "duration_s": 4.5})
    assert takes.keep(whole) == whole
    assert takes.take("k1") == whole


def test_the_same_take_again_is_the_one_that_is_there(takes: Takes) -> None:
    takes.keep(stopped())
    assert takes.keep(stopped().model_copy(update={"question_id": "another"})) == stopped()
    assert takes.take("k1") == stopped()


def test_twenty_stops_at_once_are_one_take(takes: Takes) -> None:
    later = [stopped(at=NOON + timedelta(seconds=n)) for n in range(20)]
    with ThreadPoolExecutor(20) as stops:
        kept = list(stops.map(takes.keep, later))
    assert len({take.started_at for take in kept}) == 1


def test_a_moment_of_another_zone_is_the_same_moment_in_utc(takes: Takes) -> None:
    moment = datetime.fromisoformat("2026-03-29T03:30:00.123456+02:00")
    takes.keep(recording(at=moment))
    assert takes.take("k1").started_at == moment
    assert takes.take("k1").started_at.tzinfo is UTC


VERBS: dict[str, Callable[[Takes], object]] = {
    "take": lambda takes: takes.take("nobody"),
    "stopped": lambda takes: takes.stopped("nobody", "nobody.wav", NOON),
    "transcribed": lambda takes: takes.transcribed("nobody", TRANSCRIPT),
    "discard": lambda takes: takes.discard("nobody"),
    "forget_recording": lambda takes: takes.forget_recording("nobody"),
}


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_an_unknown_take_is_a_key_error(takes: Takes, verb: Callable[[Takes], object]) -> None:
    takes.keep(stopped())
    with pytest.raises(KeyError):
        verb(takes)
    assert takes.take("k1") == stopped()


# -- stopped ---------------------------------------------------------------------------------


def test_a_recording_take_stops_once_with_its_file(takes: Takes) -> None:
    takes.keep(recording())
    at = NOON + timedelta(minutes=3)
    ended = takes.stopped("k1", "k1.wav", at)
    assert ended == stopped().model_copy(update={"stopped_at": at})
    assert takes.stopped("k1", "other.wav", at + timedelta(hours=1)) == ended
    assert takes.take("k1") == ended


def test_a_take_that_was_discarded_meanwhile_does_not_stop(takes: Takes) -> None:
    takes.keep(recording())
    gone = takes.discard("k1")
    assert takes.stopped("k1", "k1.wav", NOON) == gone


def test_what_never_stopped_is_listed_oldest_first(takes: Takes) -> None:
    for n, id in enumerate(["k3", "k1", "k2"]):
        takes.keep(recording(id, NOON - timedelta(minutes=n)))
    takes.keep(stopped("k4"))
    takes.stopped("k1", "k1.wav", NOON)
    assert [take.id for take in takes.recording()] == ["k2", "k3"]


# -- transcribed -----------------------------------------------------------------------------


def test_a_stopped_take_gets_its_transcript_whole_and_its_length(takes: Takes) -> None:
    takes.keep(stopped())
    heard = takes.transcribed("k1", TRANSCRIPT)
    assert (heard.state, heard.transcript, heard.duration_s) == (TakeState.TRANSCRIBED, TRANSCRIPT, 4.5)
    assert heard.started_at == NOON
    assert takes.take("k1") == heard


def test_the_first_transcript_stays(takes: Takes) -> None:
    takes.keep(stopped())
    first = takes.transcribed("k1", TRANSCRIPT)
    assert takes.transcribed("k1", TRANSCRIPT.model_copy(update={"text": "other", "duration_s": 9.0})) == first
    assert takes.take("k1") == first


def test_a_server_without_times_leaves_a_transcript_without_words(takes: Takes) -> None:
    takes.keep(stopped())
    bare = TRANSCRIPT.model_copy(update={"words": None, "speech": ()})
    assert takes.transcribed("k1", bare).transcript == bare


@pytest.mark.parametrize("take", [recording(), stopped()], ids=["recording", "discarded"])
def test_only_a_stopped_take_gets_a_transcript(takes: Takes, take: Take) -> None:
    takes.keep(take)
    if take.state is TakeState.STOPPED:
        take = takes.discard("k1")
    assert takes.transcribed("k1", TRANSCRIPT) == take


# -- deleted ---------------------------------------------------------------------------------


def test_a_discarded_take_keeps_neither_its_file_nor_its_words(takes: Takes) -> None:
    takes.keep(stopped())
    takes.transcribed("k1", TRANSCRIPT)
    gone = takes.discard("k1")
    assert (gone.state, gone.file_name, gone.transcript) == (TakeState.DISCARDED, None, None)
    assert takes.discard("k1") == gone
    assert takes.take("k1") == gone


def test_a_deleted_recording_leaves_the_state_and_the_transcript(takes: Takes) -> None:
    takes.keep(stopped())
    heard = takes.transcribed("k1", TRANSCRIPT)
    for _ in range(2):
        assert takes.forget_recording("k1") == heard.model_copy(update={"file_name": None})


def test_recordings_of_before_a_moment_come_oldest_first(takes: Takes) -> None:
    for n, id in enumerate(["k1", "k2", "k3", "k4", "k5"]):
        takes.keep(stopped(id, NOON - timedelta(days=n)))
    takes.keep(recording("k6", NOON - timedelta(days=9)))
    takes.forget_recording("k4")
    takes.transcribed("k3", TRANSCRIPT)
    assert [take.id for take in takes.recorded_before(NOON)] == ["k5", "k3", "k2"]
    assert takes.recorded_before(NOON - timedelta(days=4)) == ()


# -- answered --------------------------------------------------------------------------------


def test_an_answer_to_a_take_carries_its_id(takes: Plug) -> None:
    takes.keep(stopped())
    spoken = answer().model_copy(update={"spoken": True, "take_id": "k1"})
    job = takes.submit(spoken)
    assert takes.answer(job.answer_id) == spoken
    takes.discard("k1")
    assert takes.answer(job.answer_id) == spoken


def test_an_answer_to_an_unknown_take_is_a_key_error_and_nothing_is_stored(takes: Plug) -> None:
    with pytest.raises(KeyError):
        takes.submit(answer().model_copy(update={"spoken": True, "take_id": "nobody"}))
    assert takes.unfinished() == ()
    with pytest.raises(KeyError):
        takes.answer("a1")


def test_a_take_is_answered_once_an_answer_names_it_and_stays_so(takes: Plug) -> None:
    takes.keep(stopped())
    takes.keep(stopped("k2"))
    takes.submit(answer(id="typed"))
    assert not takes.is_answered("k1")
    takes.submit(answer().model_copy(update={"spoken": True, "take_id": "k1"}))
    takes.forget_recording("k1")
    assert takes.is_answered("k1")
    assert not takes.is_answered("k2")
    assert not takes.is_answered("nobody")
