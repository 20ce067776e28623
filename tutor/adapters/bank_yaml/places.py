"""Reading an author's file as text, and naming a place in it: file, line, field."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tutor.errors import BankError, BankErrors

Step = str | int
Steps = tuple[Step, ...]

# Control characters, direction overrides, invisible spaces, halves of surrogate pairs, what is no character: none
# of them can be seen by an author, and each makes equal-looking texts differ.
_INVISIBLE = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u2060\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)
# What an answer may not carry: characters no model server, database or UTF-8 file takes.
_UNUSABLE = re.compile(r"[\x00\ud800-\udfff]")


@dataclass(frozen=True)
class Place:
    """A record inside a file, and where its parts stand.

    Attributes:
        file: Path as the author knows it.
        lines: Path of a part, from the file's root -> line, counted from 1.
        at: Path of the record from the file's root; () is the whole file.
    """

    file: str
    lines: Mapping[Steps, int]
    at: Steps = ()

    def below(self, *steps: Step) -> Place:
        """The place of a part of this record."""
        return replace(self, at=self.at + steps)

    def error(self, message: str, *steps: Step) -> BankError:
        """A mistake in the part at `steps`; its line is that of the nearest part that stands in the file."""
        path = self.at + steps
        known = next((path[:n] for n in range(len(path), -1, -1) if path[:n] in self.lines), None)
        line = None if known is None else self.lines[known]
        return BankError(self.file, message, line=line, field=".".join(map(str, path)))


def whole(file: Path | str) -> Place:
    """The place of a file as a whole, without a line."""
    return Place(str(file), {})


def raise_all(mistakes: Sequence[BankError]) -> None:
    """Raise the one mistake, or all of them by file and line as BankErrors; nothing where there is none."""
    if len(mistakes) == 1:
        raise mistakes[0]
    if mistakes:
        raise BankErrors(tuple(sorted(mistakes, key=lambda mistake: (mistake.file, mistake.line or 0))))


def read_text(path: Path, *, max_bytes: int) -> str:
    r"""The file as text, with `\n` line ends and without byte order mark. Raises BankError."""
    place = whole(path)
    try:
        if not path.is_file():
            raise place.error("there is no such file" if not path.exists() else "is not an ordinary file")
        with path.open("rb") as stream:
            raw = stream.read(max_bytes + 1)
    except (OSError, ValueError) as trouble:
        raise place.error(f"cannot be read: {getattr(trouble, 'strerror', None) or trouble}") from None
    if len(raw) > max_bytes:
        raise place.error(f"is larger than {max_bytes // 10**6} MB; split it into several files")
    return decoded(raw, place).replace("\r\n", "\n")


def decoded(raw: bytes, place: Place) -> str:
    """Bytes of a file as text. Raises BankError with the line that is not UTF-8."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\x00" in raw[:4]:
        raise place.error("is saved as UTF-16 or UTF-32; save it again as UTF-8")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as trouble:
        line = raw.count(b"\n", 0, trouble.start) + 1
        raise BankError(place.file, "is not UTF-8 here; save the file again as UTF-8", line=line) from None


def unseen(text: str) -> tuple[int, str] | None:
    """Offset of the first character that no author can see, and why it cannot stay; None where there is none."""
    return _named(_INVISIBLE.search(text))


def unusable(text: str) -> tuple[int, str] | None:
    """Offset of the first character that no model server or database takes, and why; None where there is none."""
    return _named(_UNUSABLE.search(text))


def _named(found: re.Match[str] | None) -> tuple[int, str] | None:
    return (
        None if found is None else (found.start(), f"contains the unusable character U+{ord(found[0]):04X}; delete it")
    )
