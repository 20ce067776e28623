"""Questions and rubrics are told in words of our own, not in those of the pages they were learnt from."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import skip_or_fail
from tutor.adapters.bank_yaml import shipped_bank

ROOT = Path(__file__).resolve().parents[2]
# As many words in a row are somebody's sentence; fewer are how one says such things.
RUN = 8
# Formulas and numbers belong to nobody: marked formulas are cut out, digits and signs are no words.
_FORMULA = re.compile(r"\\\(.*?\\\)", re.DOTALL)
_WORD = re.compile(r"[^\W\d_]+")


def runs(text: str) -> frozenset[str]:
    """Every `RUN` words that follow each other in a text, without case, signs and numbers."""
    words = _WORD.findall(_FORMULA.sub(" ", text).lower())
    return frozenset(" ".join(words[n : n + RUN]) for n in range(len(words) - RUN + 1))


def texts(value: object) -> Iterator[str]:
    """All strings inside lists and mappings."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from texts(part)


@pytest.fixture(scope="module")
def source_runs() -> frozenset[str]:
    folder = Path(os.environ.get("TUTOR_SOURCES_DIR") or ROOT.parent / "shared" / "sources")
    pages = sorted(folder.glob("*.txt")) if folder.is_dir() else []
    if not pages:
        skip_or_fail(f"no *.txt in {folder}; set TUTOR_SOURCES_DIR to the folder with the source pages")
    return frozenset().union(*(runs(page.read_text(encoding="utf-8")) for page in pages))


def test_a_copied_sentence_is_found_whatever_its_signs_and_numbers() -> None:
    page = r"The weights are read \(2N\) once for each of the 4 tokens, and that takes time."
    assert runs("so the WEIGHTS are read once - for each of the tokens") & runs(page)
    assert not runs("Once for each token all weights have to be read, which takes its time.") & runs(page)
    assert runs("seven words are too few to count") == frozenset()


def test_questions_and_rubrics_share_no_sentence_with_the_sources(source_runs: frozenset[str]) -> None:
    bank = shipped_bank()
    for question in bank.questions():
        for value in (question, bank.rubric(question.id)):
            for text in texts(value.model_dump(mode="json")):
                assert not runs(text) & source_runs, (question.id, text)
