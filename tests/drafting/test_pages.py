"""Questions are found in the layouts that people write, and what is none is none."""

from __future__ import annotations

import pytest

from tests.drafting.pages import CHAPTERS, MARKED, by_chapter, in_a_row
from tutor.drafting import Drafted, FoundQuestion, drafted, found
from tutor.errors import BankError
from tutor.values import Kind


def page(text: str) -> tuple[FoundQuestion, ...]:
    return found(text, "page", "page.md")


def told(text: str) -> list[tuple[int | None, str]]:
    with pytest.raises(BankError) as caught:
        page(text)
    assert all(mistake.file == "page.md" for mistake in caught.value.mistakes)
    return [(mistake.line, mistake.message) for mistake in caught.value.mistakes]


def topics(questions: tuple[Drafted, ...]) -> dict[str, int]:
    names = [question.entry.question.topic for question in questions]
    return {name: names.count(name) for name in dict.fromkeys(names)}


def test_forty_questions_by_chapter() -> None:
    questions = page(by_chapter())
    assert len(questions) == 40
    assert [question.number for question in questions] == list(range(1, 41))
    assert topics(drafted(questions, "things")) == CHAPTERS
    lines = by_chapter().split("\n")
    assert all(lines[q.line - 1] == f"{q.number}. {q.question}" for q in questions)


def test_what_an_answer_says_to_read_is_the_section_and_a_footer_is_nothing() -> None:
    questions = page(by_chapter())
    assert questions[0].section == "tools: care"
    assert questions[3].section == "the chapter on a ladder"
    assert all("See " not in q.answer and "Edit this page" not in q.answer for q in questions)
    assert questions[-1].answer.endswith("Without it, work takes longer.")


def test_list_entries_stay_in_their_answer() -> None:
    described = page(by_chapter())[2]
    assert described.question == "Describe a kerb (kind 3) as fully as you can."
    assert described.answer.split("\n") == [
        "First, look at a kerb:",
        "- the handle comes first: it must fit the hand;",
        "- then the moving parts;",
        "- 1. is the price, which is low.",
        "In short, it is simple.",
    ]


def test_twenty_questions_in_a_row() -> None:
    questions = page(in_a_row())
    assert len(questions) == 20
    assert {question.topic for question in questions} == {"All mixed up"}
    assert questions[19].answer == "About 400 kg. Steel is heavy."
    assert questions[19].section == ""


@pytest.mark.parametrize("layout", MARKED)
def test_the_same_questions_in_another_layout(layout: str) -> None:
    questions = page(MARKED[layout])
    assert [(q.question, q.answer, q.topic, q.number) for q in questions] == [
        ("What is a page cache?", "Memory for file blocks.", "Storage", 1),
        ("Why fsync?", "Power fails.", "Storage", 2),
    ]
    lines = MARKED[layout].split("\n")
    assert "What is a page" in lines[questions[0].line - 1] or "Question 1" in lines[questions[0].line - 1]


def test_numbers_that_start_anew_under_a_heading_are_questions_as_well() -> None:
    questions = page("# A\n1. Why?\nSo.\n2. How?\nThus.\n\n# B\n1. Who?\nMe.\n")
    assert [(q.topic, q.number) for q in questions] == [("A", 1), ("A", 2), ("B", 3)]


def test_a_numbered_list_in_an_answer_is_no_question() -> None:
    (why, how) = page("1. Why?\nTwo reasons:\n1. it is fast\n2. it is small\n\n2. How?\nThus.\n")
    assert why.answer == "Two reasons:\n- it is fast\n- it is small"
    assert how.question == "How?"
    (only,) = page("## Why?\n1. Is it fast? Yes.\n2. Is it small? Yes.\n")
    assert only.answer == "- Is it fast? Yes.\n- Is it small? Yes."


def test_code_is_no_heading_and_no_question() -> None:
    (only,) = page("## How do I say it?\n```\n# Q: is this?\n1. Or this?\n```\nLike that.\n")
    assert "# Q: is this?" in only.answer
    assert only.answer.endswith("Like that.")


def test_markdown_signs_links_and_formulas_become_plain_words() -> None:
    (only,) = page(
        "1. Why **exactly** does `x` [grow](https://example.org)?\n"
        "Because \\(\\frac{a}{b} \\approx 2^{10}\\) ![pic](p.png).\n"
    )
    assert only.question == "Why exactly does x grow?"
    assert only.answer == "Because a/b ≈ 2^10 pic."


def test_arithmetic_and_tokens_in_angle_brackets_stay() -> None:
    (only,) = page("1. When is a <b and c > d for <eos>?\nIf i <a then <|im_start|> and List<int>.\n")
    assert only.question == "When is a <b and c > d for <eos>?"
    assert only.answer == "If i <a then <|im_start|> and List<int>."


