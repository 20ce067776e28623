"""A bank is checked where it lies: every mistake and every warning has its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lint.rubrics import QUESTION, RUBRIC
from tests.wiring.bank_files import write
from tutor.drills import FAMILIES
from tutor.lint import SetCount
from tutor.settings import Settings
from tutor.wiring import check_bank


def test_a_sound_bank_is_counted(sound_bank: Path) -> None:
    checked = check_bank(Settings(data_dir=sound_bank), sound_bank)
    assert (checked.questions, checked.criteria, checked.families) == (1, 4, 0)
    assert checked.sets == {"basics": SetCount(questions=1, criteria=4, figures=1)}
    assert (checked.errors, checked.warnings) == ((), ())


def test_a_warning_names_the_file_and_line_of_the_rubric(sound_bank: Path) -> None:
    spoilt = [RUBRIC["criteria"][0] | {"opposite": "In prefill many tokens share one read."}, *RUBRIC["criteria"][1:]]
    write(sound_bank, "rubrics/kv", RUBRIC | {"criteria": spoilt})
    (warning,) = check_bank(Settings(data_dir=sound_bank), sound_bank).warnings
    assert (warning.file, warning.field) == (str(sound_bank / "rubrics" / "kv.yaml"), "criteria.0.opposite")
    line = (sound_bank / "rubrics" / "kv.yaml").read_text().splitlines()[(warning.line or 0) - 1]
    assert "opposite" in line


def test_a_warning_about_the_reference_answer_stands_in_the_file_of_questions(sound_bank: Path) -> None:
    late = QUESTION | {"id": "late", "reference_answer": QUESTION["reference_answer"].replace("20 ms", "no time")}
    write(sound_bank, "data/basics", [QUESTION, late])
    write(sound_bank, "rubrics/late", RUBRIC | {"question_id": "late"})
    (warning,) = check_bank(Settings(data_dir=sound_bank), sound_bank).warnings
    assert (warning.file, warning.field) == (str(sound_bank / "data" / "basics.yaml"), "1.reference_answer")
    line = (sound_bank / "data" / "basics.yaml").read_text().splitlines()[(warning.line or 0) - 1]
    assert "no time" in line


def test_a_missing_field_is_placed_at_what_it_is_missing_in(sound_bank: Path) -> None:
    (figure,) = RUBRIC["figures"]
    write(sound_bank, "rubrics/kv", RUBRIC | {"figures": [{k: v for k, v in figure.items() if k != "rel_tol"}]})
    (warning,) = check_bank(Settings(data_dir=sound_bank), sound_bank).warnings
    assert warning.field == "figures.0.rel_tol"
    lines = (sound_bank / "rubrics" / "kv.yaml").read_text().splitlines()
    assert [line.strip() for line in lines[(warning.line or 0) - 1 :]][:2] == ["{", '"criterion_id": "c3",']


def test_what_is_sound_beside_a_mistake_is_still_counted_and_looked_at(sound_bank: Path) -> None:
    write(sound_bank, "data/broken", [QUESTION | {"id": "odd", "kind": "essay"}])
    write(sound_bank, "rubrics/odd", RUBRIC | {"question_id": "odd"})
    write(sound_bank, "rubrics/kv", RUBRIC | {"misconceptions": []})
    checked = check_bank(Settings(data_dir=sound_bank), sound_bank)
    assert checked.questions == 1
    assert [(Path(note.file).name, note.field) for note in checked.errors] == [("broken.yaml", "0.kind")]
    assert [note.field for note in checked.warnings] == ["misconceptions"]


def test_a_question_without_a_rubric_is_a_mistake_and_not_looked_at(sound_bank: Path) -> None:
    (sound_bank / "rubrics" / "kv.yaml").unlink()
    checked = check_bank(Settings(data_dir=sound_bank), sound_bank)
    assert checked.sets == {"basics": SetCount(questions=1)}
    assert "has no rubric" in checked.errors[0].message
    assert checked.warnings == ()


def test_json_lines_are_a_set_by_their_files_name(sound_bank: Path) -> None:
    file = sound_bank / "mine.jsonl"
    sound = QUESTION | RUBRIC
    file.write_text(json.dumps(sound) + "\n" + json.dumps(sound | {"id": "b", "misconceptions": []}) + "\n")
    checked = check_bank(Settings(data_dir=sound_bank), file)
    assert checked.sets == {"mine": SetCount(questions=2, criteria=8, figures=2)}
    assert [(note.file, note.line, note.field) for note in checked.warnings] == [(str(file), 2, "misconceptions")]


@pytest.mark.parametrize("name", ["nowhere.jsonl", "data/basics.yaml", "empty.jsonl"])
def test_what_is_no_bank_is_one_mistake(sound_bank: Path, name: str) -> None:
    (sound_bank / "empty.jsonl").touch()
    checked = check_bank(Settings(data_dir=sound_bank), sound_bank / name)
    assert (checked.questions, len(checked.errors)) == (0, 1)


def test_the_bank_of_the_settings_is_checked_when_none_is_named(sound_bank: Path) -> None:
    checked = check_bank(Settings(data_dir=sound_bank, bank=sound_bank))
    assert (set(checked.sets), checked.families) == ({"basics"}, 0)


def test_otherwise_the_bank_that_comes_along_with_its_drills(tmp_path: Path) -> None:
    checked = check_bank(Settings(data_dir=tmp_path))
    assert "math-fundamentals" in checked.sets
    assert checked.families == len(FAMILIES)
