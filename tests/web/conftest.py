"""The page's moves for every test of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes import FakeClock
from tests.web.table import Table


@pytest.fixture
def table(clock: FakeClock, tmp_path: Path) -> Table:
    return Table(clock, tmp_path)
