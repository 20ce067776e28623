"""A page before a tracker in memory, a fake ear and real small files; the worker is played by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from tests.fake_speech import FakeAudioReader, FakeRecordings
from tests.fake_tracker import FakeTracker
from tests.fakes import FakeBank, FakeClock, FakeTranscriber
from tests.samples import QUESTION, RUBRIC, attempt, rulings
from tutor.booth import Booth
from tutor.ports import QuestionBank
from tutor.practice import Practice
from tutor.states import EngineState, JobState, Progress
from tutor.values import Question
from tutor.web.frame import Frame, Seat
from tutor.web.moves import Moves
from tutor.web.spoken_moves import FRAME_S, SETTLE_S
from tutor.web.uploads import Uploads

OTHER = QUESTION.model_copy(
    update={"id": "batching", "title": "Batching", "question": "Why does batching help?", "topic": "serving"}
)
WORDS = "The cache keeps keys and values, so a step reads them instead of computing them again."
SPOKEN = "The cache keeps keys and values, so a step with page detention reads them and computes nothing again."
WRITING = Seat(QUESTION.id, "a1", "", take_id="t1", typing=True)
READY = (EngineState("language model", "ready"),)


class Folder(FakeRecordings):
    """Takes in every file that is there."""

    def keep(self, source: str, take_id: str) -> str:
        if Path(source).is_file():
            self.sources.add(source)
        return super().keep(source, take_id)


class Table:
    """The page's moves; `meanwhile` runs at each pause of a watch."""

    def __init__(
        self,
        clock: FakeClock,
        folder: Path,
        *more: Question,
        around: Callable[[QuestionBank], QuestionBank] = lambda bank: bank,
    ) -> None:
        self.tracker = FakeTracker(clock)
        self.verdicts = ()
        self.states = READY
        self.meanwhile: list[Callable[[], object]] = []
        self.pauses = 0
        listed = (
            (q, RUBRIC.model_copy(update={"question_id": q.id, "terms": ("PagedAttention",)}))
            for q in (QUESTION, OTHER, *more)
        )
        bank = around(FakeBank(*listed))
        practice = Practice(bank=bank, tracker=self.tracker, jobs=self.tracker, desk=self, clock=clock)
        ids = iter(f"id{i}" for i in range(100))
        self.recordings, self.ear, self.reader = Folder(), FakeTranscriber(SPOKEN), FakeAudioReader()
        self.booth = Booth(
            takes=self.tracker,
            recordings=self.recordings,
            reader=self.reader,
            transcriber=self.ear,
            bank=bank,
            clock=clock,
        )
        self.folder = folder
        self.moves = Moves(
            practice, self.booth, Uploads(folder), lambda: self.states, new_id=lambda: next(ids), pause=self.pause
        )

    def wake(self) -> None:
        """Nothing sleeps here."""

    def watch(self, job_id: str) -> Iterator[Progress]:
        job = self.tracker.job(job_id)
        done = self.tracker.attempt(job.attempt_id) if job.attempt_id else None
        yield Progress(job, self.verdicts, 3, done)

    def pause(self, seconds: float) -> None:
        if seconds in (FRAME_S, SETTLE_S):
            return
        assert seconds <= 1
        self.pauses += 1
        self.meanwhile.pop(0)()

    def judged(self, n: int) -> Callable[[], None]:
        def step() -> None:
            self.tracker.claim("w", 60)
            self.verdicts = rulings()[:n]

        return step

    def finished(self) -> None:
        (job,) = (j for j in self.tracker.unfinished() if j.state is not JobState.FAILED)
        self.tracker.claim("w", 60)
        answer = self.tracker.answer(job.answer_id)
        question = QUESTION if answer.question_id == QUESTION.id else OTHER
        self.tracker.finish(job.id, "w", attempt(answer, id=f"t-{answer.id}", question=question))

    def failed(self) -> None:
        (job,) = (j for j in self.tracker.unfinished() if j.state is not JobState.FAILED)
        self.tracker.claim("w", 60)
        self.tracker.fail(job.id, "w", "The model server does not answer. Your answer is saved.")

    def open(self, seat: Seat | None = None, drafts: dict[str, str] | None = None, **query: str) -> list[Frame | None]:
        return list(self.moves.open(seat or Seat(), drafts or {}, query))

    def graded(self, seat: Seat, text: str = WORDS) -> list[Frame | None]:
        self.meanwhile = [self.finished]
        return list(self.moves.grade(seat, {}, text))

    def recording(self, name: str = "audio.wav", at: str = "hash") -> str:
        """A file that Gradio took in, in a folder of its own."""
        source = self.folder / at / name
        source.parent.mkdir(exist_ok=True)
        source.write_bytes(b"sound")
        return str(source)

    def spoken(self, seat: Seat, drafts: dict[str, str] | None = None) -> list[Frame]:
        """Frames of a recording that arrives."""
        return self.kept(seat, drafts or {}, self.recording())

    def kept(self, seat: Seat, drafts: dict[str, str], source: str) -> list[Frame]:
        """Frames of a recording that arrives as this file; the last thing sent changes nothing."""
        *frames, last = self.moves.spoken.keep(seat, drafts, source)
        assert last is None
        return [frame for frame in frames if frame]


def text(frame: Frame) -> str:
    """What is said in the chat."""
    return " ".join(content for _, content in frame.thread)
