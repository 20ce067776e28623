"""A file goes into the own bank whole, and takes nobody's place unless it is told to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tutor.adapters.bank_yaml import shipped_bank
from tutor.errors import BankError
from tutor.settings import Settings
from tutor.wiring.bank import own_bank, question_bank
from tutor.wiring.importing import import_file


def test_a_set_that_is_there_is_replaced_only_where_that_is_asked_for(tmp_path: Path) -> None:
    settings, file = Settings(data_dir=tmp_path / "data"), tmp_path / "Mine.md"
    file.write_text("1. Why?\nSo it is.\n2. How?\nThus it is.\n", encoding="utf-8")
    assert not import_file(settings, file, dry_run=True).stored
    assert not settings.data_dir.exists()
    import_file(settings, file)
    own = own_bank(settings)
    first = own.entries()[0]
    own.put("mine", [replace(first, rubric=_reviewed(first.rubric))])
    with pytest.raises(BankError, match="'mine' is there already with 2 questions, 1 of them reviewed; add --replace"):
        import_file(settings, file)
    assert own.entries()[0].rubric.status == "reviewed"
    file.write_text("1. Who?\nMe it is.\n", encoding="utf-8")
    import_file(settings, file, replace=True)
    assert [(e.question.question, e.rubric.status) for e in own.entries()] == [("Who?", "draft")]
    with pytest.raises(BankError, match="with 1 question; add"):
        import_file(settings, file)


def test_a_question_that_comes_along_is_replaced_only_where_that_is_asked_for(tmp_path: Path) -> None:
    settings, file = Settings(data_dir=tmp_path / "data"), tmp_path / "mine.csv"
    shipped = shipped_bank().questions()[0].id
    file.write_text(f"id,question,answer\n{shipped},Why?,So it is.\n", encoding="utf-8")
    with pytest.raises(BankError, match="comes along with the program; add --replace") as caught:
        import_file(settings, file)
    assert caught.value.line == 2
    import_file(settings, file, replace=True)
    assert question_bank(settings).question(shipped).question == "Why?"


@pytest.mark.parametrize("name", ["..", "../x", ".lock", "a/b", "", "a\n", "x" * 61])
def test_a_set_stays_in_its_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "mine.md").write_text("1. Why?\nSo it is.\n", encoding="utf-8")
    with pytest.raises(BankError, match="is no name for a set"):
        import_file(Settings(data_dir=tmp_path / "data"), tmp_path / "mine.md", name)


def _reviewed(rubric: object) -> object:
    return rubric.model_copy(update={"status": "reviewed", "hints": ("One.", "Two.", "Three.")})
