"""Speak an answer; see which points of the rubric it makes, in your own words, and what to practise next."""

__version__ = "0.1.0"
