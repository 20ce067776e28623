"""`tutor bank`: what it prints, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner, Result

from tests.test_cli import verbs
from tutor.cli import app
from tutor.lint import Checked, Noted, SetCount

ODD = Noted(file="rubrics/q1.yaml", line=3, field="criteria.0.text", message="states two things")
WRONG = Noted(file="data/basics.yaml", line=None, field="", message="is empty")
CHECKED = Checked(
    questions=1,
    criteria=4,
    families=12,
    sets={"basics": SetCount(questions=1, criteria=4, figures=2)},
    errors=(),
    warnings=(ODD,),
)


def run(*words: str, **changed: object) -> Result:
    return CliRunner().invoke(app, ["bank", *words], obj=verbs(**changed))


def test_a_bank_with_warnings_can_be_used() -> None:
    outcome = run("check", check_bank=lambda bank: CHECKED)
    assert outcome.exit_code == 0
    assert outcome.stdout.splitlines() == [
        "warning: rubrics/q1.yaml:3: criteria.0.text: states two things",
        "         questions  criteria   figures",
        "basics           1         4         2",
        "1 questions, 4 criteria, 12 families of drills: 0 errors, 1 warnings",
    ]


def test_a_bank_with_mistakes_cannot() -> None:
    broken = Checked(questions=0, criteria=0, families=0, sets={}, errors=(WRONG,), warnings=())
    outcome = run("check", check_bank=lambda bank: broken)
    assert outcome.exit_code == 1
    assert outcome.stdout.splitlines() == [
        "error: data/basics.yaml: is empty",
        "0 questions, 0 criteria: 1 errors, 0 warnings",
    ]
    assert outcome.stderr == ""


def test_json_is_one_object_also_with_mistakes() -> None:
    asked: list[Path | None] = []

    def check(bank: Path | None) -> Checked:
        asked.append(bank)
        return CHECKED.model_copy(update={"errors": (WRONG,)})

    outcome = run("check", "--bank", "mine", "--json", check_bank=check)
    assert (outcome.exit_code, asked) == (1, [Path("mine")])
    shown = json.loads(outcome.stdout)
    assert list(shown) == ["questions", "criteria", "families", "sets", "errors", "warnings"]
    assert shown["sets"] == {"basics": {"questions": 1, "criteria": 4, "figures": 2}}
    assert shown["errors"] == [{"file": "data/basics.yaml", "line": None, "field": "", "message": "is empty"}]
    assert shown["warnings"][0]["line"] == 3
