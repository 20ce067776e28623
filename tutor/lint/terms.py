"""Key terms for the speech recogniser: enough of them, none twice, and no name forgotten."""

from __future__ import annotations

from collections.abc import Iterator

from tutor.lint.names import missing_names
from tutor.lint.remark import Remark
from tutor.values import Question, Rubric

FEWEST, MOST = 6, 15


def term_remarks(question: Question, rubric: Rubric) -> Iterator[Remark]:
    """What is odd about the terms; a name is only missed where there is room for it."""
    n = len(rubric.terms)
    if not FEWEST <= n <= MOST:
        yield Remark("rubric", "terms", f"a recogniser is told {FEWEST} to {MOST} terms; found {n}")
    seen: set[str] = set()
    for place, term in enumerate(rubric.terms):
        if term.casefold() in seen:
            yield Remark("rubric", f"terms.{place}", f"{term!r} stands there twice; keep one")
        seen.add(term.casefold())
    texts = [question.reference_answer, *(criterion.text for criterion in rubric.criteria)]
    missing = missing_names(texts, rubric.terms)
    if missing and n < MOST:
        names = ", ".join(missing)
        yield Remark("rubric", "terms", f"lack {names}; a recogniser spells names right only when it is told of them")
