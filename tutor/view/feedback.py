"""Verdicts on a screen: a grade, a grading under way, and one that stopped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from tutor.formula import figure_value
from tutor.spoken import Spoken
from tutor.states import EngineState, Job, JobState, Progress
from tutor.values import Attempt, CriterionVerdict, FigureFinding, Fingerprint, Grade, Question, Rubric, Verdict
from tutor.view.speech import delivery_facts, delivery_line, moment
from tutor.view.text import joined, markup, percent


class Mark(NamedTuple):
    """How an outcome is told without colour: a word, a sign, and the style that adds the colour."""

    word: str
    sign: str
    style: str


VERDICTS: Mapping[Verdict, Mark] = {
    Verdict.MET: Mark("made", "✓", "made"),
    Verdict.PARTLY: Mark("partly", "◐", "partly"),
    Verdict.MISSED: Mark("missed", "–", "missed"),
    Verdict.CONTRADICTED: Mark("wrong", "✕", "wrong"),
    Verdict.UNJUDGED: Mark("not judged", "?", "unjudged"),
}
_FIGURES: Mapping[str, Mark] = {
    "right": Mark("right", "✓", "made"),
    "magnitude": Mark("near", "◐", "partly"),
    "slip": Mark("slip", "◐", "partly"),
    "wrong": Mark("wrong", "✕", "wrong"),
    "missing": Mark("not given", "–", "missed"),
}
_REASONS = {
    "no_evidence": "The model said yes, but no words of the answer support it.",
}
_GATES = {
    "blank": "Nothing was said, so there was no point to find.",
    "nothing_said": "This says nothing about the question, so there was no point to find.",
    "gibberish": "This does not read as words, so no point was looked for.",
    "repeated": "This says the same few words over and over, so no point was looked for.",
    "copied_question": "This repeats the question, so no point was looked for.",
    "keyword_list": "This is a list of terms without sentences, so no point was looked for.",
    "other_language": "This does not read as the language of the question, so no point was judged.",
}
_FLAGS = {"recited": "Most of this is the reference answer word for word. It counts, and it comes back sooner."}
_FINGERPRINT = {key: key.replace("_", " ") for key in Fingerprint.model_fields} | {"id": "fingerprint"}


def feedback(attempt: Attempt, spoken: Spoken | None = None) -> Markup:
    """A grade as the candidate reads it: score, points with their quotes, what was missing, and how it was graded.

    Args:
        attempt: With its rubric, which knows what each point counts.
        spoken: For a spoken answer when its quotes were said and how it was delivered; None for a typed one.
    """
    grade, notes = attempt.grade, _margin(attempt, spoken)
    groups = (
        ("", (Verdict.MET, Verdict.PARTLY, Verdict.CONTRADICTED)),
        ("What was missing", (Verdict.MISSED,)),
        ("Not judged", (Verdict.UNJUDGED,)),
    )
    # What a gate stopped is explained once, above the points.
    criteria = [v.model_copy(update={"reason": None}) if grade.gate else v for v in grade.criteria]
    made, missing, unjudged = (
        _section(title, _points((v for v in criteria if v.verdict in verdicts), notes)) for title, verdicts in groups
    )
    return markup(
        '<div class="card graded">{head}{made}{figures}{missing}{mistakes}{unjudged}{delivery}{reference}{how}</div>',
        head=_head(grade, spoken),
        made=made,
        figures=_section("Figures", joined(_figure(f, attempt.rubric) for f in grade.figures)),
        missing=missing,
        mistakes=_section("Worth correcting", _misconceptions(attempt)),
        unjudged=unjudged,
        delivery=_fold("Delivery", delivery_facts(spoken.delivery)) if spoken else _NOTHING,
        reference=_fold("Reference answer", markup('<p class="whole">{words}</p>', words=_reference(attempt.question))),
        how=_fold("How this was graded", _how(attempt)),
    )


def preview_card(grade: Grade, rubric: Rubric) -> Markup:
    """A grade that nobody stored: score, every point in the rubric's order with its quote, figures, and beliefs."""
    known = {m.id: m for m in rubric.misconceptions}
    points = _points(v.model_copy(update={"reason": None}) if grade.gate else v for v in grade.criteria)
    wrong = [(VERDICTS[Verdict.CONTRADICTED], known[found.id].text, found.quote) for found in grade.misconceptions]
    return markup(
        '<div class="graded">{head}{points}{figures}{mistakes}</div>',
        head=_head(grade, None),
        points=_section("", points),
        figures=_section("Figures", joined(_figure(f, rubric) for f in grade.figures)),
        mistakes=_section("Misconceptions heard", joined(_row(*row, "") for row in wrong)),
    )


