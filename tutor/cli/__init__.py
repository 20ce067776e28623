"""The same verbs for a terminal: serve, setup, grade, evaluate, transcribe, bank, doctor."""

from __future__ import annotations

from tutor.cli.app import app, run
from tutor.cli.files import plain_errors
from tutor.cli.verbs import Verbs

__all__ = ["Verbs", "app", "plain_errors", "run"]
