"""The sockets: what the core asks of the world, each with a real plug and a fake."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from tutor.errors import BankError
from tutor.spoken import Take, Transcript
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

    def question(self, question_id: str) -> Question | None:
        """The question of an id, also one that `questions` does not list, such as a drill; None for an unknown id."""

    def rubric(self, question_id: str) -> Rubric:
        """The rubric of a question. Raises BankError for an unknown id."""


@dataclass(frozen=True)
class Entry:
    """A person's own question with its rubric, and the set it stands in.

    Attributes:
        set_name: Name of the set: letters, digits and `. _ -`, such as `mixed-review`.
        question: The question; one that comes along has a person's own of the same id take its place.
        rubric: Its rubric, with the question's id.
    """

    set_name: str
    question: Question
    rubric: Rubric


class OwnBank(Protocol):
    """A person's own questions: imported, written, or edited from those that come along."""

    def entries(self) -> tuple[Entry, ...]:
        """All of them as they are now, by set name, in the order of each set.

        The same tuple as before while nothing has changed. What cannot be read is left out and told by `mistakes`.
        """

    def mistakes(self) -> tuple[BankError, ...]:
        """Why questions are left out, with file and line; empty where all can be read."""

    def put(self, set_name: str, entries: Sequence[Entry], *, whole: bool = False) -> None:
        """Replace the questions of these ids in a set where they stand, and append the others.

        Args:
            set_name: The set, made when it is not there; the entries are of this set from now on.
            entries: What to store.
            whole: The set has these entries alone afterwards, in their order.

        Raises:
            BankError: Nothing was stored: no name for a set, an id that stands in another set, a text that cannot be
                read back, a set whose file has mistakes, or a folder that cannot be written.
            ValueError: A rubric that is not its question's, or one id twice.
        """

    def remove(self, question_id: str) -> None:
        """Delete a question and its rubric; one that comes along is itself again.

        Raises BankError for an unknown id, a set whose file has mistakes, and a folder that cannot be written.
        """


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


@dataclass(frozen=True)
class Recording:
    """A decoded recording.

    Attributes:
        samples: Mono, 16,000 a second, in [-1, 1]; shape (n,).
        is_whole: False when part of the file could not be read.
    """

    samples: NDArray[np.float32]
    is_whole: bool = True


SAMPLE_RATE_HZ = 16_000


class AudioReader(Protocol):
    """Decodes a file that somebody else made, under caps of length, memory and time."""

    def read(self, path: str) -> Recording:
        """The recording. Raises AudioRefused: unreadable, without sound, too short, too long, too large."""


class Transcriber(Protocol):
    """A speech recogniser."""

    @property
    def name(self) -> str:
        """Model, precision and library, for the attempt's record."""

    def transcribe(self, recording: Recording, terms: Sequence[str]) -> Transcript:
        """What is said, spelling the terms as given where they are heard.

        Raises AudioRefused for a recording without speech, EngineError when the recogniser fails.
        """


class Takes(Protocol):
    """Recordings as rows: kept when they stop, transcribed once, discarded by the person."""

    def keep(self, take: Take) -> Take:
        """Append a take; one of the same id that is already there is returned as it is."""

    def take(self, take_id: str) -> Take:
        """A take by id. Raises KeyError."""

    def stopped(self, take_id: str, file_name: str, at: datetime) -> Take:
        """A recording take has its whole file now; one in another state is returned as it is. Raises KeyError."""

    def is_answered(self, take_id: str) -> bool:
        """Whether an answer was spoken in this take, graded or not; nothing was in an unknown one."""

    def recording(self) -> tuple[Take, ...]:
        """Takes that have not stopped, oldest first; at a start these are what a dead process left."""

    def transcribed(self, take_id: str, transcript: Transcript) -> Take:
        """Give a stopped take its transcript and length; the first transcript stays. Raises KeyError."""

    def discard(self, take_id: str) -> Take:
        """The person does not want it: state discarded, without file or transcript. Raises KeyError."""

    def forget_recording(self, take_id: str) -> Take:
        """The file was deleted; transcript and state stay. Raises KeyError."""

    def recorded_before(self, moment: datetime) -> tuple[Take, ...]:
        """Takes that still name a file and started before this moment, oldest first."""


class Recordings(Protocol):
    """The files of the takes, in a private folder."""

    def keep(self, source: str, take_id: str) -> str:
        """Move a file in, so that it survives a power cut; the name it has from now on.

        A source that was moved in before gives the name again: one Stop is one take. Raises AudioRefused
        when there is no such file or it is no regular file, TrackerError when it cannot be kept.
        """

    def find(self, take_id: str) -> str | None:
        """The name of the file kept for a take, None when there is none: for whom a crash left without it."""

    def path(self, file_name: str) -> str:
        """Where a kept file lies. Raises KeyError when it is not there."""

    def delete(self, file_name: str) -> None:
        """Delete a file; one that is not there is no error."""


class Tracker(Protocol):
    """Facts: answers and attempts, appended once and never changed."""

    def submit(self, answer: Answer) -> Job:
        """Append the answer and queue its job in one transaction.

        The same answer again returns the job it already has; the same id with other words
        raises AnswerConflict. Once it returns, the words survive a power cut. Raises KeyError for
        an answer to a take that is not there; nothing is stored then.
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
