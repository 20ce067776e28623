"""The same verbs for a terminal: serve, setup, grade, evaluate, doctor."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Protocol

import typer

from tutor import __version__
from tutor.errors import TutorError
from tutor.evaluation import Agreement, Report, evaluate
from tutor.labelled import AnswerLine
from tutor.states import Check
from tutor.values import Grade


class GradeAll(Protocol):
    """Grades answers one by one, in their order."""

    def __call__(self, answers: Sequence[AnswerLine], bank: Path | None) -> Iterator[Grade]:
        """Grades as they are made. Raises TutorError."""


@dataclass(frozen=True)
class Verbs:
    """What the commands call; nothing is loaded before a verb is called."""

    serve: Callable[[int | None, bool], None]
    setup: Callable[[Callable[[str], None]], None]
    read_answers: Callable[[Path, bool], tuple[AnswerLine, ...]]
    """A file and whether its labels matter."""
    grade_all: GradeAll
    checks: Callable[[], Iterator[Check]]


_Bank = Annotated[
    Path | None, typer.Option("--bank", help="Bank folder, or a JSON-lines file. Default: the bank that comes along.")
]
_Answers = Annotated[Path, typer.Option("--answers", help="JSON lines: question_id, answer_id, answer.")]
_Out = Annotated[Path | None, typer.Option("--out", help="File to write; standard output when not given.")]


app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Practise spoken technical interviews on your own machine. "
    "Answers are graded point by point by a model that runs here; nothing leaves this machine.",
    epilog="Settings are environment variables (TUTOR_...) or lines of settings.toml in the data folder; "
    "the README lists them. Example: TUTOR_CHAT_URL=http://127.0.0.1:11434/v1 tutor serve",
)


def run(verbs: Verbs) -> None:
    """The `tutor` command with these verbs."""
    app(obj=verbs)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tutor {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    del version


@app.command()
def serve(
    ctx: typer.Context,
    port: Annotated[int | None, typer.Option(min=1024, max=65535, help="Port on 127.0.0.1.")] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
) -> None:
    """Start the program and open its page. Stop it with Ctrl-C."""
    with plain_errors():
        _verbs(ctx).serve(port, browser)


@app.command()
def setup(ctx: typer.Context) -> None:
    """Assemble and verify the model files; goes on where it was interrupted."""
    with plain_errors():
        _verbs(ctx).setup(typer.echo)


@app.command()
def grade(ctx: typer.Context, answers: _Answers, bank: _Bank = None, out: _Out = None) -> None:
    """Grade a file of answers: one JSON line per answer, in their order.

    Labels in the file are ignored. Each line shows the verdict and the quoted words of every criterion,
    the score, and the fingerprint of what graded it.
    """
    with plain_errors():
        out = _target(out)
        grades = _grade_file(_verbs(ctx), _verbs(ctx).read_answers(answers, False), bank)
        _write_lines((g.model_dump_json() for g in grades), out)


@app.command("evaluate")
def evaluate_(
    ctx: typer.Context,
    answers: _Answers,
    bank: _Bank = None,
    grades: Annotated[Path | None, typer.Option(help="Evaluate this finished file of `tutor grade`.")] = None,
    out: _Out = None,
) -> None:
    """Compare grades with the labels in an answers file: kappa, correlation, error, with 95 % intervals.

    Each line carries `labels` (criterion id: 1 made, 0.5 partly, 0 absent, -1 contradicted) or `overall` (0 to 1).
    """
    with plain_errors():
        out = _target(out)
        lines = _verbs(ctx).read_answers(answers, True)
        if all(line.labels is None and line.overall is None for line in lines):
            raise TutorError(
                f"{answers}: no answer has labels, so there is nothing to compare with. Use `tutor grade`."
            )
        made = _read_grades(grades) if grades else tuple(_grade_file(_verbs(ctx), lines, bank))
        report = _evaluated(lines, made)
        _write_lines([report.model_dump_json(indent=2)], out)
        if out:
            typer.echo(report_table(report))


@app.command()
def doctor(
    ctx: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say what works, what does not, and how to mend it. Exit code 1 when something does not."""
    with plain_errors():
        checks: list[Check] = []
        for check in _verbs(ctx).checks():
            checks.append(check)
            if not as_json:
                typer.echo(_check_line(check))
        ok = all(check.ok for check in checks)
        if as_json:
            typer.echo(json.dumps({"ok": ok, "checks": [c.model_dump() for c in checks]}, indent=2))
        if not ok:
            raise typer.Exit(1)


def _verbs(ctx: typer.Context) -> Verbs:
    verbs: Verbs = ctx.obj
    return verbs


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


def _check_line(check: Check) -> str:
    mark = "ok  " if check.ok else "FAIL"
    return f"{mark}  {check.name}: {check.detail}" + ("" if check.ok or not check.fix else f"\n      {check.fix}")


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


def _target(out: Path | None) -> Path | None:
    """The file behind a link; refused now rather than after an hour of grading when it cannot be written."""
    if out is None:
        return None
    file = out.resolve()
    if (file.exists() and not file.is_file()) or not os.access(file.parent, os.W_OK):
        raise TutorError(f"{out}: cannot be written. Name a file in a folder that exists and that you may write in.")
    return file


def _write_lines(lines: Iterator[str] | Sequence[str], out: Path | None) -> None:
    """Write to a neighbour first and rename, so that a reader never sees half a file."""
    if out is None:
        for line in lines:
            typer.echo(line)
        return
    partial = out.with_name(out.name + ".partial")
    try:
        with partial.open("w", encoding="utf-8") as file:
            for line in lines:
                file.write(line + "\n")
                file.flush()
        partial.replace(out)
    except KeyboardInterrupt:
        raise TutorError(f"Stopped. The lines finished so far are in {partial}.") from None
    except TutorError as e:
        raise TutorError(f"{e} The lines finished so far are in {partial}.") from None
    except OSError as e:
        raise TutorError(f"{out}: cannot be written ({e.strerror}).") from None


@contextmanager
def plain_errors() -> Iterator[None]:
    """A TutorError is its sentence and exit code 1, never a trace."""
    try:
        yield
    except TutorError as e:
        typer.echo(f"tutor: {e}", err=True)
        raise typer.Exit(1) from None