def progress_card(progress: Progress, loading: Sequence[EngineState] = ()) -> Markup:
    """A grading under way: which point is being judged, and the verdicts so far."""
    done, total = len(progress.verdicts), progress.n_criteria
    if progress.job.state is JobState.QUEUED:
        names = " and ".join(state.name for state in loading)
        are = "are" if len(loading) > 1 else "is"
        line = f"Kept. Graded as soon as the {names} {are} ready." if loading else "Kept. Waiting to be graded."
    else:
        line = f"Judging point {min(done + 1, total)} of {total}" if done < total else "Adding up"
    return markup(
        '<div class="card running"><p class="now"><span class="dot"></span>{line}</p>{points}</div>',
        line=line,
        points=_section("", _points(progress.verdicts)),
    )


def stopped_card(job: Job) -> Markup:
    """A grading that failed or was cancelled, and that the words are kept."""
    if job.state is JobState.CANCELLED:
        title, reason = "Grading cancelled", "Nothing was graded. Your answer is saved."
    else:
        title, reason = "Not graded", job.reason or "The grading stopped before its end. Your answer is saved."
    return markup(
        '<div class="card stopped"><p class="title">{title}</p><p>{reason}</p></div>', title=title, reason=reason
    )


def score_text(grade: Grade) -> str:
    """The score out of 100, or that there is none."""
    return "not graded" if grade.score is None else f"{round(100 * grade.score)}"


def tally(verdicts: Sequence[CriterionVerdict]) -> str:
    """How many points got which verdict.

    >>> tally(())
    'no points'
    """
    counts = [(mark.word, sum(v.verdict is verdict for v in verdicts)) for verdict, mark in VERDICTS.items()]
    return ", ".join(f"{n} {word}" for word, n in counts if n) or "no points"


def _head(grade: Grade, spoken: Spoken | None) -> Markup:
    remarks = [_gate_sentence(grade.gate)] if grade.gate else []
    remarks += [_FLAGS.get(flag, flag) for flag in grade.flags]
    notes = joined(markup('<p class="flag">{note}</p>', note=remark) for remark in remarks)
    judged = "" if grade.judged_share >= 1 else f"{percent(grade.judged_share)} of the weight judged"
    if grade.score is None:
        reason = f"Too little could be judged for a score: {percent(grade.judged_share)} of the weight."
        line = markup('<p class="score"><strong class="none">Not graded</strong></p><p>{reason}</p>', reason=reason)
        return line + notes
    band = "" if grade.band is None else f"likely {round(100 * grade.band[0])}–{round(100 * grade.band[1])}"
    length = delivery_line(spoken.delivery) if spoken else ""
    details = [part for part in (band, tally(grade.criteria), judged, length) if part]
    return markup(
        '<p class="score"><strong>{score}</strong> <span>of 100</span></p><p class="quiet">{details}</p>{notes}',
        score=score_text(grade),
        details=" · ".join(details),
        notes=notes,
    )


def _gate_sentence(gate: str) -> str:
    named = gate.replace("_", " ")
    return _GATES.get(gate, f"This does not read as an answer ({named}), so no point was looked for.")


class _Margin(NamedTuple):
    """What stands quietly beside the points, by criterion id: what each counts, and where its quote was said."""

    counts: Mapping[str, str]
    moments: Mapping[str, Markup]


_NOTHING = Markup("")
_NO_MARGIN = _Margin({}, {})


def _margin(attempt: Attempt, spoken: Spoken | None) -> _Margin:
    criteria = attempt.rubric.criteria
    counts = {c.id: "bonus" if c.bonus else f"counts {c.weight}×" for c in criteria if c.bonus or c.weight > 1}
    if spoken is None:
        return _Margin(counts, {})
    is_playable = spoken.take.file_name is not None
    return _Margin(counts, {c_id: moment(start_s, is_playable) for c_id, start_s in spoken.starts_s.items()})