@pytest.mark.parametrize(
    "tag",
    [
        "<script>alert(1)</script>", "<SCRIPT src=//x.y>", "<img src=x onerror=y>", "<svg/onload=z>", "<iframe>",
        '<a href="javascript:x">', "< script >", "</div>", "<style>", "<!doctype html>", "<object data=x>", "<script",
    ],
)  # fmt: skip
@pytest.mark.parametrize("place", ["1. Why {}?\nSo it is.\n", "1. Why?\nSo it is {}\n"])
def test_html_is_refused_with_the_line_of_its_question(tag: str, place: str) -> None:
    ((line, message),) = told("intro\n\n" + place.format(tag))
    assert line == 3
    assert "there is HTML in this question" in message


def test_formatting_tags_and_comments_go_away() -> None:
    (only,) = page("1. Why <b>so</b><br>?\n<p>It <sub>is</sub>.</p> <!-- <script> -->\n")
    assert (only.question, only.answer) == ("Why so?", "It is.")


@pytest.mark.parametrize(
    ("text", "mistakes"),
    [
        ("intro\nAnswer\nSo.\n", [(2, "an answer without a question")]),
        ("1. Why?\nAnswer\nSo.\nAnswer\nThus.\n", [(4, "an answer without a question")]),
        ("1. Why?\n2. How?\nThus.\n3. Who?\n", [(1, "without an answer"), (4, "without an answer")]),
        ("## Why?\n\n# Next\n\n## How?\nThus.\n", [(1, "without an answer")]),
        ("1. Why?\nAnswer\n2. How?\nAnswer\nThus.\n", [(1, "without an answer")]),
        ("## Question 1\n### Answer\nSo.\n", [(1, "an answer without a question")]),
        ("Just a text.\nNothing is asked here.\n", [(None, "no question was found")]),
        ("1. Why?\nSo.\n2. How?\nThus.\n3. why\nAnswer\nSo.\n", [(5, "stands already in line 1")]),
        ("1. Why?\n" + "x" * 20_001, [(2, "a line of more than 20000 characters")]),
        ("1. Why?\n" + "It is so.\n" * 1_001, [(1, "is too long")]),
        ("# " + "T" * 201 + "\n1. Why?\nSo.\n", [(2, "longer than 200 characters")]),
    ],
)
def test_a_mistake_has_its_line(text: str, mistakes: list[tuple[int | None, str]]) -> None:
    said = told(text)
    assert [line for line, _ in said] == [line for line, _ in mistakes]
    assert all(words in message for (_, message), (_, words) in zip(said, mistakes, strict=True))


def test_too_many_questions_are_one_sentence() -> None:
    assert told("".join(f"{n}. What is {n}?\nIt is {n}.\n" for n in range(1, 10_001))) == [
        (None, "has 10000 questions, more than 1000; split it into several files")
    ]


def test_not_more_than_fifty_mistakes_are_told() -> None:
    assert len(told("".join(f"{n}. What is {n}?\n" for n in range(1, 100)))) == 50


def test_the_kind_is_guessed_from_heading_and_words() -> None:
    kinds = [(d.entry.question.topic, d.entry.question.kind) for d in drafted(page(by_chapter()), "things")]
    assert {kind for topic, kind in kinds if topic == "Synthesis"} == {Kind.SYNTHESIS}
    assert {kind for topic, kind in kinds if topic == "Roads"} == {Kind.CONCEPT}
    assert {d.entry.question.kind for d in drafted(page(in_a_row()), "row")} <= {Kind.CONCEPT, Kind.NUMERICAL}
    (asked,) = drafted(page("1. At 8 GB/s and 4 GB of weights, how long does a step take?\nAbout 500 ms.\n"), "mine")
    assert asked.entry.question.kind is Kind.NUMERICAL
    assert asked.entry.question.target_s == 180


def test_ids_come_from_the_set_and_the_number_and_are_the_same_every_time() -> None:
    text = "7. Why?\nSo.\n8. How?\nThus.\n"
    first, second = (drafted(page(text), "mine") for _ in range(2))
    assert first == second
    assert [d.entry.question.id for d in first] == ["mine-07", "mine-08"]
    assert [d.entry.set_name for d in first] == ["mine", "mine"]
    assert {d.entry.question.topic for d in first} == {"mine"}


def test_numbered_headings_beside_one_that_asks_are_questions_and_chapters_stay_chapters() -> None:
    questions = page(
        "## 1. Storage\n\n### 1. What is a page cache?\n\nMemory.\n\n### 2. Describe fsync.\n\nIt waits.\n"
    )
    assert [(q.question, q.answer, q.topic, q.number) for q in questions] == [
        ("What is a page cache?", "Memory.", "1. Storage", 1),
        ("Describe fsync.", "It waits.", "1. Storage", 2),
    ]
    mixed = page("## 1. Storage\n\n## Why fsync?\n\nPower fails.\n\n## 2. Nets\n\n## Why TCP?\n\nLoss.\n")
    assert [(q.question, q.topic) for q in mixed] == [("Why fsync?", "1. Storage"), ("Why TCP?", "2. Nets")]


def test_addresses_of_images_and_links_are_no_words_of_an_answer() -> None:
    asked = page("## Why ![x](a.png)?\n\nSo it is ![y](h.com/(b).png)![z][ref].\n\n[ref]: http://h.com/c.png 'c'\n")
    assert (asked[0].question, asked[0].answer) == ("Why x?", "So it is yz.")
