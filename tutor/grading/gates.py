"""Answers that need no model to be refused: blank, nothing said, gibberish, copied, repeated, another language."""

from __future__ import annotations

import re
from collections import Counter

from tutor.values import Kind, Question

GATES = "gates-1"
# The one gate after which the score is unknown rather than zero.
OTHER_LANGUAGE = "other_language"

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_TOKEN = re.compile(r"\w+(?:['’.]\w+)?")
_FUNCTION_WORDS = frozenset(
    """a about after all also an and any are as at be because been before being both but by can could did do does done
    each even every few first for from get gets had has have he her here how i if in into is it its just like many may
    me more most much must my need needs no not now of off on once one only or other our out over own per same she so
    some still such than that the their them then there these they this those through to too two up us use used uses
    very was we well were what when where which while who why will with without would you your""".split()
)
# Words that talk about the answering itself; an answer made of them has said nothing yet.
_EMPTY_WORDS = frozenset(
    """ah answer answers can't cannot complete completely correct don't dont er explain explained explanation false
    fine good great hello hi hm hmm idea key know let let's me mhm nothing ok okay point points problem process
    question right say solution sorry step subscribe subtitles sure thank thanks think thinking thought time true uh
    um umm watching well work yeah yep yes""".split()
)
_FOREIGN_WORDS = frozenset(
    """el la los las una que y por para con como pero está este porque más der die das und ist nicht ein eine mit auf
    für den dem von zu sich auch wird les des est une dans pour qui sur pas avec sont cette il che di per non una sono
    nel della o os as um uma não com mais""".split()
) - {"as", "um", "o", "die", "den", "des", "per", "y", "la", "os"}

# Pairs of letters that English words, and the field's terms, do not have.
_NEVER_TOGETHER = frozenset(
    """bq bz cj cv cx dx fq fx gq gx hx hz jb jc jd jf jg jh jk jl jm jn jp jq jr jt jv jw jx jz kj kq kx kz mq pq pv px
    qb qc qd qf qg qh qj qk ql qm qn qp qr qt qw qx qy qz sx tq vb vc vf vg vh vj vk vn vp vq vw vx vz wj wq wv wx xj xk
    xz zj zq zx  wz lq lx dq""".split()
)

# Bounds are set so that no honest answer of the labelled sets is stopped; the tests hold them there.
_MIN_CONTENT_WORDS = 1
_LIST_WORDS = 12
_COPIED_WORDS = 8
_REPEATED_SHARE = 0.25
_COPIED_SHARE = 0.8
_SHINGLE_WORDS = 4
_RECITED_SHARE = 0.6
_RECITED_SHINGLE_WORDS = 8


def gate(question: Question, answer: str) -> str | None:
    """The name of the gate that stops an answer before any model, or None.

    `blank`, `nothing_said`, `gibberish`, `repeated`, `copied_question`, `keyword_list` or `other_language`.

    >>> q = Question(id="q", question="Why is decode slow?", reference_answer="-", kind="concept", topic="t")
    >>> gate(q, "The answer is correct.")
    'nothing_said'
    >>> gate(q, "Every step has to read all the weights from memory.") is None
    True
    """
    words = [w.lower() for w in _WORD.findall(answer)]
    if question.kind is Kind.NUMERICAL and len(words) < _LIST_WORDS and re.search(r"\d", answer):
        return None  # "2 GiB" or a bare calculation may be the whole answer
    return _first_gate(question, answer, words)


def _first_gate(question: Question, answer: str, words: list[str]) -> str | None:
    if not words:
        return "blank"
    if _is_other_language(words):
        return OTHER_LANGUAGE
    checks = (
        ("nothing_said", _says_nothing(words)),
        ("gibberish", _is_gibberish(words)),
        ("repeated", _is_repeated(answer)),
        (
            "copied_question",
            len(words) >= _COPIED_WORDS and _copied_share(answer, question.question, _SHINGLE_WORDS) >= _COPIED_SHARE,
        ),
        ("keyword_list", _is_keyword_list(answer, words)),
    )
    return next((name for name, stops in checks if stops), None)


def is_recited(question: Question, answer: str) -> bool:
    """Whether most of the answer is the reference answer word for word (credited, but flagged)."""
    return _copied_share(answer, question.reference_answer, _RECITED_SHINGLE_WORDS) >= _RECITED_SHARE


def _content_words(words: list[str]) -> list[str]:
    return [w for w in words if len(w) > 1 and w not in _FUNCTION_WORDS and w not in _EMPTY_WORDS]


def _says_nothing(words: list[str]) -> bool:
    return len(set(_content_words(words))) < _MIN_CONTENT_WORDS


def _is_gibberish(words: list[str]) -> bool:
    content = _content_words(words)
    strange = sum(1 for w in content if w.isascii() and _looks_typed_at_random(w))
    return strange * 2 > len(content)


def _looks_typed_at_random(word: str) -> bool:
    if len(word) < 4:
        return False
    long_run = re.search(r"[bcdfghjklmnpqrstvwxz]{6}", word) or len(word) > 24
    return bool(long_run or any(word[i : i + 2] in _NEVER_TOGETHER for i in range(len(word) - 1)))


def _is_repeated(answer: str) -> bool:
    tokens = [t.lower() for t in _TOKEN.findall(answer)]
    if len(tokens) < 12:
        return len(tokens) > 2 and len(set(tokens)) == 1
    # Long honest answers repeat words too, so only the first hundred words are looked at.
    head = tokens[:100]
    return len(set(head)) / len(head) < _REPEATED_SHARE


def _is_keyword_list(answer: str, words: list[str]) -> bool:
    """Terms one after another with hardly a function word between them."""
    if len(words) < _LIST_WORDS or re.search(r"[:=<>→]|->", answer):
        return False
    return sum(w in _FUNCTION_WORDS for w in words) / len(words) < 0.08


def _is_other_language(words: list[str]) -> bool:
    letters = "".join(words)
    foreign_letters = sum(1 for c in letters if ord(c) > 0x24F)
    if foreign_letters * 2 > len(letters):
        return True
    if len(words) < 6:
        return False
    english = sum(w in _FUNCTION_WORDS for w in words) / len(words)
    foreign = sum(w in _FOREIGN_WORDS for w in words) / len(words)
    return foreign > 0.12 and english < foreign / 2


def _copied_share(answer: str, source: str, shingle_words: int) -> float:
    """Share of the answer's tokens that lie in runs of `shingle_words` also found in the source."""
    tokens = [t.lower() for t in _TOKEN.findall(answer)]
    known = Counter(_shingles([t.lower() for t in _TOKEN.findall(source)], shingle_words))
    covered = [False] * len(tokens)
    for i, shingle in enumerate(_shingles(tokens, shingle_words)):
        if shingle in known:
            covered[i : i + shingle_words] = [True] * shingle_words
    return sum(covered) / len(tokens) if tokens else 0.0


def _shingles(tokens: list[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]
