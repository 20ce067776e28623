"""A person's own questions in a private folder: read anew when a file changes, written whole or not at all."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock, Timeout

from tutor.adapters.bank_yaml.places import Place, whole
from tutor.adapters.bank_yaml.records import repeated
from tutor.adapters.bank_yaml.writing import questions_text, replace_files, rubric_text, sync_folder
from tutor.adapters.bank_yaml.yaml_bank import file_questions, file_rubric
from tutor.errors import BankError
from tutor.ports import Entry
from tutor.values import Question, Rubric

_SET_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}")
_WAIT_S = 30.0
# A writer needs milliseconds a file; who changes files faster than they are read gets what was there last.
_READINGS = 5

T = TypeVar("T")
Stamp = tuple[int, int, int]


@dataclass(frozen=True)
class _Found:
    """What was read the last time."""

    stamps: Mapping[Path, Stamp] = field(default_factory=dict)
    sets: Mapping[str, tuple[Question, ...]] = field(default_factory=dict)
    """The questions without mistakes of each set, also those without a usable rubric."""
    broken: frozenset[str] = frozenset()
    """Names of the sets whose files have mistakes."""
    entries: tuple[Entry, ...] = ()
    mistakes: tuple[BankError, ...] = ()


class OwnFolder:
    """An OwnBank in `data/<set>.yaml` and `rubrics/<question id>.yaml`, the format of the bank that comes along.

    A question that cannot be read is left out, the others stay. A file with mistakes is never written over.

    Args:
        folder: Made when the first question is stored.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._turn = threading.RLock()
        self._found = _Found()
        self._files: dict[Path, tuple[Stamp, Any]] = {}

    def entries(self) -> tuple[Entry, ...]:
        """All that can be read; the same tuple while no file has changed."""
        return self._now().entries

    def mistakes(self) -> tuple[BankError, ...]:
        """Why questions are left out."""
        return self._now().mistakes

    def put(self, set_name: str, entries: Sequence[Entry], *, whole: bool = False) -> None:
        """Store the entries in a set. Raises BankError and ValueError as the port says."""
        path = self._data / f"{checked_set_name(set_name)}.yaml"
        new = {entry.question.id: entry for entry in entries}
        if len(new) < len(entries) or any(name != entry.rubric.question_id for name, entry in new.items()):
            raise ValueError("every entry needs an id of its own and the rubric of its question")
        with self._writing():
            before = self._writable(set_name)
            for name, questions in self._found.sets.items():
                if name != set_name and (taken := next((q.id for q in questions if q.id in new), None)):
                    raise BankError(str(path), f"the question {taken!r} stands in the set {name!r}; remove it there")
            after = [] if whole else [new.pop(q.id).question if q.id in new else q for q in before]
            after += [entry.question for entry in new.values()]
            texts = {self._rubric(e.question.id): rubric_text(e.rubric, self._rubric(e.question.id)) for e in entries}
            self._store(path, after, texts)
            self._forget({q.id for q in before} - {q.id for q in after})

    def remove(self, question_id: str) -> None:
        """Delete a question and its rubric. Raises BankError as the port says."""
        with self._writing():
            sets = self._found.sets.items()
            name = next((name for name, questions in sets if any(q.id == question_id for q in questions)), None)
            if name is None:
                raise BankError(str(self._data), f"there is no question {question_id!r}")
            after = [question for question in self._writable(name) if question.id != question_id]
            self._store(self._data / f"{name}.yaml", after, {})
            self._forget({question_id})

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    def _rubric(self, question_id: str) -> Path:
        return self._folder / "rubrics" / f"{question_id}.yaml"

    def _writable(self, set_name: str) -> tuple[Question, ...]:
        """The questions of a set; none of a new one."""
        if set_name in self._found.broken:
            path = self._data / f"{set_name}.yaml"
            first = next(mistake for mistake in self._found.mistakes if mistake.file == str(path))
            raise BankError(str(path), f"has a mistake ({first.message}); mend it first", line=first.line)
        return self._found.sets.get(set_name, ())

    def _store(self, path: Path, questions: Sequence[Question], rubrics: Mapping[Path, str]) -> None:
        """Rubrics take their places first, so that no reader finds a question without its rubric."""
        replace_files({**rubrics, path: questions_text(questions, path)} if questions else rubrics)
        if not questions:
            path.unlink(missing_ok=True)
            sync_folder(path.parent)

    def _forget(self, question_ids: set[str]) -> None:
        for question_id in question_ids:
            self._rubric(question_id).unlink(missing_ok=True)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One writer at a time, of this process and of others. Raises BankError."""
        try:
            for folder in (self._folder, self._data, self._folder / "rubrics"):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                folder.chmod(0o700)
            with self._turn, FileLock(self._folder / ".lock", timeout=_WAIT_S, mode=0o600):
                self._found = self._now()
                yield
        except Timeout:
            raise BankError(str(self._folder), "another window is writing questions there; try again") from None
        except OSError as trouble:
            raise BankError(
                str(self._folder),
                f"cannot be written ({trouble.strerror or trouble}); free some space there or allow writing",
            ) from None

    def _now(self) -> _Found:
        """What stands in the files now."""
        with self._turn:
            for _ in range(_READINGS):
                try:
                    stamps = _stamps(self._folder)
                except OSError as trouble:
                    mistake = whole(self._folder).error(f"cannot be read as a folder: {trouble.strerror}")
                    return _Found(mistakes=(mistake,))
                if stamps == self._found.stamps:
                    break
                self._found = self._read(stamps)
            return self._found

    def _read(self, stamps: Mapping[Path, Stamp]) -> _Found:
        self._files = {path: kept for path, kept in self._files.items() if path in stamps}
        sets: dict[str, tuple[Question, ...]] = {}
        broken: set[str] = set()
        entries: list[Entry] = []
        mistakes: list[BankError] = []
        seen: dict[str, Place] = {}
        for path in (path for path in stamps if path.parent == self._data):
            placed, _, found = self._file(path, stamps[path], file_questions)
            found = found + repeated(placed, seen)
            broken |= {path.stem} if found else set()
            mistakes += found
            sets[path.stem] = tuple(question for question, place in placed if seen[question.id] is place)
            for question in sets[path.stem]:
                rubric, wrong = self._rubric_of(question, seen[question.id], stamps)
                mistakes += wrong
                entries += [Entry(path.stem, question, rubric)] if rubric else []
        return _Found(stamps, sets, frozenset(broken), tuple(entries), tuple(mistakes))

    def _rubric_of(
        self, question: Question, place: Place, stamps: Mapping[Path, Stamp]
    ) -> tuple[Rubric | None, list[BankError]]:
        path = self._rubric(question.id)
        if path not in stamps:
            return None, [place.error(f"the question {question.id!r} has no rubric; write {path}", "id")]
        placed, mistakes = self._file(path, stamps[path], file_rubric)
        return (placed[0] if placed and not mistakes else None), mistakes

    def _file(self, path: Path, stamp: Stamp, read: Callable[[Path], T]) -> T:
        """What stands in one file, read once for each change of it."""
        if path not in self._files or self._files[path][0] != stamp:
            self._files[path] = stamp, read(path)
        kept: T = self._files[path][1]
        return kept


def checked_set_name(set_name: str) -> str:
    """The name, when a set can have it. Raises BankError."""
    if not _SET_NAME.fullmatch(set_name):
        raise BankError(
            f"set {set_name[:60]!r}",
            "is no name for a set; use up to 60 letters, digits and . _ - such as my-questions",
        )
    return set_name


def _stamps(folder: Path) -> dict[Path, Stamp]:
    """Each file of the two folders, by name, with what changes whenever it does. Raises OSError."""
    stamps: dict[Path, Stamp] = {}
    for part in (folder / "data", folder / "rubrics"):
        with suppress(FileNotFoundError), os.scandir(part) as files:
            for file in sorted(files, key=lambda file: file.name):
                if file.name.endswith(".yaml") and not file.name.startswith("."):
                    with suppress(FileNotFoundError):
                        state = _state(file.path)
                        stamps[Path(file.path)] = state.st_mtime_ns, state.st_size, state.st_ino
    return stamps


def _state(path: str) -> os.stat_result:
    """Of what a link leads to, or of the link itself where it leads in a circle: that is one file's mistake."""
    try:
        return os.stat(path)
    except OSError:
        return os.stat(path, follow_symlinks=False)
