"""The quantities of an answer with what their surroundings say: denied, corrected, a factor, the question's own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tutor.grading.quantities import Quantity, quantities
from tutor.grading.units import Unit, parse_unit

_OPERATOR_BEFORE = re.compile(
    r"(?:[×·⋅*/÷^+−]|\b(?:times|over|by|minus|plus|e to the)|\b(?:log2?|log10|ln|exp|sqrt|square root)(?:\sof)?)"
    r"[\s(]?$",
    re.IGNORECASE,
)
_OPERATOR_BEHIND = re.compile(r"\s?(?:[×·⋅*/÷^+−]|(?:times|over|divided? by|minus|plus)\b)", re.IGNORECASE)
_PRODUCT = re.compile(
    r"\W{0,3}(?:\w+\s){0,2}\s?(?P<sign>[×·⋅*x/÷]|times|multiplied by|divided? by|over)\W{0,3}", re.IGNORECASE
)
_DENIED = re.compile(r"(?:\b(?:not|instead of|rather than)|n[’']t)\s(?:(?:a|an|about|just|the)\s)?$", re.IGNORECASE)
_CORRECTED = re.compile(
    r"\b(?:no wait|wait no|wait,|hang on|hold on|sorry|i mean|i meant|scratch that|correction|make that|or rather|no,|"
    r"actually|let me (?:redo|correct))",
    re.IGNORECASE,
)
_CORRECTION_REACH = 40
_CONTEXT = 40
# A number this near to another one belongs to it: the "at 32K" of "2 GiB at 32K".
_BESIDE = 12
_PLACE_BEFORE = re.compile(r"\b(?:at|for|with)\s$", re.IGNORECASE)
_SAME = 1e-9
_SENTENCE = 120
_CLAUSE = re.compile(r"[.;:!?]\s|[,\n()]|\b(?:and|but|so|because|since|that|then|which|while|whereas)\b")
_LINK = re.compile(
    r"(?:\b(?:is|are|was|has|have|had|does|needs?|uses?|takes?|holds?|offers?|reaches|sits|runs|stays)|(?<=[a-z])[’']s)"
    r"(?:\s(?:only|just|about|around|roughly|approximately|nearly|almost|like|uh|um|an?|the|at|of|up|to|maybe))*\s?$"
)
# What something fits in or is compared with is not its size.
_CAPACITY = re.compile(
    r"\b(?:fit(?:s|ting)?\s(?:easily\s)?(?:in|into)|with|on|within|than|exceed(?:s|ing)?)\s(?:(?:an?|the|our)\s)?$"
)
_OF_WHAT = re.compile(r"[\s-](?:(?:of|for|during)\s(?:(?:the|an?|our|its)\s)?)?(?P<noun>[a-z]+)\b")
_HARDWARE = frozenset("gpu gpus card cards device devices machine accelerator node hbm vram ram dram sram disk".split())
# Words that a number may be said of without saying what it is.
_NEUTRAL = frozenset(
    """the an our my your its this that these those it he she we you they one what there here in at for with of on to
    by from as or per each every all both if when now total sum size answer outcome result number value amount
    figure estimate guess whole everything model memory space storage data cost um uh er ah oh well okay yeah
    right like about around roughly overall would should could will must can may might be then again fp bf int
    bit bits bytes byte hundred thousand million billion trillion me us them sure example instance short
    practice""".split()
)
_SUPPOSED = re.compile(
    r"\bif\s(?:\w+\s){1,3}?(?:were|was|had|did|could|\w+[^e\W]ed)\b|\b(?:would have been|had it been|were it)\b"
)


@dataclass(frozen=True)
class Heard:
    """A quantity of the answer that stands at the end.

    Attributes:
        unit: Its unit; the quantity keeps only the spelling.
        operand: It is a factor or summand of a calculation rather than its outcome.
        asked: The question says the same number.
        echo: It stands between the same words as in the question.
        topic: Words that say what it is the size of: the "gpu" of "our GPU has 80 GB"; empty where nothing does.
        supposed: It is said of a case that is not so: "if it were FP16 it would be 4 GiB".
    """

    quantity: Quantity
    unit: Unit
    operand: bool
    asked: bool
    echo: bool
    topic: frozenset[str]
    supposed: bool


@dataclass(frozen=True)
class Product:
    """A calculation said in the answer: the outcome in base units and in the numbers as they were said."""

    si_value: float
    value: float
    start: int
    end: int


def listen(answer: str, question: str) -> tuple[Heard, ...]:
    """The quantities of an answer that are neither denied ("not 64 GB") nor corrected ("32, no wait, 64 gigs").

    >>> [h.quantity.text for h in listen("so 32, no wait, 64 gigs", "")]
    ['64 gigs']
    """
    said, asked = quantities(answer), quantities(question)
    standing = []
    for n, q in enumerate(said):
        before = answer[max(q.start - _CONTEXT, 0) : q.start]
        behind = answer[q.end : q.end + _CONTEXT]
        if _DENIED.search(before) or _is_corrected(said, n, answer):
            continue
        operand = bool(_OPERATOR_BEFORE.search(before) or _OPERATOR_BEHIND.match(behind))
        same = [a for a in asked if abs(a.value - q.value) <= _SAME * abs(q.value)]
        echo = any(_same_words(question, a, answer, q) for a in same)
        standing.append(Heard(q, parse_unit(q.unit), operand, bool(same), echo, *_topic(answer, q)))
    return tuple(standing)


def _topic(answer: str, q: Quantity) -> tuple[frozenset[str], bool]:
    """The words a number is said of, before its verb and behind its unit, and whether its sentence only supposes."""
    before = answer[max(q.start - _SENTENCE, 0) : q.start].lower()
    behind = answer[q.end : q.end + _CONTEXT].lower()
    clause = _CLAUSE.split(before)[-1]
    link, of = _LINK.search(clause), _OF_WHAT.match(behind)
    words = topic_words(clause[: link.start()]) if link else frozenset()
    if of and (of["noun"] in _HARDWARE or of[0].split(None, 1)[0] in ("of", "for", "during")):
        words |= topic_words(of["noun"])
    if _CAPACITY.search(clause):
        words |= {"capacity"}
    return words, bool(_SUPPOSED.search(re.split(r"[.;!?]\s|\n", before)[-1]))


def topic_words(text: str) -> frozenset[str]:
    """The words of a text that name a thing, cut to five letters so that "weights" is "weight".

    >>> sorted(topic_words("the KV cache per token at 32K"))
    ['cache', 'kv', 'token']
    """
    return frozenset(w[:5] for w in re.findall(r"\b[a-z]{2,}", text.lower()) if w not in _NEUTRAL)


def _is_corrected(said: Sequence[Quantity], n: int, answer: str) -> bool:
    """Whether a later quantity takes back the n-th one: the next of its kind, or a bare number right behind it."""
    q = said[n]
    for k in range(n + 1, len(said)):
        later = said[k]
        between = answer[q.end : later.start]
        if len(between) > _CORRECTION_REACH:
            return False
        place = not later.si_unit and q.si_unit and _PLACE_BEFORE.search(between)
        bare = k == n + 1 and not place and not (later.si_unit and q.si_unit)
        if later.si_unit != q.si_unit and not bare:
            continue
        turn = _CORRECTED.search(between)
        if turn:
            return not _places_differ(said, n, k, q.end + turn.start())
        if later.si_unit == q.si_unit:
            return False
    return False


def _places_differ(said: Sequence[Quantity], n: int, k: int, turn: int) -> bool:
    """Whether n and k are sizes of two things ("2 GiB at 32K, wait, 64 GiB at 1M"), by the numbers beside them."""
    beside = [m for m in range(n + 1, k) if said[m].si_unit != said[n].si_unit]
    if n and said[n].start - said[n - 1].end <= _BESIDE:
        beside.append(n - 1)
    if k + 1 < len(said) and said[k + 1].start - said[k].end <= _BESIDE:
        beside.append(k + 1)
    placed = [said[m] for m in beside if not said[m].si_unit or said[m].si_unit == "token"]
    first, second = ({p.value for p in placed if (p.start < turn) == early} for early in (True, False))
    return bool(first and second and not first & second)


def _same_words(question: str, a: Quantity, answer: str, b: Quantity) -> bool:
    """Whether a number is said as the question says it: with its unit, or the two words before or the one behind."""
    if a.unit and a.text.lower() == b.text.lower():
        return True
    before_a, before_b = (_words(t[max(q.start - _CONTEXT, 0) : q.start])[-2:] for t, q in ((question, a), (answer, b)))
    behind_a, behind_b = (_words(t[q.end : q.end + _CONTEXT])[:1] for t, q in ((question, a), (answer, b)))
    return (len(before_a) == 2 and before_a == before_b) or (behind_a != [] and behind_a == behind_b)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def products(heard: Sequence[Heard], answer: str) -> tuple[Product, ...]:
    """Calculations of at least two factors: "2 × 80 × 8 × 128 × 2 bytes", "273 divided by 27".

    >>> [p.value for p in products(listen("two times thirty two layers times eight heads", ""), "two times thirty two "
    ...     "layers times eight heads")]
    [512.0]
    """
    found: list[Product] = []
    running: Product | None = None
    for before, h in zip((None, *heard), heard, strict=False):
        q = h.quantity
        joined = _PRODUCT.fullmatch(answer[before.quantity.end : q.start]) if before else None
        if joined and running:
            divides = joined["sign"].lower() in ("/", "÷", "over") or joined["sign"].lower().startswith("div")
            running = _with_factor(running, q, divides)
        else:
            found += [running] if running else []
            running = Product(q.si_value, q.value, q.start, q.end)
    found += [running] if running else []
    lone = {(h.quantity.start, h.quantity.end) for h in heard}
    return tuple(p for p in found if (p.start, p.end) not in lone)


def _with_factor(product: Product, q: Quantity, divides: bool) -> Product:
    if divides:
        if not q.value or not q.si_value:
            return product
        return Product(product.si_value / q.si_value, product.value / q.value, product.start, q.end)
    return Product(product.si_value * q.si_value, product.value * q.value, product.start, q.end)
