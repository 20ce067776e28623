"""The verbs of a session, over a tracker in memory."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from tests.fake_tracker import FakeTracker
from tests.fakes import FakeBank, FakeClock
from tests.samples import QUESTION, RUBRIC, attempt
from tests.takes import stopped
from tutor.errors import AnswerConflict, AnswerRefused, BankError
from tutor.practice import FIRM_REFUSALS, MAX_CHARACTERS, Practice, refusal
from tutor.states import JobState, Progress
from tutor.values import Answer, Attempt, Kind

SECOND = QUESTION.model_copy(update={"id": "batching", "question": "Why does batching help decode so much?"})
THIRD = QUESTION.model_copy(update={"id": "paging"})
WORDS = "The cache keeps keys and values, so a step reads them instead of computing them again."


class SilentDesk:
    """Counts wakes; a watch gives whatever the jobs say now."""

    def __init__(self, tracker: FakeTracker) -> None:
        self.tracker, self.wakes = tracker, 0

    def wake(self) -> None:
        self.wakes += 1

    def watch(self, job_id: str) -> Iterator[Progress]:
        yield Progress(self.tracker.job(job_id), (), 3)


class Room:
    def __init__(self, clock: FakeClock, *questions: object) -> None:
        self.tracker = FakeTracker(clock)
        self.desk = SilentDesk(self.tracker)
        self.bank = FakeBank(*((q, RUBRIC.model_copy(update={"question_id": q.id})) for q in questions))
        self.practice = Practice(bank=self.bank, tracker=self.tracker, jobs=self.tracker, desk=self.desk, clock=clock)

    def graded(self, answer_id: str, question: object = QUESTION) -> None:
        """Submit words and finish their job as the worker would."""
        job = self.practice.submit(answer_id, question.id, WORDS)
        self.tracker.claim("w", 60)
        answer = self.tracker.answer(answer_id)
        self.tracker.finish(job.id, "w", attempt(answer, id=f"t-{answer_id}", question=question))


@pytest.fixture
def room(clock: FakeClock) -> Room:
    return Room(clock, QUESTION, SECOND, THIRD)


def test_the_first_question_is_the_first_of_the_bank(room: Room) -> None:
    assert room.practice.suggest().question == QUESTION


def test_the_question_never_answered_comes_next(room: Room) -> None:
    room.graded("a1", QUESTION)
    room.graded("a2", SECOND)
    assert room.practice.suggest().question == THIRD


def test_the_reason_comes_with_the_question(room: Room, clock: FakeClock) -> None:
    assert room.practice.suggest().why == "This is your first question."
    room.graded("a1", SECOND)
    clock.move_s(24 * 3600)
    suggested = room.practice.suggest()
    assert suggested.question == SECOND
    assert suggested.why.startswith("memory is the only topic that is due: 62 of 100 at your only attempt.")


def test_the_same_question_never_comes_twice_in_a_row(room: Room) -> None:
    assert room.practice.suggest(skip=(QUESTION.id,)).question == SECOND


def test_the_only_question_may_come_again(clock: FakeClock) -> None:
    only = Room(clock, QUESTION)
    assert only.practice.suggest(skip=(QUESTION.id,)).question == QUESTION
    only.graded("a1", QUESTION)
    assert only.practice.suggest(skip=(QUESTION.id,)).question == QUESTION


def test_a_chosen_topic_is_followed_and_an_unknown_one_is_not(clock: FakeClock) -> None:
    room = Room(clock, QUESTION, SECOND.model_copy(update={"topic": "serving"}))
    assert room.practice.suggest(topic="serving").question.id == SECOND.id
    assert room.practice.suggest(topic="serving").why == "You chose this topic."
    assert room.practice.suggest(topic="<gone>").question == QUESTION


def test_the_standing_of_a_topic_follows_its_attempts(room: Room) -> None:
    (before,) = room.practice.standings()
    assert (before.progress.n_attempts, before.due) == (0, None)
    room.graded("a1")
    (after,) = room.practice.standings()
    assert (after.progress.n_attempts, after.progress.mean) == (1, 0.625)
    assert after.due is not None


def test_attempts_are_read_in_full_once_and_then_only_the_newest(room: Room, clock: FakeClock) -> None:
    asked: list[int | None] = []
    read = room.tracker.attempts

    def attempts(question_id: str | None = None, limit: int | None = None) -> tuple[Attempt, ...]:
        asked.append(limit)
        return read(question_id, limit)

    room.tracker.attempts = attempts
    for n in range(30):
        room.graded(f"a{n}")
        clock.move_s(60)
    room.practice.standings()
    assert asked.count(None) == 1
    for n in range(30, 35):
        room.graded(f"a{n}")
        clock.move_s(60)
    (standing,) = room.practice.standings()
    assert standing.progress.n_attempts == 35
    assert asked.count(None) == 1


def test_attempts_that_another_program_wrote_in_between_or_took_away_are_not_overlooked(
    room: Room, clock: FakeClock
) -> None:
    for n in range(30):
        room.graded(f"a{n}")
        clock.move_s(60)
    room.practice.standings()
    late = attempt(room.tracker.answer("a29"), id="t-late", at=clock.moment - timedelta(seconds=90))
    room.tracker._attempts.append(late)
    assert room.practice.standings()[0].progress.n_attempts == 31
    room.tracker._attempts.clear()
    assert room.practice.standings()[0].progress.n_attempts == 0


def test_an_empty_bank_says_so(clock: FakeClock) -> None:
    with pytest.raises(BankError, match="no questions"):
        Room(clock).practice.suggest()


def test_a_submitted_answer_is_kept_word_for_word_and_wakes_the_worker(room: Room) -> None:
    words = f"  {WORDS}\r\n\tand more of it \n"
    job = room.practice.submit("a1", QUESTION.id, words)
    assert job.state is JobState.QUEUED
    assert room.practice.answer(job).text == words
    assert room.desk.wakes == 1


def test_a_broken_character_is_replaced_before_anything_is_stored(room: Room) -> None:
    first, second = (room.practice.submit("a1", QUESTION.id, f"\ud83d {WORDS} \U0001f600\udc00") for _ in range(2))
    assert first.id == second.id
    assert room.practice.answer(first).text == f"\ufffd {WORDS} \U0001f600\ufffd"
    assert room.practice.answer(first).text.encode()


def test_a_double_click_is_one_job(room: Room) -> None:
    first, second = (room.practice.submit("a1", QUESTION.id, WORDS) for _ in range(2))
    assert first.id == second.id
    assert len(room.tracker.unfinished()) == 1


def test_other_words_under_the_same_id_are_a_conflict(room: Room) -> None:
    room.practice.submit("a1", QUESTION.id, WORDS)
    with pytest.raises(AnswerConflict):
        room.practice.submit("a1", QUESTION.id, WORDS + " And more.")
    assert room.tracker.answer("a1").text == WORDS


@pytest.mark.parametrize(
    ("text", "gate", "sentence"),
    [
        ("", "blank", "Nothing is written yet"),
        (" \n\t ", "blank", "Nothing is written yet"),
        ("It is bandwidth", "too_short", "too short"),
        ("Okay, so the answer is that it is correct.", "nothing_said", "nothing about the question"),
        (SECOND.question + " " + SECOND.question, "copied_question", "repeats the question"),
        ("memory " * 40, "repeated", "same few words"),
        ("w" * (MAX_CHARACTERS + 1), "too_long", "20,001 characters and the limit is 20,000"),
    ],
)
def test_an_answer_not_worth_a_grade_gets_a_sentence_and_nothing_is_stored(
    room: Room, text: str, gate: str, sentence: str
) -> None:
    with pytest.raises(AnswerRefused, match=sentence) as refused:
        room.practice.submit("a1", SECOND.id, text)
    assert refused.value.gate == gate
    assert room.tracker.unfinished() == ()
    with pytest.raises(KeyError):
        room.tracker.answer("a1")
    assert room.desk.wakes == 0


@pytest.mark.parametrize(
    "text",
    [
        "It is bandwidth",
        "Okay, so the answer is that it is correct.",
        f"{SECOND.question} {SECOND.question}",
        "memory " * 40,
    ],
    ids=["too_short", "nothing_said", "copied_question", "repeated"],
)
def test_who_insists_is_graded(room: Room, text: str) -> None:
    with pytest.raises(AnswerRefused):
        room.practice.submit("a1", SECOND.id, text)
    job = room.practice.submit("a1", SECOND.id, text, insist=True)
    assert job.state is JobState.QUEUED
    assert room.practice.answer(job).text == text


@pytest.mark.parametrize(
    ("question_id", "text", "gate"),
    [
        (SECOND.id, " \n", "blank"),
        (SECOND.id, "? 7", "blank"),
        (SECOND.id, "word " * 4001, "too_long"),
        ("gone", WORDS, "unknown_question"),
    ],
)
def test_nobody_can_insist_on_nothing_or_too_much(room: Room, question_id: str, text: str, gate: str) -> None:
    with pytest.raises(AnswerRefused) as refused:
        room.practice.submit("a1", question_id, text, insist=True)
    assert refused.value.gate == gate
    assert gate in FIRM_REFUSALS
    assert room.tracker.unfinished() == ()


def test_a_number_and_its_unit_answer_a_numerical_question_and_no_other(clock: FakeClock) -> None:
    room = Room(clock, QUESTION, SECOND.model_copy(update={"kind": Kind.NUMERICAL}))
    assert room.practice.submit("a1", SECOND.id, "2 GiB").state is JobState.QUEUED
    for question_id, text in ((SECOND.id, "GiB"), (QUESTION.id, "2 GiB")):
        with pytest.raises(AnswerRefused, match="too short"):
            room.practice.submit("a2", question_id, text)


def test_the_longest_answer_allowed_is_taken(room: Room) -> None:
    words = WORDS + " " * (MAX_CHARACTERS - len(WORDS))
    assert room.practice.submit("a1", QUESTION.id, words)


def test_an_answer_to_a_question_that_is_gone_is_refused(room: Room) -> None:
    with pytest.raises(AnswerRefused, match="no longer in the bank"):
        room.practice.submit("a1", "gone", WORDS)


@pytest.mark.parametrize("name", ["blank", "nothing_said", "gibberish", "keyword_list", "other_language", "new_gate"])
def test_every_gate_has_a_sentence_that_says_what_to_do(name: str) -> None:
    assert refusal(name).endswith(".")
    assert "!" not in refusal(name)
    assert "_" not in refusal(name)


def test_a_look_at_a_queued_job_knows_how_many_points_there_are(room: Room) -> None:
    job = room.practice.submit("a1", QUESTION.id, WORDS)
    assert room.practice.look(job.id) == Progress(job, (), 3)


def test_a_look_at_a_done_job_brings_its_attempt(room: Room) -> None:
    room.graded("a1")
    seen = room.practice.look("job-1")
    assert seen is not None
    assert seen.attempt is not None
    assert seen.attempt.id == "t-a1"
    assert seen.verdicts == seen.attempt.grade.criteria


def test_a_look_at_an_unknown_job_is_none(room: Room) -> None:
    assert room.practice.look("no-such-job") is None


def test_a_look_survives_a_question_that_left_the_bank(room: Room) -> None:
    job = room.tracker.submit(Answer(id="a9", question_id="gone", text=WORDS, created_at=FakeClock().now()))
    assert room.practice.look(job.id) == Progress(job, (), 0)


def test_a_cancelled_job_keeps_the_words_and_can_be_queued_again(room: Room) -> None:
    job = room.practice.submit("a1", QUESTION.id, WORDS)
    assert room.practice.cancel(job.id).state is JobState.CANCELLED
    assert room.practice.answer(job).text == WORDS
    assert room.practice.retry(job.id).state is JobState.QUEUED
    assert room.desk.wakes == 3


def test_resume_finds_the_newest_unfinished_grading(room: Room) -> None:
    assert room.practice.resume() is None
    room.practice.submit("a1", QUESTION.id, WORDS)
    newest = room.practice.submit("a2", SECOND.id, WORDS)
    found = room.practice.resume()
    assert found is not None
    assert found.job.id == newest.id


def test_resume_finds_the_grading_of_one_answer(room: Room) -> None:
    first = room.practice.submit("a1", QUESTION.id, WORDS)
    room.practice.submit("a2", SECOND.id, WORDS)
    found = room.practice.resume("a1")
    assert found is not None
    assert found.job.id == first.id
    assert room.practice.resume("a3") is None


def test_a_failed_grading_is_unfinished_with_its_words(room: Room) -> None:
    job = room.practice.submit("a1", QUESTION.id, WORDS)
    room.tracker.claim("w", 60)
    room.tracker.fail(job.id, "w", "The model server does not answer.")
    ((left, answer),) = room.practice.unfinished()
    assert left.state is JobState.FAILED
    assert answer.text == WORDS


def test_attempts_are_found_by_question_by_id_and_by_answer(room: Room) -> None:
    room.graded("a1", QUESTION)
    room.graded("a2", SECOND)
    assert [a.id for a in room.practice.attempts(question_id=SECOND.id)] == ["t-a2"]
    assert len(room.practice.attempts(limit=1)) == 1
    assert room.practice.attempt("t-a1") is not None
    assert room.practice.attempt("nothing") is None
    found = room.practice.attempt_for("a2")
    assert found is not None
    assert found.id == "t-a2"
    assert room.practice.attempt_for("a9") is None


def test_a_watch_is_the_desks(room: Room) -> None:
    job = room.practice.submit("a1", QUESTION.id, WORDS)
    assert [seen.job.id for seen in room.practice.watch(job.id)] == [job.id]


def test_a_spoken_answer_names_its_take_and_a_typed_one_names_none(room: Room) -> None:
    room.tracker.keep(stopped("k1"))
    spoken = room.practice.answer(room.practice.submit("a1", QUESTION.id, WORDS, take_id="k1"))
    assert (spoken.spoken, spoken.take_id, spoken.text) == (True, "k1", WORDS)
    typed = room.practice.answer(room.practice.submit("a2", QUESTION.id, WORDS))
    assert (typed.spoken, typed.take_id) == (False, None)


def test_an_answer_to_an_unknown_take_is_refused_whoever_insists_and_nothing_is_stored(room: Room) -> None:
    for insist in (False, True):
        with pytest.raises(AnswerRefused, match="recording of this answer is not known") as refused:
            room.practice.submit("a1", QUESTION.id, WORDS, insist=insist, take_id="nobody")
        assert refused.value.gate in FIRM_REFUSALS
    assert room.practice.unfinished() == ()
    assert room.desk.wakes == 0
