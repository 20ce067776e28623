"""Every question bank keeps the same promises, the fake that other tests use as well."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes import FakeBank
from tutor.adapters.bank_yaml import Layered, OwnFolder, open_bank, shipped_bank
from tutor.drills import Drills
from tutor.errors import BankError
from tutor.ports import QuestionBank
from tutor.values import Criterion, Kind, Question, Rubric


def fake(tmp_path: Path) -> QuestionBank:
    return FakeBank(
        *(
            (
                Question(id=name, question="Why?", reference_answer="So.", kind=Kind.CONCEPT, topic="t"),
                Rubric(question_id=name, criteria=(Criterion(id="c1", text="So.", weight=1),)),
            )
            for name in ("b", "a")
        )
    )


def json_lines(tmp_path: Path) -> QuestionBank:
    path = tmp_path / "bank.jsonl"
    criteria = [{"id": "c1", "text": "So.", "weight": 1}]
    fields = {"question": "Why?", "reference_answer": "So.", "kind": "concept", "topic": "t", "criteria": criteria}
    path.write_text("".join(json.dumps({"id": name, **fields}) + "\n" for name in ("b", "a")))
    return open_bank(path)


def folder(tmp_path: Path) -> QuestionBank:
    return shipped_bank()


def layered(tmp_path: Path) -> QuestionBank:
    return Layered(OwnFolder(tmp_path / "bank"), fake(tmp_path))


def with_drills(tmp_path: Path) -> QuestionBank:
    return Drills(fake(tmp_path))


@pytest.fixture(params=[fake, json_lines, folder, layered, with_drills])
def bank(request: pytest.FixtureRequest, tmp_path: Path) -> QuestionBank:
    make: Callable[[Path], QuestionBank] = request.param
    return make(tmp_path)


def test_questions_come_in_a_fixed_order_without_repetition(bank: QuestionBank) -> None:
    ids = [question.id for question in bank.questions()]
    assert ids
    assert len(set(ids)) == len(ids)
    assert [question.id for question in bank.questions()] == ids


def test_every_question_has_its_own_rubric(bank: QuestionBank) -> None:
    for question in bank.questions():
        assert bank.rubric(question.id).question_id == question.id


def test_every_question_is_found_by_its_id(bank: QuestionBank) -> None:
    for question in bank.questions():
        assert bank.question(question.id) == question


def test_an_unknown_question_is_a_sentence(bank: QuestionBank) -> None:
    assert bank.question("nowhere") is None
    with pytest.raises(BankError, match="'nowhere'"):
        bank.rubric("nowhere")
