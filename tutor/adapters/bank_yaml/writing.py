"""Questions and rubrics as YAML that a person reads with ease, read back before it takes the old file's place."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from tutor.adapters.bank_yaml.places import raise_all, whole
from tutor.adapters.bank_yaml.tree import MAX_BYTES, plain, text_tree
from tutor.adapters.bank_yaml.yaml_bank import tree_questions, tree_rubric
from tutor.values import Question, Rubric

_WIDTH, _LONG = 110, 90
"""Where lines are broken, and from which length a text stands on lines of its own."""
# Line ends that YAML takes for such and a person does not see: only quotes carry them safely.
_ODD_BREAKS = re.compile("[\x85\u2028\u2029\r\t]")
_WHOLE_UP_TO = 1e15
"""Below it a float that is a whole number is written as one."""


class _Dumper(yaml.CSafeDumper):
    """Plain blocks; text of several lines as it stands, and quotes wherever our reader would see no text."""

    def ignore_aliases(self, data: Any) -> bool:
        del data  # Whatever it is, it is written out again rather than referred to.
        return True

    def text(self, text: str) -> yaml.ScalarNode:
        return self.represent_scalar("tag:yaml.org,2002:str", text, style=_style(text))

    def number(self, number: float) -> yaml.ScalarNode:
        whole_number = number.is_integer() and abs(number) < _WHOLE_UP_TO
        return self.represent_int(int(number)) if whole_number else self.represent_float(number)


_Dumper.add_representer(str, _Dumper.text)
_Dumper.add_representer(float, _Dumper.number)


def _style(text: str) -> str | None:
    """The style of a text: quoted, literal, folded, or the emitter's own choice.

    >>> [_style(text) for text in ("1e5", "two\\nlines", " ".join(["word"] * 40), "short")]
    ['"', '|', '>', None]
    """
    if plain(text) is not text or _ODD_BREAKS.search(text) or text != text.strip():
        return '"'
    if "\n" in text:
        return "|"
    return ">" if len(text) > _LONG else None


def questions_text(questions: Sequence[Question], path: Path) -> str:
    """The file of a set, sure to be read back as these questions. Raises BankError."""
    trees = [question.model_dump(mode="json", exclude_defaults=True) for question in questions]
    text = "\n".join(_dumped([tree]) for tree in trees)
    placed, _, mistakes = tree_questions(*text_tree(text, path))
    raise_all(mistakes)
    if tuple(question for question, _ in placed) != tuple(questions):
        raise whole(path).error("a text in it would not be read back as it is; write it without unusual characters")
    return _small(text, path)


def rubric_text(rubric: Rubric, path: Path) -> str:
    """The file of a rubric, sure to be read back as this one. Raises BankError."""
    tree = rubric.model_dump(mode="json", exclude_defaults=True, exclude={"question_id"})
    for figure, written in zip(rubric.figures, tree.get("figures", ()), strict=True):
        # A tolerance that somebody chose stays, also where it is the usual one.
        written |= figure.model_dump(include={"rel_tol"}, exclude_unset=True)
    text = _dumped(tree)
    placed, mistakes = tree_rubric(*text_tree(text, path))
    raise_all(mistakes)
    if placed is None or placed[0] != rubric:
        raise whole(path).error("a text in it would not be read back as it is; write it without unusual characters")
    return _small(text, path)


def _dumped(tree: Any) -> str:
    text: str = yaml.dump(tree, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH)
    return text


def _small(text: str, path: Path) -> str:
    if len(text.encode()) > MAX_BYTES:
        raise whole(path).error(f"would be larger than {MAX_BYTES // 10**6} MB; split the set into several")
    return text


def replace_files(texts: Mapping[Path, str]) -> None:
    """Write so that any reader, also after a power cut, sees an old file or a new one, and never half of one.

    All texts are on the disk before the first takes its place, so that a full disk changes nothing.

    Args:
        texts: By path; folder by folder they take their places in this order.

    Raises:
        OSError: They cannot be written.
    """
    parts = {path: path.with_name(f".{path.name}.part") for path in texts}
    try:
        for path, text in texts.items():
            _write(parts[path], text)
        for folder in dict.fromkeys(path.parent for path in parts):
            for path in (path for path in parts if path.parent == folder):
                parts[path].replace(path)
            # What is in one folder is sure to be there before the next one refers to it.
            sync_folder(folder)
    except BaseException:
        for part in parts.values():
            with suppress(OSError):
                part.unlink(missing_ok=True)
        raise


def _write(part: Path, text: str) -> None:
    part.unlink(missing_ok=True)
    with open(part, "w", encoding="utf-8", newline="\n", opener=_private) as writing:
        writing.write(text)
        writing.flush()
        os.fsync(writing.fileno())


def sync_folder(folder: Path) -> None:
    """Make sure that renamed and deleted names survive a power cut. Raises OSError."""
    names = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(names)
    finally:
        os.close(names)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_EXCL, 0o600)
