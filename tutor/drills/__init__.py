"""Questions whose numbers never repeat: families drawn from real models and machines, each drill with its rubric."""

from __future__ import annotations

from tutor.drills.bank import Drills, drill, fresh
from tutor.drills.families import FAMILIES
from tutor.drills.family import Drill, Family

__all__ = ["FAMILIES", "Drill", "Drills", "Family", "drill", "fresh"]
