"""Which question comes next and why: a fold over attempts, on days of UTC; nothing of it is stored."""

from tutor.schedule.choice import Standing, standings, suggest, weakest
from tutor.schedule.due import RATINGS, due_days, next_day, rating

__all__ = ["RATINGS", "Standing", "due_days", "next_day", "rating", "standings", "suggest", "weakest"]
