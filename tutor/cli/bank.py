"""`tutor bank`: what is wrong and what is odd in a bank of questions, and whether it can be graded."""

from __future__ import annotations

import typer

from tutor.cli.files import AsJson, Bank, plain_errors
from tutor.cli.verbs import verbs_of
from tutor.cli.verifying import verify
from tutor.lint import Checked

app = typer.Typer(no_args_is_help=True, help="Look after a bank of questions and rubrics.")
app.command()(verify)


@app.command()
def check(ctx: typer.Context, bank: Bank = None, as_json: AsJson = False) -> None:
    """Name every mistake and every warning of a bank with file, line and field. No model is needed.

    Exit code 1 when there are mistakes; a bank with warnings can be used.
    """
    with plain_errors():
        checked = verbs_of(ctx).check_bank(bank)
        typer.echo(checked.model_dump_json(indent=2) if as_json else checked_lines(checked))
        if checked.errors:
            raise typer.Exit(1)


def checked_lines(checked: Checked) -> str:
    """Mistakes, warnings, and a table of the sets for a person."""
    notes = [f"error: {note}" for note in checked.errors] + [f"warning: {note}" for note in checked.warnings]
    width = max(map(len, checked.sets), default=0) + 2
    head = [f"{'':{width}}{'questions':>10}{'criteria':>10}{'figures':>10}"] if checked.sets else []
    rows = [
        f"{name:{width}}{count.questions:>10}{count.criteria:>10}{count.figures:>10}"
        for name, count in checked.sets.items()
    ]
    drills = f", {checked.families} families of drills" if checked.families else ""
    found = f"{len(checked.errors)} errors, {len(checked.warnings)} warnings"
    total = f"{checked.questions} questions, {checked.criteria} criteria{drills}: {found}"
    return "\n".join([*notes, *head, *rows, total])
