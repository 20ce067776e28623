"""A person's own questions keep the same promises in memory and in a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes import FakeBank, FakeOwnBank
from tutor.adapters.bank_yaml import Layered, OwnFolder
from tutor.errors import BankError
from tutor.ports import Entry, OwnBank
from tutor.values import Criterion, Kind, Question, Rubric


def entry(name: str, words: str = "So.", set_name: str = "mine") -> Entry:
    question = Question(id=name, question="Why?", reference_answer=words, kind=Kind.CONCEPT, topic="t")
    return Entry(set_name, question, Rubric(question_id=name, criteria=(Criterion(id="c1", text=words, weight=1),)))


def pair(name: str, words: str = "So.") -> tuple[Question, Rubric]:
    return entry(name, words).question, entry(name, words).rubric


@pytest.fixture(params=["fake", "folder"])
def own(request: pytest.FixtureRequest, tmp_path: Path) -> OwnBank:
    return FakeOwnBank() if request.param == "fake" else OwnFolder(tmp_path / "bank")


def names(own: OwnBank) -> list[str]:
    return [found.question.id for found in own.entries()]


def test_an_empty_bank_has_nothing_and_nothing_wrong(own: OwnBank) -> None:
    assert (own.entries(), own.mistakes()) == ((), ())


def test_what_was_put_comes_back_in_its_order_by_set(own: OwnBank) -> None:
    own.put("mine", [entry("b"), entry("a")])
    own.put("first", [entry("c")])
    assert own.entries() == (entry("c", set_name="first"), entry("b"), entry("a"))


def test_nothing_new_is_the_same_tuple(own: OwnBank) -> None:
    own.put("mine", [entry("a")])
    assert own.entries() is own.entries()


def test_an_edited_question_keeps_its_place_and_a_new_one_goes_to_the_end(own: OwnBank) -> None:
    own.put("mine", [entry("a"), entry("b")])
    own.put("mine", [entry("c"), entry("a", "Because.")])
    assert own.entries() == (entry("a", "Because."), entry("b"), entry("c"))


def test_a_whole_set_is_what_was_put_last(own: OwnBank) -> None:
    own.put("mine", [entry("a"), entry("b")])
    own.put("mine", [entry("c"), entry("b", "Because.")], whole=True)
    assert own.entries() == (entry("c"), entry("b", "Because."))


def test_the_set_it_is_put_into_is_its_set(own: OwnBank) -> None:
    own.put("mine", [entry("a", set_name="elsewhere")])
    assert own.entries() == (entry("a"),)


def test_an_id_stands_in_one_set_only(own: OwnBank) -> None:
    own.put("mine", [entry("a")])
    with pytest.raises(BankError, match="'a' stands in the set 'mine'"):
        own.put("other", [entry("b"), entry("a")])
    assert names(own) == ["a"]


@pytest.mark.parametrize("name", ["", "../up", "a/b", ".hidden", "a b", "x" * 61])
def test_a_set_has_a_name_that_a_file_can_have(own: OwnBank, name: str) -> None:
    if isinstance(own, FakeOwnBank) and name in (".hidden", "x" * 61):
        return
    with pytest.raises(BankError, match="no name for a set"):
        own.put(name, [entry("a")])
    assert own.entries() == ()


def test_an_entry_is_put_once_with_its_own_rubric(own: OwnBank) -> None:
    for wrong in ([entry("a"), entry("a")], [Entry("mine", entry("a").question, entry("b").rubric)]):
        with pytest.raises(ValueError, match="of its own"):
            own.put("mine", wrong)
    assert own.entries() == ()


def test_a_removed_question_is_gone_and_cannot_be_removed_again(own: OwnBank) -> None:
    own.put("mine", [entry("a"), entry("b")])
    own.remove("a")
    assert names(own) == ["b"]
    own.remove("b")
    assert own.entries() == ()
    with pytest.raises(BankError, match="no question 'b'"):
        own.remove("b")


def test_over_another_bank_an_own_question_takes_the_place_of_its_id(own: OwnBank) -> None:
    bank = Layered(own, FakeBank(pair("a"), pair("b")))
    assert [question.id for question in bank.questions()] == ["a", "b"]
    own.put("mine", [entry("c"), entry("a", "Because.")])
    assert [question.id for question in bank.questions()] == ["a", "b", "c"]
    assert bank.questions()[0].reference_answer == "Because."
    assert [bank.rubric(name).criteria[0].text for name in "abc"] == ["Because.", "So.", "So."]


def test_over_another_bank_a_removed_edit_gives_the_question_back(own: OwnBank) -> None:
    bank = Layered(own, FakeBank(pair("a")))
    own.put("mine", [entry("a", "Because."), entry("c")])
    own.remove("a")
    own.remove("c")
    assert [question.reference_answer for question in bank.questions()] == ["So."]
    assert bank.rubric("a").criteria[0].text == "So."
    with pytest.raises(BankError, match="'c'"):
        bank.rubric("c")
