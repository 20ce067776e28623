"""`tutor bank check`: the reader's mistakes and the lint's warnings, with the places they have in the files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tutor.adapters.bank_yaml import Contents, Place
from tutor.drills import FAMILIES
from tutor.errors import BankError
from tutor.lint import Checked, Noted, Remark, SetCount, remarks
from tutor.settings import Settings
from tutor.values import Rubric
from tutor.wiring.bank import bank_contents


def check_bank(settings: Settings, path: Path | None = None) -> Checked:
    """Counts, mistakes and warnings of the bank at a path, else of the settings' one, else of the one that comes along.

    Nothing is raised: a bank that cannot be read is a mistake as well.
    """
    found = bank_contents(settings, path)
    sets = set_counts(found)
    return Checked(
        questions=sum(count.questions for count in sets.values()),
        criteria=sum(count.criteria for count in sets.values()),
        families=0 if path or settings.bank else len(FAMILIES),
        sets=sets,
        errors=tuple(_noted(mistake) for mistake in found.mistakes),
        warnings=tuple(_warnings(found)),
    )


def set_name(place: Place) -> str:
    """The set that a question belongs to: its file's name without the ending."""
    return Path(place.file).stem


def set_counts(found: Contents) -> dict[str, SetCount]:
    """How much there is in each set of a bank, by the set's name; a rubric with mistakes counts nothing."""
    sets: dict[str, SetCount] = {}
    for question, place in found.questions:
        name = set_name(place)
        before, rubric = sets.get(name, SetCount()), _rubric(found, question.id)
        sets[name] = SetCount(
            questions=before.questions + 1,
            criteria=before.criteria + (len(rubric.criteria) if rubric else 0),
            figures=before.figures + (len(rubric.figures) if rubric else 0),
        )
    return sets


def _rubric(found: Contents, question_id: str) -> Rubric | None:
    placed = found.rubrics.get(question_id)
    return placed[0] if placed else None


def _warnings(found: Contents) -> Iterator[Noted]:
    for question, question_place in found.questions:
        if question.id in found.rubrics:
            rubric, rubric_place = found.rubrics[question.id]
            for remark in remarks(question, rubric):
                yield _placed(remark, question_place if remark.part == "question" else rubric_place)


def _placed(remark: Remark, place: Place) -> Noted:
    steps = (int(step) if step.isdigit() else step for step in remark.field.split("."))
    return _noted(place.error(remark.message, *steps))


def _noted(mistake: BankError) -> Noted:
    return Noted(file=mistake.file, line=mistake.line, field=mistake.field, message=mistake.message)
