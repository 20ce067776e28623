"""The sockets: what the core asks of the world, each with a real plug and a fake."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from tutor.states import EngineState, Job, Progress
from tutor.values import Answer, Attempt, Correction, Question, Rubric


class Clock(Protocol):
    """The only source of time."""

    def now(self) -> datetime:
        """The moment in UTC, timezone-aware."""

    def elapsed_s(self) -> float:
        """Monotonic seconds since some fixed start, for durations."""


class QuestionBank(Protocol):
    """Where questions and their rubrics come from."""

    def questions(self) -> tuple[Question, ...]:
        """All questions, in the bank's own order."""

    def rubric(self, question_id: str) -> Rubric:
        """The rubric of a question. Raises BankError for an unknown id."""


class Embedder(Protocol):
    """Sentence embeddings for short texts (a segment or a criterion, never a whole answer)."""

    @property
    def name(self) -> str:
        """Name for the fingerprint."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dimensions). Raises EngineError."""


@dataclass(frozen=True)
class Turn:
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Choice:
    """The model's choice between labels.

    Attributes:
        label: The label it chose, one of those offered.
        probability: P(first label) renormalised over the offered labels, in [0, 1];
            None where the server gives no log probabilities.
        log_odds: log P(first label) - log P(best other label), finite (labels outside the
            returned list are bounded by its last entry); None where not offered.
        prompt_tokens: Tokens the server says it read, or None.
    """

    label: str
    probability: float | None
    log_odds: float | None = None
    prompt_tokens: int | None = None


class ChatModel(Protocol):
    """A served language model that chooses between a few single-word labels."""

    @property
    def name(self) -> str:
        """Model name for the fingerprint."""

    def choose(self, turns: Sequence[Turn], labels: tuple[str, ...]) -> Choice:
        """The label the model gives as its whole reply.

        Raises EngineDown, EngineTimeout, or EngineReply after bounded repair.
        """


class Tracker(Protocol):
    """Facts: answers and attempts, appended once and never changed."""

    def submit(self, answer: Answer) -> Job:
        """Append the answer and queue its job in one transaction.

        The same answer again returns the job it already has; the same id with other words
        raises AnswerConflict. Once it returns, the words survive a power cut.
        """

    def answer(self, answer_id: str) -> Answer:
        """An answer by id. Raises KeyError."""

    def attempt(self, attempt_id: str) -> Attempt:
        """An attempt by id. Raises KeyError."""

    def attempts(self, question_id: str | None = None, limit: int | None = None) -> tuple[Attempt, ...]:
        """Attempts, newest first."""

    def append(self, correction: Correction) -> None:
        """Append a correction or appeal. Raises KeyError for an unknown attempt."""

    def corrections(self, attempt_id: str) -> tuple[Correction, ...]:
        """What was said about an attempt later, oldest first."""


class Jobs(Protocol):
    """The durable queue of gradings, claimed with a lease."""

    def job(self, job_id: str) -> Job:
        """A job by id. Raises KeyError."""

    def unfinished(self) -> tuple[Job, ...]:
        """Jobs that are queued, running or failed, newest first."""

    def claim(self, owner: str, lease_s: float) -> Job | None:
        """Take the oldest queued job, or a running one whose lease has ended; None if there is none.

        Counts a try; a job that has had three tries becomes failed instead of being claimed.
        """

    def renew(self, job_id: str, owner: str, lease_s: float) -> bool:
        """Prolong the lease. False when the job is no longer this owner's (cancelled, taken over)."""

    def finish(self, job_id: str, owner: str, attempt: Attempt) -> bool:
        """Append the attempt and mark the job done in one transaction; False if it is not ours any more."""

    def fail(self, job_id: str, owner: str, reason: str) -> bool:
        """Mark it failed with the sentence to show; nothing else is written."""

    def give_back(self, job_id: str, owner: str) -> bool:
        """Queue a running job of this owner again without counting the try: an orderly stop is nobody's fault."""

    def reclaim(self, owner: str) -> int:
        """Queue the running jobs of all other owners again at once; how many.

        Only for the one app process, which knows that the others are dead because it holds the lock.
        """

    def cancel(self, job_id: str) -> Job:
        """Cancel a queued or running job; a finished one is returned as it is."""

    def retry(self, job_id: str) -> Job:
        """Queue a failed or cancelled job again with fresh tries; others are returned as they are."""


class Desk(Protocol):
    """The worker as the practice room sees it."""

    def wake(self) -> None:
        """There is work."""

    def watch(self, job_id: str) -> Iterator[Progress]:
        """Progress whenever it changes, ending with a done, failed or cancelled job."""


class Engines(Protocol):
    """What is loading behind the page."""

    def states(self) -> tuple[EngineState, ...]:
        """One state an engine, in a fixed order."""
