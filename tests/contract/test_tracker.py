"""What every tracker promises, on the fake and on the database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from tests.fake_tracker import FakeTracker
from tests.fakes import FakeClock
from tests.samples import QUESTION, answer, attempt
from tutor.adapters.tracker_sql import SqlTracker
from tutor.errors import AnswerConflict, TrackerError
from tutor.states import Job, JobState
from tutor.values import Answer, Attempt, Correction

Plug = FakeTracker | SqlTracker


def claimed(tracker: Plug, owner: str = "me", lease_s: float = 60) -> Job:
    job = tracker.claim(owner, lease_s)
    assert job is not None
    return job


def finished(tracker: Plug, of: Answer, fact: Attempt | None = None) -> Attempt:
    tracker.submit(of)
    job = claimed(tracker)
    fact = fact or attempt(of, id=f"t-{of.id}")
    assert tracker.finish(job.id, "me", fact)
    return fact


# -- answers ---------------------------------------------------------------------------------


WORDS = {
    "plain": "plain words",
    "white space": "  spaces and\r\nlines\tstay  ",
    "scripts": "Привет, 世界, \U0001f600, e\u0301",
    "nul": "a\x00b",
    "SQL": "'\"; DROP TABLE job; --",
    "long": "word " * 40_000,
}


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
def test_an_answer_comes_back_with_exactly_its_words(tracker: Plug, words: str) -> None:
    tracker.submit(answer(text=words))
    assert tracker.answer("a1") == answer(text=words)


def test_a_moment_of_another_zone_is_the_same_moment_in_utc(tracker: Plug) -> None:
    moment = datetime.fromisoformat("2026-03-29T03:30:00.123456+02:00")
    tracker.submit(answer(at=moment))
    kept = tracker.answer("a1").created_at
    assert kept == moment
    assert kept.tzinfo is UTC


def test_submitting_queues_a_job(tracker: Plug, clock: FakeClock) -> None:
    job = tracker.submit(answer())
    assert (job.answer_id, job.state, job.tries, job.attempt_id) == ("a1", JobState.QUEUED, 0, None)
    assert job.created_at == job.updated_at == clock.now()
    assert tracker.job(job.id) == job
    assert tracker.unfinished() == (job,)


def test_the_same_answer_again_is_the_job_it_already_has(tracker: Plug, clock: FakeClock) -> None:
    first = tracker.submit(answer())
    clock.move_s(1)
    assert tracker.submit(answer(at=clock.now())) == first
    assert tracker.unfinished() == (first,)


def test_the_same_answer_after_its_grading_is_the_finished_job(tracker: Plug) -> None:
    fact = finished(tracker, answer())
    again = tracker.submit(answer())
    assert (again.state, again.attempt_id) == (JobState.DONE, fact.id)
    assert tracker.claim("me", 60) is None


@pytest.mark.parametrize("other", [{"text": "other words"}, {"question_id": "another"}])
def test_other_words_under_the_same_id_are_refused_and_the_first_kept(tracker: Plug, other: dict[str, str]) -> None:
    tracker.submit(answer())
    with pytest.raises(AnswerConflict):
        tracker.submit(answer().model_copy(update=other))
    assert tracker.answer("a1") == answer()
    assert len(tracker.unfinished()) == 1


def test_twenty_clicks_at_once_make_one_answer_one_job_and_one_attempt(tracker: Plug) -> None:
    with ThreadPoolExecutor(20) as clicks:
        jobs = set(clicks.map(lambda _: tracker.submit(answer()).id, range(20)))
    assert len(jobs) == 1
    assert len(tracker.unfinished()) == 1
    job = claimed(tracker)
    with ThreadPoolExecutor(20) as graders:
        done = list(graders.map(lambda n: tracker.finish(job.id, "me", attempt(answer(), id=f"t{n}")), range(20)))
    assert done.count(True) == 1
    assert len(tracker.attempts()) == 1
    assert tracker.claim("me", 60) is None


@pytest.mark.parametrize("ask", ["answer", "attempt", "job", "cancel", "retry"])
def test_an_unknown_id_is_a_key_error(tracker: Plug, ask: str) -> None:
    with pytest.raises(KeyError):
        getattr(tracker, ask)("nobody")


# -- attempts --------------------------------------------------------------------------------


def test_an_attempt_comes_back_whole(tracker: Plug) -> None:
    of = answer()
    fact = finished(tracker, of, attempt(of).model_copy(update={"transcriber": "whisper-base"}))
    assert tracker.attempts() == (fact,)
    assert tracker.attempt(fact.id) == fact


def test_attempts_come_newest_first_for_one_question_or_all(tracker: Plug, clock: FakeClock) -> None:
    other = QUESTION.model_copy(update={"id": "paging"})
    facts = []
    for n, question in enumerate([QUESTION, other, QUESTION]):
        clock.move_s(1)
        of = answer(f"a{n}")
        facts.append(finished(tracker, of, attempt(of, id=f"t{n}", at=clock.now(), question=question)))
    assert tracker.attempts() == (facts[2], facts[1], facts[0])
    assert tracker.attempts("kv-cache") == (facts[2], facts[0])
    assert tracker.attempts(limit=2) == (facts[2], facts[1])
    assert tracker.attempts("kv-cache", 1) == (facts[2],)
    assert tracker.attempts("unknown") == ()


def test_attempts_of_the_same_moment_come_in_the_order_of_arrival(tracker: Plug) -> None:
    facts = [finished(tracker, answer(f"a{n}")) for n in range(3)]
    assert tracker.attempts() == tuple(reversed(facts))


def test_corrections_are_appended_to_their_attempt(tracker: Plug, clock: FakeClock) -> None:
    fact = finished(tracker, answer())
    notes = [
        Correction(id=f"n{n}", attempt_id=fact.id, kind=kind, criterion_id=c, note="I said so", created_at=clock.now())
        for n, (kind, c) in enumerate([("appeal", "c2"), ("correction", None)])
    ]
    for note in notes:
        tracker.append(note)
    assert tracker.corrections(fact.id) == tuple(notes)
    assert tracker.corrections("another") == ()
    assert tracker.attempts() == (fact,)


def test_a_correction_needs_its_attempt_and_an_id_of_its_own(tracker: Plug, clock: FakeClock) -> None:
    fact = finished(tracker, answer())
    note = Correction(id="n", attempt_id=fact.id, kind="appeal", note="first", created_at=clock.now())
    tracker.append(note)
    with pytest.raises(TrackerError):
        tracker.append(note.model_copy(update={"note": "second"}))
    with pytest.raises(KeyError):
        tracker.append(note.model_copy(update={"id": "m", "attempt_id": "nobody"}))
    assert tracker.corrections(fact.id) == (note,)


# -- jobs ------------------------------------------------------------------------------------


def test_the_oldest_job_is_claimed_first_and_only_once(tracker: Plug, clock: FakeClock) -> None:
    first, second = tracker.submit(answer("a1")), tracker.submit(answer("a2"))
    job = claimed(tracker, "me", 60)
    assert (job.id, job.state, job.tries, job.owner) == (first.id, JobState.RUNNING, 1, "me")
    assert job.lease_until == clock.now() + timedelta(seconds=60)
    assert claimed(tracker).id == second.id
    assert tracker.claim("me", 60) is None


def test_a_clock_that_steps_back_does_not_change_the_order(tracker: Plug, clock: FakeClock) -> None:
    first = tracker.submit(answer("a1"))
    clock.move_s(-86_400)
    tracker.submit(answer("a2"))
    assert claimed(tracker).id == first.id


def test_claims_at_once_never_share_a_job(tracker: Plug) -> None:
    for n in range(10):
        tracker.submit(answer(f"a{n}"))
    with ThreadPoolExecutor(10) as owners:
        jobs = list(owners.map(lambda n: tracker.claim(f"owner-{n}", 60), range(10)))
    assert len({job.id for job in jobs if job}) == 10


def test_a_job_whose_lease_ended_is_claimed_by_another_owner(tracker: Plug, clock: FakeClock) -> None:
    tracker.submit(answer())
    job = claimed(tracker, "first", 60)
    clock.move_s(59)
    assert tracker.claim("second", 60) is None
    clock.move_s(1)
    taken = claimed(tracker, "second", 60)
    assert (taken.id, taken.owner, taken.tries) == (job.id, "second", 2)
    assert not tracker.renew(job.id, "first", 60)
    assert not tracker.finish(job.id, "first", attempt(answer()))
    assert not tracker.fail(job.id, "first", "late")
    assert not tracker.give_back(job.id, "first")
    assert tracker.attempts() == ()


def test_a_renewed_lease_holds_longer(tracker: Plug, clock: FakeClock) -> None:
    job = tracker.submit(answer())
    claimed(tracker, "me", 60)
    clock.move_s(50)
    assert tracker.renew(job.id, "me", 60)
    clock.move_s(50)
    assert tracker.claim("other", 60) is None
    assert not tracker.renew("unknown", "me", 60)


def test_after_three_tries_a_job_fails_with_a_sentence_and_the_next_is_claimed(tracker: Plug, clock: FakeClock) -> None:
    job = tracker.submit(answer("a1"))
    for _ in range(3):
        assert claimed(tracker).id == job.id
        clock.move_s(61)
    later = tracker.submit(answer("a2"))
    assert claimed(tracker).id == later.id
    failed = tracker.job(job.id)
    assert (failed.state, failed.owner, failed.tries) == (JobState.FAILED, None, 3)
    assert failed.reason is not None
    assert "saved" in failed.reason
    assert tracker.answer("a1") == answer("a1")


def test_finishing_appends_the_attempt_and_ends_the_job(tracker: Plug) -> None:
    tracker.submit(answer())
    job = claimed(tracker)
    assert not tracker.finish(job.id, "me", attempt(answer("another")))
    assert tracker.finish(job.id, "me", attempt(answer()))
    done = tracker.job(job.id)
    assert (done.state, done.attempt_id, done.owner, done.lease_until) == (JobState.DONE, "t1", None, None)
    assert tracker.unfinished() == ()
    assert not tracker.finish(job.id, "me", attempt(answer(), id="t2"))


def test_a_failed_job_keeps_its_sentence_and_answer_and_has_no_attempt(tracker: Plug) -> None:
    tracker.submit(answer())
    job = claimed(tracker)
    assert tracker.fail(job.id, "me", "The model did not answer.")
    failed = tracker.job(job.id)
    assert (failed.state, failed.reason, failed.owner) == (JobState.FAILED, "The model did not answer.", None)
    assert tracker.unfinished() == (failed,)
    assert (tracker.attempts(), tracker.answer("a1")) == ((), answer())
    assert tracker.claim("me", 60) is None


@pytest.mark.parametrize("stopped_by", ["fail", "cancel"])
def test_a_stopped_job_can_be_retried_with_fresh_tries(tracker: Plug, stopped_by: str) -> None:
    tracker.submit(answer())
    job = claimed(tracker)
    if stopped_by == "fail":
        tracker.fail(job.id, "me", "sentence")
    else:
        assert tracker.cancel(job.id).state is JobState.CANCELLED
    again = tracker.retry(job.id)
    assert (again.state, again.tries, again.reason) == (JobState.QUEUED, 0, None)
    assert claimed(tracker).id == job.id


def test_a_cancelled_job_takes_nothing_more_from_its_owner(tracker: Plug) -> None:
    tracker.submit(answer())
    job = claimed(tracker)
    assert tracker.cancel(job.id).state is JobState.CANCELLED
    assert not tracker.renew(job.id, "me", 60)
    assert not tracker.finish(job.id, "me", attempt(answer()))
    assert tracker.job(job.id).state is JobState.CANCELLED
    assert (tracker.attempts(), tracker.unfinished()) == ((), ())


def test_a_finished_job_is_neither_cancelled_nor_retried(tracker: Plug) -> None:
    finished(tracker, answer())
    done = tracker.submit(answer())
    assert tracker.cancel(done.id) == done
    assert tracker.retry(done.id) == done


def test_a_queued_job_is_not_retried_and_keeps_its_tries(tracker: Plug) -> None:
    job = tracker.submit(answer())
    assert tracker.retry(job.id) == job


def test_a_job_given_back_is_queued_and_the_try_does_not_count(tracker: Plug) -> None:
    tracker.submit(answer())
    for _ in range(5):
        job = claimed(tracker)
        assert job.tries == 1
        assert tracker.give_back(job.id, "me")
    assert tracker.job(job.id).state is JobState.QUEUED


def test_running_jobs_of_dead_owners_are_queued_at_once_and_the_try_counts(
    tracker: Plug,
) -> None:
    for n in range(3):
        tracker.submit(answer(f"a{n}"))
    dead, mine = claimed(tracker, "dead"), claimed(tracker, "me")
    assert tracker.reclaim("me") == 1
    assert tracker.job(mine.id).state is JobState.RUNNING
    again = claimed(tracker)
    assert (again.id, again.tries) == (dead.id, 2)


def test_unfinished_jobs_come_newest_first(tracker: Plug) -> None:
    jobs = [tracker.submit(answer(f"a{n}")).id for n in range(5)]
    for state in ("done", "failed", "cancelled", "running"):
        job = claimed(tracker)
        if state == "done":
            tracker.finish(job.id, "me", attempt(tracker.answer(job.answer_id)))
        elif state == "failed":
            tracker.fail(job.id, "me", "sentence")
        elif state == "cancelled":
            tracker.cancel(job.id)
    assert [job.id for job in tracker.unfinished()] == [jobs[4], jobs[3], jobs[1]]
