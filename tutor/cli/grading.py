"""`tutor grade` and `tutor evaluate`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from tutor.cli.files import Bank, Out, plain_errors, target, write_lines
from tutor.cli.verbs import Verbs, verbs_of
from tutor.errors import TutorError
from tutor.evaluation import Agreement, Report, evaluate
from tutor.labelled import AnswerLine
from tutor.values import Grade

_Answers = Annotated[Path, typer.Option("--answers", help="JSON lines: question_id, answer_id, answer.")]


def grade(ctx: typer.Context, answers: _Answers, bank: Bank = None, out: Out = None) -> None:
    """Grade a file of answers: one JSON line per answer, in their order.

    Labels in the file are ignored. Each line shows the verdict and the quoted words of every criterion,
    the score, and the fingerprint of what graded it.
    """
    with plain_errors():
        out = target(out, answers)
        grades = _grade_file(verbs_of(ctx), verbs_of(ctx).read_answers(answers, False), bank)
        write_lines((g.model_dump_json() for g in grades), out)


def evaluate_(
    ctx: typer.Context,
    answers: _Answers,
    bank: Bank = None,
    grades: Annotated[Path | None, typer.Option(help="Evaluate this finished file of `tutor grade`.")] = None,
    out: Out = None,
) -> None:
    """Compare grades with the labels in an answers file: kappa, correlation, error, with 95 % intervals.

    Each line carries `labels` (criterion id: 1 made, 0.5 partly, 0 absent, -1 contradicted) or `overall` (0 to 1).
    """
    with plain_errors():
        out = target(out, answers, grades)
        lines = verbs_of(ctx).read_answers(answers, True)
        if all(line.labels is None and line.overall is None for line in lines):
            raise TutorError(
                f"{answers}: no answer has labels, so there is nothing to compare with. Use `tutor grade`."
            )
        made = _read_grades(grades) if grades else tuple(_grade_file(verbs_of(ctx), lines, bank))
        report = _evaluated(lines, made)
        write_lines([report.model_dump_json(indent=2)], out)
        if out:
            typer.echo(report_table(report))


def _grade_file(verbs: Verbs, lines: Sequence[AnswerLine], bank: Path | None) -> Iterator[Grade]:
    typer.echo("loading the models", err=True)
    for done, made in enumerate(verbs.grade_all(lines, bank), 1):
        if sys.stderr.isatty() or len(lines) < 50 or done % 10 == 0 or done == len(lines):
            typer.echo(f"graded {done} of {len(lines)}", err=True)
        yield made


def report_table(report: Report) -> str:
    """The report for a person: one row for all answers and one a style."""
    head = (
        f"{'':8}{'accuracy':>10}{'kappa':>8}{'kappa4':>8}{'r':>8}{'rmse':>8}{'constant':>10}{'judged':>8}{'quotes':>8}"
    )
    rows = [("all", report.overall), *sorted(report.by_style.items())]
    note = f"{report.n_answers} answers, {report.n_labels} labels, {report.seconds_per_answer:.1f} s an answer"
    return "\n".join([head, *(_report_row(name, agreement) for name, agreement in rows), note])


def _report_row(name: str, a: Agreement) -> str:
    cells = (
        (a.accuracy, 10), (a.kappa, 8), (a.kappa4, 8), (a.r, 8), (a.rmse, 8),
        (a.rmse_constant, 10), (a.judged_share, 8), (a.quote_validity, 8),
    )  # fmt: skip
    return f"{name:8}" + "".join(f"{'-' if v is None else f'{v:.3f}':>{width}}" for v, width in cells)


def _evaluated(lines: Sequence[AnswerLine], made: Sequence[Grade]) -> Report:
    try:
        return evaluate(lines, made)
    except ValueError as e:
        raise TutorError(f"These grades do not belong to these answers: {e}.") from None


def _read_grades(path: Path) -> tuple[Grade, ...]:
    grades: list[Grade] = []
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise TutorError(f"{path}: cannot be read ({getattr(e, 'strerror', None) or 'not UTF-8'}).") from None
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                grades.append(Grade.model_validate_json(line))
            except ValueError as e:
                raise TutorError(f"{path}, line {number}: not a line of `tutor grade` ({e}).") from None
    return tuple(grades)
