"""Text of strangers as plain words: formatting taken off, nothing left that a browser could take for its own."""

from __future__ import annotations

import re

# Formatting that may go without its words losing anything.
_FORMATTING = "b|i|u|em|strong|code|kbd|sub|sup|small|span|p|br|hr|ul|ol|li|pre|blockquote|mark|details|summary"
_FORMATTING_TAG = re.compile(rf"</?(?:{_FORMATTING})(?:\s+[\w:-]+\s*=[^<>]*)?\s*/?>", re.IGNORECASE)
# Elements that do something, or make a whole page. A single letter counts only where it is written as a tag is,
# so that "b <a and c" stays arithmetic; names that are no elements (`<eos>`, `<unk>`) are text.
_ACTIVE = re.compile(
    r"<\s*/?\s*(script|style|iframe|frame|frameset|object|embed|applet|img|image|svg|math|video|audio|source|track|"
    r"canvas|form|input|button|select|textarea|option|label|link|meta|base|html|head|body|title|template|slot|div|"
    r"section|article|nav|header|footer|main|table|thead|tbody|tr|td|th|marquee|dialog|portal|noscript|"
    r"a(?=\s+[\w:-]+\s*=|>))(?![\w-])|<!doctype|<\?(?:xml|php)",
    re.IGNORECASE,
)
_UNSEEN = re.compile("[\u200b\u2060\u00ad\ufeff]")
# What no bank may hold; JSON can spell each of them with an escape.
_UNUSABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_ODD_SPACE = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000\t\x0b\x0c]")
# Lengths are bounded where a pattern could otherwise run to the end of a page once for each sign that opens one.
_IMAGE = re.compile(
    r"!\[([^\[\]\n]{0,300})\](?:\([^()\n]{0,2000}(?:\([^()\n]{0,200}\)[^()\n]{0,200})?\)|\[[^\[\]\n]{0,300}\])"
)
_LINK = re.compile(r"\[([^\[\]\n]{1,300})\]\([^()\n]{0,2000}(?:\([^()\n]{0,200}\)[^()\n]{0,200})?\)")
_STRONG = re.compile(r"(\*\*|__)(?=\S)(.{1,2000}?)(?<=\S)\1")
_CODE = re.compile(r"(`{1,2})([^`\n]+)\1")
_FORMULA = re.compile(r"\\\(((?:(?!\\\().){1,500}?)\\\)")
_COMMANDS = (
    (re.compile(r"\\(?:text|mathrm|mathbf|operatorname)\{([^{}]*)\}"), r"\1"),
    (re.compile(r"\\d?frac\{([^{}]*)\}\{([^{}]*)\}"), r"\1/\2"),
    (re.compile(r"\\sqrt\{([^{}]*)\}"), r"sqrt(\1)"),
    (re.compile(r"([_^])\{(\w+)\}"), r"\1\2"),
    (re.compile(r"([_^])\{([^{}]*)\}"), r"\1(\2)"),
)
_SIGNS = {
    "approx": "≈", "times": "×", "cdot": "·", "odot": "⊙", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "pm": "±",
    "to": "→", "infty": "∞", "top": "T", "sum": "sum", "in": "in", "min": "min", "max": "max", "log": "log",
    "exp": "exp", "alpha": "alpha", "beta": "beta", "lambda": "lambda",
}  # fmt: skip
_SIGN = re.compile(r"\\(" + "|".join(_SIGNS) + r")(?![A-Za-z])")


def without_tags(text: str) -> str:
    """The text without comments, formatting tags and characters that nobody sees; as many lines as before.

    >>> without_tags("<b>Why</b> is a < b,\\u200b and what is <eos>?")
    'Why is a < b, and what is <eos>?'
    """
    return _ODD_SPACE.sub(" ", _UNSEEN.sub("", _FORMATTING_TAG.sub("", _without_comments(text))))


def _without_comments(text: str) -> str:
    kept, start = [], 0
    while (opened := text.find("<!--", start)) >= 0 and (closed := text.find("-->", opened)) >= 0:
        kept += [text[start:opened], "\n" * text.count("\n", opened, closed)]
        start = closed + len("-->")
    return "".join([*kept, text[start:]])


def active_tag(text: str) -> str | None:
    """The first HTML tag that is more than formatting, as it stands; None where there is none.

    >>> active_tag("see <IMG src=x onerror=y>"), active_tag("while i <a and <unk> stay")
    ('<IMG', None)
    """
    found = _ACTIVE.search(text)
    return found[0] if found else None


def unusable(text: str) -> str | None:
    """The first character that nobody sees and no bank may hold, as `U+202E`; None where there is none.

    >>> unusable("Why \\u202e?"), unusable("Why?")
    ('U+202E', None)
    """
    found = _UNUSABLE.search(text)
    return f"U+{ord(found[0]):04X}" if found else None


def words_of(text: str) -> str:
    """Markdown emphasis, links and marked formulas as the words they show.

    >>> words_of(r"**Two** of [these](https://x.y) are `fast`, about \\(\\frac{8}{3}d\\)")
    'Two of these are fast, about 8/3d'
    """
    text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", text))
    text = _CODE.sub(r"\2", _STRONG.sub(r"\2", text))
    return _FORMULA.sub(lambda found: _spoken(found[1]), text).strip()


def _spoken(formula: str) -> str:
    for _ in range(3):  # as deep as braces are nested in what people write in one line
        for pattern, plain in _COMMANDS:
            formula = pattern.sub(plain, formula)
    formula = _SIGN.sub(lambda found: _SIGNS[found[1]], formula)
    return " ".join(re.sub(r"\\[,;! ]", " ", formula).split())
