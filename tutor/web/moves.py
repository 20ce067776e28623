"""What each button does: one verb of the practice room, and the frames that follow from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from time import sleep
from uuid import uuid4

from markupsafe import Markup

from tutor import view
from tutor.errors import AnswerConflict, AnswerRefused
from tutor.practice import FIRM_REFUSALS, Practice
from tutor.states import EngineState, Job, JobState, Progress
from tutor.values import Attempt, Question
from tutor.web.frame import Drafts, Frame, Seat, Stage

HISTORY_ROWS = 50
WATCH_S = 0.5
_STAGES = {
    JobState.DONE: Stage.GRADED,
    JobState.FAILED: Stage.FAILED,
    JobState.CANCELLED: Stage.CANCELLED,
}
_NO_QUESTION = "The question is no longer in the bank."


class Moves:
    """The page's moves; each takes what the browser claims and gives the frames to show, the last one to stay.

    A None among the frames means that nothing has changed.
    """

    def __init__(
        self,
        practice: Practice,
        status: Callable[[], tuple[EngineState, ...]],
        new_id: Callable[[], str] = lambda: uuid4().hex,
        pause: Callable[[float], None] = sleep,
    ) -> None:
        self._practice, self._status, self._new_id, self._pause = practice, status, new_id, pause

    def open(self, seat: Seat, drafts: Drafts, query: Mapping[str, str]) -> Iterator[Frame | None]:
        """The page was opened or reloaded: go where the link points, or else back to where it was."""
        attempt = self._practice.attempt(query["attempt"]) if query.get("attempt") else None
        if attempt is not None:
            yield self._reading(attempt)
            return
        progress = self._practice.look(query["job"]) if query.get("job") else None
        asked_for = self._practice.question(query.get("question", ""))
        if progress is None and asked_for is not None and asked_for.id != seat.question_id:
            yield self._asked(asked_for, drafts)
            return
        if progress is None and asked_for is not None and self._is_over(seat):
            yield from self.again(seat, drafts)
            return
        progress = progress or self._place(seat)
        if progress is not None:
            yield from self._follow(progress)
            return
        finished = self._practice.attempt_for(seat.answer_id) if seat.answer_id else None
        question = self._practice.question(seat.question_id)
        if finished is not None:
            yield self._graded(finished, seat)
        elif question is not None and seat.answer_id:
            yield self._asked(question, drafts, seat)
        else:
            yield self._asked(self._practice.next_question(), drafts)

    def grade(self, seat: Seat, drafts: Drafts, text: str) -> Iterator[Frame | None]:
        """Send the answer; a refused one stays in the box."""
        yield from self._sent(seat, drafts, text, insist=False)

    def insist(self, seat: Seat, drafts: Drafts, text: str) -> Iterator[Frame | None]:
        """Send an answer that was refused, unless there is nothing or too much to grade."""
        yield from self._sent(seat, drafts, text, insist=True)

    def _sent(self, seat: Seat, drafts: Drafts, text: str, *, insist: bool) -> Iterator[Frame | None]:
        question = self._practice.question(seat.question_id)
        try:
            job = self._practice.submit(seat.answer_id or self._new_id(), seat.question_id, text, insist=insist)
        except (AnswerRefused, AnswerConflict) as refused:
            sentence, stage = str(refused), Stage.ASKED
            if isinstance(refused, AnswerRefused) and refused.gate not in FIRM_REFUSALS:
                stage = Stage.REFUSED
            if isinstance(refused, AnswerConflict):
                seat = replace(seat, answer_id=self._new_id())
                sentence = "Another window sent other words for this question. Grade again to send these as well."
            note = view.markup('<p class="refused">{sentence}</p>', sentence=sentence)
            yield Frame(stage, _thread(question), said=sentence, note=note, seat=seat)
            return
        left = {question_id: draft for question_id, draft in drafts.items() if question_id != seat.question_id}
        progress = self._practice.look(job.id)
        if progress is not None:
            yield from self._follow(progress, left)

    def cancel(self, seat: Seat) -> Iterator[Frame | None]:
        """Stop the grading; the words stay."""
        job = self._practice.cancel(seat.job_id)
        progress = self._practice.look(job.id)
        if progress is not None and job.state in _STAGES:
            yield self._final(progress)

    def retry(self, seat: Seat) -> Iterator[Frame | None]:
        """Grade the same words again."""
        progress = self._practice.look(self._practice.retry(seat.job_id).id)
        if progress is not None:
            yield from self._follow(progress)

    def again(self, seat: Seat, drafts: Drafts) -> Iterator[Frame | None]:
        """The same question afresh; words that were not graded come back into the box."""
        progress = self._practice.look(seat.job_id)
        if progress is not None and progress.attempt is None:
            drafts = {**drafts, seat.question_id: self._practice.answer(progress.job).text}
        question = self._practice.question(seat.question_id) or self._practice.next_question()
        yield self._asked(question, drafts)

    def next(self, seat: Seat, drafts: Drafts) -> Iterator[Frame | None]:
        """The next question."""
        yield self._asked(self._practice.next_question(after=seat.question_id), drafts)

    def _is_over(self, seat: Seat) -> bool:
        """Whether this browser's answer was graded or cancelled, so that its question may be posed anew."""
        progress = self._place(seat)
        if progress is None:
            return bool(seat.answer_id) and self._practice.attempt_for(seat.answer_id) is not None
        return progress.job.state in (JobState.DONE, JobState.CANCELLED)

    def _place(self, seat: Seat) -> Progress | None:
        """The grading this browser was at. Where it knows of none at all, the newest unfinished one."""
        if seat.job_id:
            return self._practice.look(seat.job_id)
        return self._practice.resume(seat.answer_id or None)

    def _follow(self, progress: Progress, drafts: Drafts | None = None) -> Iterator[Frame | None]:
        if progress.job.state in _STAGES:
            yield replace(self._final(progress), drafts=drafts)
            return
        answer = self._practice.answer(progress.job)
        seat = Seat(answer.question_id, answer.id, progress.job.id)
        start = _thread(self._practice.question(answer.question_id), answer.text)
        frame = Frame(Stage.GRADING, (*start, ("assistant", self._running(progress))), "Grading.", seat=seat)
        yield replace(frame, drafts=drafts, draft="", past=self._past())
        for seen in self._watched(progress.job.id):
            if seen.job.state in _STAGES:
                yield self._final(seen)
                return
            card = self._running(seen)
            yield None if seen == progress else replace(frame, seat=None, thread=(*start, ("assistant", card)))
            progress = seen

    def _watched(self, job_id: str) -> Iterator[Progress]:
        """Progress every half second: a page that was closed can only be left between two yields."""
        while (seen := next(self._practice.watch(job_id), None)) is not None:
            yield seen
            self._pause(WATCH_S)

    def _running(self, progress: Progress) -> Markup:
        return view.progress_card(progress, [s for s in self._status() if s.state == "loading"])

    def _final(self, progress: Progress) -> Frame:
        job, attempt = progress.job, progress.attempt
        if attempt is None and job.state is JobState.DONE:
            found = self._practice.look(job.id)
            attempt = found.attempt if found else None
        if attempt is not None:
            return self._graded(attempt, Seat(attempt.question.id, attempt.answer.id, job.id))
        return self._stopped(job)

    def _stopped(self, job: Job) -> Frame:
        answer = self._practice.answer(job)
        thread = _thread(self._practice.question(answer.question_id), answer.text)
        said = "Grading cancelled." if job.state is JobState.CANCELLED else f"Not graded. {job.reason or ''}".strip()
        stage = Stage.CANCELLED if job.state is JobState.CANCELLED else Stage.FAILED
        seat = Seat(answer.question_id, answer.id, job.id)
        card = view.stopped_card(job)
        return Frame(stage, (*thread, ("assistant", card)), said, seat=seat, draft="", past=self._past())

    def _graded(self, attempt: Attempt, seat: Seat) -> Frame:
        thread = (*_thread(attempt.question, attempt.answer.text), ("assistant", view.feedback(attempt)))
        return Frame(Stage.GRADED, thread, _heard(attempt), seat=seat, draft="", past=self._past())

    def _reading(self, attempt: Attempt) -> Frame:
        thread = (*_thread(attempt.question, attempt.answer.text), ("assistant", view.feedback(attempt)))
        banner = view.markup(
            '<p class="reading"><span>An attempt of {moment}.</span> <a href="?">Back to practice</a>'
            '<a href="?question={id}">Try this question again</a></p>',
            moment=view.when(attempt.created_at, None),
            id=attempt.question.id,
        )
        return Frame(Stage.READING, thread, _heard(attempt), banner=banner, past=self._past())

    def _asked(self, question: Question, drafts: Drafts, seat: Seat | None = None) -> Frame:
        return Frame(
            Stage.ASKED,
            _thread(question),
            said=f"Question: {view.name(question)}",
            seat=seat or Seat(question.id, self._new_id()),
            drafts=drafts,
            draft=drafts.get(question.id, ""),
            past=self._past(),
        )

    def _past(self) -> Markup:
        titles = {question.id: view.name(question) for question in self._practice.questions()}
        attempts = self._practice.attempts(limit=HISTORY_ROWS)
        return view.history(attempts, self._practice.unfinished(), titles, None)


def _thread(question: Question | None, words: str | None = None) -> tuple[tuple[str, Markup], ...]:
    asked = view.question_card(question) if question else view.markup("<p>{gone}</p>", gone=_NO_QUESTION)
    return (("assistant", asked),) if words is None else (("assistant", asked), ("user", view.answer_card(words)))


def _heard(attempt: Attempt) -> str:
    grade = attempt.grade
    score = "Not graded." if grade.score is None else f"{view.score_text(grade)} of 100."
    return f"{score} {view.tally(grade.criteria)}."
