"""A served language model behind the `openai` client, choosing between single-word labels."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

from tutor.adapters.chat_openai_probe import probe, quietly, with_odds, with_schema
from tutor.adapters.chat_openai_reply import Reply, Unusable, read_label, read_odds, read_reply
from tutor.adapters.chat_openai_transport import Deadline, Transport, Unreachable
from tutor.adapters.endpoint import Capabilities, Endpoint
from tutor.errors import EngineReply
from tutor.ports import Choice, Turn

Way = Literal["odds", "schema", "word"]
REPAIRS = 2
RECONNECT_PAUSE_S = 0.2


class OpenAIChat:
    """The ChatModel plug for any OpenAI-compatible server.

    The endpoint is asked for before each call, because a restarted server listens elsewhere; it may
    block until the server is ready and raise EngineDown. What the server can do is probed once for
    each address and then remembered.

    Args:
        endpoint: Gives the server's address.
        deadline_s: Seconds for one `choose`, repairs included; waiting inside `endpoint` is not counted.
        first_s: Seconds for the first one at an address, which computes a long constant front of the
            prompt there; `deadline_s` when not given.
        probe_s: Seconds for the probe before that.
        reply_tokens: Longest reply where the label cannot be read from the first token alone.
        transport: Another transport, with other limits.
    """

    def __init__(
        self,
        endpoint: Callable[[], Endpoint],
        *,
        deadline_s: float = 60.0,
        first_s: float | None = None,
        probe_s: float = 60.0,
        reply_tokens: int = 256,
        transport: Transport | None = None,
    ) -> None:
        self._endpoint, self._deadline_s, self._probe_s = endpoint, deadline_s, probe_s
        self._first_s = deadline_s if first_s is None else first_s
        self._reply_tokens = reply_tokens
        self._answered: Endpoint | None = None
        self._transport = transport or Transport()
        self._probing = threading.Lock()
        self._known: tuple[Endpoint, Capabilities] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Cancel what is under way and close the connections."""
        self._transport.close()

    @property
    def name(self) -> str:
        """Model name for the fingerprint; asks the server only where no name is set.

        Raises:
            EngineError: No name is set and the server cannot be asked.
        """
        known = self._known
        return known[1].model if known else self._endpoint().model or self.capabilities().model

    def capabilities(self) -> Capabilities:
        """What the server can do, probed on first use of its address.

        Raises:
            EngineDown: It does not answer.
            EngineTimeout: It takes longer than the deadline.
            EngineReply: It is no chat server.
        """
        return self._server()[1]

    def choose(self, turns: Sequence[Turn], labels: tuple[str, ...]) -> Choice:
        """The label the model gives as its whole reply; see ports.ChatModel.

        Without log probabilities the choice has no `probability`. A broken connection is tried once
        more at the address that holds then; an unusable reply is repaired at most twice.

        Raises:
            EngineDown: The server does not answer, also not a moment later.
            EngineTimeout: The deadline passed.
            EngineReply: Three replies without a usable label, or a prompt that the server cut.
        """
        endpoint, able = self._server()
        deadline = Deadline(self._deadline_s if endpoint == self._answered else self._first_s)
        try:
            choice = self._choose_at(endpoint, able, turns, labels, deadline)
        except Unreachable:
            time.sleep(RECONNECT_PAUSE_S)
            before = endpoint
            endpoint, able = self._server()
            if endpoint != before:
                deadline = Deadline(self._first_s)
            choice = self._choose_at(endpoint, able, turns, labels, deadline)
        self._answered = endpoint
        return choice

    def _server(self) -> tuple[Endpoint, Capabilities]:
        endpoint = self._endpoint()
        with self._probing:
            if self._known is None or self._known[0] != endpoint:
                self._known = endpoint, probe(self._transport, endpoint, Deadline(self._probe_s))
            return self._known

    def _choose_at(
        self,
        endpoint: Endpoint,
        able: Capabilities,
        turns: Sequence[Turn],
        labels: tuple[str, ...],
        deadline: Deadline,
    ) -> Choice:
        reasons: list[str] = []
        asked = tuple(turns)
        for way in ways(able):
            said = Reply("")
            try:
                said = read_reply(self._transport.chat(endpoint, self._body(asked, labels, way, able), deadline))
                _refuse_cut_prompt(asked, said, endpoint)
                return read_odds(said, labels) if way == "odds" else read_label(said, labels)
            except Unusable as error:
                reasons.append(str(error))
                asked = _corrected(turns, said, labels)
        raise EngineReply(
            f"The model {able.model} at {endpoint.shown} gave no usable verdict in {len(reasons)} tries: "
            f"{reasons[-1]}. Retry grading or choose another model."
        )

    def _body(self, turns: Sequence[Turn], labels: tuple[str, ...], way: Way, able: Capabilities) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": able.model,
            "messages": [{"role": turn.role, "content": _sendable(turn.content)} for turn in turns],
            "temperature": 0,
            "max_tokens": self._reply_tokens,
        }
        if way == "odds":
            body |= with_odds()
        if way == "schema":
            body |= with_schema(labels)
        return body | quietly() if able.quiet else body


def ways(able: Capabilities) -> tuple[Way, ...]:
    """How to ask, first the best that the server can, then for each repair.

    >>> ways(Capabilities("s", "m", logprobs=True, schema=True, prefix_reuse=True, quiet=True, detail=""))
    ('odds', 'schema', 'word')
    """
    best: list[Way] = []
    if able.logprobs:
        best.append("odds")
    if able.schema:
        best.append("schema")
    while len(best) < 1 + REPAIRS:
        best.append("word")
    return tuple(best)


def _corrected(turns: Sequence[Turn], said: Reply, labels: tuple[str, ...]) -> tuple[Turn, ...]:
    words = " or ".join(labels)
    return (
        *turns,
        Turn("assistant", said.content[:200] or "..."),
        Turn("user", f"Reply to the last question with exactly one word: {words}."),
    )


def _sendable(text: str) -> str:
    # Half a surrogate pair, as a damaged file may hold, cannot be written as UTF-8.
    return text.encode("utf-8", "replace").decode("utf-8")


def _refuse_cut_prompt(turns: Sequence[Turn], said: Reply, endpoint: Endpoint) -> None:
    """Some servers silently drop the start of a prompt that is too long; the verdict would be about half an answer.

    No common tokenizer writes several words as one token, so three quarters of the words is a safe lower
    bound of the tokens. A server that counts nothing passes.
    """
    least_tokens = sum(len(turn.content.split()) for turn in turns) * 3 // 4
    if said.prompt_tokens and said.prompt_tokens < least_tokens:
        raise EngineReply(
            f"The model server at {endpoint.shown} cut the prompt: it read {said.prompt_tokens} tokens of at least "
            f"{least_tokens}. Give it a longer context (4096 tokens or more), then retry grading."
        )
