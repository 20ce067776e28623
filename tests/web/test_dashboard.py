"""What the dashboard page shows when it is opened, and what it says when it cannot be read."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.browser import topics
from tests.fake_tracker import FakeTracker
from tests.fakes import FakeClock
from tutor.errors import TrackerError
from tutor.practice import Practice
from tutor.values import Answer
from tutor.web.dashboard import ROWS, shown


def room(n_attempts: int) -> tuple[Practice, FakeTracker]:
    clock = FakeClock()
    tracker = FakeTracker(clock)
    tracker._attempts.extend(topics.attempts(n_attempts, clock.now()))
    desk = SimpleNamespace(wake=lambda: None)
    return Practice(bank=topics.BANK, tracker=tracker, jobs=tracker, desk=desk, clock=clock), tracker


def test_before_the_first_answer_there_is_an_invitation_and_no_list() -> None:
    made, past = shown(room(0)[0], everything=False)
    assert "Nothing answered yet" in made
    assert past == ""


def test_an_answer_that_waits_for_its_grade_is_listed_before_the_first_attempt() -> None:
    practice, tracker = room(0)
    tracker.submit(Answer(id="a1", question_id="q0", text="Words", created_at=FakeClock().now()))
    made, past = shown(practice, everything=False)
    assert "Nothing answered yet" in made
    assert "grading" in past
    assert "How inference works" in past


def test_the_newest_attempts_are_listed_and_all_for_whom_asks() -> None:
    practice, _ = room(ROWS + 1)
    newest, everything = shown(practice, everything=False)[1], shown(practice, everything=True)[1]
    assert (newest.count("<a "), everything.count("<a ")) == (ROWS + 1, ROWS + 1)
    assert "Show all attempts" in newest
    assert "Show all" not in everything
    assert "Show all" not in shown(room(ROWS)[0], everything=False)[1]


def test_attempts_at_questions_that_were_deleted_are_listed_and_can_be_reached() -> None:
    practice, tracker = room(ROWS + 1)
    gone = (a.model_copy(update={"question": a.question.model_copy(update={"id": "gone"})}) for a in tracker._attempts)
    tracker._attempts[:] = gone
    newest, everything = shown(practice, everything=False)[1], shown(practice, everything=True)[1]
    assert "Show all attempts" in newest
    assert everything.count("<a ") == ROWS + 1


@pytest.mark.parametrize("error", [TrackerError("The disk is full; make room."), ZeroDivisionError("secret words")])
def test_what_cannot_be_read_is_said_in_a_sentence(error: Exception) -> None:
    practice, tracker = room(1)

    def fail(*args: object, **options: object) -> None:
        raise error

    tracker.attempts = fail
    made, past = shown(practice, everything=False)
    assert 'role="alert"' in made
    assert ("disk is full" in made) == isinstance(error, TrackerError)
    assert "secret" not in made
    assert past == ""
