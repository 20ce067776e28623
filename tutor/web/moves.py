"""What each button does: one verb of the practice room, and the frames that follow from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from time import sleep
from uuid import uuid4

from markupsafe import Markup

from tutor import view
from tutor.booth import Booth
from tutor.errors import AnswerConflict, AnswerRefused
from tutor.practice import FIRM_REFUSALS, Practice
from tutor.states import EngineState, Job, JobState, Progress, Suggestion
from tutor.values import Answer, Attempt, card_of
from tutor.web.frame import MAX_SKIPPED, Drafts, Frame, Seat, Stage, thread
from tutor.web.spoken_moves import SpokenMoves
from tutor.web.uploads import Uploads

HISTORY_ROWS = 3
WATCH_S = 0.5
_STAGES = {
    JobState.DONE: Stage.GRADED,
    JobState.FAILED: Stage.FAILED,
    JobState.CANCELLED: Stage.CANCELLED,
}


class Moves:
    """The page's moves; each takes what the browser claims and gives the frames to show, the last one to stay.

    A None among the frames means that nothing has changed.
    """

    def __init__(
        self,
        practice: Practice,
        booth: Booth,
        uploads: Uploads,
        status: Callable[[], tuple[EngineState, ...]],
        new_id: Callable[[], str] = lambda: uuid4().hex,
        pause: Callable[[float], None] = sleep,
    ) -> None:
        self._practice, self._status, self._new_id, self._pause = practice, status, new_id, pause
        self.spoken = SpokenMoves(practice, booth, uploads, new_id, pause)

    def open(self, seat: Seat, drafts: Drafts, query: Mapping[str, str]) -> Iterator[Frame | None]:
        """The page was opened or reloaded: go where the link points, or else back to where it was."""
        attempt = self._practice.attempt(query["attempt"]) if query.get("attempt") else None
        if attempt is not None:
            yield self._reading(attempt)
            return
        progress = self._practice.look(query["job"]) if query.get("job") else None
        wanted = None if progress else self._wanted(query)
        if wanted is not None and wanted.question.id != seat.question_id:
            yield from self._posed(wanted, drafts, seat)
        elif wanted is not None and self._is_over(seat):
            yield from self._anew(seat, drafts)
        elif (progress := progress or self._place(seat)) is not None:
            yield from self._follow(progress, seat)
        else:
            yield from self._resumed(seat, drafts)

    def _wanted(self, query: Mapping[str, str]) -> Suggestion | None:
        """The question a link asks for, by its id or by its topic."""
        question = self._practice.question(query.get("question", ""))
        if question is not None:
            return Suggestion(question, "")
        topic = query.get("topic", "")
        return self._practice.suggest(topic=topic) if topic in {q.topic for q in self._practice.questions()} else None

    def _resumed(self, seat: Seat, drafts: Drafts) -> Iterator[Frame | None]:
        """No grading is under way: show the grade, the recording to be checked, the question, or the next one."""
        finished = self._practice.attempt_for(seat.answer_id) if seat.answer_id else None
        if finished is not None:
            yield self._graded(finished, seat)
        elif self._practice.question(seat.question_id) is None or not seat.answer_id:
            yield from self._posed(self._practice.suggest(), drafts, seat)
        elif self.spoken.is_at_hand(seat):
            for frame in self.spoken.hear(seat, drafts):
                yield frame and replace(frame, past=self._past())
        else:
            yield self._asked(seat, drafts)

    def grade(self, seat: Seat, drafts: Drafts, text: str) -> Iterator[Frame | None]:
        """Send the answer; a refused one stays in the box."""
        yield from self._sent(seat, drafts, text, insist=False)

    def insist(self, seat: Seat, drafts: Drafts, text: str) -> Iterator[Frame | None]:
        """Send an answer that was refused, unless there is nothing or too much to grade."""
        yield from self._sent(seat, drafts, text, insist=True)

    def _sent(self, seat: Seat, drafts: Drafts, text: str, *, insist: bool) -> Iterator[Frame | None]:
        take_id = self.spoken.checked(seat)
        answer_id = seat.answer_id or self._new_id()
        try:
            job = self._practice.submit(answer_id, seat.question_id, text, insist=insist, take_id=take_id)
        except (AnswerRefused, AnswerConflict) as refused:
            yield self._refused(refused, seat, text)
            return
        left = {question_id: draft for question_id, draft in drafts.items() if question_id != seat.question_id}
        progress = self._practice.look(job.id)
        if progress is not None:
            yield from self._follow(progress, seat, left)

    def _refused(self, refused: AnswerRefused | AnswerConflict, seat: Seat, text: str) -> Frame:
        sentence, card = str(refused), self.spoken.card(seat, text)
        stage = Stage.CHECK if card else Stage.TYPING
        if isinstance(refused, AnswerRefused) and refused.gate not in FIRM_REFUSALS:
            stage = Stage.REFUSED_TAKE if card else Stage.REFUSED
        if isinstance(refused, AnswerConflict):
            seat = replace(seat, answer_id=self._new_id())
            sentence = "Another window sent other words for this question. Grade again to send these as well."
        note = view.markup('<p class="refused">{sentence}</p>', sentence=sentence)
        question = self._practice.question(seat.question_id)
        return Frame(stage, thread(question, why=seat.why), said=sentence, take=card, note=note, seat=seat)

    def cancel(self, seat: Seat) -> Iterator[Frame | None]:
        """Stop the grading; the words stay."""
        job = self._practice.cancel(seat.job_id)
        progress = self._practice.look(job.id)
        if progress is not None and job.state in _STAGES:
            yield self._final(progress, seat)

    def retry(self, seat: Seat) -> Iterator[Frame | None]:
        """Grade the same words again."""
        progress = self._practice.look(self._practice.retry(seat.job_id).id)
        if progress is not None:
            yield from self._follow(progress, seat)

    def again(self, seat: Seat, drafts: Drafts) -> Iterator[Frame | None]:
        """The same question afresh; written words come back into the box to be improved, spoken ones do not."""
        done = self._practice.attempt_for(seat.answer_id) if seat.answer_id else None
        if done is not None and done.answer.take_id is None:
            drafts = {**drafts, seat.question_id: done.answer.text}
        yield from self._anew(seat, drafts)

    def _anew(self, seat: Seat, drafts: Drafts) -> Iterator[Frame | None]:
        """The same question afresh; what was not graded comes back, with the recording it was spoken in."""
        question = self._practice.question(seat.question_id)
        if question is None:
            yield from self.next(seat, drafts)
            return
        progress = self._practice.look(seat.job_id)
        answer = self._practice.answer(progress.job) if progress is not None and progress.attempt is None else None
        new = self._seat(Suggestion(question, ""), seat)
        if answer is not None:
            drafts = {**drafts, question.id: answer.text}
        if answer is not None and self.spoken.take_of(answer):
            yield from self.spoken.hear(replace(new, take_id=answer.take_id or ""), drafts)
        else:
            yield self._asked(new, drafts)

    def next(self, seat: Seat, drafts: Drafts) -> Iterator[Frame | None]:
        """The next question; those passed over since the last answer come again when there is no other."""
        skipped = [id for id in (*seat.skipped, seat.question_id) if id]
        suggestion = self._practice.suggest(skip=skipped)
        if suggestion.question.card in map(card_of, skipped):
            skipped = []
        yield from self._posed(suggestion, drafts, replace(seat, skipped=tuple(skipped[-MAX_SKIPPED:])))

    def write(self, seat: Seat, drafts: Drafts) -> Iterator[Frame | None]:
        """Leave the microphone for the box."""
        yield self._asked(replace(seat, typing=True, take_id=self.spoken.fresh(seat), earlier_id=""), drafts)

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

    def _follow(self, progress: Progress, seat: Seat, drafts: Drafts | None = None) -> Iterator[Frame | None]:
        if progress.job.state in _STAGES:
            yield replace(self._final(progress, seat), drafts=drafts)
            return
        answer = self._practice.answer(progress.job)
        seat = _at(answer, progress.job, seat)
        start = thread(self._practice.question(answer.question_id), answer.text, self.spoken.take_of(answer))
        frame = Frame(Stage.GRADING, (*start, ("assistant", self._running(progress))), "Grading.", seat=seat)
        yield replace(frame, drafts=drafts, draft="", past=self._past())
        for seen in self._watched(progress.job.id):
            if seen.job.state in _STAGES:
                yield self._final(seen, seat)
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

    def _final(self, progress: Progress, seat: Seat) -> Frame:
        job, attempt = progress.job, progress.attempt
        if attempt is None and job.state is JobState.DONE:
            found = self._practice.look(job.id)
            attempt = found.attempt if found else None
        if attempt is not None:
            return self._graded(attempt, _at(attempt.answer, job, seat))
        return self._stopped(job, seat)

    def _stopped(self, job: Job, seat: Seat) -> Frame:
        answer = self._practice.answer(job)
        start = thread(self._practice.question(answer.question_id), answer.text, self.spoken.take_of(answer))
        said = "Grading cancelled." if job.state is JobState.CANCELLED else f"Not graded. {job.reason or ''}".strip()
        stage = Stage.CANCELLED if job.state is JobState.CANCELLED else Stage.FAILED
        card = ("assistant", view.stopped_card(job))
        return Frame(stage, (*start, card), said, seat=_at(answer, job, seat), draft="", past=self._past())

    def _graded(self, attempt: Attempt, seat: Seat) -> Frame:
        return Frame(Stage.GRADED, self._told(attempt), _heard(attempt), seat=seat, draft="", past=self._past())

    def _reading(self, attempt: Attempt) -> Frame:
        banner = view.markup(
            '<p class="reading"><span>An attempt of {moment}.</span> <a href="?">Back to practice</a>'
            '<a href="?question={id}">Try this question again</a></p>',
            moment=view.when(attempt.created_at, None),
            id=attempt.question.id,
        )
        return Frame(Stage.READING, self._told(attempt), _heard(attempt), banner=banner, past=self._past())

    def _told(self, attempt: Attempt) -> tuple[tuple[str, Markup], ...]:
        start = thread(attempt.question, attempt.answer.text, self.spoken.take_of(attempt.answer))
        return (*start, ("assistant", view.feedback(attempt, self.spoken.spoken(attempt))))

    def _posed(self, suggestion: Suggestion, drafts: Drafts, before: Seat) -> Iterator[Frame | None]:
        """A question posed: with the recording that was left at it, or else afresh."""
        seat = self._seat(suggestion, self.spoken.leave(before))
        found = self.spoken.find(seat)
        for frame in self.spoken.hear(found, drafts) if found else (self._asked(seat, drafts),):
            yield frame and replace(frame, past=self._past())

    def _seat(self, suggestion: Suggestion, before: Seat) -> Seat:
        """A place before a question just posed, with ids for the answer and the recording to come."""
        ids = self._new_id(), self._new_id()
        return Seat(
            suggestion.question.id,
            ids[0],
            take_id=ids[1],
            typing=before.typing,
            why=suggestion.why,
            skipped=before.skipped,
            left=before.left,
        )

    def _asked(self, seat: Seat, drafts: Drafts) -> Frame:
        """The question with the recorder, or with the box for who would rather write or has begun to."""
        draft = drafts.get(seat.question_id, "")
        if not seat.typing and (not draft or self.spoken.has_earlier(seat)):
            return replace(self.spoken.asked(seat), drafts=drafts, past=self._past())
        question = self._practice.question(seat.question_id)
        said = f"Write your answer. {view.name(question)}" if question else ""
        start = thread(question, why=seat.why)
        return Frame(Stage.TYPING, start, said, seat=seat, drafts=drafts, draft=draft, past=self._past())

    def _past(self) -> Markup:
        attempts, waiting = self._practice.attempts(limit=HISTORY_ROWS), self._practice.unfinished()
        asked = (self._practice.question(answer.question_id) for _, answer in waiting)
        rows = view.history(attempts, waiting, {q.id: view.name(q) for q in asked if q}, None)
        return rows + view.markup('<p class="all"><a href="/dashboard">All attempts</a></p>') if attempts else rows


def _at(answer: Answer, job: Job, seat: Seat) -> Seat:
    """The place of a grading; how this person likes to answer stays, and what was recorded elsewhere."""
    return Seat(answer.question_id, answer.id, job.id, typing=seat.typing, left=seat.left)


def _heard(attempt: Attempt) -> str:
    grade = attempt.grade
    score = "Not graded." if grade.score is None else f"{view.score_text(grade)} of 100."
    return f"{score} {view.tally(grade.criteria)}."
