"""The library in words: all sets with their questions, one question's head, remarks on an edit, a preview grade."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from markupsafe import Markup

from tutor.errors import BankError
from tutor.library import Drawn, Listed, Note, Origin, QuestionSet
from tutor.view.chat import name
from tutor.view.text import joined, markup

FIELD_NAMES: Mapping[str, str] = {
    "question": "Question",
    "reference_answer": "Reference answer",
    "kind": "Kind",
    "topic": "Topic",
    "title": "Short title",
    "chapter": "Chapter to reread",
    "section": "Section",
    "difficulty": "Difficulty",
    "target_s": "Target, in seconds",
}
_PARTS = {"criteria": "criterion", "figures": "figure", "misconceptions": "misconception", "hints": "hint"}
_ORIGINS: Mapping[Origin, str] = {"shipped": "", "edited": "your copy", "own": "your own"}
_HEADS: Mapping[Origin, str] = {
    "shipped": "comes with the program",
    "edited": "your copy of one that comes with the program",
    "own": "your own",
}
_NOTHING = Markup("")
_IMPORT = markup(
    '<p class="quiet">To bring in a file of questions, run <code>tutor import FILE</code> in a terminal; they are here '
    "as drafts at the next look. Drills are made anew each time and stand in no file.</p>"
)
_DRAFT = markup(
    '<p class="told">A draft: the program took its criteria from the reference answer. Read each one, mend it, '
    "look at a preview grade, then mark it as reviewed.</p>"
)
_REWORDED = markup('<span class="quiet">not word for word in the reference answer</span>')
_READ_ONLY = markup('<p class="told">This question is of a bank that the settings name. Edit it in its files.</p>')


def question_list(sets: Sequence[QuestionSet], words: str, drafts_only: bool, left_out: Sequence[BankError]) -> Markup:
    """A filter, then each set folded with its counts and its questions.

    Args:
        sets: All of them.
        words: Only questions that have all these words in them; all where it is blank.
        drafts_only: Only questions that nobody has reviewed.
        left_out: Why own questions are missing.
    """
    wanted = words.casefold().split()
    is_filtered = bool(wanted) or drafts_only
    found = [(one, [q for q in one.questions if _is_wanted(q, one.name, wanted, drafts_only)]) for one in sets]
    shown = [(one, questions) for one, questions in found if questions]
    rows = joined(_set(one, questions, is_open=is_filtered) for one, questions in shown)
    return markup(
        "{left_out}{form}{count}{rows}{how}",
        left_out=_left_out(left_out),
        form=_form(words, drafts_only),
        count=_count(sum(len(questions) for _, questions in shown), is_filtered),
        rows=rows,
        how=_IMPORT,
    )


def question_head(listed: Listed, *, can_edit: bool) -> Markup:
    """Which question is open, whose it is, and what is to be done with it."""
    question = listed.entry.question
    facts = (listed.entry.set_name, question.id, _HEADS[listed.origin] if can_edit else "", listed.entry.rubric.status)
    told = _DRAFT if can_edit and listed.is_draft else _NOTHING if can_edit else _READ_ONLY
    return markup(
        '{back}<h2>{title}</h2><p class="quiet">{facts} · <a href="/?question={id}">Practise it</a></p>{told}',
        back=back_link(),
        title=name(question),
        facts=" · ".join(filter(None, facts)),
        id=question.id,
        told=told,
    )


def missing_question() -> Markup:
    """What stands in the place of a question that is not there."""
    return back_link() + markup('<p class="told">There is no such question here. It may have been deleted.</p>')


def back_link() -> Markup:
    """The way from a question to all of them."""
    return markup('<p class="back"><a href="/library"><span aria-hidden="true">←</span> All questions</a></p>')


def note_list(notes: Sequence[Note]) -> Markup:
    """Mistakes and warnings, each with its place; or that there are none."""
    if not notes:
        return markup('<p class="fine"><span aria-hidden="true">✓</span> Nothing to remark.</p>')
    rows = joined(
        markup(
            '<li class="{style}"><span class="mark"><span aria-hidden="true">{sign}</span> {word}</span>'
            "<span>{place} {message}</span></li>",
            style="wrong" if note.is_mistake else "remark",
            sign="✕" if note.is_mistake else "!",
            word="Mistake" if note.is_mistake else "Remark",
            place=_place(note),
            message=_sentence(note.message),
        )
        for note in notes
    )
    return markup('<ul class="notes">{rows}</ul>', rows=rows)


def drawn_list(drawn: Sequence[Drawn]) -> Markup:
    """Folded: the words of the reference answer that each criterion of a draft was drawn from; nothing without any."""
    if not drawn:
        return _NOTHING
    rows = joined(
        markup("<li><code>{id}</code> <q>{words}</q></li>", id=one.criterion_id, words=one.words)
        if one.words
        else markup("<li><code>{id}</code> {told}</li>", id=one.criterion_id, told=_REWORDED)
        for one in drawn
    )
    return markup(
        '<details class="drawn"><summary>Where each criterion comes from</summary><ul>{rows}</ul></details>', rows=rows
    )


def place_name(note: Note) -> str:
    """Where it is, as a person says it.

    >>> place_name(Note("rubric", "criteria.0.text", 4, "", is_mistake=False))
    'Rubric, line 4, criterion 1, text:'
    >>> place_name(Note("question", "topic", None, "", is_mistake=True))
    'Topic:'
    """
    if note.part == "question":
        return f"{FIELD_NAMES.get(note.field, note.field or 'Question')}:"
    words = ["Rubric"] + ([f"line {note.line}"] if note.line else [])
    steps = note.field.split(".") if note.field else []
    for step, following in zip_longest(steps, steps[1:], fillvalue=""):
        if step.isdigit():
            words[-1] = f"{words[-1]} {int(step) + 1}"
        else:
            words.append(_PARTS.get(step, step) if following.isdigit() else step)
    return f"{', '.join(words)}:"


def _place(note: Note) -> Markup:
    """The place; one in the rubric's text leads there."""
    if note.line is None:
        return markup('<span class="place">{place}</span>', place=place_name(note))
    return markup(
        '<button type="button" class="place" data-line="{line}">{place}</button>',
        line=note.line,
        place=place_name(note),
    )


