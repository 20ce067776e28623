"""Drills on the page: a link names one, a reload keeps it, and the next time it has other numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes import FakeClock
from tests.web.table import Table, text
from tutor import view
from tutor.drills import Drills, drill
from tutor.web.frame import Seat, Stage

LINKED = "kv-cache@17"


@pytest.fixture
def table(clock: FakeClock, tmp_path: Path) -> Table:
    return Table(clock, tmp_path, around=Drills)


def asked(question_id: str) -> str:
    found = drill(question_id)
    assert found is not None
    return str(view.safe(found.question.question))


def test_a_link_poses_the_drill_of_a_seed_and_a_reload_keeps_it(table: Table) -> None:
    (frame,) = table.open(question=LINKED)
    assert frame is not None
    assert asked(LINKED) in text(frame)
    (again,) = table.open(frame.seat, {LINKED: "two times"})
    assert again is not None
    assert again.seat.question_id == LINKED
    assert again.draft == "two times"


def test_a_drill_that_is_being_graded_has_its_name_in_the_list(table: Table) -> None:
    seat = Seat(LINKED, "a1", typing=True)
    frame = next(table.moves.grade(seat, {}, "About four hundred thousand bytes a token."))
    assert frame is not None
    assert frame.stage is Stage.GRADING
    assert "KV cache per token" in str(frame.past)


def test_a_drill_passed_over_gives_way_and_its_family_is_remembered(table: Table) -> None:
    frame = next(table.moves.next(Seat("weight-bytes@5", "a1", typing=True), {}))
    assert frame is not None
    assert frame.seat.skipped == ("weight-bytes@5",)
    for _ in range(4):
        assert not frame.seat.question_id.startswith("weight-bytes@")
        frame = next(table.moves.next(frame.seat, {}))
        assert frame is not None
