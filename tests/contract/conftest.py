"""The tracker on the fake and on the database, for every contract that both keep."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fake_tracker import FakeTracker
from tests.fakes import FakeClock
from tutor.adapters.tracker_sql import SqlTracker


@pytest.fixture(params=["fake", "sql"])
def tracker(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> Iterator[FakeTracker | SqlTracker]:
    if request.param == "fake":
        yield FakeTracker(clock)
        return
    plug = SqlTracker(tmp_path / "tutor.db", clock)
    yield plug
    plug.close()
