"""Each mistake of a question or rubric file is told with file, line and field."""

from __future__ import annotations

import pytest

from tests.adapters.bank_folder import QUESTION, RUBRIC, Write, mistakes, only

BAD_QUESTIONS = [
    (
        "number as text",
        QUESTION.replace("Size\n", "3.10\n"),
        6,
        "0.title",
        "expected text; found 3.1, put it in quotes",
    ),
    ("true as text", QUESTION.replace("Size\n", "true\n"), 6, "0.title", "expected text; found true"),
    ("nothing as text", QUESTION.replace("Size\n", "\n"), 6, "0.title", "expected text; found nothing"),
    ("list as text", QUESTION.replace("Size\n", "[a]\n"), 6, "0.title", "expected text; found a list"),
    ("unknown kind", QUESTION.replace("numerical", "essay"), 4, "0.kind", "'concept', 'numerical' or 'synthesis'"),
    ("missing field", QUESTION.replace("  topic: Sizes\n", ""), 1, "0.topic", "is missing; add it"),
    ("empty text", QUESTION.replace("Sizes", "''"), 5, "0.topic", "must not be empty"),
    ("blank text", QUESTION.replace("Sizes", "'  '"), 5, "0.topic", "is blank"),
    ("unknown key", QUESTION.replace("title", "titel"), 6, "0.titel", "did you mean 'title'?"),
    ("far key", QUESTION.replace("title", "zzz"), 6, "0.zzz", "the fields are id, question,"),
    ("id with space", QUESTION.replace("id: q1", "id: q 1"), 1, "0.id", "use only letters, digits"),
    ("id as path", QUESTION.replace("id: q1", "id: ../q1"), 1, "0.id", "use only letters, digits"),
    ("number as id", QUESTION.replace("id: q1", "id: 7"), 1, "0.id", "expected text; found 7"),
    ("long id", QUESTION.replace("id: q1", "id: " + "q" * 121), 1, "0.id", 'at most 120 characters; found "qqq'),
    ("difficulty", QUESTION + "  difficulty: 9\n", 7, "0.difficulty", "must be at most 5; found 9"),
    ("target", QUESTION + "  target_s: 1\n", 7, "0.target_s", "must be at least 10; found 1"),
    ("whole number", QUESTION + "  target_s: 90.5\n", 7, "0.target_s", "expected a whole number; found 90.5"),
    ("quoted number", QUESTION + "  target_s: '90'\n", 7, "0.target_s", 'expected a whole number; found "90"'),
    ("endless digits", QUESTION + f"  target_s: {'9' * 5000}\n", 7, "0.target_s", "expected a whole number"),
    ("text for list", QUESTION + "  alternatives: one\n", 7, "0.alternatives", 'expected a list; found "one"'),
    ("no prerequisite", QUESTION + "  prerequisites: [q2]\n", 7, "0.prerequisites.0", "there is no question 'q2'"),
    ("own prerequisite", QUESTION + "  prerequisites: [q1]\n", 7, "0.prerequisites", "go in a circle: q1 - q1"),
    ("override", QUESTION.replace("Sizes", '"a\\u202eb"'), 5, "0.topic", "unusable character U+202E"),
    ("zero byte", QUESTION.replace("Sizes", '"a\\0b"'), 5, "0.topic", "unusable character U+0000"),
    ("raw override", QUESTION.replace("Sizes", "a\u202eb"), 5, "", "unusable character U+202E"),
    ("raw control", QUESTION.replace("Sizes", "a\x01b"), 5, "", "unusable character U+0001"),
    ("half pair", QUESTION.replace("Sizes", '"\\ud800"'), 5, "", "is not YAML at column"),
    ("duplicate key", QUESTION + "  topic: Other\n", 7, "0.topic", "stands twice, first in line 5; keep one"),
    ("not a list", QUESTION.replace("- id", "  id"), 1, "", "expected a list of questions"),
    ("entry is text", "# bank\n- hello\n", 2, "0", 'expected named fields; found "hello"'),
    ("empty", "", None, "", "is empty"),
    ("comment only", "# later\n", None, "", "is empty"),
    ("empty list", "[]\n", None, "", "has no questions"),
    ("second document", QUESTION + "---\na: b\n", 7, "", "a second document starts here"),
    ("alias", QUESTION.replace("Sizes", "&t Sizes").replace("Size\n", "*t\n"), 5, "", "the anchor &t is not allowed"),
    ("alias alone", QUESTION.replace("Sizes", "*t"), 5, "", "the alias *t is not allowed"),
    ("itself", "&a\n- *a\n", 1, "", "the anchor &a is not allowed"),
    (
        "python",
        QUESTION.replace("Sizes", "!!python/object/apply:os.system [ls]"),
        5,
        "",
        "python/object/apply:os.system",
    ),
    ("any tag", QUESTION.replace("Sizes", "!!str Sizes"), 5, "", "is not allowed; write plain text"),
    ("key is a list", "- ? [a]\n  : b\n", 1, "", "a field's name must be a word"),
    ("odd key", '- id: q1\n  "a\\u200b": b\n', 2, "", "a field's name contains the unusable character U+200B"),
    ("tab", QUESTION + "\ttopic: x\n", 7, "", "is not YAML at column 1"),
    ("open bracket", "- id: q1\n  alternatives: [a\n", 3, "", "check indentation, colons and quotes"),
    ("colon in text", QUESTION.replace("Twice", "Twice: really"), 3, "", "mapping values are not allowed"),
    ("25 deep", "- " * 25 + "a\n", 1, "", "nested more than 20 deep"),
    ("5,000 deep", "[" * 5000 + "]" * 5000, 1, "", "exceeded maximum nesting depth"),
    ("too many", "- [" + "a," * 50_000 + "]\n", 1, "", "more than 50000 entries"),
    ("2 MB", QUESTION + "#" * 2_000_000, None, "", "is larger than 2 MB"),
    ("UTF-16", QUESTION.encode("utf-16"), None, "", "saved as UTF-16"),
    ("UTF-16 without mark", QUESTION.encode("utf-16-le"), None, "", "saved as UTF-16"),
    ("Latin-1", QUESTION.replace("Sizes", "Größe").encode("latin-1"), 5, "", "is not UTF-8 here"),
]


