"""One fake for each socket, ordinary plugs without engines."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from tutor.errors import BankError
from tutor.ports import SAMPLE_RATE_HZ, Choice, Entry, Recording, Turn
from tutor.spoken import Transcript, Word
from tutor.values import Question, Rubric


class FakeClock:
    """Stands at 2026-03-01 12:00 UTC until it is moved."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment

    def elapsed_s(self) -> float:
        return self.moment.timestamp()

    def move_s(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)


class FakeBank:
    """Questions and rubrics given by hand."""

    def __init__(self, *pairs: tuple[Question, Rubric]) -> None:
        self._pairs = pairs

    def questions(self) -> tuple[Question, ...]:
        return tuple(question for question, _ in self._pairs)

    def question(self, question_id: str) -> Question | None:
        return next((question for question in self.questions() if question.id == question_id), None)

    def rubric(self, question_id: str) -> Rubric:
        for question, rubric in self._pairs:
            if question.id == question_id:
                return rubric
        raise BankError("fake bank", f"no question {question_id!r}")


class FakeOwnBank:
    """A person's own questions in memory."""

    def __init__(self, *entries: Entry) -> None:
        self._entries = entries
        self.wrong: tuple[BankError, ...] = ()

    def entries(self) -> tuple[Entry, ...]:
        return self._entries

    def mistakes(self) -> tuple[BankError, ...]:
        return self.wrong

    def put(self, set_name: str, entries: Sequence[Entry], *, whole: bool = False) -> None:
        new = {entry.question.id: Entry(set_name, entry.question, entry.rubric) for entry in entries}
        if len(new) < len(entries) or any(name != entry.rubric.question_id for name, entry in new.items()):
            raise ValueError("every entry needs an id of its own and the rubric of its question")
        if not re.fullmatch(r"[\w.-]+", set_name):
            raise BankError(set_name, "is no name for a set")
        others = [entry for entry in self._entries if entry.set_name != set_name]
        if taken := [entry for entry in others if entry.question.id in new]:
            raise BankError(set_name, f"{taken[0].question.id!r} stands in the set {taken[0].set_name!r}")
        before = [] if whole else [entry for entry in self._entries if entry.set_name == set_name]
        after = [new.pop(entry.question.id, entry) for entry in before]
        self._entries = tuple(sorted([*others, *after, *new.values()], key=lambda entry: entry.set_name))

    def remove(self, question_id: str) -> None:
        kept = tuple(entry for entry in self._entries if entry.question.id != question_id)
        if len(kept) == len(self._entries):
            raise BankError("fake bank", f"there is no question {question_id!r}")
        self._entries = kept


class FakeEmbedder:
    """Bags of hashed words: texts that share words are near."""

    name = "fake-bag-of-words"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), 256), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"[a-z0-9]+", text.lower()):
                row[zlib.crc32(word.encode()) % 256] += 1.0
            row[255] += 1e-3
        unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit


class FakeChatModel:
    """Answers each question with what the given function returns: P(first label), or an error to raise."""

    name = "fake-chat"

    def __init__(self, rule: Callable[[Sequence[Turn]], float | Exception] | None = None) -> None:
        self.rule = rule or (lambda turns: 0.9)
        self.calls: list[tuple[Turn, ...]] = []

    def choose(self, turns: Sequence[Turn], labels: tuple[str, ...]) -> Choice:
        self.calls.append(tuple(turns))
        p = self.rule(turns)
        if isinstance(p, Exception):
            raise p
        p = min(max(p, 1e-6), 1 - 1e-6)
        return Choice(
            label=labels[0] if p >= 0.5 else labels[1],
            probability=p,
            log_odds=float(np.log(p) - np.log(1 - p)),
            prompt_tokens=len(str(turns)) // 4,
        )


class FakeTranscriber:
    """Hears the words it was given, spread evenly over the recording, or raises the error it was given.

    `says` may be changed between calls; `heard` lists the recordings and terms it was asked about.
    """

    name = "fake-ear"

    def __init__(self, says: str | Exception = "Decode is limited by memory bandwidth.") -> None:
        self.says = says
        self.heard: list[tuple[Recording, tuple[str, ...]]] = []

    def transcribe(self, recording: Recording, terms: Sequence[str]) -> Transcript:
        self.heard.append((recording, tuple(terms)))
        if isinstance(self.says, Exception):
            raise self.says
        duration_s = len(recording.samples) / SAMPLE_RATE_HZ
        words = self.says.split()
        each_s = duration_s / max(len(words), 1)
        return Transcript(
            text=self.says,
            language="en",
            words=tuple(
                Word(text=word, start_s=i * each_s, end_s=(i + 1) * each_s, probability=0.9)
                for i, word in enumerate(words)
            ),
            speech=((0.0, duration_s),),
            duration_s=duration_s,
            transcriber=self.name,
            is_whole=recording.is_whole,
        )
