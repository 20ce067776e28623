"""The bank is read, the engines are opened and closed, and every question passes before the grader."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import pytest

from tests.fakes import FakeChatModel, FakeClock, FakeEmbedder
from tests.wiring.bank_files import write
from tutor.errors import BankError
from tutor.grading.grader import Grader
from tutor.settings import Settings
from tutor.wiring import verify_bank, verifying


class FakeEngines:
    """A judge that always says yes, without anything to load."""

    opened: tuple[str, ...] = ()

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def __enter__(self) -> Self:
        type(self).opened += ("open",)
        return self

    def __exit__(self, *_: object) -> None:
        type(self).opened += ("closed",)

    def wait(self) -> None:
        type(self).opened += ("waited",)

    def grader(self, clock: object) -> Grader:
        return Grader(chat=FakeChatModel(), embedder=FakeEmbedder(), clock=FakeClock(), server="fake 1")


@pytest.fixture(autouse=True)
def engines(monkeypatch: pytest.MonkeyPatch) -> type[FakeEngines]:
    FakeEngines.opened = ()
    monkeypatch.setattr(verifying, "Engines", FakeEngines)
    return FakeEngines


def last(folder: Path, **given: Any) -> Any:
    arguments = {"path": folder, "only": (), "earlier": ()} | given
    *_, report = verify_bank(Settings(data_dir=folder / "own"), **arguments)
    return report


def test_a_bank_is_verified_with_the_whole_grader(sound_bank: Path, engines: type[FakeEngines]) -> None:
    report = last(sound_bank)
    (found,) = report.questions
    assert (found.question_id, found.set, found.nothing, found.other_id) == ("kv", "basics", 0.0, None)
    assert found.reference is not None
    assert {point.id for point in found.failing} <= {"c1", "c2", "c3", "c4"}
    assert engines.opened == ("open", "waited", "closed")
    assert not list((sound_bank / "own").glob("*.sqlite*"))


def test_it_goes_on_from_an_earlier_report(sound_bank: Path) -> None:
    once = last(sound_bank)
    reports = list(verify_bank(Settings(data_dir=sound_bank / "own"), sound_bank, (), once.questions))
    assert reports == [once]
    assert last(sound_bank, only=["kv"]) == once


def test_an_unknown_question_is_named_before_anything_loads(sound_bank: Path, engines: type[FakeEngines]) -> None:
    with pytest.raises(BankError, match="there is no question 'q99'; its questions are kv"):
        last(sound_bank, only=["q99"])
    assert engines.opened == ()


def test_a_bank_with_mistakes_is_refused_before_anything_loads(sound_bank: Path, engines: type[FakeEngines]) -> None:
    write(sound_bank, "data/broken", [{}])
    with pytest.raises(BankError, match="is missing"):
        last(sound_bank)
    assert engines.opened == ()
