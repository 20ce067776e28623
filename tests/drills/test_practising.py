"""Drills in a session: a family is one card, and whoever meets it again meets other numbers."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.fake_tracker import FakeTracker
from tests.fakes import FakeBank, FakeClock
from tests.grades import graded
from tests.samples import QUESTION, RUBRIC
from tests.test_practice import SilentDesk
from tutor.drills import FAMILIES, Drills, drill
from tutor.errors import BankError
from tutor.practice import Practice
from tutor.progress import progress
from tutor.schedule import due_days, standings
from tutor.values import Answer, Attempt, Question, Rubric, Verdict, card_of

OWN = QUESTION.model_copy(update={"id": "own"})
BANK = Drills(FakeBank((OWN, RUBRIC.model_copy(update={"question_id": "own"}))))
FAMILY = "kv-cache@"
WORDS = "Two times layers times KV heads times head dimension times two bytes."


class Session:
    """A person over days, with grades given by hand."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.tracker = FakeTracker(self.clock)
        desk = SilentDesk(self.tracker)
        self.practice = Practice(bank=BANK, tracker=self.tracker, jobs=self.tracker, desk=desk, clock=self.clock)

    def answered(self, question: Question, verdict: Verdict = Verdict.MISSED) -> Attempt:
        """Answer and grade, a minute later than the one before."""
        self.clock.move_s(60)
        answer_id = f"a{self.clock.elapsed_s():.0f}"
        job = self.practice.submit(answer_id, question.id, WORDS)
        self.tracker.claim("w", 60)
        done = attempt(question, self.tracker.answer(answer_id), verdict)
        self.tracker.finish(job.id, "w", done)
        return done

    def next_of_family(self) -> Question:
        """The drill of the family when it is suggested, all other cards being passed over."""
        others = [q.id for q in BANK.questions() if q.card != FAMILY]
        return self.practice.suggest(skip=others).question


def attempt(question: Question, answer: Answer, verdict: Verdict) -> Attempt:
    rubric = BANK.rubric(question.id)
    grade = graded(question.id, answer.id, [verdict] * len(rubric.criteria), score=float(verdict is Verdict.MET))
    named = tuple(r.model_copy(update={"id": c.id}) for r, c in zip(grade.criteria, rubric.criteria, strict=True))
    return Attempt(
        id=f"t-{answer.id}",
        created_at=answer.created_at,
        question=question,
        rubric=rubric,
        answer=answer,
        grade=grade.model_copy(update={"criteria": named}),
    )


@pytest.fixture
def session() -> Session:
    return Session()


def test_a_bank_has_one_drill_of_each_family_behind_its_own_questions() -> None:
    assert [q.id for q in BANK.questions()] == ["own", *(f"{name}@0" for name in FAMILIES)]
    assert BANK.questions() == BANK.questions()


def test_every_other_drill_is_there_by_its_id() -> None:
    found = BANK.question("kv-cache@17")
    assert found is not None
    assert found != BANK.question("kv-cache@18")
    assert BANK.rubric("kv-cache@17").question_id == "kv-cache@17"
    assert BANK.question("kv-cache@999999999") is not None


@pytest.mark.parametrize(
    "question_id", ["kv-cache", "kv-cache@", "kv-cache@-1", "kv-cache@01", "kv-cache@1e3", "kv-cache@9999999999", "a@1"]
)
def test_what_is_no_drill_is_unknown(question_id: str) -> None:
    assert drill(question_id) is None
    assert BANK.question(question_id) is None
    with pytest.raises(BankError, match="no question"):
        BANK.rubric(question_id)


def test_a_drill_that_somebody_edited_stands_in_its_place() -> None:
    edited = BANK.question("kv-cache@0").model_copy(update={"title": "Mine"})
    rubric = Rubric(question_id="kv-cache@0", criteria=RUBRIC.criteria)
    bank = Drills(FakeBank((edited, rubric)))
    assert [q.title for q in bank.questions() if q.card == FAMILY] == ["Mine"]
    assert bank.question("kv-cache@0") == edited
    assert bank.rubric("kv-cache@0") == rubric


