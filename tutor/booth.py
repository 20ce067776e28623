"""The booth's verbs: keep a recording, write it down, play it, say how it was spoken, throw it away."""

from __future__ import annotations

from datetime import datetime

from tutor import speaking
from tutor.errors import AudioRefused, BankError, TrackerError
from tutor.ports import AudioReader, Clock, QuestionBank, Recordings, Takes, Transcriber
from tutor.spoken import Heard, Spoken, Take, TakeState, Transcript
from tutor.values import Attempt


class Booth:
    """What a candidate can do with a recording, whatever the screen looks like.

    The row of a take is written before its file is moved in, and stops when the file is there. So a
    crash in between leaves a row that still records beside its file, and `recover` brings them together;
    a file nobody knows the question of cannot come to be. Deleting goes the other way round, the file
    first: a crash leaves a row that names a missing file, and never a recording that was to be gone.
    """

    def __init__(
        self,
        *,
        takes: Takes,
        recordings: Recordings,
        reader: AudioReader,
        transcriber: Transcriber,
        bank: QuestionBank,
        clock: Clock,
    ) -> None:
        self._takes, self._recordings, self._bank, self._clock = takes, recordings, bank, clock
        self._reader, self._transcriber = reader, transcriber

    def keep(self, take_id: str, question_id: str, source: str) -> Take:
        """Take a recording that has stopped out of the hands of the page; the same id again is the same take.

        How long it is says only its transcript, so `started_at` is the moment it arrived and stays that.

        Args:
            take_id: Made by the page, so that one Stop is one take.
            question_id: A question of the bank.
            source: Path of the file; it is moved, not copied.

        Raises:
            AudioRefused: The question is not in the bank, or there is no such file.
            TrackerError: It cannot be kept, such as on a full disk; the file stays and can be given again.
        """
        if self._bank.question(question_id) is None:
            raise AudioRefused(
                "unknown_question",
                "This question is no longer in the bank, so the recording was not kept. "
                "Take the next question and record again.",
            )
        now = self._clock.now()
        take = self._takes.keep(Take(id=take_id, state=TakeState.RECORDING, question_id=question_id, started_at=now))
        if take.state is not TakeState.RECORDING:
            return take
        return self._takes.stopped(take_id, self._recordings.keep(source, take_id), self._clock.now())

    def transcribe(self, take_id: str) -> Heard:
        """Write a take down, once: a take that has its transcript comes back at once.

        Raises:
            AudioRefused: Silence, too long, unreadable, deleted ...; the take and its file stay as they are.
            EngineError: The recogniser failed; the take and its file stay, and it can be tried again.
        """
        take = self.take(take_id)
        if take is not None and take.transcript is None:
            take = self._takes.transcribed(take_id, self._written_down(self._whole(take)))
        heard = None if take is None else self._heard(take)
        if heard is None:
            raise missing()
        return heard

    def heard(self, take_id: str) -> Heard | None:
        """A take that was transcribed before; None for one without a transcript or an unknown one."""
        take = self.take(take_id)
        return None if take is None else self._heard(take)

    def take(self, take_id: str) -> Take | None:
        """A take by its id, or None."""
        try:
            return self._takes.take(take_id)
        except KeyError:
            return None

    def discard(self, take_id: str) -> None:
        """Delete the recording and its transcript; words that were sent as an answer stay. An unknown one is none."""
        take = self.take(take_id)
        if take is not None:
            self._delete(take)
            self._takes.discard(take_id)

    def is_answered(self, take_id: str) -> bool:
        """Whether an answer was spoken in this take, so that it is no longer only words to be sent."""
        return self._takes.is_answered(take_id)

    def replace(self, take_id: str) -> None:
        """Another recording stands in for this one: discard it, unless an answer was spoken in it."""
        if not self.is_answered(take_id):
            self.discard(take_id)

    def recording_path(self, take_id: str) -> str | None:
        """Where the page's player finds the recording; None when it was deleted or is unknown."""
        take = self.take(take_id)
        if take is None or take.file_name is None:
            return None
        try:
            return self._recordings.path(take.file_name)
        except KeyError:
            return None

    def spoken(self, attempt: Attempt) -> Spoken | None:
        """How a graded answer was spoken and when its quotes were said; None for typed words or a discarded take."""
        answer = attempt.answer
        take = None if answer.take_id is None else self.take(answer.take_id)
        if take is None or take.transcript is None:
            return None
        return Spoken(
            take=take,
            delivery=speaking.delivery(take.transcript, attempt.question.target_s),
            starts_s=speaking.quote_starts(take.transcript, answer.text, attempt.grade.criteria),
        )

    def sweep(self, before: datetime) -> int:
        """Delete the recordings that started before a moment, how many; their transcripts stay.

        Raises:
            TrackerError: One cannot be deleted; all the others are.
        """
        old = self._takes.recorded_before(before)
        stuck: list[TrackerError] = []
        for take in old:
            try:
                self._delete(take)
                self._takes.forget_recording(take.id)
            except TrackerError as error:
                stuck.append(error)
        if stuck:
            raise stuck[0]
        return len(old)

    def recover(self) -> int:
        """Stop the takes whose file was moved in by a process that died before it could say so; how many.

        A take whose file never came stays as it is, so that its page can still bring it.
        """
        return sum(self._whole(take).state is TakeState.STOPPED for take in self._takes.recording())

    def _whole(self, take: Take) -> Take:
        """The take, stopped if it was still recording and its file has arrived."""
        name = self._recordings.find(take.id) if take.state is TakeState.RECORDING else None
        return take if name is None else self._takes.stopped(take.id, name, self._clock.now())

    def _written_down(self, take: Take) -> Transcript:
        path = self.recording_path(take.id)
        if path is None:
            raise missing()
        return self._transcriber.transcribe(self._reader.read(path), self._terms(take.question_id))

    def _heard(self, take: Take) -> Heard | None:
        if take.transcript is None:
            return None
        question = self._bank.question(take.question_id)
        return Heard(
            take=take,
            doubts=speaking.doubts(take.transcript, self._terms(take.question_id)),
            delivery=speaking.delivery(take.transcript, None if question is None else question.target_s),
            unheard=speaking.unheard(take.transcript.words, take.transcript.speech, take.transcript.duration_s),
        )

    def _delete(self, take: Take) -> None:
        name = take.file_name or self._recordings.find(take.id)
        if name is not None:
            self._recordings.delete(name)

    def _terms(self, question_id: str) -> tuple[str, ...]:
        """The terms of the question's rubric; none once the question has left the bank."""
        try:
            return self._bank.rubric(question_id).terms
        except BankError:
            return ()


def missing() -> AudioRefused:
    """What is said of a recording that has gone, also of an upload that went before it was kept."""
    return AudioRefused("missing", "The recording is not there any more. Record again or upload the file again.")
