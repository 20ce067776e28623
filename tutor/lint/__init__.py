"""What an author should look at again in a question and its rubric; all of it can be used as it stands.

Mistakes of form are the reader's. The lint asks whether a rubric can be graded fairly: one statement a criterion,
figures that are found where they should be, hints that give nothing away, terms that a recogniser needs.
"""

from __future__ import annotations

from tutor.lint.criteria import criteria_remarks
from tutor.lint.figures import figure_remarks
from tutor.lint.hints import hint_remarks
from tutor.lint.remark import Remark
from tutor.lint.report import Checked, Noted, SetCount
from tutor.lint.terms import term_remarks
from tutor.values import Question, Rubric

__all__ = ["Checked", "Noted", "Remark", "SetCount", "remarks"]


def remarks(question: Question, rubric: Rubric) -> tuple[Remark, ...]:
    """All warnings for one question, without a model and always the same.

    >>> question = Question(id="q", question="Why?", reference_answer="It is cached.", kind="concept", topic="t")
    >>> rubric = Rubric(question_id="q", criteria=({"id": "c", "text": "It is cached.", "weight": 1},))
    >>> [remark.field for remark in remarks(question, rubric)]
    ['criteria', 'misconceptions', 'terms']
    """
    return (
        *criteria_remarks(question, rubric),
        *figure_remarks(question, rubric),
        *hint_remarks(rubric),
        *term_remarks(question, rubric),
    )
