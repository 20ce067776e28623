"""Which answers a bank is tried with, what is found out, and what need not be found out again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.grades import FINGERPRINT, graded
from tutor.errors import EngineDown, EngineReply
from tutor.values import Criterion, Grade, Question, Rubric, Verdict
from tutor.verification import Case, Verification, Verified, cases, run

Scores = dict[str, float | None]


def entry(id: str, topic: str, set_name: str = "basics", **of_rubric: object) -> tuple[str, Question, Rubric]:
    question = Question(id=id, question=f"{id}?", reference_answer=f"answer to {id}", kind="concept", topic=topic)
    criteria = (Criterion(id="c0", text="text of c0", weight=1), Criterion(id="c1", text="b", weight=1, bonus=True))
    return set_name, question, Rubric.model_validate({"question_id": id, "criteria": criteria} | of_rubric)


ENTRIES = [entry("a", "x"), entry("b", "x"), entry("c", "y", "more")]
BANK = cases(ENTRIES)


class FakeGrading:
    """Gives each text the score it was told, and remembers what it was asked."""

    def __init__(self, **scores: float | None) -> None:
        self.scores: Scores = {"": 0.0, **scores}
        self.asked: list[tuple[str, str]] = []

    def __call__(self, question: Question, rubric: Rubric, text: str) -> Grade:
        self.asked.append((question.id, text))
        own = text == question.reference_answer
        score = self.scores.get(question.id, 1.0) if own else self.scores.get(text, 0.0)
        verdict = Verdict.MET if score else Verdict.MISSED
        return graded(question.id, "verify", [verdict, Verdict.MISSED], score=score)


def last(bank: tuple[Case, ...] = BANK, grade: Callable[..., Grade] | None = None, **more: object) -> Verification:
    arguments: dict[str, object] = {"only": (), "fingerprint": FINGERPRINT, "earlier": ()} | more
    *_, report = run(bank, grade=grade or FakeGrading(), **arguments)  # type: ignore[arg-type]
    return report


def test_the_other_answer_is_the_next_one_of_another_topic_in_a_circle() -> None:
    assert [case.other and case.other.id for case in BANK] == ["c", "c", "a"]


def test_in_a_bank_of_one_topic_it_is_the_next_one_and_alone_there_is_none() -> None:
    assert [case.other and case.other.id for case in cases([entry("a", "x"), entry("b", "x")])] == ["b", "a"]
    (alone,) = cases([entry("a", "x")])
    assert alone.other is None
    (found,) = last((alone,)).questions
    assert (found.other, found.other_id, found.is_below) == (None, None, False)


def test_each_question_is_tried_with_its_reference_with_nothing_and_with_another_answer() -> None:
    grading = FakeGrading()
    last(grade=grading)
    assert grading.asked[:3] == [("a", "answer to a"), ("a", ""), ("a", "answer to c")]
    assert len(grading.asked) == 9


def test_the_report_grows_with_every_question() -> None:
    reports = list(run(BANK, (), FINGERPRINT, FakeGrading(), ()))
    assert [len(report.questions) for report in reports] == [0, 1, 2, 3]
    assert reports[0].median is None
    assert reports[0].sets["basics"].verified == 0


def test_the_marks_are_folded_set_by_set() -> None:
    report = last(grade=FakeGrading(a=0.95, b=0.75, c=0.9, **{"answer to c": 0.05}))
    assert (report.questions_in_bank, report.median, report.below) == (3, 0.9, ("b",))
    basics = report.sets["basics"]
    assert (basics.questions, basics.verified, basics.median, basics.lowest) == (2, 2, pytest.approx(0.85), 0.75)
    assert (basics.highest_other, basics.below) == (0.05, 1)
    assert report.sets["more"].below == 0


@pytest.mark.parametrize(
    ("scores", "below"),
    [
        ({"a": 0.8}, ()),
        ({"a": 0.79}, ("a",)),
        ({"a": None}, ("a",)),
        ({"": 0.01}, ("a", "b", "c")),
        ({"answer to a": 0.1}, ()),
        ({"answer to a": 0.11}, ("c",)),
        ({"answer to a": None}, ("c",)),
    ],
)
def test_the_marks(scores: Scores, below: tuple[str, ...]) -> None:
    assert last(grade=FakeGrading(**scores)).below == below


def test_failing_criteria_are_named_with_their_verdict_and_a_bonus_never_fails() -> None:
    (found, *_) = last(grade=FakeGrading(a=0.0)).questions
    assert [(point.id, point.verdict) for point in found.failing] == [("c0", Verdict.MISSED)]
    assert found.credited == ()


def test_criteria_that_credit_another_answer_are_named_with_its_words() -> None:
    (found, *_) = last(grade=FakeGrading(**{"answer to c": 0.5})).questions
    assert [(point.id, point.quote) for point in found.credited] == [("c0", "one")]


def test_an_unreadable_ruling_is_told_and_the_others_go_on() -> None:
    def grade(question: Question, rubric: Rubric, text: str) -> Grade:
        if question.id == "a":
            raise EngineReply("Not one point could be judged.")
        return FakeGrading()(question, rubric, text)

    report = last(grade=grade)
    assert (report.questions[0].trouble, report.below) == ("Not one point could be judged.", ("a",))
    assert report.median == 1.0


def test_a_model_that_is_gone_stops_the_run() -> None:
    def grade(question: Question, rubric: Rubric, text: str) -> Grade:
        raise EngineDown("gone")

    with pytest.raises(EngineDown):
        last(grade=grade)


# -- going on from an earlier report -----------------------------------------------------------


@pytest.fixture
def earlier() -> tuple[Verified, ...]:
    return last().questions


def test_what_has_not_changed_is_not_graded_again(earlier: tuple[Verified, ...]) -> None:
    grading = FakeGrading()
    reports = list(run(BANK, (), FINGERPRINT, grading, earlier[:2]))
    assert {question_id for question_id, _ in grading.asked} == {"c"}
    assert [len(report.questions) for report in reports] == [2, 3]
    assert reports[-1].questions == earlier


@pytest.mark.parametrize(
    "changed",
    [
        entry("b", "x", criteria=[{"id": "c0", "text": "another", "weight": 1}]),
        entry("b", "x", misconceptions=[{"id": "m", "text": "a", "correction": "b"}]),
    ],
)
def test_a_changed_rubric_is_graded_again(earlier: tuple[Verified, ...], changed: tuple[str, Question, Rubric]) -> None:
    grading = FakeGrading()
    last(cases([ENTRIES[0], changed, ENTRIES[2]]), grading, earlier=earlier)
    assert {question_id for question_id, _ in grading.asked} == {"b"}


def test_a_changed_answer_is_graded_again_also_where_it_is_the_other_one(earlier: tuple[Verified, ...]) -> None:
    name, question, rubric = ENTRIES[0]
    mended = question.model_copy(update={"reference_answer": "mended"})
    grading = FakeGrading()
    last(cases([(name, mended, rubric), *ENTRIES[1:]]), grading, earlier=earlier)
    assert [asked for asked in grading.asked if asked[1]] == [
        ("a", "mended"), ("a", "answer to c"), ("c", "answer to c"), ("c", "mended")
    ]  # fmt: skip


def test_what_no_grade_depends_on_may_change(earlier: tuple[Verified, ...]) -> None:
    name, question, _ = entry("b", "x", "renamed")
    _, _, rubric = entry("b", "x", hints=["p", "q", "r"], terms=["t"], status="reviewed")
    moved = question.model_copy(update={"title": "new", "difficulty": 5, "target_s": 200})
    grading = FakeGrading()
    report = last(cases([ENTRIES[0], (name, moved, rubric), ENTRIES[2]]), grading, earlier=earlier)
    assert grading.asked == []
    assert report.sets["renamed"].verified == 1


def test_another_grader_grades_everything_again(earlier: tuple[Verified, ...]) -> None:
    grading = FakeGrading()
    last(grade=grading, fingerprint=FINGERPRINT.model_copy(update={"id": "other"}), earlier=earlier)
    assert len(grading.asked) == 9


def test_what_could_not_be_judged_is_tried_again(earlier: tuple[Verified, ...]) -> None:
    grading = FakeGrading()
    unclear = earlier[0].model_copy(update={"reference": None, "trouble": "unreadable"})
    assert last(grade=grading, earlier=(unclear, *earlier[1:])).questions == earlier
    assert {question_id for question_id, _ in grading.asked} == {"a"}


def test_only_some_are_graded_and_the_rest_is_kept(earlier: tuple[Verified, ...]) -> None:
    grading = FakeGrading()
    report = last(grade=grading, only=["c"], earlier=earlier[:1])
    assert {question_id for question_id, _ in grading.asked} == {"c"}
    assert [found.question_id for found in report.questions] == ["a", "c"]


def test_a_question_that_left_the_bank_leaves_the_report(earlier: tuple[Verified, ...]) -> None:
    report = last(cases([ENTRIES[0], ENTRIES[2]]), earlier=earlier)
    assert [found.question_id for found in report.questions] == ["a", "c"]


def test_a_report_is_read_back_as_it_was_written() -> None:
    report = last(grade=FakeGrading(a=0.5))
    assert Verification.model_validate_json(report.model_dump_json(indent=2)) == report
