"""Which questions there are: those of a bank named by somebody, or one's own over those that come along."""

from __future__ import annotations

import logging
from pathlib import Path

from tutor.adapters.bank_yaml import Contents, Layered, OwnFolder, contents, open_bank, shipped_bank, shipped_folder
from tutor.drills import Drills
from tutor.ports import OwnBank, QuestionBank
from tutor.settings import Settings

OWN = "bank"
"""Folder of a person's own questions, beside the database."""
_log = logging.getLogger(__name__)


def question_bank(settings: Settings, path: Path | None = None) -> QuestionBank:
    """The bank at a path, else that of the settings, else the own questions over those that come along, and drills.

    A named bank with a mistake is refused; an own question with one is left out and told, and the others can be
    practised.

    Raises:
        BankError: The mistakes of a named bank.
    """
    named = path or settings.bank
    if named:
        return open_bank(named)
    own = own_bank(settings)
    for mistake in own.mistakes():
        _log.warning("%s. What this leaves out comes back once it is mended.", mistake)
    return Drills(Layered(own, shipped_bank()))


def own_bank(settings: Settings) -> OwnBank:
    """A person's own questions; the folder is made when the first is stored."""
    return OwnFolder(settings.data_dir / OWN)


def bank_contents(settings: Settings, path: Path | None = None) -> Contents:
    """What stands in the files of that bank, right or wrong, with places; drills have no file."""
    return contents(path or settings.bank or shipped_folder())
