"""A first rubric from a reference answer: a draft that a person reviews before relying on its grades."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tutor.drafting.clauses import Clause, clauses
from tutor.drafting.kinds import title_of
from tutor.formula import UNITS
from tutor.grading.figures import check
from tutor.grading.quantities import Quantity, quantities
from tutor.values import Criterion, Figure, Rubric

SOURCE = "the reference answer"
MOST_TERMS = 15
_LABEL_WORDS = 6
_NAMING, _NAMING_WORDS = 4, 2
"""A label needs two words of four letters or more to tell one number from another."""
_FIRST_LATE = 4
"""From the fifth statement on, the last one counts as an afterthought."""
# Fewer of what can be counted are how one speaks ("one token at a time"), not a figure.
_COUNTED, _FEW = ("tokens", "parameters", "requests"), 10
# A number of a reference may be said rounded; a range is right anywhere in it.
_TOLERANCE = 0.05
# How the reader of quantities spells a unit -> how a figure does.
_SPELLING = {"token": "tokens", "parameter": "parameters", "request": "requests", "request/s": "requests/s"}

_CONJUNCTION = re.compile(r"(?:and|but|so|then|while|whereas|also)\s+", re.IGNORECASE)
_ASIDE = re.compile(
    r"\b(?:for example|for instance|e\.g\.|such as|also|likewise|in other words|the (?:price|cost|exact))\b",
    re.IGNORECASE,
)
# A first word that takes a capital; `k`, `top-k` and `softmax(x)` do not.
_ORDINARY = re.compile(r"(?:a|[a-z]{2,}(?:'s)?),?\s")
_BREAK = re.compile(r"\s*\n\s*(?:[-*•]\s+)?")
_LABEL_WORD = re.compile(r"[A-Za-z]")
_WORD = re.compile(r"[^\W_]+")
# Abbreviations, names with inner capitals or digits: what a recogniser does not know.
_TERM = re.compile(
    r"(?<![\w-])(?:[A-Z]-)?[A-Za-z0-9]*(?:[A-Z][A-Za-z0-9]*[A-Z0-9]|[a-z]+[A-Z])[A-Za-z0-9]*(?:-\w+(?:\.\d+)?|\.\d+)*"
)
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}(?:[ -][A-Z][a-z]+)*(?![\w-])")
_NO_TERMS = frozenset(part for unit in UNITS for part in unit.split("/")) | {"FLOPs", "FLOPS", "TFLOPS", "GFLOPS"}


@dataclass(frozen=True)
class Origin:
    """The words a criterion was drafted from: `reference[start:end]`."""

    criterion_id: str
    start: int
    end: int


def draft(question_id: str, question: str, reference: str) -> tuple[Rubric, tuple[Origin, ...]]:
    """A rubric of the reference's statements, status draft, and where each of them stands in the reference.

    Args:
        question_id: The question's id; criteria are `<id>_c1`, `<id>_c2` ...
        question: The interviewer's words; the numbers they give away are no figures.
        reference: The reference answer, not empty.

    >>> reference = "Decode reads all weights. A token takes 10.5 ms. Batching shares the reads."
    >>> rubric, origins = draft("q", "Why?", reference)
    >>> [(c.id, c.text, c.weight) for c in rubric.criteria][1]
    ('q_c2', 'A token takes 10.5 ms.', 2)
    >>> [(f.criterion_id, f.label, f.value, f.unit) for f in rubric.figures]
    [('q_c2', 'A token takes', 10.5, 'ms')]
    >>> [(o.criterion_id, o.start, o.end) for o in origins][1]
    ('q_c2', 26, 48)
    """
    found = clauses(reference)
    criteria, figures, origins = [], [], []
    for n, clause in enumerate(found):
        criterion_id = f"{question_id}_c{n + 1}"
        words = reference[clause.start : clause.end]
        figure = _figure(criterion_id, clause, question, reference)
        weight = _weight(n, len(found), words, figure is not None)
        criteria.append(Criterion(id=criterion_id, text=statement(words), weight=weight))
        figures += [figure] if figure else []
        origins.append(Origin(criterion_id, clause.start, clause.end))
    terms = terms_of(f"{question}\n{reference}")
    rubric = Rubric(question_id=question_id, criteria=tuple(criteria), figures=tuple(figures), terms=terms)
    return rubric, tuple(origins)


def origin(text: str, reference: str) -> tuple[int, int] | None:
    """Where the words of a criterion stand in the reference, whatever their signs; None where they were rewritten.

    >>> origin("Q is used once.", "K stays; Q is used once, and so on.")
    (9, 23)
    """
    wanted = [found[0].lower() for found in _WORD.finditer(text)]
    there = list(_WORD.finditer(reference))
    words = [found[0].lower() for found in there]
    for n in range(len(words) - len(wanted) + 1):
        if wanted and words[n : n + len(wanted)] == wanted:
            return there[n].start(), there[n + len(wanted) - 1].end()
    return None


def statement(words: str) -> str:
    """Words of the reference as a sentence of their own.

    >>> statement("but decode needs one\\n- step a token;")
    'Decode needs one; step a token.'
    """
    text = _BREAK.sub("; ", words).strip(" ,;:")
    text = _CONJUNCTION.sub("", text, count=1) if _CONJUNCTION.match(text) else text
    if _ORDINARY.match(text):
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def terms_of(text: str) -> tuple[str, ...]:
    """Abbreviations and names in the order in which they first stand there, at most 15.

    >>> terms_of("FlashAttention keeps the KV cache of a LLaMA-3-8B on an H100, says Dao.")
    ('FlashAttention', 'KV', 'LLaMA-3-8B', 'H100', 'Dao')
    """
    found = sorted([*_TERM.finditer(text), *_NAME.finditer(text)], key=lambda term: term.start())
    return tuple(dict.fromkeys(term[0] for term in found if term[0] not in _NO_TERMS))[:MOST_TERMS]


def _weight(n: int, n_clauses: int, words: str, has_figure: bool) -> int:
    """3 for what an answer begins with, 1 for examples, prices and late remarks, 2 for the rest."""
    if n == 0:
        return 3
    if _ASIDE.search(words) or (n >= _FIRST_LATE and n == n_clauses - 1 and not has_figure):
        return 1
    return 2


def _figure(criterion_id: str, clause: Clause, question: str, reference: str) -> Figure | None:
    """The last number of a clause that the checker of figures finds there again and the question does not give."""
    words = reference[clause.start : clause.end]
    given = {(q.si_value, q.si_unit) for q in quantities(question)}
    for quantity in reversed(quantities(words)):
        unit = _SPELLING.get(quantity.unit, quantity.unit)
        is_few = unit in _COUNTED and quantity.value < _FEW
        is_new = quantity.value > 0 and (quantity.si_value, quantity.si_unit) not in given
        if unit in UNITS and is_new and not is_few:
            figure = Figure(
                criterion_id=criterion_id,
                label=_label(words, quantity) or title_of(question),
                value=float(f"{quantity.value:.6g}"),
                source=SOURCE,
                unit=unit,
                rel_tol=_tolerance(quantity),
            )
            if _is_found([(figure, figure.value or 0.0)], (statement(words), reference), question):
                return figure
    return None


def _is_found(figures: Sequence[tuple[Figure, float]], texts: Sequence[str], question: str) -> bool:
    return all(check(figures, text, question)[0].status == "right" for text in texts)


def _tolerance(quantity: Quantity) -> float:
    half = (quantity.high - quantity.low) / 2 / quantity.value
    return min(1.0, round(max(_TOLERANCE, half), 3))


def _label(words: str, quantity: Quantity) -> str:
    """The words before the number, or else those behind it; nothing where they name nothing."""
    before, behind = _named(words[: quantity.start])[-_LABEL_WORDS:], _named(words[quantity.end :])[:_LABEL_WORDS]
    for named in (before, behind):
        if sum(len(word) >= _NAMING for word in named) >= _NAMING_WORDS:
            return " ".join(named)
    return ""


def _named(words: str) -> list[str]:
    """The words without numbers, signs and units."""
    bare = (piece.strip("().,;:!?\"'") for piece in words.split())
    return [word for word in bare if _LABEL_WORD.match(word) and word not in UNITS]
