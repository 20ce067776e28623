"""Perplexity and bits from a loss."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tutor.drills.family import Draw, Family, Point, Step


def _losses() -> Iterator[Draw]:
    """Losses of language models on text, and damage as quantization does it."""
    rises, vocabularies = (0.03, 0.05, 0.08, 0.1), (32_000, 50_257, 128_256, 151_936, 256_000)
    for n, rise, vocabulary in product(range(80, 175), rises, vocabularies):
        yield {"loss": n / 50, "rise": rise, "vocabulary": vocabulary}


FAMILY = Family(
    name="perplexity",
    title="Drill: perplexity from loss",
    topic="Language models and tokens",
    chapter="Basics",
    section="The training objective: cross-entropy",
    difficulty=2,
    draws=_losses,
    settings=(
        "A language model with a vocabulary of {vocabulary} tokens has a loss of {loss} nats per token.",
        "On held-out text a model reaches a cross-entropy of {loss} nats per token; its vocabulary has {vocabulary} "
        "entries.",
        "The evaluation says {loss} nats per token, for a model whose vocabulary holds {vocabulary} tokens.",
    ),
    asks=(
        "What is its perplexity, how many bits per token is that, by how many percent does perplexity rise when the "
        "loss rises by {rise}, and what loss did it have before training?",
        "Give the perplexity and the bits per token. Quantization adds {rise} to the loss: how much worse is the "
        "perplexity in percent? And which loss would blind guessing have?",
        "Convert it into perplexity and into bits. If the loss grows by {rise}, by what percentage does the "
        "perplexity grow? With which loss did training start?",
    ),
    steps={
        "perplexity": Step("Perplexity", "exp(loss)", "1", 0.02),
        "bits": Step("Bits per token", "loss / log(2)", "bit", 0.02),
        "worse": Step("Rise of the perplexity", "100 * (exp(rise) - 1)", "%", 0.08),
        "start": Step("Loss of uniform guessing", "log(vocabulary)", "1", 0.02),
    },
    solution=(
        "Perplexity is e to the loss: e to the power of {loss} is about {perplexity}. It is as if the model hesitated "
        "between that many equally likely tokens at every position. Bits differ from nats by the logarithm of two, so "
        "I divide by 0.693 and get {bits} per token. A rise of the loss multiplies the perplexity, here by e to the "
        "{rise}, so it gets about {worse} worse, from whatever level. Before training the model spreads its "
        "probability evenly, and then the loss is the logarithm of the vocabulary, ln {vocabulary}, about {start} "
        "nats."
    ),
    points=(
        Point(
            "Perplexity is e to the power of the loss in nats.",
            "Perplexity is two to the power of a loss in nats, or the loss itself.",
            2,
        ),
        Point(
            "The perplexity is about {perplexity}.",
            "The perplexity is clearly different from {perplexity}.",
            3,
            ("perplexity",),
        ),
        Point(
            "That is about {bits} per token.",
            "That is a number of bits per token clearly different from {bits:n}.",
            2,
            ("bits",),
        ),
        Point(
            "The perplexity rises by about {worse}.",
            "The perplexity rises by a percentage clearly different from {worse:n}.",
            2,
            ("worse",),
        ),
        Point(
            "Uniform guessing over the vocabulary has a loss of about {start} nats.",
            "Uniform guessing has a loss clearly different from {start} nats.",
            1,
            ("start",),
        ),
        Point(
            "Perplexity can be pictured as the number of equally likely tokens the model hesitates between.",
            "Perplexity is the share of tokens that the model predicts wrongly.",
        ),
    ),
    misconceptions=(
        (
            "Perplexities of models with different tokenizers can be compared directly.",
            "A token covers another amount of text in each, so the loss has to be put per byte or per word first.",
        ),
        (
            "A perplexity of one is what training starts from.",
            "One would be certainty about every token; at the start it is as large as the vocabulary.",
        ),
    ),
    terms=("perplexity", "cross-entropy", "nats", "bits", "vocabulary", "tokens", "loss", "logarithm", "quantization"),
    hints=(
        "The loss is a mean of logarithms; which function undoes that?",
        "Another base of the logarithm is only a constant factor.",
        "Adding to an exponent multiplies what comes out, and an untrained model prefers nothing.",
    ),
)
