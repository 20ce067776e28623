"""Tables and JSON lines as programs export them, and what is refused in them."""

from __future__ import annotations

import pytest

from tutor.drafting import found
from tutor.errors import BankError


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("csv", 'Front,Back\n"Why, then?","So, it ""is""."\n'),
        ("csv", 'sep=;\nQuestion;Answer\nWhy, then?;"So, it ""is""."\n'),
        ("jsonl", '{"question": "Why, then?", "answer": "So, it \\"is\\"."}\n'),
        ("jsonl", '[\n {\n  "question": "Why, then?",\n  "answer": "So, it \\"is\\"."\n }\n]\n'),
    ],
)
def test_the_same_question_in_each_form(form: str, text: str) -> None:
    assert [(q.question, q.answer) for q in found(text, form, "f")] == [("Why, then?", 'So, it "is".')]


@pytest.mark.parametrize("escape", ["\\ud800", "\\u0000", "\\u202e", "\\u001b[31m", "\\uffff"])
@pytest.mark.parametrize("field", ["question", "answer", "topic", "title"])
def test_a_character_that_json_spells_out_is_refused_with_its_line(field: str, escape: str) -> None:
    fields = {"question": "Why?", "answer": "So.", "topic": "t", "title": "t"}
    fields[field] += escape
    line = "{" + ", ".join(f'"{name}": "{text}"' for name, text in fields.items()) + "}"
    with pytest.raises(BankError, match="contains the unusable character") as caught:
        found(f"\n{line}\n", "jsonl", "f")
    assert caught.value.line == 2


def test_a_list_of_objects_that_is_no_list_is_one_mistake() -> None:
    with pytest.raises(BankError, match="is no list of JSON objects") as caught:
        found('[\n {"question": "Why?",\n', "jsonl", "f")
    assert len(caught.value.mistakes) == 1