def _sentence(message: str) -> str:
    return message if message.endswith((".", "?")) else f"{message}."


def _is_wanted(listed: Listed, set_name: str, words: Sequence[str], drafts_only: bool) -> bool:
    question = listed.entry.question
    text = " ".join((set_name, question.id, question.title, question.question, question.topic, question.kind))
    return (listed.is_draft or not drafts_only) and all(word in text.casefold() for word in words)


def _form(words: str, drafts_only: bool) -> Markup:
    clear = markup('<a class="clear" href="/library">Show all</a>') if words or drafts_only else _NOTHING
    return markup(
        '<form method="get" action="/library" role="search"><label for="words">Find</label>'
        '<input id="words" name="words" type="search" value="{words}" maxlength="200" autocomplete="off" '
        'placeholder="Words of a question, topic or set"><label class="tick">'
        '<input type="checkbox" name="drafts" value="1"{ticked}> Drafts only</label>'
        '<button type="submit">Show</button>{clear}</form>',
        words=words,
        ticked=markup(" checked") if drafts_only else _NOTHING,
        clear=clear,
    )


def _count(n: int, is_filtered: bool) -> Markup:
    if not is_filtered:
        return _NOTHING
    sentence = f"{_number(n, 'question')} found." if n else "No question is like that. Use fewer words, or show all."
    return markup('<p class="quiet" role="status">{sentence}</p>', sentence=sentence)


def _set(one: QuestionSet, questions: Sequence[Listed], *, is_open: bool) -> Markup:
    n_drafts, n_remarks = sum(q.is_draft for q in questions), sum(q.n_remarks for q in questions)
    facts = [_number(len(questions), "question")]
    facts += [_number(n_drafts, "draft")] if n_drafts else []
    facts += [_number(n_remarks, "remark")] if n_remarks else []
    return markup(
        '<details{open}><summary><span class="name">{name}</span> <span class="quiet">{facts}</span></summary>'
        "<ol>{rows}</ol></details>",
        open=markup(" open") if is_open else _NOTHING,
        name=one.name,
        facts=" · ".join(facts),
        rows=joined(map(_row, questions)),
    )


def _row(listed: Listed) -> Markup:
    question = listed.entry.question
    facts = (question.topic, str(question.kind), _ORIGINS[listed.origin])
    marks = (["draft"] if listed.is_draft else []) + ([_number(listed.n_remarks, "remark")] if listed.n_remarks else [])
    return markup(
        '<li><a href="/library?q={id}"><span class="title">{title}</span>{marks}'
        '<span class="quiet">{facts}</span></a></li>',
        id=question.id,
        title=name(question),
        marks=markup('<span class="marks">{words}</span>', words=" · ".join(marks)) if marks else _NOTHING,
        facts=" · ".join(filter(None, facts)),
    )


def _left_out(mistakes: Sequence[BankError]) -> Markup:
    if not mistakes:
        return _NOTHING
    return markup(
        '<div class="refused" role="alert"><p>Some of your own questions cannot be read and are left out:</p>'
        "<ul>{rows}</ul></div>",
        rows=joined(markup("<li>{mistake}</li>", mistake=_sentence(str(mistake))) for mistake in mistakes),
    )


def _number(n: int, noun: str) -> str:
    """A count with its noun.

    >>> _number(1, "draft"), _number(3, "draft")
    ('1 draft', '3 drafts')
    """
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
