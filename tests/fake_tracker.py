"""A tracker and its queue of jobs in memory, one lock around every step."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from threading import RLock
from typing import Any

from tutor.errors import AnswerConflict, TrackerError
from tutor.ports import Clock
from tutor.states import Job, JobState
from tutor.values import Answer, Attempt, Correction

OPEN = (JobState.QUEUED, JobState.RUNNING)


class FakeTracker:
    """Forgets everything when it is dropped; otherwise it keeps the contract."""

    def __init__(self, clock: Clock) -> None:
        self._clock, self._lock = clock, RLock()
        self._answers: dict[str, Answer] = {}
        self._jobs: dict[str, Job] = {}
        self._attempts: list[Attempt] = []
        self._corrections: list[Correction] = []

    def submit(self, answer: Answer) -> Job:
        with self._lock:
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