def test_a_drill_keeps_its_numbers_until_it_was_answered(session: Session) -> None:
    assert session.next_of_family() == session.next_of_family()
    assert session.next_of_family().id == "kv-cache@0"


def test_after_an_answer_the_family_comes_with_other_numbers(session: Session) -> None:
    posed = []
    for _ in range(5):
        posed.append(session.next_of_family())
        session.answered(posed[-1])
    assert [q.id for q in posed] == [f"kv-cache@{seed}" for seed in range(5)]
    assert len({q.question for q in posed}) == 5


def test_numbers_that_were_answered_by_a_link_do_not_come_again(session: Session) -> None:
    linked = session.practice.question("kv-cache@1")
    assert linked is not None
    session.answered(linked)
    session.answered(session.next_of_family())
    assert session.next_of_family().id == "kv-cache@2"


def test_it_is_said_that_the_numbers_are_new(session: Session) -> None:
    others = [q.id for q in BANK.questions() if q.card != FAMILY]
    assert "new" not in session.practice.suggest(skip=others).why
    session.answered(session.next_of_family())
    assert session.practice.suggest(skip=others).why.endswith("Its numbers are new.")


def test_a_missed_drill_is_due_the_next_day_and_has_new_numbers(session: Session) -> None:
    for question in BANK.questions():
        session.answered(question, Verdict.MISSED if question.card == FAMILY else Verdict.MET)
    session.clock.move_s(24 * 3600)
    suggested = session.practice.suggest()
    assert suggested.question.id == "kv-cache@1"
    assert "is the only topic that is due" in suggested.why


def test_all_drills_of_a_family_are_one_card(session: Session) -> None:
    for seed in range(4):
        question = BANK.question(f"kv-cache@{seed}")
        assert question is not None
        session.answered(question, Verdict.MISSED if seed < 3 else Verdict.MET)
    attempts = session.practice.attempts()
    assert list(due_days(attempts)) == [FAMILY]
    (topic,) = [t for t in progress(BANK.questions(), attempts) if t.topic == "KV cache"]
    in_topic = [q for q in BANK.questions() if q.topic == "KV cache"]
    assert (topic.n_attempts, topic.n_questions, topic.n_answered) == (4, len(in_topic), 1)
    # The last one stands, as with any question that is answered again.
    assert (topic.mean, topic.n_scored, topic.missed) == (1.0, 1, ())


def test_points_of_a_family_are_remembered_over_its_drills(session: Session) -> None:
    gaps = []
    for seed in range(4):
        question = BANK.question(f"kv-cache@{seed}")
        assert question is not None
        session.answered(question, Verdict.MET)
        due = due_days(session.practice.attempts())[FAMILY]
        gaps.append((due - session.clock.now().date()).days)
        session.clock.moment += timedelta(days=gaps[-1])
    assert gaps == sorted(gaps)
    assert gaps[-1] > 4 * gaps[0]


def test_a_family_that_was_just_posed_gives_way_whatever_its_numbers(session: Session) -> None:
    skip = [q.id for q in BANK.questions() if q.id != "own"]
    session.answered(session.next_of_family())
    assert session.practice.suggest(skip=skip).question.id == "own"


def test_the_topic_of_a_drill_is_due_with_it(session: Session) -> None:
    session.answered(session.next_of_family())
    found = {s.progress.topic: s for s in standings(BANK.questions(), session.practice.attempts(), session.clock.now())}
    assert found["KV cache"].due is not None
    assert found["Training"].due is None


@pytest.mark.parametrize(
    ("question_id", "card"),
    [("q10", "q10"), ("kv-cache@3", "kv-cache@"), ("kv-cache", "kv-cache"), ("mine@home", "mine@home"), ("a@", "a@")],
)
def test_a_card_is_the_part_before_the_seed(question_id: str, card: str) -> None:
    assert card_of(question_id) == card
