"""Whether a few heard words were probably a term that is spelled, or sounds, nearly like them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise

from rapidfuzz.distance import Indel, Levenshtein

from tutor.speaking.sounds import is_form_of, sound, spelled_out, squashed
from tutor.speaking.words import pieces

# Likeness is the mean of shared letters and shared sounds, from 0 to 1. The limits were set by hand, on the
# phrases of the tests that are not held out and on written answers of other subjects, so that ordinary words stay
# below them.
_LIKE_PLAIN_WORD = 0.9
_LIKE_SPLIT_PLAIN_WORD = 0.87
_LIKE_UNSURE_WORD = 0.8
_LIKE_NAME = 0.82
_LIKE_SPLIT_NAME = 0.86
_LIKE_PHRASE = 0.82
_LIKE_JOINED_PHRASE = 0.92
_LIKE_EACH_WORD = 0.72
_LIKE_WORD_OF_OTHER_BEGINNING = 0.84
# How much a limit falls where the recogniser itself was unsure of a word.
_WHEN_UNSURE = 0.07
# Shorter words have too many neighbours to be told apart by their likeness.
_LEAST_LETTERS = 4
_LEAST_NAME_LETTERS = 5
_LEAST_PLAIN_LETTERS = 8
_LEAST_SPLIT_LETTERS = 6
_LEAST_UNSURE_LETTERS = 5
# Recognisers hear these rightly at either end of a term: "the tokenization" is no detokenization.
_LITTLE_WORDS = frozenset("the an and of is its".split())

# Whisper writes "the code" for decode, and answers to a question with that term hardly say "the code": none of the
# 160 labelled ones does. Of longer words it hears the syllable rightly.
_SYLLABLE, _ARTICLE = "de", "the"
_MOST_LETTERS_AFTER_ARTICLE = 5
# What is left of a term whose first consonant was lost before another one; "lock" for block would be too short.
_LEAST_LETTERS_LEFT = 6
_VOWELS = frozenset("aeiouy")

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_DIGITS = re.compile(r"\d+")
# Consonants that differ in voice only: "tea bot" is TPOT.
_VOICELESS = str.maketrans("bdgvz", "ptkfs")


@dataclass(frozen=True)
class Term:
    """A term as the rubric spells it."""

    text: str

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its runs of letters and digits."""
        return tuple(piece.text for piece in pieces(self.text))

    @cached_property
    def key(self) -> str:
        """Its letters and digits, in lower case."""
        return squashed(self.text)

    @cached_property
    def is_acronym(self) -> bool:
        """Whether it may be read out letter by letter: HBM, H100, FLOPs, KV cache."""
        return any(_has_inner_capital(word) or any(letter.isdigit() for letter in word) for word in self.words)

    @cached_property
    def is_name(self) -> bool:
        """Whether it is one word with capitals among small letters: RoPE, vLLM, PagedAttention."""
        return len(self.words) == 1 and _is_mixed(self.words[0])


def is_right(words: tuple[str, ...], term: Term) -> bool:
    """Whether the words are the term, or a grammatical form of it, spelled well enough.

    Upper and lower case count only in words of the term that have inner capitals.

    >>> is_right(("Batch", "sizes"), Term("batch size")), is_right(("VLLM",), Term("vLLM"))
    (True, False)
    """
    key = squashed("".join(words))
    # A short last word is no ending: "flops a second" has no form of FLOPs longer than "flops".
    may_end = len(words) == 1 or len(words[-1]) > 2
    is_other_form = may_end and key != term.key and is_form_of(key, term.key)
    return is_other_form or (len(words) == len(term.words) and all(map(_is_right_word, words, term.words)))


def _is_right_word(word: str, wanted: str) -> bool:
    if not _has_inner_capital(wanted):
        return is_form_of(word, wanted)
    bare = _without_plural(wanted)
    return _without_plural(word) == bare


def _without_plural(word: str) -> str:
    """FLOPS, FLOPs and FLOP are one word to a reader."""
    return word[:-1] if len(word) > 1 and word[-1] in "sS" else word


def _has_inner_capital(word: str) -> bool:
    return any(letter.isupper() for letter in word[1:])


def _is_mixed(word: str) -> bool:
    return _has_inner_capital(word) and any(letter.islower() for letter in _without_plural(word))


def likeness(words: tuple[str, ...], term: Term, *, is_unsure: bool) -> float:
    """How probably the words, which are not the term as spelled, were the term: 0 for no, else up to 1.

    Args:
        words: One to four neighbouring words as written.
        term: A term with at least one letter or digit.
        is_unsure: Whether the recogniser gave one of the words a low probability.

    >>> likeness(("H", "100"), Term("H100"), is_unsure=False)
    1.0
    >>> likeness(("prefer",), Term("prefill"), is_unsure=False)
    0.0
    """
    key = squashed("".join(words))
    # "a 100 tokens" is no A100.
    if words[0] in ("a", "i"):
        return 0.0
    if key == term.key or _begins_with_article(words, term) or (term.is_acronym and _is_read_out(words, term)):
        return 1.0
    if not _is_comparable(key, term):
        return 0.0
    if _has_all_words(words, term) or not _LITTLE_WORDS.isdisjoint((words[0].lower(), words[-1].lower())):
        return 0.0
    if len(term.words) == 1 == len(words):
        return _word_likeness(words[0], term, is_unsure)
    like = max(_phrase_likeness(heard, wanted) for heard, wanted in _pairings(words, term.words))
    return like if like >= _limit(len(words), term) - _WHEN_UNSURE * is_unsure else 0.0


