"""One thread that grades queued answers; pages watch it, and whatever happens the answer stays."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from threading import Condition, Event, Thread
from uuid import uuid4

from tutor.errors import BankError, TrackerError, TutorError
from tutor.ports import Clock, Jobs, QuestionBank, Takes, Tracker
from tutor.states import EngineState, Job, JobState, Progress
from tutor.values import Answer, Attempt, CriterionVerdict, Grade, Question, Rubric

Grading = Callable[[Question, Rubric, Answer, Callable[[CriterionVerdict], None]], Grade]
"""Grades an answer, telling each verdict as it falls; raises EngineError when a model could not work."""

SAVED = "Your answer is saved."
POLL_S = 1.0
"""How long a change made by another process (the command line) may go unseen."""

STOP_S = 8.0
"""How long a stop waits for the call in flight; with the write that follows it stays below 10 s."""

_ENDED = (JobState.DONE, JobState.FAILED, JobState.CANCELLED)
_log = logging.getLogger(__name__)


class _NotOurs(Exception):
    """The job was cancelled or taken over while it was graded."""


class _Stopping(Exception):
    """The worker stops while a job is graded."""


class Worker:
    """Claims jobs one by one and grades them; `ports.Desk` for the pages.

    Only one worker may run on a database: the app process holds a lock. Therefore a job that another
    owner left running belongs to a dead process, and is queued again when the worker starts instead
    of when its lease ends. The lease is for what no lock sees: a worker whose database write failed.
    """

    def __init__(
        self,
        *,
        tracker: Tracker,
        jobs: Jobs,
        takes: Takes,
        bank: QuestionBank,
        grade: Grading,
        clock: Clock,
        lease_s: float = 60.0,
    ) -> None:
        """Nothing runs before `start`.

        Args:
            tracker: Answers and attempts.
            jobs: The queue.
            takes: What spoken answers were heard from, for the record of who wrote them down.
            bank: Questions and rubrics, as they are when the grading begins.
            grade: Grades one answer; may block until the engines have loaded.
            clock: Stamps the attempts.
            lease_s: Seconds after which a job nobody works on any more may be claimed again.
        """
        self._tracker, self._jobs, self._takes, self._bank = tracker, jobs, takes, bank
        self._grade, self._clock, self._lease_s = grade, clock, lease_s
        self._owner = uuid4().hex
        self._stopping = Event()
        self._threads = tuple(
            Thread(target=task, name=f"tutor-{task.__name__.strip('_')}", daemon=True)
            for task in (self._work, self._beat)
        )
        # Guarded by the condition: what is being graded, and a count of whatever has changed.
        self._changed = Condition()
        self._changes = 0
        self._current: Job | None = None
        self._verdicts: tuple[CriterionVerdict, ...] = ()
        self._complaint = ""

    def start(self) -> None:
        """Take over what a dead process left and begin to grade. Once only. Raises TrackerError."""
        self._jobs.reclaim(self._owner)
        for thread in self._threads:
            thread.start()

    def stop(self, timeout_s: float = STOP_S) -> None:
        """Claim no more and give the job in hand back to the queue, within `timeout_s` and one write.

        A call to a model that does not return in time is left to end with the process; whatever it
        still brings is refused, because the job is no longer ours. Harmless when called twice.
        """
        self._stopping.set()
        self.wake()
        for thread, patience_s in zip(self._threads, (timeout_s, 1.0), strict=True):
            if thread.is_alive():
                thread.join(patience_s)
        with self._changed:
            current = self._current
        if current is not None:
            try:
                self._jobs.give_back(current.id, self._owner)
            except TrackerError as error:
                _log.warning("A grading is taken up again at the next start, not given back now: %s", error)

    def state(self) -> EngineState:
        """Whether grading goes on, or what it waits for: a full disk, a locked database."""
        if not self._complaint:
            return EngineState("grading", "ready")
        return EngineState("grading", "failed", f"it waits and goes on by itself. {self._complaint}")

    def wake(self) -> None:
        """There is work, or a job was changed: look at once rather than in a second."""
        with self._changed:
            self._changes += 1
            self._changed.notify_all()

    def watch(self, job_id: str) -> Iterator[Progress]:
        """Progress at once and whenever it changes, ending with a done, failed or cancelled job.

        Works for every job at any time: queued, half graded, or ended long ago. Only a stop of the
        worker ends it earlier, so that no open page holds up the end of the app.

        Raises:
            KeyError: No such job.
            TrackerError: The database cannot be read.
        """
        shown: tuple[object, ...] | None = None
        while True:
            seen = self._seen()
            progress = self._progress(self._jobs.job(job_id))
            # A renewed lease is a change of the job, but not of what a page shows.
            showing = (progress.job.state, progress.job.reason, progress.verdicts)
            if showing != shown:
                shown = showing
                yield progress
            if progress.job.state in _ENDED or self._stopping.is_set():
                return
            self._wait(seen)

    # -- what a page sees --------------------------------------------------------------------

    def _progress(self, job: Job) -> Progress:
        if job.attempt_id is not None:
            attempt = self._tracker.attempt(job.attempt_id)
            return Progress(job, attempt.grade.criteria, len(attempt.grade.criteria), attempt)
        with self._changed:
            ours = self._current is not None and self._current.id == job.id and job.state is JobState.RUNNING
            verdicts = self._verdicts if ours else ()
        return Progress(job, verdicts, self._n_criteria(job))

    def _n_criteria(self, job: Job) -> int:
        """Criteria of the job's question, 0 when the bank has it no longer."""
        try:
            return len(self._bank.rubric(self._tracker.answer(job.answer_id).question_id).criteria)
        except BankError:
            return 0

    def _seen(self) -> int:
        with self._changed:
            return self._changes

    def _wait(self, seen: int) -> None:
        """Until something changed since `seen`, at most a poll long."""
        with self._changed:
            self._changed.wait_for(lambda: self._changes != seen, POLL_S)

    def _hold(self, job: Job | None) -> None:
        with self._changed:
            self._current, self._verdicts = job, ()
        self.wake()

    # -- the threads -------------------------------------------------------------------------

    def _work(self) -> None:
        while not self._stopping.is_set():
            seen = self._seen()
            try:
                idle = not self._take_one()
                self._complaint = ""
            except Exception as error:  # noqa: BLE001 - the thread outlives whatever goes wrong
                # The job keeps its lease and is claimed again when that ends; `state` tells the page why it waits.
                self._complain(error)
                idle, seen = True, self._seen()
            if idle:
                self._wait(seen)

    def _complain(self, error: Exception) -> None:
        """Log an error, but not again every second while it lasts."""
        said = str(error) if isinstance(error, TutorError) else f"{type(error).__name__}; the terminal shows more"
        if said != self._complaint:
            self._complaint = said
            _log.error("Grading waits. %s", said, exc_info=None if isinstance(error, TutorError) else error)

    def _beat(self) -> None:
        """Renew the lease while one call takes long."""
        while not self._stopping.wait(self._lease_s / 3):
            with self._changed:
                current = self._current
            if current is not None:
                try:
                    self._jobs.renew(current.id, self._owner, self._lease_s)
                except TrackerError as error:
                    _log.warning("The lease of a grading was not renewed: %s", error)

    def _take_one(self) -> bool:
        """Claim and grade one job; False when there is none."""
        job = self._jobs.claim(self._owner, self._lease_s)
        if job is None:
            return False
        self._hold(job)
        try:
            self._settle(job)
        finally:
            self._hold(None)
        return True

    def _settle(self, job: Job) -> None:
        """Bring a claimed job to its end: done, failed with a sentence, or back in the queue."""
        try:
            self._jobs.finish(job.id, self._owner, self._attempt(job))
        except _NotOurs:
            pass
        except _Stopping:
            self._jobs.give_back(job.id, self._owner)
        except TutorError as error:
            if self._stopping.is_set():
                # Whoever stops the app stops the model server too: that failure says nothing.
                self._jobs.give_back(job.id, self._owner)
            else:
                self._jobs.fail(job.id, self._owner, f"{error} {SAVED}")
        except Exception:  # noqa: BLE001 - a bug must cost one grading, not all that follow
            error_id = uuid4().hex[:8]
            _log.exception("Error %s while grading job %s", error_id, job.id)
            reason = f"Grading stopped at a mistake in the program (error {error_id}, see the log). {SAVED}"
            self._jobs.fail(job.id, self._owner, reason)

    def _attempt(self, job: Job) -> Attempt:
        answer = self._tracker.answer(job.answer_id)
        question = self._bank.question(answer.question_id)
        if question is None:
            raise BankError("the question bank", f"the question {answer.question_id} is no longer there; put it back.")
        rubric = self._bank.rubric(question.id)

        def told(verdict: CriterionVerdict) -> None:
            if self._stopping.is_set():
                raise _Stopping
            if not self._jobs.renew(job.id, self._owner, self._lease_s):
                raise _NotOurs
            with self._changed:
                self._verdicts += (verdict,)
            self.wake()

        grade = self._grade(question, rubric, answer, told)
        return Attempt(
            id=uuid4().hex,
            created_at=self._clock.now(),
            question=question,
            rubric=rubric,
            answer=answer,
            grade=grade,
            transcriber=self._transcriber(answer),
        )

    def _transcriber(self, answer: Answer) -> str | None:
        """Who wrote a spoken answer down; None for typed words, and where the take or its transcript is gone."""
        if answer.take_id is None:
            return None
        try:
            transcript = self._takes.take(answer.take_id).transcript
        except KeyError:
            return None
        return None if transcript is None else transcript.transcriber
