"""The whole core on fakes: words behind every credit, nothing invented when an engine fails."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.fakes import FakeChatModel, FakeClock, FakeEmbedder
from tutor.errors import EngineDown, EngineReply
from tutor.grading.fusion import Fusion
from tutor.grading.grader import NO_EVIDENCE, Grader
from tutor.ports import Choice, Turn
from tutor.values import Answer, Criterion, Figure, Question, Rubric, Verdict

QUESTION = Question(
    id="q1",
    question="Which resource limits decode?",
    reference_answer="Decode is limited by memory bandwidth, because each step reads all weights for one token.",
    kind="concept",
    topic="serving",
)
RUBRIC = Rubric(
    question_id="q1",
    criteria=(
        Criterion(id="c1", text="Decode is limited by memory bandwidth.", weight=3),
        Criterion(id="c2", text="Each step reads all weights for one token.", weight=2),
        Criterion(id="c3", text="Prefill is limited by compute.", weight=1),
    ),
)


# The judge alone decides here, so that the tests do not depend on fitted numbers.
JUDGE_ONLY = Fusion(name="judge-only", intercept=0.0, weights={"judge": 1.0, "null": -0.2}, partly=0.5, met=0.65)


def answer(text: str) -> Answer:
    return Answer(id="a1", question_id="q1", text=text, created_at=FakeClock().now())


def grader(rule: object = None, chat: object = None) -> Grader:
    return Grader(
        chat=chat or FakeChatModel(rule),  # type: ignore[arg-type]
        embedder=FakeEmbedder(),
        clock=FakeClock(),
        server="fake 1",
        fusion=JUDGE_ONLY,
    )


def last_line(turns: Sequence[Turn]) -> str:
    return turns[-1].content


def says_yes_to(*criteria: str) -> object:
    """A judge that says yes only to these criteria, and no to the answer that says nothing."""
    return lambda turns: (
        0.99 if any(c in last_line(turns) for c in criteria) and "I don't know." not in last_line(turns) else 0.01
    )


SAID = "So decode is limited by memory bandwidth I think. Cats sleep all day. Prefill is something else."


def test_a_credited_criterion_shows_the_exact_words_that_earned_it() -> None:
    grade = grader(says_yes_to("Decode is limited by memory bandwidth.")).grade(QUESTION, RUBRIC, answer(SAID))
    first = grade.criteria[0]
    assert first.verdict is Verdict.MET
    assert first.quote == "So decode is limited by memory bandwidth I think."
    assert SAID[first.start : first.end] == first.quote
    assert [c.verdict for c in grade.criteria[1:]] == [Verdict.MISSED, Verdict.MISSED]
    assert grade.score == 0.5
    assert grade.judged_share == 1.0
    assert grade.gate is None


def test_verdicts_are_reported_one_by_one_in_the_rubrics_order() -> None:
    heard: list[str] = []
    grade = grader().grade(QUESTION, RUBRIC, answer(SAID), lambda v: heard.append(v.id))
    assert heard == ["c1", "c2", "c3"] == [c.id for c in grade.criteria]


def test_a_yes_without_words_that_could_have_earned_it_is_missed() -> None:
    grade = grader(lambda turns: 0.999).grade(QUESTION, RUBRIC, answer("Bananas ripen."))
    assert {c.verdict for c in grade.criteria} == {Verdict.MISSED}
    assert NO_EVIDENCE in {c.reason for c in grade.criteria}


def test_a_gate_grades_without_asking_the_model() -> None:
    chat = FakeChatModel()
    grade = grader(chat=chat).grade(QUESTION, RUBRIC, answer("Solution"))
    assert (grade.score, grade.gate, chat.calls) == (0.0, "nothing_said", [])
    assert {(c.verdict, c.reason) for c in grade.criteria} == {(Verdict.MISSED, "nothing_said")}


def test_another_language_is_unjudged_not_zero() -> None:
    grade = grader().grade(QUESTION, RUBRIC, answer("La respuesta es que el modelo está limitado por la memoria"))
    assert (grade.score, grade.judged_share, grade.gate) == (None, 0.0, "other_language")


def test_a_dead_server_grades_nothing() -> None:
    with pytest.raises(EngineDown, match="gone"):
        grader(lambda turns: EngineDown("gone")).grade(QUESTION, RUBRIC, answer(SAID))


def test_one_babbled_reply_is_one_unjudged_criterion() -> None:
    def rule(turns: Sequence[Turn]) -> float | Exception:
        return EngineReply("babble") if "Prefill is limited" in last_line(turns) else 0.01

    grade = grader(rule).grade(QUESTION, RUBRIC, answer(SAID))
    assert [c.verdict for c in grade.criteria] == [Verdict.MISSED, Verdict.MISSED, Verdict.UNJUDGED]
    assert (grade.criteria[2].credit, grade.criteria[2].reason) == (None, "babble")
    assert round(grade.judged_share, 3) == 0.833


def test_a_server_that_only_babbles_is_a_failure_and_not_a_grade() -> None:
    with pytest.raises(EngineReply, match=r"Not one point could be judged\. The server cut the prompt\."):
        grader(lambda turns: EngineReply("The server cut the prompt.")).grade(QUESTION, RUBRIC, answer(SAID))


def test_a_server_without_probabilities_can_still_be_used() -> None:
    class WordOnly:
        name = "word-only"

        def choose(self, turns: Sequence[Turn], labels: tuple[str, ...]) -> Choice:
            yes = "Decode is limited" in last_line(turns) and "I don't know." not in last_line(turns)
            return Choice(label=labels[0] if yes else labels[1], probability=None)

    grade = grader(chat=WordOnly()).grade(QUESTION, RUBRIC, answer(SAID))
    assert [c.verdict for c in grade.criteria] == [Verdict.MET, Verdict.MISSED, Verdict.MISSED]


def test_what_saying_nothing_gets_is_asked_once_a_criterion() -> None:
    chat = FakeChatModel(lambda turns: 0.5)
    judge = grader(chat=chat)
    judge.grade(QUESTION, RUBRIC, answer(SAID))
    judge.grade(QUESTION, RUBRIC, answer(SAID))
    assert sum("I don't know." in last_line(turns) for turns in chat.calls) == len(RUBRIC.criteria)


def test_a_high_null_lowers_the_probability() -> None:
    def with_null(p: float) -> float | None:
        rule = lambda turns: p if "I don't know." in last_line(turns) else 0.8  # noqa: E731
        return grader(rule).grade(QUESTION, RUBRIC, answer(SAID)).criteria[0].probability

    assert with_null(0.9) < with_null(0.01)  # type: ignore[operator]


def test_a_recited_reference_is_flagged() -> None:
    assert grader().grade(QUESTION, RUBRIC, answer(QUESTION.reference_answer)).flags == ("recited",)


def test_the_fingerprint_changes_with_any_part() -> None:
    one = grader().fingerprint()
    other = Grader(chat=FakeChatModel(), embedder=FakeEmbedder(), clock=FakeClock(), server="fake 2").fingerprint()
    assert one == grader().fingerprint()
    assert one.id != other.id


WITH_FIGURE = Rubric(
    question_id="q1",
    criteria=(
        Criterion(id="c1", text="The cache takes 320 KiB per token.", weight=2),
        Criterion(id="c2", text="It grows with every token.", weight=1),
    ),
    figures=(
        Figure(
            criterion_id="c1",
            label="cache per token",
            formula="2 * layers * kv_heads * head_dim * value_bytes / 1024",
            inputs={"layers": 80, "kv_heads": 8, "head_dim": 128, "value_bytes": 2},
            unit="KiB/token",
        ),
    ),
)


def test_a_wrong_figure_contradicts_with_its_own_words_whatever_the_judge_says() -> None:
    text = "The cache grows with every token. It takes 640 kilobytes per token. That is a lot of memory."
    grade = grader(lambda turns: 0.9).grade(QUESTION, WITH_FIGURE, answer(text))
    assert (grade.figures[0].status, grade.criteria[0].verdict) == ("wrong", Verdict.CONTRADICTED)
    assert grade.criteria[0].quote == "It takes 640 kilobytes per token."


def test_a_right_figure_is_quoted_where_it_was_said() -> None:
    text = "The cache takes room per token. I get 327,680 bytes per token from the shapes."
    grade = grader(lambda turns: 0.9).grade(QUESTION, WITH_FIGURE, answer(text))
    assert (grade.figures[0].status, grade.criteria[0].verdict) == ("right", Verdict.MET)
    assert grade.criteria[0].quote == "I get 327,680 bytes per token from the shapes."


def test_the_quote_is_the_place_of_the_figure_and_not_of_a_longer_number_that_contains_it() -> None:
    text = "In total 1320 KiB per token would be far too much memory. I get 320 KiB per token from the shapes."
    grade = grader(lambda turns: 0.9).grade(QUESTION, WITH_FIGURE, answer(text))
    assert grade.figures[0].status == "right"
    assert grade.criteria[0].quote == "I get 320 KiB per token from the shapes."


def test_figures_are_not_looked_for_where_a_gate_stopped_the_answer() -> None:
    assert grader().grade(QUESTION, WITH_FIGURE, answer("Solution")).figures == ()
