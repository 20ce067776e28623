"""`tutor transcribe`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tutor.cli.files import AsJson, Bank, Out, plain_errors, target, write_lines
from tutor.cli.verbs import verbs_of
from tutor.spoken import Delivery


def transcribe(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="A recording: WAV, MP3, M4A, OGG, FLAC or WebM. It is read in place.")],
    question: Annotated[
        str | None, typer.Option(help="Id of the question: its terms are expected, its target is compared with.")
    ] = None,
    bank: Bank = None,
    as_json: AsJson = False,
    out: Out = None,
) -> None:
    """Write down a recording and say how it was spoken: length, pace and pauses. Nothing is kept of it."""
    with plain_errors():
        out = target(out, file)
        hearing = verbs_of(ctx).transcribe(file, question, bank)
        if not hearing.is_whole:
            rest = "the transcript is of the rest. Save or record it anew if words are missing."
            typer.echo(f"tutor: {file}: part of this recording could not be read; {rest}", err=True)
        lines = [hearing.model_dump_json(indent=2)] if as_json else [hearing.text, delivery_line(hearing.delivery)]
        write_lines(lines, out)


def delivery_line(d: Delivery) -> str:
    """How it was spoken, in one line for a person."""
    target = f" of {d.target_s:.0f} s" if d.target_s else ""
    facts = [f"{d.duration_s:.0f} s{target}", f"{d.n_words} words"]
    if d.words_per_minute is not None and d.words_per_minute_of_speech is not None:
        facts.append(f"{d.words_per_minute:.0f} words a minute, {d.words_per_minute_of_speech:.0f} while speaking")
    facts.append(f"{d.n_pauses} pauses, {d.n_long_pauses} of them long, the longest {d.longest_pause_s:.1f} s")
    return "; ".join(facts)
