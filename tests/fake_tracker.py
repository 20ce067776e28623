"""A tracker, its queue of jobs and its takes in memory, one lock around every step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from threading import RLock
from typing import Any

from tutor.errors import AnswerConflict, TrackerError
from tutor.ports import Clock
from tutor.spoken import Take, TakeState, Transcript
from tutor.states import Job, JobState
from tutor.values import Answer, Attempt, Correction

OPEN = (JobState.QUEUED, JobState.RUNNING)


class FakeTakes:
    """Takes without files."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._takes: dict[str, Take] = {}

    def keep(self, take: Take) -> Take:
        with self._lock:
            return self._takes.setdefault(take.id, take)

    def take(self, take_id: str) -> Take:
        return self._takes[take_id]

    def stopped(self, take_id: str, file_name: str, at: datetime) -> Take:
        stop = {"state": TakeState.STOPPED, "file_name": file_name, "stopped_at": at}
        return self._advance(take_id, [TakeState.RECORDING], **stop)

    def recording(self) -> tuple[Take, ...]:
        return self._oldest_first(lambda take: take.state is TakeState.RECORDING)

    def transcribed(self, take_id: str, transcript: Transcript) -> Take:
        heard = {"transcript": transcript, "duration_s": transcript.duration_s}
        return self._advance(take_id, [TakeState.STOPPED], state=TakeState.TRANSCRIBED, **heard)

    def discard(self, take_id: str) -> Take:
        return self._advance(take_id, TakeState, state=TakeState.DISCARDED, file_name=None, transcript=None)

    def forget_recording(self, take_id: str) -> Take:
        return self._advance(take_id, TakeState, file_name=None)

    def recorded_before(self, moment: datetime) -> tuple[Take, ...]:
        return self._oldest_first(lambda take: take.file_name is not None and take.started_at < moment)

    def _advance(self, take_id: str, only_from: Iterable[TakeState], **changes: Any) -> Take:
        with self._lock:
            take = self._takes[take_id]
            if take.state in only_from:
                self._takes[take_id] = take.model_copy(update=changes)
            return self._takes[take_id]

    def _oldest_first(self, wanted: Callable[[Take], bool]) -> tuple[Take, ...]:
        return tuple(sorted(filter(wanted, self._takes.values()), key=lambda take: (take.started_at, take.id)))


class FakeTracker(FakeTakes):
    """Forgets everything when it is dropped; otherwise it keeps the contract."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock
        self._answers: dict[str, Answer] = {}
        self._jobs: dict[str, Job] = {}
        self._attempts: list[Attempt] = []
        self._corrections: list[Correction] = []

    def submit(self, answer: Answer) -> Job:
        with self._lock:
            if answer.take_id is not None:
                self.take(answer.take_id)
            kept = self._answers.setdefault(answer.id, answer)
            if (kept.question_id, kept.text) != (answer.question_id, answer.text):
                raise AnswerConflict("other words")
            of_answer = [job for job in self._jobs.values() if job.answer_id == answer.id]
            if of_answer:
                return of_answer[-1]
            now, id = self._clock.now(), f"job-{len(self._jobs) + 1}"
            job = Job(id=id, answer_id=answer.id, state=JobState.QUEUED, created_at=now, updated_at=now)
            self._jobs[id] = job
            return job

    def is_answered(self, take_id: str) -> bool:
        return any(answer.take_id == take_id for answer in self._answers.values())

    def answer(self, answer_id: str) -> Answer:
        return self._answers[answer_id]

    def attempt(self, attempt_id: str) -> Attempt:
        for attempt in self._attempts:
            if attempt.id == attempt_id:
                return attempt
        raise KeyError(attempt_id)

    def attempts(self, question_id: str | None = None, limit: int | None = None) -> tuple[Attempt, ...]:
        wanted = [a for a in reversed(self._attempts) if question_id in (None, a.question.id)]
        return tuple(sorted(wanted, key=lambda a: a.created_at, reverse=True)[:limit])

    def append(self, correction: Correction) -> None:
        with self._lock:
            self.attempt(correction.attempt_id)
            if any(kept.id == correction.id for kept in self._corrections):
                raise TrackerError("already stored")
            self._corrections.append(correction)

    def corrections(self, attempt_id: str) -> tuple[Correction, ...]:
        return tuple(c for c in self._corrections if c.attempt_id == attempt_id)

    def job(self, job_id: str) -> Job:
        return self._jobs[job_id]

    def unfinished(self) -> tuple[Job, ...]:
        states = (*OPEN, JobState.FAILED)
        return tuple(job for job in reversed(self._jobs.values()) if job.state in states)

    def claim(self, owner: str, lease_s: float) -> Job | None:
        now = self._clock.now()
        with self._lock:
            for job in self._jobs.values():
                ended = job.state is JobState.RUNNING and job.lease_until is not None and job.lease_until <= now
                if job.state is not JobState.QUEUED and not ended:
                    continue
                if job.tries >= 3:
                    self._free(job, state=JobState.FAILED, reason="Interrupted three times. Your answer is saved.")
                    continue
                until = now + timedelta(seconds=lease_s)
                running = {"state": JobState.RUNNING, "owner": owner, "lease_until": until, "reason": None}
                return self._put(job, tries=job.tries + 1, **running)
        return None

    def renew(self, job_id: str, owner: str, lease_s: float) -> bool:
        with self._lock:
            job = self._held(job_id, owner)
            if job:
                self._put(job, lease_until=self._clock.now() + timedelta(seconds=lease_s))
            return job is not None

    def finish(self, job_id: str, owner: str, attempt: Attempt) -> bool:
        with self._lock:
            job = self._held(job_id, owner)
            if job is None or job.answer_id != attempt.answer.id:
                return False
            self._attempts.append(attempt)
            self._free(job, state=JobState.DONE, attempt_id=attempt.id, reason=None)
            return True

    def fail(self, job_id: str, owner: str, reason: str) -> bool:
        with self._lock:
            job = self._held(job_id, owner)
            return job is not None and bool(self._free(job, state=JobState.FAILED, reason=reason))

    def give_back(self, job_id: str, owner: str) -> bool:
        with self._lock:
            job = self._held(job_id, owner)
            return job is not None and bool(self._free(job, state=JobState.QUEUED, tries=job.tries - 1))

    def reclaim(self, owner: str) -> int:
        with self._lock:
            others = [job for job in self._jobs.values() if job.state is JobState.RUNNING and job.owner != owner]
            for job in others:
                self._free(job, state=JobState.QUEUED)
            return len(others)

    def cancel(self, job_id: str) -> Job:
        return self._move(job_id, OPEN, state=JobState.CANCELLED)

    def retry(self, job_id: str) -> Job:
        stopped = (JobState.FAILED, JobState.CANCELLED)
        return self._move(job_id, stopped, state=JobState.QUEUED, tries=0, reason=None)

    def _move(self, job_id: str, only_from: Iterable[JobState], **changes: Any) -> Job:
        with self._lock:
            job = self._jobs[job_id]
            return self._free(job, **changes) if job.state in only_from else job

    def _held(self, job_id: str, owner: str) -> Job | None:
        job = self._jobs.get(job_id)
        return job if job and job.state is JobState.RUNNING and job.owner == owner else None

    def _free(self, job: Job, **changes: Any) -> Job:
        return self._put(job, owner=None, lease_until=None, **changes)

    def _put(self, job: Job, **changes: Any) -> Job:
        changed = job.model_copy(update={"updated_at": self._clock.now(), **changes})
        self._jobs[job.id] = changed
        return changed
