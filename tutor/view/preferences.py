"""Settings on a screen: a name for each, who decided it, what lies in the data folder, and how a test went."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from markupsafe import Markup

from tutor.states import Check, DataFacts, SettingLine
from tutor.view.text import joined, markup

NAMES: Mapping[str, str] = {
    "data_dir": "Data folder",
    "weights_dir": "Folder of the model files",
    "bank": "Questions",
    "port": "Port",
    "open_browser": "Open the page in the browser at start",
    "chat_url": "Address of another server",
    "chat_model": "Model name",
    "chat_key": "Key of that server",
    "chat_gguf": "Model file",
    "chat_threads": "Threads",
    "chat_deadline_s": "Seconds for one call",
    "embedder": "Folder of another model",
    "speech_model": "Speech model",
    "speech_language": "Language of spoken answers",
    "speech_threads": "Threads",
    "speech_url": "Address of a speech server",
    "speech_key": "Key of the speech server",
    "speech_deadline_s": "Seconds for one recording",
    "takes_days": "Days that recordings are kept",
}
_ON_OR_OFF = {"true": "on", "false": "off"}
_CODE = re.compile("`([^`]+)`")
_SIZES = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def setting_name(name: str) -> str:
    """What a person calls a setting.

    >>> setting_name("port"), setting_name("some_new_setting")
    ('Port', 'Some new setting')
    """
    return NAMES.get(name, name.replace("_", " ").capitalize())


def setting_rows(lines: Iterable[SettingLine]) -> Markup:
    """Settings that cannot be changed here: name, value, who decided, and what it does."""
    return markup('<dl class="settings">{rows}</dl>', rows=joined(map(_setting_row, lines)))


def setting_caption(line: SettingLine, saved: str | None) -> Markup:
    """Who decided a setting, below its field, and what holds until the next start where that differs.

    Args:
        line: As it holds in this run.
        saved: What the settings file says now, None for nothing.
    """
    if line.origin == "command line":
        return markup('<p class="origin">Now {value}, by the command line.</p>', value=line.value)
    if line.origin == "settings file" and saved is None:
        return markup('<p class="origin">Back to the default at the next start.</p>')
    if saved is not None and (line.origin == "default" or saved != line.value):
        return markup('<p class="origin">In the settings file; it takes effect at the next start.</p>')
    if line.origin == "settings file":
        return markup('<p class="origin">From the settings file.</p>')
    value = _ON_OR_OFF.get(line.value, line.value)
    return markup('<p class="origin">{words}</p>', words=f"Default: {value}." if value else "Not set.")


def setting_mistake(sentence: str) -> Markup:
    """What is wrong with what was typed into a field."""
    return markup(
        '<p class="mistake"><span aria-hidden="true">✕</span> {sentence}</p>',
        sentence=sentence[:1].upper() + sentence[1:],
    )


def check_line(check: Check) -> Markup:
    """How the test of an engine went, in a sentence or two."""
    return markup(
        '<p class="{style}"><span class="mark"><span aria-hidden="true">{sign}</span> {word}</span> {detail} {fix}</p>',
        style="check works" if check.ok else "check broken",
        sign="✓" if check.ok else "✕",
        word="Works" if check.ok else "Does not work",
        detail=check.detail,
        fix=check.fix,
    )


def data_rows(facts: DataFacts) -> Markup:
    """What lies in the data folder, and whom the program talks to."""
    n = facts.n_recordings
    takes = f"{n} recording{'' if n == 1 else 's'}, {size(facts.recordings_bytes)}" if n else "none"
    rows = (
        ("Database", f"{facts.database}, {size(facts.database_bytes)}"),
        ("Recordings", takes),
        ("Backups of the database", f"{facts.n_backups}" if facts.n_backups else "none"),
        ("Room left on the disk", size(facts.free_bytes)),
        ("Hosts contacted", ", ".join(facts.hosts) or "none but this machine"),
    )
    named = joined(markup("<div><dt>{name}</dt><dd>{value}</dd></div>", name=name, value=value) for name, value in rows)
    return markup('<dl class="settings">{named}</dl>', named=named)


def size(n_bytes: int) -> str:
    """A size on a disk in powers of a thousand, as disks are sold.

    >>> size(0), size(81_920), size(2_500_000_000)
    ('0 bytes', '82 kB', '2.5 GB')
    """
    for unit_bytes, unit in _SIZES:
        if n_bytes >= unit_bytes:
            value = n_bytes / unit_bytes
            return f"{value:.1f} {unit}" if value < 10 else f"{value:.0f} {unit}"
    return f"{n_bytes} bytes"


def _setting_row(line: SettingLine) -> Markup:
    return markup(
        '<div><dt>{name}</dt><dd>{value} <span class="origin">{origin}</span><p class="help">{help}</p></dd></div>',
        name=setting_name(line.name),
        value=line.value or markup('<span class="unset">not set</span>'),
        origin=_decided(line),
        help=_with_code(line.help),
    )


def _decided(line: SettingLine) -> Markup:
    if line.origin == "default" and not line.value:
        return Markup("")
    if line.origin == "environment":
        variable = f"TUTOR_{line.name.upper()}"
        return markup("decided by the environment, <code>{variable}</code>", variable=variable)
    return markup("{origin}", origin=line.origin)


def _with_code(text: str) -> Markup:
    """Text whose parts between backticks are code."""
    parts = _CODE.split(text)
    return joined(markup("<code>{part}</code>" if i % 2 else "{part}", part=part) for i, part in enumerate(parts))
