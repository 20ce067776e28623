"""What an author may write as a unit is what the grader hears as one."""

from __future__ import annotations

import pytest

from tutor.formula import UNITS
from tutor.grading.units import parse_unit


@pytest.mark.parametrize("name", UNITS)
def test_the_grader_takes_every_unit_of_a_rubric_for_the_same_amount(name: str) -> None:
    factor, base = UNITS[name]
    heard = parse_unit(name)
    assert heard.scale == pytest.approx(factor, rel=1e-9)
    assert heard.dims == parse_unit(base).dims
