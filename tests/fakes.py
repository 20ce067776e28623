"""One fake for each socket, ordinary plugs without engines."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from tutor.errors import BankError
from tutor.ports import Choice, Turn
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

    def rubric(self, question_id: str) -> Rubric:
        for question, rubric in self._pairs:
            if question.id == question_id:
                return rubric
        raise BankError("fake bank", f"no question {question_id!r}")


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