def _points(verdicts: Iterable[CriterionVerdict], margin: _Margin = _NO_MARGIN) -> Markup:
    return joined(
        _row(
            VERDICTS[v.verdict],
            v.text,
            v.quote,
            _reason(v),
            counts=margin.counts.get(v.id, ""),
            moment=margin.moments.get(v.id, _NOTHING),
        )
        for v in verdicts
    )


def _reason(verdict: CriterionVerdict) -> str:
    reason = _REASONS.get(verdict.reason or "", verdict.reason or "")
    return reason and f"{reason[0].upper()}{reason[1:].rstrip('.')}."


def _figure(finding: FigureFinding, rubric: Rubric) -> Markup:
    expected = "" if finding.status == "right" else _expected(finding, rubric)
    return _row(_FIGURES[finding.status], finding.label, finding.quote, expected)


def _expected(finding: FigureFinding, rubric: Rubric) -> str:
    for figure in rubric.figures:
        if (figure.criterion_id, figure.label) == (finding.criterion_id, finding.label):
            unit = "" if figure.unit in ("1", "x") else f" {figure.unit}"
            return f"Expected about {_number(figure_value(figure))}{unit}."
    return ""


def _misconceptions(attempt: Attempt) -> Markup:
    known = {m.id: m for m in attempt.rubric.misconceptions}
    found = [(finding, known[finding.id]) for finding in attempt.grade.misconceptions if finding.id in known]
    wrong = VERDICTS[Verdict.CONTRADICTED]
    return joined(_row(wrong, belief.text, finding.quote, f"Rather: {belief.correction}") for finding, belief in found)


def _row(mark: Mark, text: str, quote: str | None, note: str, *, counts: str = "", moment: Markup = _NOTHING) -> Markup:
    return markup(
        '<li class="{style}"><span class="mark"><span class="sign" aria-hidden="true">{sign}</span> {word}</span>'
        '<span class="point">{text}{counts}</span>{quote}{note}</li>',
        style=mark.style,
        sign=mark.sign,
        word=mark.word,
        text=text,
        counts=markup(' <span class="weight">{counts}</span>', counts=counts) if counts else _NOTHING,
        quote=_quoted(quote, moment) if quote else _NOTHING,
        note=markup('<span class="note">{note}</span>', note=note) if note else _NOTHING,
    )


def _quoted(quote: str, moment: Markup) -> Markup:
    words = markup('<q class="quote">{quote}</q>', quote=quote)
    return markup('<span class="heard">{words} {moment}</span>', words=words, moment=moment) if moment else words


def _section(title: str, rows: Markup) -> Markup:
    if not rows:
        return _NOTHING
    heading = markup("<h2>{title}</h2>", title=title) if title else _NOTHING
    return heading + markup('<ul class="points">{rows}</ul>', rows=rows)


def _fold(title: str, inside: Markup) -> Markup:
    return markup("<details><summary>{title}</summary>{inside}</details>", title=title, inside=inside)


def _reference(question: Question) -> str:
    return "\n\n".join((question.reference_answer, *(f"Also right: {other}" for other in question.alternatives)))


def _how(attempt: Attempt) -> Markup:
    grade, print_ = attempt.grade, attempt.grade.fingerprint
    lines = [(label, getattr(print_, key)) for key, label in _FINGERPRINT.items() if getattr(print_, key)]
    lines += [("seconds", f"{grade.seconds:.1f}"), ("judged", f"{percent(grade.judged_share)} of the weight")]
    lines += [("rubric", attempt.rubric.status)] + ([("gate", grade.gate)] if grade.gate else [])
    rows = joined(markup("<dt>{label}</dt><dd>{value}</dd>", label=label, value=value) for label, value in lines)
    return markup('<dl class="how">{rows}</dl>', rows=rows)


def _number(value: float) -> str:
    """A number for a person: four digits that matter, whole numbers whole.

    >>> [_number(v) for v in (65536.0, 295.223, 0.0104, 123456.7, 8.4e22)]
    ['65,536', '295.2', '0.0104', '123,457', '8.4e+22']
    """
    if 1e4 <= abs(value) < 1e9 or (value == int(value) and abs(value) < 1e9):
        return f"{value:,.0f}"
    return f"{value:.4g}"
