"""The worker: verdict by verdict, cancelled, failed, stopped or broken - the answer stays."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from threading import Event, Thread
from typing import Any

import pytest

from tests.fake_tracker import FakeTracker
from tests.fakes import FakeBank, FakeClock
from tests.samples import BANK, QUESTION, RUBRIC, answer, attempt, grade, rulings
from tests.takes import TRANSCRIPT, stopped
from tutor.errors import EngineDown, EngineTimeout, TrackerError
from tutor.states import Job, JobState, Progress
from tutor.values import Answer, CriterionVerdict, Grade, Question, Rubric
from tutor.worker import Worker

PATIENCE_S = 20
Told = Callable[[CriterionVerdict], None]


class Grading:
    """Grades step by step; a test may hold it before any verdict, and make it fail there."""

    def __init__(self) -> None:
        self.reached = [Event() for _ in range(4)]
        self.may_go = [Event() for _ in range(4)]
        for gate in self.may_go:
            gate.set()
        self.error: Exception | None = None
        self.seen: list[str] = []
        self.steps: list[tuple[str, int]] = []

    def hold(self, step: int) -> None:
        self.may_go[step].clear()

    def let_go(self) -> None:
        for gate in self.may_go:
            gate.set()

    def __call__(self, question: Question, rubric: Rubric, of: Answer, told: Told) -> Grade:
        assert (question, rubric) == (QUESTION, RUBRIC)
        self.seen.append(of.id)
        for step, ruled in enumerate((*rulings(), None)):
            self.steps.append((of.id, step))
            self.reached[step].set()
            assert self.may_go[step].wait(PATIENCE_S)
            if self.error is not None and step == 2:
                raise self.error
            if ruled is not None:
                told(ruled)
        return grade(of.id)


class Spied:
    """A tracker that counts and may fail on command, otherwise the fake."""

    def __init__(self, tracker: FakeTracker) -> None:
        self._tracker = tracker
        self.errors: dict[str, list[Exception]] = {}
        self.renewed = [Event() for _ in range(3)]
        self.claims = [Event() for _ in range(3)]

    def __getattr__(self, verb: str) -> Any:
        if self.errors.get(verb):
            raise self.errors[verb].pop(0)
        for name, events in (("renew", self.renewed), ("claim", self.claims)):
            waiting = [event for event in events if not event.is_set()]
            if verb == name and waiting:
                waiting[0].set()
        return getattr(self._tracker, verb)


@pytest.fixture
def tracker(clock: FakeClock) -> Spied:
    return Spied(FakeTracker(clock))


@pytest.fixture
def grading() -> Iterator[Grading]:
    steps = Grading()
    yield steps
    steps.let_go()


@pytest.fixture
def worker(tracker: Spied, grading: Grading, clock: FakeClock) -> Iterator[Worker]:
    made = Worker(tracker=tracker, jobs=tracker, takes=tracker, bank=BANK, grade=grading, clock=clock)
    yield made
    grading.let_go()
    made.stop(PATIENCE_S)


def last(worker: Worker, job: Job) -> Progress:
    """How a job ended; a job that does not end fails the test instead of holding it up."""
    return bounded(lambda: list(worker.watch(job.id))[-1])


def bounded(task: Callable[[], Progress]) -> Progress:
    ended: list[Progress] = []
    in_background(lambda: ended.append(task())).join(PATIENCE_S)
    assert ended, "it did not end in time"
    return ended[0]


def in_background(task: Callable[[], object]) -> Thread:
    thread = Thread(target=task, daemon=True)
    thread.start()
    return thread


# -- grading ---------------------------------------------------------------------------------


def test_a_queued_answer_becomes_one_attempt_with_all_it_was_graded_by(
    worker: Worker, tracker: Spied, clock: FakeClock
) -> None:
    job = tracker.submit(answer())
    worker.start()
    ended = last(worker, job)
    assert ended.job.state is JobState.DONE
    (fact,) = tracker.attempts()
    assert ended == Progress(ended.job, rulings(), 3, fact)
    assert fact == attempt(answer(), id=fact.id, at=clock.now())
    assert ended.job.attempt_id == fact.id


SPOKEN = answer().model_copy(update={"spoken": True, "take_id": "k1"})


def test_an_attempt_says_who_wrote_a_spoken_answer_down(worker: Worker, tracker: Spied) -> None:
    tracker.keep(stopped("k1"))
    tracker.transcribed("k1", TRANSCRIPT)
    worker.start()
    ended = last(worker, tracker.submit(SPOKEN))
    assert ended.attempt is not None
    assert (ended.attempt.transcriber, ended.attempt.answer) == (TRANSCRIPT.transcriber, SPOKEN)


@pytest.mark.parametrize("gone", ["row", "transcript"])
def test_a_spoken_answer_whose_take_is_gone_is_graded_all_the_same(worker: Worker, tracker: Spied, gone: str) -> None:
    tracker.keep(stopped("k1"))
    tracker.transcribed("k1", TRANSCRIPT)
    job = tracker.submit(SPOKEN)
    if gone == "row":
        tracker.errors["take"] = [KeyError("k1")]
    else:
        tracker.discard("k1")
    worker.start()
    ended = last(worker, job)
    assert ended.job.state is JobState.DONE
    assert ended.attempt is not None
    assert ended.attempt.transcriber is None


def test_verdicts_appear_one_by_one(worker: Worker, tracker: Spied, grading: Grading) -> None:
    job = tracker.submit(answer())
    for step in range(4):
        grading.hold(step)
    seen: list[tuple[JobState, int, int]] = []
    for progress in worker.watch(job.id):
        seen.append((progress.job.state, len(progress.verdicts), progress.n_criteria))
        if progress.job.state is JobState.QUEUED:
            worker.start()
        if progress.job.state is JobState.RUNNING:
            assert progress.verdicts == rulings()[: len(progress.verdicts)]
            grading.may_go[len(progress.verdicts)].set()
    assert seen == [
        (JobState.QUEUED, 0, 3),
        *[(JobState.RUNNING, n, 3) for n in range(4)],
        (JobState.DONE, 3, 3),
    ]


def test_a_page_that_comes_back_sees_what_is_there_and_then_the_rest(
    worker: Worker, tracker: Spied, grading: Grading
) -> None:
    grading.hold(2)
    job = tracker.submit(answer())
    worker.start()
    assert grading.reached[2].wait(PATIENCE_S)
    first = worker.watch(job.id)
    assert len(next(first).verdicts) == 2
    first.close()
    again = worker.watch(job.id)
    assert len(next(again).verdicts) == 2
    grading.let_go()
    assert list(again)[-1].attempt == tracker.attempts()[0]


def test_two_pages_watch_the_same_job(worker: Worker, tracker: Spied, grading: Grading) -> None:
    grading.hold(0)
    job = tracker.submit(answer())
    ended: list[Progress] = []
    pages = [in_background(lambda: ended.append(last(worker, job))) for _ in range(4)]
    worker.start()
    grading.let_go()
    for page in pages:
        page.join(PATIENCE_S)
    assert len(ended) == 4
    assert [progress.attempt for progress in ended] == [tracker.attempts()[0]] * 4


def test_a_job_that_ended_long_ago_is_told_at_once_with_its_attempt(
    worker: Worker, tracker: Spied, grading: Grading, clock: FakeClock
) -> None:
    worker.start()
    job = tracker.submit(answer())
    worker.wake()
    last(worker, job)
    worker.stop()
    later = Worker(tracker=tracker, jobs=tracker, takes=tracker, bank=FakeBank(), grade=grading, clock=clock)
    (told,) = later.watch(job.id)
    assert told.attempt == tracker.attempts()[0]
    assert told.verdicts == rulings()


def test_a_page_watches_a_job_while_the_engines_load(worker: Worker, tracker: Spied, grading: Grading) -> None:
    grading.hold(0)
    worker.start()
    job = tracker.submit(answer())
    worker.wake()
    assert grading.reached[0].wait(PATIENCE_S)
    page = worker.watch(job.id)
    waiting = next(page)
    assert (waiting.job.state, waiting.verdicts) == (JobState.RUNNING, ())
    grading.let_go()
    assert list(page)[-1].job.state is JobState.DONE


def test_an_unknown_job_is_a_key_error(worker: Worker) -> None:
    with pytest.raises(KeyError):
        next(worker.watch("nobody"))


def test_answers_are_graded_in_the_order_they_came(worker: Worker, tracker: Spied, grading: Grading) -> None:
    jobs = [tracker.submit(answer(f"a{n}")) for n in range(5)]
    worker.start()
    for job in jobs:
        assert last(worker, job).job.state is JobState.DONE
    assert grading.seen == [f"a{n}" for n in range(5)]


def test_work_of_another_process_is_found_without_a_call(worker: Worker, tracker: Spied) -> None:
    worker.start()
    assert tracker.claims[0].wait(PATIENCE_S)
    assert last(worker, tracker.submit(answer())).job.state is JobState.DONE


def test_what_a_dead_process_left_running_is_graded_at_the_start_though_its_lease_lasts(
    worker: Worker, tracker: Spied, clock: FakeClock
) -> None:
    job = tracker.submit(answer())
    tracker.claim("dead", 10_000)
    worker.start()
    ended = last(worker, job)
    assert (ended.job.state, ended.job.tries) == (JobState.DONE, 2)


# -- not graded ------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [EngineDown("The model server went away."), EngineTimeout("It took over 60 s.")])
def test_an_engine_that_fails_ends_in_its_sentence_with_the_answer_kept_and_a_retry_grades(
    worker: Worker, tracker: Spied, grading: Grading, error: Exception
) -> None:
    grading.error = error
    job = tracker.submit(answer())
    worker.start()
    failed = last(worker, job)
    assert failed.job.state is JobState.FAILED
    assert failed.job.reason == f"{error} Your answer is saved."
    assert (failed.verdicts, failed.attempt, tracker.attempts()) == ((), None, ())
    assert tracker.answer("a1") == answer()
    grading.error = None
    tracker.retry(job.id)
    worker.wake()
    assert last(worker, job).job.state is JobState.DONE


def test_a_cancelled_grading_stops_at_its_next_verdict_and_the_next_answer_is_graded(
    worker: Worker, tracker: Spied, grading: Grading
) -> None:
    grading.hold(1)
    job, following = tracker.submit(answer("a1")), tracker.submit(answer("a2"))
    worker.start()
    assert grading.reached[1].wait(PATIENCE_S)
    page = worker.watch(job.id)
    assert next(page).job.state is JobState.RUNNING
    tracker.cancel(job.id)
    worker.wake()
    (cancelled,) = page
    assert (cancelled.job.state, cancelled.verdicts) == (JobState.CANCELLED, ())
    grading.let_go()
    assert last(worker, following).job.state is JobState.DONE
    assert ("a1", 1) in grading.steps
    assert ("a1", 2) not in grading.steps
    assert [fact.answer.id for fact in tracker.attempts()] == ["a2"]
    assert tracker.job(job.id).state is JobState.CANCELLED


def test_a_grading_cancelled_and_retried_at_once_is_graded_once(
    worker: Worker, tracker: Spied, grading: Grading
) -> None:
    grading.hold(1)
    job = tracker.submit(answer())
    worker.start()
    assert grading.reached[1].wait(PATIENCE_S)
    tracker.cancel(job.id)
    tracker.retry(job.id)
    grading.let_go()
    assert last(worker, job).job.state is JobState.DONE
    assert grading.seen == ["a1", "a1"]
    assert len(tracker.attempts()) == 1


def test_a_mistake_in_the_program_fails_one_grading_with_an_id_that_is_in_the_log(
    worker: Worker, tracker: Spied, grading: Grading, caplog: pytest.LogCaptureFixture
) -> None:
    grading.error = ZeroDivisionError("a bug")
    job = tracker.submit(answer("a1"))
    with caplog.at_level(logging.ERROR):
        worker.start()
        failed = last(worker, job)
    assert failed.job.state is JobState.FAILED
    reason = str(failed.job.reason)
    assert reason.endswith("Your answer is saved.")
    assert "a bug" not in reason
    (record,) = caplog.records
    assert record.exc_info is not None
    assert str(record.args[0]) in reason  # type: ignore[index]
    grading.error = None
    following = tracker.submit(answer("a2"))
    worker.wake()
    assert last(worker, following).job.state is JobState.DONE


def test_a_question_that_left_the_bank_is_a_sentence_and_the_answer_stays(
    tracker: Spied, grading: Grading, clock: FakeClock
) -> None:
    job = tracker.submit(answer())
    worker = Worker(tracker=tracker, jobs=tracker, takes=tracker, bank=FakeBank(), grade=grading, clock=clock)
    worker.start()
    failed = last(worker, job)
    worker.stop(PATIENCE_S)
    assert failed.job.state is JobState.FAILED
    assert "the question kv-cache is no longer there" in str(failed.job.reason)
    assert failed.n_criteria == 0
    assert tracker.answer("a1") == answer()


def test_an_attempt_that_cannot_be_stored_is_a_failed_grading_with_the_sentence(worker: Worker, tracker: Spied) -> None:
    tracker.errors["finish"] = [TrackerError("The disk is full.")]
    job = tracker.submit(answer())
    worker.start()
    assert last(worker, job).job.reason == "The disk is full. Your answer is saved."


def test_a_database_that_is_busy_for_a_while_delays_the_grading_and_is_logged_once(
    worker: Worker, tracker: Spied, caplog: pytest.LogCaptureFixture
) -> None:
    job = tracker.submit(answer())
    tracker.errors["claim"] = [TrackerError("The database is busy."), TrackerError("The database is busy.")]
    with caplog.at_level(logging.ERROR):
        worker.start()
        assert last(worker, job).job.state is JobState.DONE
    assert [record.getMessage() for record in caplog.records] == ["Grading waits. The database is busy."]


def eventually(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_what_grading_waits_for_is_told_until_it_goes_on(worker: Worker, tracker: Spied) -> None:
    job = tracker.submit(answer())
    tracker.errors["claim"] = [TrackerError("The disk is full.")] * 10_000
    assert worker.state().state == "ready"
    worker.start()
    eventually(lambda: worker.state().state == "failed")
    assert worker.state().detail == "it waits and goes on by itself. The disk is full."
    tracker.errors["claim"].clear()
    worker.wake()
    assert last(worker, job).job.state is JobState.DONE
    eventually(lambda: worker.state().state == "ready")


def test_the_thread_outlives_a_bug_in_the_queue_itself(
    worker: Worker, tracker: Spied, caplog: pytest.LogCaptureFixture
) -> None:
    job = tracker.submit(answer())
    tracker.errors["claim"] = [ZeroDivisionError("a bug")]
    with caplog.at_level(logging.ERROR):
        worker.start()
        assert last(worker, job).job.state is JobState.DONE
    assert caplog.records[0].exc_info is not None


# -- leases ----------------------------------------------------------------------------------


def test_the_lease_is_renewed_while_one_call_takes_long(tracker: Spied, grading: Grading, clock: FakeClock) -> None:
    tracker.errors["renew"] = [TrackerError("The database is busy.")]
    grading.hold(0)
    job = tracker.submit(answer())
    worker = Worker(tracker=tracker, jobs=tracker, takes=tracker, bank=BANK, grade=grading, clock=clock, lease_s=0.03)
    worker.start()
    for renewed in tracker.renewed:
        assert renewed.wait(PATIENCE_S)
    assert tracker.claim("other", 60) is None
    grading.let_go()
    assert last(worker, job).job.state is JobState.DONE
    worker.stop(PATIENCE_S)


def test_a_job_taken_over_by_another_owner_is_let_go(
    worker: Worker, tracker: Spied, grading: Grading, clock: FakeClock
) -> None:
    grading.hold(1)
    job = tracker.submit(answer())
    worker.start()
    assert grading.reached[1].wait(PATIENCE_S)
    clock.move_s(61)
    assert tracker.claim("other", 1000) is not None
    grading.let_go()
    following = tracker.submit(answer("a2"))
    worker.wake()
    assert last(worker, following).job.state is JobState.DONE
    assert tracker.job(job.id).owner == "other"
    assert [fact.answer.id for fact in tracker.attempts()] == ["a2"]


# -- stop ------------------------------------------------------------------------------------


def test_a_stop_gives_the_job_in_hand_back_at_its_next_verdict(
    worker: Worker, tracker: Spied, grading: Grading
) -> None:
    grading.hold(1)
    job = tracker.submit(answer())
    worker.start()
    assert grading.reached[1].wait(PATIENCE_S)
    stopping = in_background(lambda: worker.stop(PATIENCE_S))
    assert worker._stopping.wait(PATIENCE_S)
    grading.let_go()
    stopping.join(PATIENCE_S)
    kept = tracker.job(job.id)
    assert (kept.state, kept.tries, kept.owner) == (JobState.QUEUED, 0, None)
    assert not any(thread.is_alive() for thread in worker._threads)


def test_a_stop_does_not_wait_for_a_model_that_hangs_and_refuses_what_it_says_later(
    worker: Worker, tracker: Spied, grading: Grading
) -> None:
    grading.hold(3)
    job = tracker.submit(answer())
    worker.start()
    assert grading.reached[3].wait(PATIENCE_S)
    worker.stop(timeout_s=0.01)
    assert tracker.job(job.id).state is JobState.QUEUED
    grading.let_go()
    worker._threads[0].join(PATIENCE_S)
    assert tracker.attempts() == ()
    assert tracker.job(job.id).state is JobState.QUEUED


def test_an_engine_that_fails_because_everything_stops_is_not_held_against_the_job(
    worker: Worker, tracker: Spied, grading: Grading
) -> None:
    grading.hold(2)
    grading.error = EngineDown("The model server went away.")
    job = tracker.submit(answer())
    worker.start()
    assert grading.reached[2].wait(PATIENCE_S)
    stopping = in_background(lambda: worker.stop(PATIENCE_S))
    assert worker._stopping.wait(PATIENCE_S)
    grading.let_go()
    stopping.join(PATIENCE_S)
    assert tracker.job(job.id).state is JobState.QUEUED


def test_a_stop_claims_nothing_more_and_lets_pages_go(worker: Worker, tracker: Spied) -> None:
    worker.start()
    worker.stop(PATIENCE_S)
    job = tracker.submit(answer())
    assert last(worker, job).job.state is JobState.QUEUED
    worker.stop(PATIENCE_S)


def test_a_stop_that_cannot_write_leaves_the_job_to_the_next_start(
    worker: Worker, tracker: Spied, grading: Grading, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    grading.hold(1)
    job = tracker.submit(answer())
    worker.start()
    assert grading.reached[1].wait(PATIENCE_S)
    tracker.errors["give_back"] = [TrackerError("The database is busy."), TrackerError("The database is busy.")]
    with caplog.at_level(logging.WARNING):
        worker.stop(timeout_s=0.01)
        grading.let_go()
        worker._threads[0].join(PATIENCE_S)
    assert "taken up again at the next start" in caplog.text
    assert tracker.job(job.id).state is JobState.RUNNING
    following = Worker(tracker=tracker, jobs=tracker, takes=tracker, bank=BANK, grade=Grading(), clock=clock)
    following.start()
    assert last(following, job).job.state is JobState.DONE
    following.stop(PATIENCE_S)


def test_a_worker_that_never_started_stops_without_fuss(worker: Worker, tracker: Spied) -> None:
    worker.stop()
    assert tracker.attempts() == ()


def test_a_start_on_a_database_that_cannot_be_written_is_its_sentence(worker: Worker, tracker: Spied) -> None:
    tracker.errors["reclaim"] = [TrackerError("The database is read-only.")]
    with pytest.raises(TrackerError, match="read-only"):
        worker.start()
