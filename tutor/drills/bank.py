"""A bank with a drill of each family behind its questions, and any other drill by its id."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from itertools import count

from tutor.drills.families import FAMILIES
from tutor.drills.family import Drill
from tutor.ports import QuestionBank
from tutor.values import Question, Rubric

# One spelling a drill, and no seed that would not fit into an id.
_ID = re.compile(r"([a-z-]+)@(0|[1-9][0-9]{0,8})")


@lru_cache(maxsize=256)
def drill(question_id: str) -> Drill | None:
    """The drill of an id such as `kv-cache@17`; None for any other id.

    >>> drill("kv-cache@17").question.id, drill("kv-cache"), drill("nothing@1"), drill("kv-cache@017")
    ('kv-cache@17', None, None, None)
    """
    found = _ID.fullmatch(question_id)
    if found is None or found[1] not in FAMILIES:
        return None
    return FAMILIES[found[1]].drill(int(found[2]))


def fresh(question_id: str, tried: Collection[str]) -> str:
    """The first drill of the same family that was not tried yet; the id itself where it is no drill's.

    >>> fresh("kv-cache@0", {"kv-cache@0", "kv-cache@1", "kv-cache@17"}), fresh("q10", {"q10"})
    ('kv-cache@2', 'q10')
    """
    found = _ID.fullmatch(question_id)
    if found is None or found[1] not in FAMILIES:
        return question_id
    return next(id for seed in count() if (id := f"{found[1]}@{seed}") not in tried)


class Drills:
    """Another bank's questions, then one drill of each family; every other drill is there by its id."""

    def __init__(self, bank: QuestionBank) -> None:
        self._bank = bank

    def questions(self) -> tuple[Question, ...]:
        """The bank's questions in their order, then the first drill of each family."""
        listed = self._bank.questions()
        ids = {question.id for question in listed}
        firsts = (drill(f"{name}@0") for name in FAMILIES)
        return (*listed, *(first.question for first in firsts if first and first.question.id not in ids))

    def question(self, question_id: str) -> Question | None:
        """A question of the bank, else a drill of any seed; None for an unknown id."""
        listed = self._bank.question(question_id)
        found = drill(question_id) if listed is None else None
        return found.question if found else listed

    def rubric(self, question_id: str) -> Rubric:
        """The rubric of a question. Raises BankError for an unknown id."""
        found = drill(question_id) if self._bank.question(question_id) is None else None
        return found.rubric if found else self._bank.rubric(question_id)
