"""The `tutor` command: its help, and the commands about the program itself."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from tutor import __version__
from tutor.cli import bank
from tutor.cli.files import AsJson, plain_errors
from tutor.cli.grading import evaluate_, grade
from tutor.cli.importing import import_
from tutor.cli.speech import transcribe
from tutor.cli.verbs import Verbs, verbs_of
from tutor.states import Check

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
        verbs_of(ctx).serve(port, browser)


@app.command()
def setup(ctx: typer.Context) -> None:
    """Assemble and verify the model files; goes on where it was interrupted."""
    with plain_errors():
        verbs_of(ctx).setup(typer.echo)


app.command()(grade)
app.command("evaluate")(evaluate_)
app.command()(transcribe)
app.add_typer(bank.app, name="bank")
app.command("import")(import_)


@app.command()
def doctor(
    ctx: typer.Context,
    as_json: AsJson = False,
) -> None:
    """Say what works, what does not, and how to mend it. Exit code 1 when something does not."""
    with plain_errors():
        checks: list[Check] = []
        for check in verbs_of(ctx).checks():
            checks.append(check)
            if not as_json:
                typer.echo(_check_line(check))
        ok = all(check.ok for check in checks)
        if as_json:
            typer.echo(json.dumps({"ok": ok, "checks": [c.model_dump() for c in checks]}, indent=2))
        if not ok:
            raise typer.Exit(1)


def _check_line(check: Check) -> str:
    mark = "ok  " if check.ok else "FAIL"
    return f"{mark}  {check.name}: {check.detail}" + ("" if check.ok or not check.fix else f"\n      {check.fix}")
