"""What a model server can do, found out by asking it a few short questions."""

from __future__ import annotations

from typing import Any

from tutor.adapters.chat_openai_reply import Reply, Unusable, read_label, read_models, read_odds, read_reply
from tutor.adapters.chat_openai_transport import Deadline, Refused, Transport
from tutor.adapters.endpoint import Capabilities, Endpoint
from tutor.errors import EngineReply

TOP_LOGPROBS = 20
# A server that takes the schema seriously has no other way to answer than these made-up words.
ODD_WORDS = ("zq7", "vx4")
EASY = "Reply with exactly one word: Yes or No. Is fire hot?"
HELLO = "Reply with the word hello."
# First everything we would like, then without what a server may not know.
LADDER = ((True, True), (False, True), (True, False), (False, False))


def quietly() -> dict[str, Any]:
    """The request's fields that ask a thinking model to answer at once."""
    return {"extra_body": {"chat_template_kwargs": {"enable_thinking": False}}}


def with_odds() -> dict[str, Any]:
    """The request's fields that ask for the first token and its alternatives."""
    return {"max_tokens": 1, "logprobs": True, "top_logprobs": TOP_LOGPROBS}


def with_schema(labels: tuple[str, ...]) -> dict[str, Any]:
    """The request's field that allows only `{"label": <one of labels>}`.

    The nested form: the flat one is accepted and ignored by some servers.
    """
    schema = {
        "type": "object",
        "properties": {"label": {"type": "string", "enum": list(labels)}},
        "required": ["label"],
        "additionalProperties": False,
    }
    return {
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "verdict", "strict": True, "schema": schema},
        }
    }


def probe(transport: Transport, endpoint: Endpoint, deadline: Deadline) -> Capabilities:
    """Ask for the model's name (if none is set), log probabilities, a schema, and a repeated prompt.

    Raises:
        EngineDown: The server does not answer, refuses the key or does not know the model.
        EngineTimeout: The deadline passed.
        EngineReply: It answers, but not as a chat server.
    """
    model = endpoint.model or _first_model(transport, endpoint, deadline)
    body, quiet, reply = _accepted(transport, endpoint, model, deadline)
    logprobs = _has_odds(reply)
    repeated = read_reply(transport.chat(endpoint, body, deadline))
    extra = quietly() if quiet else {}
    schema = _obeys_schema(transport, endpoint, _ask(model, HELLO) | extra, deadline)
    return Capabilities(
        server=endpoint.shown,
        model=model,
        logprobs=logprobs,
        schema=schema,
        prefix_reuse=bool(repeated.cached_tokens),
        quiet=quiet,
        detail=_detail(model, logprobs, schema, bool(repeated.cached_tokens)),
    )


def _first_model(transport: Transport, endpoint: Endpoint, deadline: Deadline) -> str:
    try:
        names = read_models(transport.models(endpoint, deadline))
    except Unusable as error:
        raise EngineReply(
            f"The server at {endpoint.shown} is not a model server: {error}. "
            "Check TUTOR_CHAT_URL (it usually ends in /v1), then retry grading."
        ) from error
    if not names:
        raise EngineReply(
            f"The model server at {endpoint.shown} lists no model. Load one there or set TUTOR_CHAT_MODEL."
        )
    return names[0]


def _ask(model: str, question: str) -> dict[str, Any]:
    return {
        "model": model,
        "messages": [{"role": "user", "content": question}],
        "temperature": 0,
        "max_tokens": 64,
    }


def _accepted(
    transport: Transport, endpoint: Endpoint, model: str, deadline: Deadline
) -> tuple[dict[str, Any], bool, Reply]:
    """The first request of the ladder that the server accepts, whether it is a quiet one, and the reply."""
    refusals: list[Refused] = []
    for quiet, odds in LADDER:
        body = _ask(model, EASY) | (with_odds() if odds else {}) | (quietly() if quiet else {})
        try:
            return body, quiet, read_reply(transport.chat(endpoint, body, deadline))
        except Refused as error:
            refusals.append(error)
        except Unusable as error:
            raise EngineReply(
                f"The server at {endpoint.shown} is not a usable model server: {error}. "
                "Check TUTOR_CHAT_URL (it usually ends in /v1), then retry grading."
            ) from error
    raise refusals[-1]


def _has_odds(reply: Reply) -> bool:
    """Whether an easy question is answered at once, with log probabilities mostly on the labels.

    A model that thinks first gives log probabilities too, but of its first thought.
    """
    try:
        read_odds(reply, ("Yes", "No"))
    except Unusable:
        return False
    return len(reply.alternatives) > 1


def _obeys_schema(transport: Transport, endpoint: Endpoint, body: dict[str, Any], deadline: Deadline) -> bool:
    try:
        reply = read_reply(transport.chat(endpoint, body | with_schema(ODD_WORDS), deadline))
        read_label(reply, ODD_WORDS)
    except (Refused, Unusable):
        return False
    return True


def _detail(model: str, logprobs: bool, schema: bool, reuse: bool) -> str:
    """The findings as one sentence.

    >>> _detail("m", True, False, True)
    'm: log probabilities yes, schema no, reuse of a repeated prompt yes.'
    """
    word = {True: "yes", False: "no"}
    return (
        f"{model}: log probabilities {word[logprobs]}, schema {word[schema]}, reuse of a repeated prompt {word[reuse]}."
    )
