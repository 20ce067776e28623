"""Tokens from words, with their share of a window and their price."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tutor.drills.family import Draw, Family, Point, Step


def _passages() -> Iterator[Draw]:
    """Prompts that fill some of their context, and bills between a lunch and a car."""
    prices, windows = (0.1, 0.2, 0.5, 1, 2.5), (8_192, 16_384, 32_768, 131_072)
    for words, passages, window, price in product((240, 360, 450, 600, 900, 1_200), (4, 5, 6, 8, 12), windows, prices):
        tokens = words * passages * 4 / 3
        if 0.08 <= tokens / window <= 0.8:
            for requests in (20_000, 50_000, 200_000):
                yield {"words": words, "passages": passages, "window": window, "price": price, "requests": requests}


FAMILY = Family(
    name="tokens-words",
    title="Drill: tokens from words",
    topic="Language models and tokens",
    chapter="Basics",
    section="BPE",
    difficulty=1,
    draws=_passages,
    settings=(
        "A prompt carries {passages} English passages of {words} words each; the window has {window} tokens, and a "
        "million input tokens cost {price} dollars.",
        "You put {passages} passages into a prompt, each {words} English words long. The context window is {window} "
        "tokens, the price {price} dollars per million input tokens.",
        "Retrieval adds {passages} English texts of {words} words to every request. The model reads {window} tokens "
        "at most and charges {price} dollars for a million of them.",
    ),
    asks=(
        "About how many tokens is that, which percentage of the window, and what do {requests} such requests cost?",
        "Estimate the tokens of a prompt, how full the window gets in percent, and the bill for {requests} requests.",
        "Turn the words into tokens, say how much of the window they take, and price {requests} of these requests.",
    ),
    steps={
        "passage": Step("Tokens of a passage", "words * 4 / 3", "tokens", 0.08),
        "prompt": Step("Tokens of the prompt", "passages * passage", "tokens", 0.08),
        "share": Step("Share of the window", "100 * prompt / window", "%", 0.08),
        "read": Step("Tokens of all requests", "requests * prompt", "tokens", 0.1),
        "bill": Step("Cost of the requests", "read * price / 1e6", "USD", 0.1),
    },
    solution=(
        "For English I take four tokens for three words, since common words are one token and rarer ones several. A "
        "passage of {words} words is then about {passage}, and {passages} of them are about {prompt}. Of a window of "
        "{window} that is about {share}, so there is room for the instructions and the reply. All {requests} requests "
        "together read about {read}, and at {price} dollars per million this comes to about {bill}. The ratio holds "
        "for English prose only; code, numbers and most other languages need more tokens per word, so for anything "
        "that matters I would run the tokenizer."
    ),
    points=(
        Point(
            "English has about four tokens for three words.",
            "English has fewer tokens than words, or about one token per character.",
            2,
        ),
        Point(
            "A passage has about {passage}.",
            "A passage has a number of tokens clearly different from {passage:n}.",
            1,
            ("passage",),
        ),
        Point(
            "The whole prompt has about {prompt}.",
            "The whole prompt has a number of tokens clearly different from {prompt:n}.",
            3,
            ("prompt",),
        ),
        Point(
            "That is about {share} of the window.",
            "The share of the window is clearly different from {share}.",
            2,
            ("share",),
        ),
        Point(
            "The requests cost about {bill}.",
            "The requests cost a sum clearly different from {bill}.",
            2,
            ("bill",),
        ),
        Point(
            "Other languages and code need more tokens per word than English.",
            "The number of tokens per word is the same for all languages.",
        ),
    ),
    misconceptions=(
        (
            "A token is a word.",
            "Frequent words are one token, but others are cut into pieces, and spaces and signs count too.",
        ),
        (
            "Passages that are retrieved do not count as input.",
            "The model reads them like everything else in the prompt, and they are paid for.",
        ),
    ),
    terms=(
        "English",
        "tokens",
        "tokenizer",
        "BPE",
        "context window",
        "prompt",
        "vocabulary",
        "input tokens",
        "retrieval",
    ),
    hints=(
        "How much of a word does a typical piece of the vocabulary cover in English?",
        "Convert one passage first; the rest is multiplication.",
        "Compare with what fits, and mind that prices are quoted for a large round number.",
    ),
)
