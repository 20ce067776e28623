"""`tutor bank verify`: the report on a screen and in a file that a next run goes on from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tutor.cli.files import Bank, plain_errors, target, write_lines
from tutor.cli.verbs import verbs_of
from tutor.errors import TutorError
from tutor.verification import MEDIAN_MARK, OTHER_MARK, REFERENCE_MARK, Point, SetMarks, Verification, Verified


def verify(
    ctx: typer.Context,
    bank: Bank = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Id of a question to verify; may be given several times.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Report to write after every question; one that is there already is gone on with."),
    ] = None,
) -> None:
    """Grade each reference answer under its own rubric, an empty answer, and the answer to another question.

    It takes about half a minute a question. With --out, questions that have not changed since the last run are not
    graded again, and Ctrl-C loses at most one question.
    """
    with plain_errors():
        file = target(out, bank)
        earlier = _earlier(file)
        typer.echo("loading the models", err=True)
        report: Verification | None = None
        try:
            for report in verbs_of(ctx).verify_bank(bank, only or [], earlier):
                if file:
                    write_lines([report.model_dump_json(indent=2)], file)
                typer.echo(f"verified {len(report.questions)} of {report.questions_in_bank}", err=True)
        except KeyboardInterrupt:
            raise TutorError(_stopped(report, out)) from None
        if report:
            typer.echo(verification_lines(report))


def verification_lines(report: Verification) -> str:
    """A row for each set, the questions below a mark with the points that failed, and the whole."""
    width = max(map(len, report.sets), default=0) + 2
    columns = ("verified", "median", "lowest", "other", "below")
    head = f"{'':{width}}" + "".join(f"{column:>10}" for column in columns)
    rows = [f"{name:{width}}{_row(marks)}" for name, marks in report.sets.items()]
    low = [line for found in report.questions if found.is_below for line in _below(found)]
    total = (
        f"{len(report.questions)} of {report.questions_in_bank} questions verified, {len(report.below)} below a mark; "
        f"median {_share(report.median)}, {MEDIAN_MARK:.2f} is wanted"
    )
    return "\n".join([*low, head, *rows, total])


def _row(marks: SetMarks) -> str:
    scores = (marks.median, marks.lowest, marks.highest_other)
    return (
        f"{f'{marks.verified}/{marks.questions}':>10}"
        + "".join(f"{_share(s):>10}" for s in scores)
        + (f"{marks.below:>10}")
    )


def _below(found: Verified) -> list[str]:
    if found.trouble:
        return [f"{found.question_id}: could not be graded: {found.trouble}"]
    lines: list[str] = []
    if found.reference is None or found.reference < REFERENCE_MARK:
        lines.append(f"{found.question_id}: its reference answer gets {_share(found.reference)}")
        lines += [_point(point) for point in found.failing]
    if found.nothing != 0:
        lines.append(f"{found.question_id}: an empty answer gets {_share(found.nothing)}")
    if found.other_id and (found.other is None or found.other > OTHER_MARK):
        lines.append(f"{found.question_id}: the answer to {found.other_id} gets {_share(found.other)}")
        lines += [_point(point) for point in found.credited]
    return lines


def _point(point: Point) -> str:
    probability = "" if point.probability is None else f" at {point.probability:.2f}"
    because = f" ({point.reason})" if point.reason else ""
    quote = f" <- {point.quote!r}" if point.quote else ""
    return f"    {point.verdict}{probability} {point.id}: {point.text}{because}{quote}"


def _share(score: float | None) -> str:
    return "-" if score is None else f"{score:.2f}"


def _stopped(report: Verification | None, out: Path | None) -> str:
    if out is None:
        return "Stopped; nothing was kept. With --out FILE, the next run goes on from here."
    done = f"{len(report.questions)} of {report.questions_in_bank} questions are" if report else "Nothing new is"
    return f"Stopped. {done} in {out}; the same command goes on from there."


def _earlier(file: Path | None) -> tuple[Verified, ...]:
    """What is in the report that stands there; a file that is something else is not written over."""
    if file is None or not file.exists():
        return ()
    try:
        return Verification.model_validate_json(file.read_text(encoding="utf-8")).questions
    except (OSError, ValueError):
        raise TutorError(f"{file}: is no report of `tutor bank verify`. Name another file, or delete it.") from None
