"""Which questions there are: one's own over those that come along, then drills; or a named bank as it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.test_own_bank import entry
from tutor.adapters.bank_yaml import shipped_bank
from tutor.drills import FAMILIES, drill
from tutor.errors import BankError
from tutor.ports import QuestionBank
from tutor.settings import Settings
from tutor.values import Question
from tutor.wiring.bank import own_bank, question_bank


def written(bank: QuestionBank) -> tuple[Question, ...]:
    """Its questions without the drills."""
    return tuple(question for question in bank.questions() if drill(question.id) is None)


def test_without_own_questions_there_are_those_that_come_along(tmp_path: Path) -> None:
    assert written(question_bank(Settings(data_dir=tmp_path))) == shipped_bank().questions()
    assert not list(tmp_path.iterdir())


def test_an_own_question_is_there_at_once_and_an_edited_one_takes_its_place(tmp_path: Path) -> None:
    settings, shipped = Settings(data_dir=tmp_path), shipped_bank().questions()
    bank = question_bank(settings)
    own_bank(settings).put("mine", [entry("my-1"), entry(shipped[0].id, "Edited.")])
    assert [q.id for q in written(bank)] == [*(q.id for q in shipped), "my-1"]
    assert bank.questions()[0].reference_answer == "Edited."
    assert bank.rubric("my-1") == entry("my-1").rubric


def test_behind_them_stands_a_drill_of_each_family_and_others_have_their_ids(tmp_path: Path) -> None:
    bank = question_bank(Settings(data_dir=tmp_path))
    assert [q.id for q in bank.questions()[-len(FAMILIES) :]] == [f"{name}@0" for name in FAMILIES]
    found = bank.question("kv-cache@17")
    assert found is not None
    assert bank.rubric(found.id).question_id == "kv-cache@17"


def test_a_damaged_own_file_is_told_and_stops_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = Settings(data_dir=tmp_path)
    own_bank(settings).put("mine", [entry("my-1")])
    (tmp_path / "bank" / "data" / "mine.yaml").write_text("- id: [", encoding="utf-8")
    assert written(question_bank(settings)) == shipped_bank().questions()
    assert "mine.yaml, line 2: is not YAML" in caplog.text
    assert "comes back once it is mended" in caplog.text


def test_a_named_bank_stands_as_it_is_and_its_mistakes_are_refused(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    own_bank(settings).put("mine", [entry("my-1")])
    named = tmp_path / "bank"
    for bank in (question_bank(settings, named), question_bank(Settings(data_dir=tmp_path, bank=named))):
        assert [q.id for q in bank.questions()] == ["my-1"]
    (named / "rubrics" / "my-1.yaml").unlink()
    with pytest.raises(BankError, match="has no rubric"):
        question_bank(settings, named)
