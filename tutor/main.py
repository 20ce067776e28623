"""The top room: settings are read once, everything is wired once, and the verbs go to the page or the terminal."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tutor import __version__, cli, settings
from tutor.drafting import Imported
from tutor.labelled import AnswerLine
from tutor.lint import Checked
from tutor.spoken import Hearing
from tutor.states import Check
from tutor.values import Grade
from tutor.verification import Verification, Verified
from tutor.web import launch


def main() -> None:
    """The `tutor` command."""
    # Before any library is imported that could look for a hub.
    os.environ.update(launch.ENVIRONMENT)
    cli.run(
        cli.Verbs(
            serve=_serve,
            setup=_set_up,
            read_answers=_read_answers,
            grade_all=_grade_all,
            transcribe=_transcribe,
            checks=_checks,
            check_bank=_check_bank,
            verify_bank=_verify_bank,
            import_file=_import_file,
        )
    )


def serve() -> None:
    """`python app.py`: the page with the settings as they are."""
    os.environ.update(launch.ENVIRONMENT)
    with cli.plain_errors():
        _serve(None, True)


def _serve(port: int | None, browser: bool) -> None:
    given = {} if port is None else {"port": port}
    chosen = _settings(**given)
    temp_dir = chosen.data_dir / "tmp"
    from tutor.wiring import make_private, open_house

    make_private(chosen.data_dir)
    launch.prepare(os.environ, temp_dir)
    # Gradio reads the environment when it is imported, so not before it is prepared.
    from tutor.web.app import build

    def ready(address: str) -> None:
        print(f"Practice at {address}  (Ctrl-C stops it)", flush=True)
        if browser and chosen.open_browser:
            _open_browser(address)

    with open_house(chosen, file=settings.settings_file(), given=given) as house:
        verbs = house.practice, house.booth, house.preferences
        app = build(*verbs, library=house.library, status=house.states, version=__version__, temp_dir=temp_dir)
        launch.serve(app, chosen.port, ready)
    print("The tutor has stopped.", flush=True)


def _open_browser(address: str) -> None:
    # Without a screen `webbrowser` may find a text browser that would take over the terminal.
    has_screen = sys.platform in ("win32", "darwin") or {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys()
    if has_screen:
        webbrowser.open(address)


def _set_up(report: Callable[[str], None]) -> None:
    from tutor.wiring import set_up

    set_up(_settings(), report)


def _read_answers(path: Path, with_labels: bool) -> tuple[AnswerLine, ...]:
    from tutor.wiring import read_answers

    return read_answers(path, with_labels=with_labels)


def _grade_all(answers: Sequence[AnswerLine], bank: Path | None) -> Iterator[Grade]:
    from tutor.wiring import grade_lines

    return grade_lines(_settings(), answers, bank)


def _transcribe(file: Path, question_id: str | None, bank: Path | None) -> Hearing:
    from tutor.wiring import transcribe_file

    return transcribe_file(_settings(), file, question_id, bank)


def _checks() -> Iterator[Check]:
    from tutor.wiring import checks

    return checks(_settings())


def _check_bank(bank: Path | None) -> Checked:
    from tutor.wiring import check_bank

    return check_bank(_settings(), bank)


def _verify_bank(bank: Path | None, only: Sequence[str], earlier: Sequence[Verified]) -> Iterator[Verification]:
    from tutor.wiring import verify_bank

    return verify_bank(_settings(), bank, only, earlier)


def _import_file(file: Path, set_name: str | None, replace: bool, dry_run: bool) -> Imported:
    from tutor.wiring import import_file

    return import_file(_settings(), file, set_name, replace=replace, dry_run=dry_run)


def _settings(**given: object) -> settings.Settings:
    return settings.load(os.environ, **given)
