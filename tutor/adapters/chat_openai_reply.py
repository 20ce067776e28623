"""Reading a chat completion strictly: the label's odds, or one exact label, or nothing."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tutor.errors import EngineReply
from tutor.ports import Choice

# Below this the labels were not what the model was about to say.
LEAST_LABEL_MASS = 1e-3
# Rounding of single-precision log probabilities: nothing unlisted is taken to be rarer than the
# list's own error allows.
REST_FLOOR = 1e-6
THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)


class Unusable(EngineReply):
    """This reply holds no verdict, but asking once more may help."""


class _Wire(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class _Alternative(_Wire):
    token: str
    logprob: Annotated[float, Field(le=1e-3)]


class _Position(_Wire):
    token: str
    top_logprobs: tuple[_Alternative, ...] = ()


class _Logprobs(_Wire):
    content: tuple[_Position, ...] | None = None


class _Message(_Wire):
    content: str | None = None


class _Option(_Wire):
    message: _Message
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None


class _Cached(_Wire):
    cached_tokens: int | None = None


class _Usage(_Wire):
    prompt_tokens: int | None = None
    prompt_tokens_details: _Cached | None = None


class _Completion(_Wire):
    choices: tuple[_Option, ...] = Field(min_length=1)
    usage: _Usage | None = None


class _Model(_Wire):
    id: str = Field(min_length=1)


class _Models(_Wire):
    data: tuple[_Model, ...]


@dataclass(frozen=True)
class Reply:
    """The parts of a completion that matter here.

    Attributes:
        content: The words, without a leading `<think>` block.
        finish_reason: `stop`, `length` ..., or None.
        alternatives: (token, natural log probability) for the first token that is not blank.
        prompt_tokens: Tokens of the prompt as the server counted them, or None.
        cached_tokens: How many of them it had in its cache, or None.
    """

    content: str
    finish_reason: str | None = None
    alternatives: tuple[tuple[str, float], ...] = ()
    prompt_tokens: int | None = None
    cached_tokens: int | None = None


def strict_json(text: str | bytes) -> Any:
    """Parse JSON; refuses NaN, infinities, repeated keys and absurd nesting.

    Raises:
        Unusable: It is not strict JSON.

    >>> strict_json('{"label": "Yes"}')
    {'label': 'Yes'}
    """
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_repeats)
    except (ValueError, RecursionError) as error:
        raise Unusable("its reply is not valid JSON") from error


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) != len(pairs):
        raise ValueError("a key stands twice")
    return unique


def read_reply(body: bytes) -> Reply:
    """A completion from the bytes of a reply.

    Raises:
        Unusable: The bytes are not a chat completion.
    """
    try:
        completion = _Completion.model_validate(strict_json(body))
    except ValidationError as error:
        raise Unusable("its reply is not a chat completion") from error
    option, usage = completion.choices[0], completion.usage or _Usage()
    positions = (option.logprobs.content if option.logprobs else None) or ()
    first = next((p for p in positions if p.token.strip()), _Position(token=""))
    return Reply(
        content=THOUGHTS.sub("", option.message.content or "").strip(),
        finish_reason=option.finish_reason,
        alternatives=tuple((a.token, a.logprob) for a in first.top_logprobs),
        prompt_tokens=usage.prompt_tokens,
        cached_tokens=usage.prompt_tokens_details.cached_tokens if usage.prompt_tokens_details else None,
    )


def read_models(body: bytes) -> tuple[str, ...]:
    """Model names from the bytes of a model list.

    Raises:
        Unusable: The bytes are not a model list.
    """
    try:
        return tuple(model.id for model in _Models.model_validate(strict_json(body)).data)
    except ValidationError as error:
        raise Unusable("its reply is not a list of models") from error


def read_odds(reply: Reply, labels: tuple[str, ...]) -> Choice:
    """The choice by renormalised log probabilities of the first token.

    Tokens that differ from a label only in case or blanks count as that label. A label that is not
    listed gets the largest probability it can have: that of the last entry, or what the list leaves over.

    Raises:
        Unusable: No log probabilities, or hardly any of them on a label.

    >>> reply = Reply("Yes", None, (("Yes", math.log(0.6)), (" yes", math.log(0.2)), ("No", math.log(0.2))))
    >>> choice = read_odds(reply, ("Yes", "No"))
    >>> choice.label, round(choice.probability, 3), round(choice.log_odds, 3)
    ('Yes', 0.8, 1.386)
    """
    if not reply.alternatives:
        raise Unusable("its reply carries no log probabilities")
    mass = {label: 0.0 for label in labels}
    by_fold = {label.casefold(): label for label in labels}
    for token, logprob in reply.alternatives:
        label = by_fold.get(_bare(token))
        if label is not None:
            mass[label] += math.exp(logprob)
    if sum(mass.values()) < LEAST_LABEL_MASS:
        raise Unusable(_said(reply, labels))
    bound = _unlisted(reply.alternatives)
    logs = {label: math.log(p) if p > 0.0 else bound for label, p in mass.items()}
    total = math.log(sum(math.exp(value) for value in logs.values()))
    first, *others = (logs[label] for label in labels)
    return Choice(
        label=max(labels, key=lambda label: logs[label]),
        probability=min(1.0, math.exp(first - total)),
        log_odds=first - max(others),
        prompt_tokens=reply.prompt_tokens,
    )


def _bare(token: str) -> str:
    # Some servers hand out the tokenizer's own signs for a leading blank.
    return token.lstrip("▁Ġ").strip().casefold()


def _unlisted(alternatives: Sequence[tuple[str, float]]) -> float:
    """The largest log probability that an unlisted token can have, finite.

    >>> round(math.exp(_unlisted((("Yes", math.log(0.9)), ("So", math.log(0.08))))), 3)
    0.02
    """
    last = min(logprob for _, logprob in alternatives)
    rest = 1.0 - sum(math.exp(logprob) for _, logprob in alternatives)
    return min(last, math.log(max(rest, REST_FLOOR)))


def read_label(reply: Reply, labels: tuple[str, ...]) -> Choice:
    """The choice by words: exactly one label (any case, one full stop allowed), or exactly `{"label": ...}`.

    Raises:
        Unusable: Anything else, also a reply that was cut off.

    >>> read_label(Reply("yes."), ("Yes", "No")).label, read_label(Reply('{"label": "No"}'), ("Yes", "No")).label
    ('Yes', 'No')
    """
    if reply.finish_reason == "length":
        raise Unusable("its reply was cut off (finish_reason length) before a usable label")
    label = {label.casefold(): label for label in labels}.get(reply.content.removesuffix(".").casefold())
    if label is None and reply.content.startswith("{"):
        said = strict_json(reply.content)
        label = said["label"] if said.keys() == {"label"} and said["label"] in labels else None
    if label is None:
        raise Unusable(_said(reply, labels))
    return Choice(label=label, probability=None, prompt_tokens=reply.prompt_tokens)


def _said(reply: Reply, labels: tuple[str, ...]) -> str:
    words = " ".join("".join(c if c.isprintable() else " " for c in reply.content[:60]).split())
    cut = " (finish_reason length)" if reply.finish_reason == "length" else ""
    return f"it said {words!r}{cut} instead of {' or '.join(labels)}"
