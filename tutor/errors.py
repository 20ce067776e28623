"""One tree of errors, drawn by the question: whose move is it?

TutorError                 every sentence says what is wrong, where, and what to do
├── SettingsError          yours: a setting is unknown or has a wrong value
├── BankError              the author's: a question, rubric or answers file has a mistake
│   └── BankErrors         several of them, one a line
├── WeightsError           yours: a model file is missing or broken, run the set-up again
├── AnswerRefused          the candidate's: blank, too short, copied ...; nothing was stored
├── AudioRefused           the candidate's: silence, too short, too long, not a recording ...; the file is kept
├── AnswerConflict         nobody's: this answer id already carries other words; the first are kept
├── TrackerError           yours: the database is locked, damaged, or from a newer version
└── EngineError            the machine's: retry; nothing was graded
    ├── EngineDown         the model server does not answer
    ├── EngineTimeout      the overall deadline of one call passed
    └── EngineReply        it answered, but nothing that can be used as a verdict
"""

from __future__ import annotations

from collections.abc import Mapping


class TutorError(Exception):
    """A sentence for a person: what is wrong, where, and what to do about it."""


class SettingsError(TutorError):
    """A setting is unknown or has a value that cannot be used.

    Attributes:
        mistakes: What is wrong with each setting, by its name; empty where no one setting is to blame.
    """

    def __init__(self, sentence: str, mistakes: Mapping[str, str] | None = None) -> None:
        self.mistakes = dict(mistakes or {})
        super().__init__(sentence)


class BankError(TutorError):
    """A question, rubric or answers file has a mistake.

    Attributes:
        file: Path as the author knows it.
        line: Line number counted from 1, or None where the format gives none.
        field: Dotted path of the field (`criteria.2.weight`), empty for the whole file.
        message: What is wrong and what is expected.
        mistakes: This one alone; BankErrors has all that were found in one reading.
    """

    def __init__(self, file: str, message: str, *, line: int | None = None, field: str = "") -> None:
        self.file, self.line, self.field, self.message = file, line, field, message
        where = file + (f", line {line}" if line is not None else "") + (f", {field}" if field else "")
        super().__init__(f"{where}: {message}")
        self.mistakes: tuple[BankError, ...] = (self,)


class BankErrors(BankError):
    """Several mistakes found in one reading; `str()` shows one a line, the attributes are those of the first."""

    def __init__(self, mistakes: tuple[BankError, ...]) -> None:
        first = mistakes[0]
        super().__init__(first.file, first.message, line=first.line, field=first.field)
        self.mistakes = mistakes
        self.args = ("\n".join(str(mistake) for mistake in mistakes),)


class WeightsError(TutorError):
    """A model file is missing, incomplete or altered."""


class AnswerRefused(TutorError):
    """An answer that is not worth a grade; nothing was stored.

    Attributes:
        gate: Name of the gate that stopped it (`blank`, `too_short`, `copied_question` ...).
    """

    def __init__(self, gate: str, sentence: str) -> None:
        self.gate = gate
        super().__init__(sentence)


class AudioRefused(TutorError):
    """A recording that cannot become an answer.

    Attributes:
        reason: `unreadable`, `no_sound`, `silence`, `too_short`, `too_long`, `too_large`, `missing` or
            `unknown_question`.
    """

    def __init__(self, reason: str, sentence: str) -> None:
        self.reason = reason
        super().__init__(sentence)


class AnswerConflict(TutorError):
    """The same answer id came twice with different words; the first words are kept."""


class TrackerError(TutorError):
    """The database cannot be used as it is."""


class EngineError(TutorError):
    """A model could not do its work; nothing was graded and a retry may help."""


class EngineDown(EngineError):
    """The model server refuses connections, is still loading, or went away."""


class EngineTimeout(EngineError):
    """The overall deadline of one call passed."""


class EngineReply(EngineError):
    """The server answered with something that cannot be read as a verdict."""
