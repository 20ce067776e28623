"""Pages written for the tests, in the layouts that people keep questions in."""

from __future__ import annotations

CHAPTERS = {"Kitchens": 9, "Gardens and yards": 7, "How boats work": 12, "Roads": 5, "Synthesis": 7}
"""Chapters of the long page with their number of questions, 40 together."""

_SUBJECTS = (
    "a kettle", "a rake", "a sail", "a kerb", "a ladder", "a pump", "a hinge", "a lamp", "a drain",
    "a rope", "a wheel", "a bell",
)  # fmt: skip
_QUESTIONS = (
    "What is {thing} for?",
    "Why does {thing} need care? What happens without it?",
    "How heavy is {thing} number {n}?",
    "Describe {thing} as fully as you can.",
)
_ANSWERS = (
    "It does one job well; the job is to help. Without it, work takes longer. See the chapter on {thing}.",
    "Rust is the enemy (it eats iron; slowly, but surely). A drop of oil keeps {thing} moving. See tools: care.",
    "About {n} kg. The frame takes most of it, and the rest is paint.",
    "First, look at {thing}:\n- the handle comes first: it must fit the hand;\n- then the moving parts;\n"
    "- 1. is the price, which is low.\nIn short, it is simple. See how {thing} is made.",
)


def _asked(n: int) -> tuple[str, str]:
    thing = _SUBJECTS[n % len(_SUBJECTS)]
    place = n % len(_QUESTIONS)
    question, answer = _QUESTIONS[place].format(thing=thing, n=n), _ANSWERS[place].format(thing=thing, n=n)
    return (question if place == 2 else question.replace(thing, f"{thing} (kind {n})", 1)), answer


def by_chapter() -> str:
    """40 numbered questions under chapters, each with the word "Answer" on a line of its own, as a web page copied."""
    lines = [
        "Practice questions\N{PILCROW SIGN}", "Forty questions about things. Can you answer them?", "How to use them",
        "- Once a week: answer every question aloud;", "- Before a test: only the hard ones.",
    ]  # fmt: skip
    n = 0
    for chapter, count in CHAPTERS.items():
        lines.append(f"{chapter}\N{PILCROW SIGN}")
        for _ in range(count):
            n += 1
            question, answer = _asked(n)
            lines += [f"{n}. {question}", "Answer", *answer.split("\n")]
    return "\n".join([*lines, "Found a mistake? Edit this page\N{MIDDLE DOT}Report an issue", ""])


def in_a_row() -> str:
    """20 numbered questions that all ask, their answers right below, and a closing line."""
    lines = ["Quick round", "Twenty questions. No looking.", "All mixed up"]
    for n in range(1, 21):
        thing = _SUBJECTS[n % len(_SUBJECTS)]
        lines += [f"{n}. You have {n} of {thing} at {n} kg. How much is that?", f"About {n * n} kg. Steel is heavy."]
    return "\n".join([*lines, "See the appendix for the scales that were used.", ""])


_MARKED = {
    "headings that ask": "# Storage\n\n## {what}\n\nMemory for\nfile blocks.\n\n## {why}\n\n{power}\n",
    "numbered headings": "# Storage\n\n### 1. {what}\n{memory}\n### 2. {why}\n{power}\n",
    "headings with Q": "# Storage\n## Q: {what}\n{memory}\n## Q: {why}\n{power}\n",
    "bold Q and A": "# Storage\n\n**Q1.** {what} **A:** {memory}\n\n"
    "**Q2.** {why}\n\n**A:** {power}\n",
    "bold Q with colons": "## Storage\n**Q:** {what}\n**A:** {memory}\n\n"
    "**Q: {why}**\n\n**Answer:** {power}\n",
    "Q and A lines": "# Storage\nQ: {what}\nA: {memory}\n\nQ: {why}\nA: {power}\n",
    "Q and A on one line": "# Storage\nQ1: {what} A: {memory}\nQ2: {why} A: {power}\n",
    "folded questions": "# Storage\n<details>\n<summary>{what}</summary>\n\n{memory}\n\n"
    "</details>\n<details><summary><b>{why}</b></summary>{power}</details>\n",
    "folded answers": "# Storage\n1. {what}\n<details><summary>Show answer</summary>\n\n"
    "{memory}\n</details>\n\n2. {why}\n<details><summary>Answer</summary>\n{power}\n</details>\n",
    "folded answers, nothing else": "# Storage\n\n{what}\n\n<details>\n<summary>Answer</summary>\n"
    "{memory}\n</details>\n\n{why}\n\n<details>\n<summary>Answer</summary>\n{power}\n</details>\n",
    "underlined heading": "Storage\n=======\n\n1) What is a page\n   cache?\n\n   {memory}\n\n2) {why}\n\n   {power}\n",
    "bold lines": "# Storage\n\n**{what}**\n\n{memory}\n\n**{why}** {power}\n",
    "bold numbers": "# Storage\n**1. {what}**\n{memory}\n**2. {why}**\n{power}\n",
    "question and answer headings": "# Storage\n## Question 1\n{what}\n### Answer\n{memory}\n"
    "## Question 2\n{why}\n### Answer\n{power}\n",
    "quoted": "# Storage\n> 1. {what}\n> {memory}\n>\n> 2. {why}\n> {power}\n",
    "with fields at the top": "---\ntitle: Q and A?\n---\n# Storage\n## {what}\n{memory}\n"
    "---\n## {why}\n{power}\n",
    "closing hashes and comments": "# Storage #\n<!-- what?\nis this -->\n## {what} ##\n{memory}\n"
    "## {why} ##\n{power}\n",
    "the word and a colon": "Storage\n\n1. {what}\nAnswer:\n{memory}\n\n2. {why}\nAnswer:\n{power}\n",
}  # fmt: skip

MARKED = {
    layout: page.format(
        what="What is a page cache?", memory="Memory for file blocks.", why="Why fsync?", power="Power fails."
    )
    for layout, page in _MARKED.items()
}
"""The same two questions under one heading, as different people write them."""
