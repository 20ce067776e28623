"""The pure core: what an answer says, criterion by criterion, and what that is worth."""