@pytest.mark.parametrize(
    ("text", "line", "field", "sentence"), [b[1:] for b in BAD_QUESTIONS], ids=[b[0] for b in BAD_QUESTIONS]
)
def test_a_mistake_in_a_question_file_is_told_with_its_place(
    write_bank: Write, text: str | bytes, line: int | None, field: str, sentence: str
) -> None:
    found = [m for m in mistakes(write_bank(text)) if m[0].startswith("data")]
    assert [m[:3] for m in found] == [("data/basics.yaml" if sentence != "has no questions" else "data", line, field)]
    assert sentence in found[0][3]


BAD_RUBRICS = [
    ("weight 7", RUBRIC.replace("weight: 1", "weight: 7"), 7, "criteria.1.weight", "must be at most 3; found 7"),
    ("weight 0", RUBRIC.replace("weight: 1", "weight: 0"), 7, "criteria.1.weight", "must be at least 1; found 0"),
    (
        "weight true",
        RUBRIC.replace("weight: 1", "weight: true"),
        7,
        "criteria.1.weight",
        "expected a whole number; found true",
    ),
    ("weight NaN", RUBRIC.replace("weight: 1", "weight: .nan"), 7, "criteria.1.weight", "expected a whole number"),
    (
        "bonus no",
        RUBRIC.replace("weight: 1", "weight: 1\n    bonus: no"),
        8,
        "criteria.1.bonus",
        'expected true or false; found "no"',
    ),
    ("no text", RUBRIC.replace("    text: It grows.\n", ""), 5, "criteria.1.text", "is missing"),
    (
        "unknown key",
        RUBRIC.replace("weight: 1", "wieght: 1\n    weight: 1"),
        7,
        "criteria.1.wieght",
        "did you mean 'weight'?",
    ),
    ("same id", RUBRIC.replace("id: c2", "id: c1"), 5, "criteria.1.id", "the id 'c1' stands twice"),
    (
        "all bonus",
        "criteria:\n  - {id: c1, text: a, weight: 1, bonus: true}\nstatus: draft\n",
        1,
        "criteria",
        "at least one must count",
    ),
    ("no criteria", "criteria: []\nstatus: draft\n", 1, "criteria", "needs at least 1"),
    ("criteria missing", "status: draft\n", 1, "criteria", "is missing"),
    ("criteria as text", "criteria: many\n", 1, "criteria", "expected a list"),
    ("list of rubrics", "- a\n", 1, "", "expected named fields; found a list"),
    ("status", RUBRIC.replace("reviewed", "final"), 20, "status", "expected 'reviewed' or 'draft'"),
    ("two hints", RUBRIC.replace("[a, b, c]", "[a, b]"), 19, "hints", "three hints, from faint to plain; found 2"),
    (
        "rule",
        RUBRIC.replace("weight: 1", "weight: 1\n    figures_rule: some"),
        8,
        "criteria.1.figures_rule",
        "'any' or 'all'",
    ),
    ("other name", "question_id: q2\n" + RUBRIC, 1, "question_id", "names 'q2', but the file is called q1.yaml"),
    (
        "unknown criterion",
        RUBRIC.replace("criterion_id: c1", "criterion_id: c9"),
        9,
        "figures.0.criterion_id",
        "no criterion 'c9'; there are c1, c2",
    ),
    (
        "unit",
        RUBRIC.replace("unit: GB", "unit: Gb"),
        13,
        "figures.0.unit",
        "'Gb' is not a known unit; did you mean 'GB'?",
    ),
    ("far unit", RUBRIC.replace("unit: GB", "unit: parsec"), 13, "figures.0.unit", "the units are 1, x, %,"),
    ("accept", RUBRIC.replace("[GiB]", "[GiB, s]"), 14, "figures.0.accept.1", "s does not measure the same as GB"),
    ("unknown accept", RUBRIC.replace("[GiB]", "[Gib]"), 14, "figures.0.accept.0", "'Gib' is not a known unit"),
    (
        "formula",
        RUBRIC.replace("2 * base", "2 * height"),
        11,
        "figures.0.formula",
        "the name 'height' is not among the inputs (base)",
    ),
    ("code", RUBRIC.replace("2 * base", "open(base)"), 11, "figures.0.formula", "there is no function 'open'"),
    ("zero", RUBRIC.replace("2 * base", "1 / (base - 3)"), 11, "figures.0.formula", "it divides by zero"),
    ("unused", RUBRIC.replace("{base: 3}", "{base: 3, age: 2}"), 12, "figures.0.inputs.age", "does not use this input"),
    (
        "input NaN",
        RUBRIC.replace("base: 3", "base: NaN"),
        12,
        "figures.0.inputs.base",
        'expected a number; found "NaN"',
    ),
    ("input huge", RUBRIC.replace("base: 3", "base: 1e999"), 12, "figures.0.inputs.base", "neither infinite nor NaN"),
    ("no origin", RUBRIC.replace("    formula: 2 * base\n", ""), 9, "figures.0", "needs either formula and inputs"),
    (
        "no source",
        RUBRIC.replace("formula: 2 * base\n    inputs: {base: 3}", "value: 3"),
        9,
        "figures.0",
        "needs its source",
    ),
    (
        "inputs alone",
        RUBRIC.replace("formula: 2 * base", "value: 3\n    source: a table"),
        13,
        "figures.0.inputs",
        "inputs need a formula",
    ),
    ("tolerance", RUBRIC.replace("unit: GB", "unit: GB\n    rel_tol: 8"), 14, "figures.0.rel_tol", "must be at most 1"),
    (
        "misconception",
        RUBRIC.replace("    correction: It does not.\n", ""),
        16,
        "misconceptions.0.correction",
        "is missing",
    ),
    ("blank hint", RUBRIC.replace("[a, b, c]", "[a, ' ', c]"), 19, "hints.1", "is blank"),
    ("duplicate key", RUBRIC + "status: draft\n", 21, "status", "stands twice, first in line 20"),
    ("bomb", "a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\n", 1, "", "the anchor &a is not allowed"),
]


@pytest.mark.parametrize(
    ("text", "line", "field", "sentence"), [b[1:] for b in BAD_RUBRICS], ids=[b[0] for b in BAD_RUBRICS]
)
def test_a_mistake_in_a_rubric_is_told_with_its_place(
    write_bank: Write, text: str, line: int, field: str, sentence: str
) -> None:
    file, found_line, found_field, message = only(write_bank(rubric=text))
    assert (file, found_line, found_field) == ("rubrics/q1.yaml", line, field)
    assert sentence in message
