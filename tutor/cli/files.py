"""What every command does with files and errors."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Annotated

import typer

from tutor.errors import TutorError

Bank = Annotated[
    Path | None, typer.Option("--bank", help="Bank folder, or a JSON-lines file. Default: the bank that comes along.")
]
Out = Annotated[Path | None, typer.Option("--out", help="File to write; standard output when not given.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def target(out: Path | None, *sources: Path | None) -> Path | None:
    """The file behind a link; refused now rather than after an hour of grading when it may not be written."""
    if out is None:
        return None
    file = out.resolve()
    written = filter(os.path.exists, (file, Path(f"{file}.partial")))
    if any(os.path.samefile(*both) for both in product(written, filter(os.path.exists, filter(None, sources)))):
        raise TutorError(f"{out}: to write it would overwrite what is read here. Name another file to write.")
    if (file.exists() and not file.is_file()) or not os.access(file.parent, os.W_OK):
        raise TutorError(f"{out}: cannot be written. Name a file in a folder that exists and that you may write in.")
    return file


def write_lines(lines: Iterator[str] | Sequence[str], out: Path | None) -> None:
    """Write to a neighbour first and rename, so that a reader never sees half a file."""
    if out is None:
        for line in lines:
            typer.echo(line)
        return
    partial = Path(f"{out}.partial")
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
