"""A session's verbs: the next question, submit, watch, cancel, retry, and finding one's place after a reload."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tutor.drills import fresh
from tutor.errors import AnswerRefused, BankError
from tutor.grading.gates import gate
from tutor.ports import Clock, Desk, Jobs, QuestionBank, Tracker
from tutor.schedule import Standing, standings, suggest
from tutor.states import Job, Progress, Suggestion
from tutor.values import Answer, Attempt, Kind, Question

MAX_CHARACTERS = 20_000
MIN_WORDS = 4
# "About 2 GiB" may be all there is to say to a question for a number.
MIN_WORDS_NUMERICAL = 2
# What nobody can insist on: there is nothing to grade or to keep, or too much.
FIRM_REFUSALS = ("unknown_question", "unknown_take", "blank", "too_long")
# A page that was closed before it learnt its job looks for its answer among this many newest attempts.
_RECENT_ATTEMPTS = 20

_HALF_CHARACTERS = re.compile("[\ud800-\udfff]")

_REFUSALS = {
    "unknown_take": "The recording of this answer is not known here. Record again; your words stay where they are.",
    "blank": "Nothing is written yet. Write an answer first, then grade it.",
    "too_short": "This is too short to grade. Say in a few full sentences what you would say in the interview.",
    "nothing_said": "This says nothing about the question yet. Make at least one point, then grade it.",
    "gibberish": "This does not read as words. Write the answer in plain sentences.",
    "repeated": "This says the same few words over and over. Write each point once.",
    "copied_question": "This repeats the question. Answer it in your own words.",
    "keyword_list": "This is a list of terms. Say in sentences what each one does and why it matters.",
    "other_language": "This does not read as English, the language of the question. Answer in English.",
}


def refusal(gate_name: str) -> str:
    """The sentence for a person whose answer a gate stopped; an unknown gate is named.

    >>> refusal("mumbled_words")
    'This cannot be graded as an answer (mumbled words). Write in full sentences what you would say.'
    """
    named = gate_name.replace("_", " ")
    return _REFUSALS.get(
        gate_name, f"This cannot be graded as an answer ({named}). Write in full sentences what you would say."
    )


def whole(text: str) -> str:
    r"""Text that can be stored and sent: half of a surrogate pair, which no encoding takes, becomes U+FFFD.

    >>> whole("a\ud83db")
    'a\ufffdb'
    """
    return _HALF_CHARACTERS.sub("\ufffd", text)


class Practice:
    """What a candidate can do, whatever the screen looks like."""

    def __init__(self, *, bank: QuestionBank, tracker: Tracker, jobs: Jobs, desk: Desk, clock: Clock) -> None:
        self._bank, self._tracker, self._jobs, self._desk, self._clock = bank, tracker, jobs, desk, clock
        self._known: tuple[Attempt, ...] = ()

    def questions(self) -> tuple[Question, ...]:
        """The bank's questions in its own order."""
        return self._bank.questions()

    def question(self, question_id: str) -> Question | None:
        """The bank's question of this id, such as a drill that a link names, or None."""
        return self._bank.question(question_id)

    def suggest(self, skip: Sequence[str] = (), topic: str | None = None) -> Suggestion:
        """The question to pose next and why: see `schedule.suggest`. A drill comes with numbers not answered yet.

        Args:
            skip: Ids of questions just posed, the latest last; they do not come again while there is another.
            topic: The topic that the person chose; one that is not in the bank counts as none.

        Raises:
            BankError: The bank has no question at all.
        """
        questions = self._bank.questions()
        if not questions:
            raise BankError("the question bank", "it has no questions; add one, or choose another bank")
        attempts = self._all_attempts()
        return self._with_new_numbers(suggest(questions, attempts, self._clock.now(), skip, topic), attempts)

    def standings(self) -> tuple[Standing, ...]:
        """Every topic with its progress and its due day, in the bank's order."""
        return standings(self._bank.questions(), self._all_attempts(), self._clock.now())

    def submit(
        self, answer_id: str, question_id: str, text: str, *, insist: bool = False, take_id: str | None = None
    ) -> Job:
        """Keep the answer and queue its grading; the same id with the same words is the same job.

        Args:
            answer_id: Made by the page when the question is posed, so that a double click is one answer.
            question_id: A question of the bank.
            text: The candidate's words, kept exactly as they are but for broken characters (`whole`).
            insist: Grade it although a gate stopped it, unless the refusal is one of `FIRM_REFUSALS`.
            take_id: The take these words were spoken in, None for a typed answer.

        Raises:
            AnswerRefused: It is not worth a grade; nothing was stored.
            AnswerConflict: This id already carries other words.
        """
        question = self.question(question_id)
        if question is None:
            raise AnswerRefused("unknown_question", "This question is no longer in the bank. Take the next one.")
        text = whole(text)
        stopped = _stop(question, text)
        if insist and stopped not in FIRM_REFUSALS:
            stopped = None
        if stopped == "too_long":
            raise AnswerRefused(
                stopped,
                f"This answer has {len(text):,} characters and the limit is {MAX_CHARACTERS:,}. "
                "Shorten it, then grade it. Nothing was sent.",
            )
        if stopped:
            raise AnswerRefused(stopped, refusal(stopped))
        spoken = {"spoken": take_id is not None, "take_id": take_id}
        answer = Answer(id=answer_id, question_id=question_id, text=text, created_at=self._clock.now(), **spoken)
        try:
            job = self._tracker.submit(answer)
        except KeyError:
            raise AnswerRefused("unknown_take", refusal("unknown_take")) from None
        self._desk.wake()
        return job

    def watch(self, job_id: str) -> Iterator[Progress]:
        """Progress whenever it changes, ending with a done, failed or cancelled job."""
        return self._desk.watch(job_id)

    def look(self, job_id: str) -> Progress | None:
        """Where a job stands now, without waiting; None for an unknown id.

        Verdicts of a running job are not in it: `watch` brings them.
        """
        try:
            job = self._jobs.job(job_id)
        except KeyError:
            return None
        attempt = self.attempt(job.attempt_id) if job.attempt_id else None
        if attempt is not None:
            return Progress(job, attempt.grade.criteria, len(attempt.grade.criteria), attempt)
        return Progress(job, (), self._n_criteria(self.answer(job)))

    def cancel(self, job_id: str) -> Job:
        """Stop the grading of an answer; its words stay. A finished job is returned as it is."""
        job = self._jobs.cancel(job_id)
        self._desk.wake()
        return job

    def retry(self, job_id: str) -> Job:
        """Queue a failed or cancelled grading again."""
        job = self._jobs.retry(job_id)
        self._desk.wake()
        return job

    def resume(self, answer_id: str | None = None) -> Progress | None:
        """The newest unfinished grading, or that of one answer; None where there is none."""
        jobs = self._jobs.unfinished()
        wanted = next((job for job in jobs if answer_id in (None, job.answer_id)), None)
        return None if wanted is None else self.look(wanted.id)

    def unfinished(self) -> tuple[tuple[Job, Answer], ...]:
        """Gradings that are queued, running or failed with their answers, newest first."""
        return tuple((job, self.answer(job)) for job in self._jobs.unfinished())

    def answer(self, job: Job) -> Answer:
        """The answer a job grades."""
        return self._tracker.answer(job.answer_id)

    def attempts(self, question_id: str | None = None, limit: int | None = None) -> tuple[Attempt, ...]:
        """Attempts, newest first."""
        return self._tracker.attempts(question_id, limit)

    def attempt(self, attempt_id: str) -> Attempt | None:
        """One attempt by its id, or None."""
        try:
            return self._tracker.attempt(attempt_id)
        except KeyError:
            return None

    def attempt_for(self, answer_id: str) -> Attempt | None:
        """The recent attempt that graded this answer, or None."""
        recent = self._tracker.attempts(limit=_RECENT_ATTEMPTS)
        return next((a for a in recent if a.answer.id == answer_id), None)

    def _with_new_numbers(self, suggestion: Suggestion, attempts: Sequence[Attempt]) -> Suggestion:
        """The same suggestion, with the first drill of its family that was not answered yet if it is a drill."""
        posed = suggestion.question
        tried = {attempt.question.id for attempt in attempts if attempt.question.card == posed.card}
        question = self._bank.question(fresh(posed.id, tried))
        if question is None or question.id == posed.id:
            return suggestion
        return Suggestion(question, f"{suggestion.why} Its numbers are new.")

    def _all_attempts(self) -> tuple[Attempt, ...]:
        """All attempts, newest first: as read before and what came since, or else all of them read anew."""
        before, recent = self._known, self._tracker.attempts(limit=_RECENT_ATTEMPTS)
        ids = [attempt.id for attempt in recent]
        n_new = ids.index(before[0].id) if before and before[0].id in ids else 0
        known = (*recent[:n_new], *before)
        if len(recent) < _RECENT_ATTEMPTS:
            known = recent
        elif [attempt.id for attempt in known[:_RECENT_ATTEMPTS]] != ids:
            known = self._tracker.attempts()
        self._known = known
        return known

    def _n_criteria(self, answer: Answer) -> int:
        try:
            return len(self._bank.rubric(answer.question_id).criteria)
        except BankError:
            return 0


def _stop(question: Question, text: str) -> str | None:
    """The name of what stops an answer; the firm ones come first."""
    if len(text) > MAX_CHARACTERS:
        return "too_long"
    gated = gate(question, text)
    fewest = MIN_WORDS_NUMERICAL if question.kind is Kind.NUMERICAL else MIN_WORDS
    return "too_short" if gated != "blank" and len(text.split()) < fewest else gated