def _begins_with_article(words: tuple[str, ...], term: Term) -> bool:
    """Whether the first syllable of the term, or of its plural, was taken for an article: "the code" is decode."""
    first, *rest = (_without_plural(word.casefold()) for word in words)
    is_short = len(rest) == 1 and len(rest[0]) <= _MOST_LETTERS_AFTER_ARTICLE
    return is_short and first == _ARTICLE and _SYLLABLE + rest[0] == term.key


def _is_read_out(words: tuple[str, ...], term: Term) -> bool:
    """Whether the words name the term's letters and digits: "be f sixteen" is BF16."""
    spelled = spelled_out(words)
    if len(term.key) < _LEAST_LETTERS or spelled == squashed("".join(words)):
        return spelled == term.key
    return spelled.translate(_VOICELESS) == term.key.translate(_VOICELESS)


def _has_all_words(words: tuple[str, ...], term: Term) -> bool:
    """Whether the term's words stand there rightly with others between them: "blocks the table" is no block table."""
    said = iter(_without_plural(word).casefold() for word in words)
    return all(_without_plural(word).casefold() in said for word in term.words)


def _is_comparable(key: str, term: Term) -> bool:
    """Whether likeness can tell anything: not for short terms, bare acronyms or other digits."""
    is_bare_acronym = len(term.words) == 1 and term.is_acronym and not term.is_name
    return len(term.key) >= _LEAST_LETTERS and not is_bare_acronym and _DIGITS.findall(key) == _DIGITS.findall(term.key)


def _word_likeness(word: str, term: Term, is_unsure: bool) -> float:
    """Likeness of one word with a term of one word; the most dangerous case, for ordinary words stand alone."""
    if term.is_name and len(term.key) < _LEAST_NAME_LETTERS:
        return _LIKE_NAME * (_is_mixed(word) and word[0] == term.text[0] and _is_one_slip(word, term))
    like = _spelling_and_sound(word, term.text)
    limit = _word_limit(term, is_unsure)
    if is_unsure and _lost_its_first_letter(word, term):
        return like
    if sound(word)[:1] != sound(term.text)[:1]:
        return 0.0
    return like if like >= limit or sound(word) == sound(term.text) else 0.0


def _lost_its_first_letter(word: str, term: Term) -> bool:
    """Whether the word is the term, or its plural, without the first of two consonants: "refills" is prefill."""
    left = term.key[1:]
    is_cluster = _VOWELS.isdisjoint(term.key[:2])
    return is_cluster and len(left) >= _LEAST_LETTERS_LEFT and _without_plural(word.casefold()) == left


def _word_limit(term: Term, is_unsure: bool) -> float:
    if term.is_name:
        return _LIKE_NAME - _WHEN_UNSURE * is_unsure
    if is_unsure and len(term.key) >= _LEAST_UNSURE_LETTERS:
        return _LIKE_UNSURE_WORD
    return _LIKE_PLAIN_WORD if len(term.key) >= _LEAST_PLAIN_LETTERS else 1.0


def _is_one_slip(word: str, term: Term) -> bool:
    return Levenshtein.distance(squashed(word), term.key) <= 1


def _limit(n_heard: int, term: Term) -> float:
    """What several words need; fewer words than the term has are mostly a part of it, rightly said."""
    if n_heard < len(term.words):
        return _LIKE_JOINED_PHRASE
    if len(term.words) > 1:
        return _LIKE_PHRASE
    if term.is_name:
        return _LIKE_SPLIT_NAME
    return _LIKE_SPLIT_PLAIN_WORD if len(term.key) >= _LEAST_SPLIT_LETTERS else 1.0


def _pairings(heard: tuple[str, ...], wanted: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Both sides with as many words each, the longer one joined in every way: k v | cash with KV | cache."""
    n = min(len(heard), len(wanted))
    for heard_joined in _joined(heard, n):
        for wanted_joined in _joined(wanted, n):
            yield heard_joined, wanted_joined


def _joined(words: tuple[str, ...], n: int) -> Iterator[tuple[str, ...]]:
    for cuts in combinations(range(1, len(words)), n - 1):
        bounds = (0, *cuts, len(words))
        yield tuple(" ".join(words[start:end]) for start, end in pairwise(bounds))


def _phrase_likeness(heard: tuple[str, ...], wanted: tuple[str, ...]) -> float:
    """Likeness of as many words, by their lengths; 0 when one of several is altogether another word."""
    likes = [_spelling_and_sound(said, meant) for said, meant in zip(heard, wanted, strict=True)]
    if len(likes) > 1 and any(map(_is_other_word, heard, wanted, likes)):
        return 0.0
    return sum(like * len(meant) for like, meant in zip(likes, wanted, strict=True)) / sum(map(len, wanted))


def _is_other_word(said: str, meant: str, like: float) -> bool:
    # "KV reads" are no KV heads, though most of their letters are.
    return like < (_LIKE_EACH_WORD if _begin_alike(said, meant) else _LIKE_WORD_OF_OTHER_BEGINNING)


def _begin_alike(said: str, meant: str) -> bool:
    """Whether two words begin with the same sound, voiced or not; recognisers seldom miss that one."""
    return sound(said)[:1].translate(_VOICELESS) == sound(meant)[:1].translate(_VOICELESS)


def _spelling_and_sound(said: str, meant: str) -> float:
    letters = Indel.normalized_similarity(squashed(said), squashed(meant))
    return (letters + Indel.normalized_similarity(_sounds(said), _sounds(meant))) / 2


def _sounds(text: str) -> str:
    """The sounds of words; a name is several: Paged|Attention."""
    return "".join(sound(word) for part in text.split() for word in _HUMP.split(part))
