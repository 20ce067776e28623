"""The library over real files: edits lie in the own bank as a person would write them, mistakes name their lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import FakeClock
from tests.grades import graded
from tests.lint.rubrics import QUESTION, RUBRIC
from tests.wiring.bank_files import write
from tutor.adapters.bank_yaml import shipped_bank
from tutor.errors import BankError
from tutor.library import Library
from tutor.settings import Settings
from tutor.values import Answer, CriterionVerdict, Grade, Question, Rubric, Verdict
from tutor.wiring.bank import question_bank
from tutor.wiring.library import open_library


def grade(question: Question, rubric: Rubric, answer: Answer, on_verdict: Callable[[CriterionVerdict], None]) -> Grade:
    verdicts = graded(question.id, answer.id, [Verdict.MET] * len(rubric.criteria), quote=answer.text).criteria
    for verdict in verdicts:
        on_verdict(verdict)
    return graded(question.id, answer.id, [Verdict.MET] * len(rubric.criteria), quote=answer.text)


def opened(folder: Path, **more: Path) -> Library:
    return open_library(Settings(data_dir=folder, **more), grade, FakeClock())


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return opened(tmp_path)


def test_all_shipped_questions_open_and_would_be_saved_as_they_are(library: Library) -> None:
    listed = [question for found in library.sets() for question in found.questions]
    assert [q.entry.question.id for q in listed] == [q.id for q in shipped_bank().questions()]
    for question in listed:
        notes = library.remarks(library.opened(question.entry), question.entry)
        assert not [note for note in notes if note.is_mistake], question.entry.question.id
        assert len(notes) == question.n_remarks


def test_a_saved_edit_is_practised_at_once_and_removing_it_brings_the_original_back(
    library: Library, tmp_path: Path
) -> None:
    bank = question_bank(Settings(data_dir=tmp_path))
    seen = library.sets()[0].questions[0].entry
    draft = library.opened(seen)
    draft = replace(draft, texts={**draft.texts, "question": "Why?", "difficulty": "5"})
    saved = library.save(draft, seen)
    assert bank.question(seen.question.id) == saved.question
    assert (saved.question.question, saved.question.difficulty) == ("Why?", 5)
    assert saved.rubric == seen.rubric
    assert opened(tmp_path).found(seen.question.id).entry == saved, "it is there after a restart"
    assert library.remove(saved).entry == seen
    assert bank.question(seen.question.id) == seen.question


def test_mistakes_in_the_rubric_name_line_and_field(library: Library) -> None:
    seen = library.sets()[0].questions[0].entry
    draft = library.opened(seen)
    lines = draft.rubric.splitlines()
    n = next(n for n, line in enumerate(lines) if "weight:" in line)
    lines[n] = "  weight: heavy"
    (note,) = library.remarks(replace(draft, rubric="\n".join(lines)), seen)
    assert (note.part, note.field, note.line) == ("rubric", "criteria.0.weight", n + 1)
    assert "whole number" in note.message
    (note,) = library.remarks(replace(draft, rubric="criteria: ["), seen)
    assert (note.line, note.is_mistake) == (2, True)
    assert "not YAML" in note.message
    (note,) = library.remarks(replace(draft, rubric=draft.rubric + "status: reviewed\n"), seen)
    assert note.line == len(lines) + 1


def test_mistakes_in_the_question_name_its_field(library: Library) -> None:
    seen = library.sets()[0].questions[0].entry
    draft = library.opened(seen)
    wrong = {"question": " ", "kind": "riddle", "target_s": "soon", "difficulty": "6", "title": "a\u202eb"}
    for name, text in wrong.items():
        (note,) = library.remarks(replace(draft, texts={**draft.texts, name: text}), seen)
        assert (note.part, note.field, note.is_mistake) == ("question", name, True)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("question", "a " * 1_001, "must have at most 2000 characters; shorten it"),
        ("reference_answer", "a" * 10_001, "must have at most 10000 characters; shorten it"),
        ("title", "a" * 201, "must have at most 200 characters; shorten it"),
        ("target_s", "9" * 5_000, "expected a whole number"),
    ],
)
def test_a_field_longer_than_anybody_reads_is_a_mistake(library: Library, name: str, text: str, said: str) -> None:
    seen = library.sets()[0].questions[0].entry
    draft = library.opened(seen)
    notes = library.remarks(replace(draft, texts={**draft.texts, name: text}), seen)
    assert (notes[0].field, notes[0].is_mistake, notes[0].message.startswith(said)) == (name, True, True)


def test_a_rubric_longer_than_anybody_reads_is_a_mistake_before_it_is_linted(library: Library) -> None:
    seen = library.sets()[0].questions[0].entry
    draft = library.opened(seen)
    whole = library.remarks(replace(draft, rubric="criteria:\n- text: " + "9 " * 25_000), seen)
    assert [note.message for note in whole] == ["must have at most 50000 characters; shorten it"]
    hint = "".join(f"hints:\n- {'b' * 2_001}\n- b\n- c\n")
    bare = draft.rubric.partition("hints:")[0]
    notes = library.remarks(replace(draft, rubric=bare + hint), seen)
    assert [(note.field, note.message) for note in notes if note.is_mistake] == [
        ("hints.0", "must have at most 2000 characters; shorten it")
    ]


def test_a_draft_with_two_hints_cannot_be_marked_as_reviewed(tmp_path: Path) -> None:
    for folder in ("bank/data", "bank/rubrics"):
        (tmp_path / folder).mkdir(parents=True)
    write(tmp_path / "bank", "data/mine", [QUESTION])
    draft_rubric = {key: value for key, value in RUBRIC.items() if key not in ("status", "hints")}
    write(tmp_path / "bank", "rubrics/kv", draft_rubric)
    library = opened(tmp_path)
    seen = library.found("kv").entry
    with pytest.raises(BankError, match="three hints"):
        library.save(library.opened(seen), seen, reviewed=True)
    assert library.found("kv").is_draft
    hints = "hints:\n- What waits?\n- For which bytes?\n- At which rate?\n"
    draft = library.opened(seen)
    library.save(replace(draft, rubric=draft.rubric + hints), seen, reviewed=True)
    assert not opened(tmp_path).found("kv").is_draft


def test_a_named_bank_is_looked_at_and_graded_but_not_edited(sound_bank: Path, tmp_path: Path) -> None:
    library = opened(tmp_path / "own", bank=sound_bank)
    assert [found.name for found in library.sets()] == ["basics"]
    assert not library.can_edit
    seen = library.found("kv").entry
    given, rubric = library.preview(library.opened(seen), seen)
    assert given.criteria[0].quote == seen.question.reference_answer
    assert rubric.criteria == seen.rubric.criteria
    with pytest.raises(BankError, match="edit its files"):
        library.save(library.opened(seen), seen)
    assert not (tmp_path / "own").exists()
