"""`tutor import`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tutor.cli.files import AsJson, plain_errors
from tutor.cli.verbs import verbs_of
from tutor.drafting import Imported


def import_(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="Markdown, plain text, CSV or JSON lines with questions and answers.")],
    set_name: Annotated[
        str | None, typer.Option("--set", help="Name of the set; made of the file's name when not given.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Put these in place of a set, or of questions, that are there already.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be imported and store nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Bring your own questions: their rubrics are drafted from the reference answers.

    A file with a mistake is not imported at all; every mistake is named with its line.
    """
    with plain_errors():
        imported = verbs_of(ctx).import_file(file, set_name, replace, dry_run)
        typer.echo(imported.model_dump_json(indent=2) if as_json else imported_lines(imported))


def imported_lines(imported: Imported) -> str:
    """The questions of each topic, the whole, and what to do next."""
    width = max(map(len, imported.topics), default=0) + 2
    rows = [f"{topic:{width}}{count:>4}" for topic, count in imported.topics.items()]
    counts = f"{imported.questions} questions, {imported.criteria} criteria, {imported.figures} figures"
    total = f"{counts}, {len(imported.topics)} topics"
    if not imported.stored:
        return "\n".join([*rows, f"{total}; nothing was stored."])
    review = "The rubrics are drafts: read them before you rely on their grades."
    return "\n".join([*rows, f"{total} in the set {imported.set_name!r}.", review])
