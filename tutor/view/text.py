"""Text that can only ever be text: the one escaping function, and our own HTML with named places."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, tzinfo

from markupsafe import Markup

# Everything that HTML, Markdown, LaTeX or a link needs; written as numbers these characters are only themselves.
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
# Control characters and those that reorder text would let an answer draw over what stands beside it; half of a
# surrogate pair cannot be sent at all.
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def safe(text: str) -> Markup:
    r"""Text of a person, model or bank as markup that can only ever be text; line ends become `<br>`.

    >>> safe("<b> *hi*\n$x$")
    Markup('&#60;b&#62; &#42;hi&#42;<br>&#36;x&#36;')
    """
    plain = _INVISIBLE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n")).replace("\t", "    ")
    escaped = _PUNCTUATION.sub(lambda found: f"&#{ord(found.group())};", plain)
    return Markup(re.sub("[\n\u2028\u2029]", "<br>", escaped))  # noqa: S704 - the one place where text becomes markup


def markup(pattern: str, **parts: object) -> Markup:
    """Our own HTML with named places; whatever is not markup yet goes through `safe`.

    >>> markup("<p>{word}</p>", word="<i>")
    Markup('<p>&#60;i&#62;</p>')
    """
    made = {name: part if isinstance(part, Markup) else safe(str(part)) for name, part in parts.items()}
    return Markup(pattern).format(**made)  # noqa: S704 - patterns are constants of this program


def joined(parts: Iterable[Markup]) -> Markup:
    """Pieces of markup one after another."""
    return Markup("").join(parts)


def duration(seconds: float) -> str:
    """Seconds as a person says them.

    >>> duration(45), duration(150), duration(180)
    ('45 s', '2:30 min', '3 min')
    """
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    return f"{minutes}:{rest:02} min" if rest else f"{minutes} min"


def when(moment: datetime, zone: tzinfo | None) -> str:
    """A moment on the screen's clock, such as `1 Mar 2026, 12:00`."""
    local = moment.astimezone(zone)
    return f"{local.day} {local:%b %Y, %H:%M}"


def percent(share: float) -> str:
    """A share as a percentage that does not break over two lines.

    >>> percent(0.375)
    '38\xa0%'
    """
    return f"{round(100 * share)}\N{NO-BREAK SPACE}%"
