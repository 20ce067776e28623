"""What can be said about speech without hearing it: doubtful words, gaps, times after an edit, delivery."""

from tutor.speaking.alignment import quote_starts
from tutor.speaking.delivery import delivery
from tutor.speaking.doubts import doubts
from tutor.speaking.unheard import unheard

__all__ = ["delivery", "doubts", "quote_starts", "unheard"]
