"""A small loopback server that speaks chat completions and transcriptions, and misbehaves on request.

By itself it plays an honest model: it says `Yes`, obeys a nested schema, lists log probabilities and counts
cached tokens, and hears one sentence in every recording with the time of each word, each only if told that
it can. `then(...)` scripts the next calls instead.
"""

from __future__ import annotations

import json
import math
import select
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any, Self

from tutor.adapters.endpoint import Endpoint

LONGEST_WAIT_S = 20.0
Behaviour = Callable[["Call"], None]


@dataclass(frozen=True)
class Abilities:
    """What the honest model can do."""

    odds: Mapping[str, float] | None = field(default_factory=lambda: {"Yes": 0.7, " yes": 0.1, "No": 0.15, "So": 0.01})
    schema: bool = True
    caches: bool = True
    knows_quiet: bool = True
    models: tuple[str, ...] = ("tiny", "large")
    model_list: bytes | None = None
    word: str = "Yes"
    hears: str = "Decode is limited by memory bandwidth."
    word_times: bool = True


class Call:
    """One request that is being answered."""

    def __init__(self, handler: Handler, body: dict[str, Any]) -> None:
        self.handler, self.body, self.server = handler, body, handler.server.owner
        self.key = handler.headers.get("Authorization", "").removeprefix("Bearer ")

    def reply(self, body: bytes, status: int = 200, kind: str = "application/json", **headers: str) -> None:
        self.handler.send_response(status)
        self.handler.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.handler.send_header(name.replace("_", "-"), value)
        self.handler.end_headers()
        self.handler.wfile.write(body)

    def prompt_tokens(self) -> int:
        return sum(len(message["content"]) for message in self.body["messages"]) // 4 + 8

    def wait_for_client_to_leave(self, tick: Callable[[], None] = lambda: None) -> None:
        """Until the client closes its side; notes that in `server.abandoned`."""
        waited_s = 0.0
        while waited_s < LONGEST_WAIT_S and not self.server.closing.is_set():
            readable, _, _ = select.select([self.handler.connection], [], [], 0.02)
            if readable and not self.handler.connection.recv(1024):
                self.server.abandoned.set()
                return
            waited_s += 0.02
            tick()


class Handler(BaseHTTPRequestHandler):
    server: Listener

    def do_GET(self) -> None:
        call = Call(self, {})
        self.server.owner.calls.append(call)
        able = self.server.owner.abilities
        honestly = json.dumps({"object": "list", "data": [{"id": name} for name in able.models]}).encode()
        call.reply(able.model_list or honestly)

    def do_POST(self) -> None:
        owner = self.server.owner
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        kind = self.headers["Content-Type"]
        call = Call(self, form_fields(kind, raw) if kind.startswith("multipart/") else json.loads(raw))
        owner.calls.append(call)
        behaviour = owner.script.popleft() if owner.script else owner.always or honest
        try:
            behaviour(call)
        except (BrokenPipeError, ConnectionResetError):
            owner.abandoned.set()

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Listener(ThreadingTCPServer):
    daemon_threads = False
    owner: FakeOpenAIServer


class FakeOpenAIServer:
    """Listens on a free loopback port until closed."""

    def __init__(self, abilities: Abilities | None = None) -> None:
        self.abilities = abilities or Abilities()
        self.calls: list[Call] = []
        self.script: deque[Behaviour] = deque()
        self.always: Behaviour | None = None
        self.abandoned, self.closing = threading.Event(), threading.Event()
        self._seen: set[str] = set()
        self._listener = Listener(("127.0.0.1", 0), Handler)
        self._listener.owner = self
        self._thread = threading.Thread(target=self._listener.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._listener.shutdown()
        self._listener.server_close()
        self._thread.join()

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint(f"http://127.0.0.1:{self._listener.server_address[1]}/v1", key="k")

    def then(self, *behaviours: Behaviour) -> None:
        """Answer the next chat calls so; afterwards honestly again."""
        self.script.extend(behaviours)

    def seen_before(self, prompt: str) -> bool:
        seen = prompt in self._seen
        self._seen.add(prompt)
        return seen


def completion(
    content: str | None,
    finish_reason: str = "stop",
    *,
    odds: Mapping[str, float] | None = None,
    prompt_tokens: int | None = None,
    cached_tokens: int = 0,
) -> bytes:
    option: dict[str, Any] = {
        "index": 0,
        "finish_reason": finish_reason,
        "message": {"role": "assistant", "content": content},
    }
    if odds is not None:
        top = [{"token": token, "logprob": math.log(p), "bytes": None} for token, p in odds.items()]
        option["logprobs"] = {"content": [{**top[0], "top_logprobs": top}]}
    usage = None
    if prompt_tokens is not None:
        usage = {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": 1,
            "total_tokens": prompt_tokens + 1,
            "prompt_tokens_details": {"cached_tokens": cached_tokens},
        }
    return json.dumps({"id": "x", "object": "chat.completion", "choices": [option], "usage": usage}).encode()


def form_fields(kind: str, raw: bytes) -> dict[str, Any]:
    """The fields of an uploaded form: a list of texts each, and the bytes of `file`."""
    message = BytesParser(policy=HTTP).parsebytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + raw)
    fields: dict[str, Any] = {}
    for part in message.iter_parts():
        name, content = part.get_param("name", header="content-disposition"), part.get_payload(decode=True)
        if name == "file":
            fields[name] = content
        else:
            fields.setdefault(name, []).append(content.decode())
    return fields


def hears(text: str, words: object = None, **more: Any) -> Behaviour:
    """A transcription; `words` as the server would list them."""
    body = {"text": text, **({} if words is None else {"words": words}), **more}
    return lambda call: call.reply(json.dumps(body).encode())


def transcription(call: Call) -> None:
    """The sentence of the abilities, half a second a word."""
    able = call.server.abilities
    detailed = call.body["response_format"] == ["verbose_json"]
    if detailed and not able.word_times:
        return fails(400, "response_format verbose_json is not supported")(call)
    words = [{"word": w, "start": i / 2, "end": i / 2 + 0.4} for i, w in enumerate(able.hears.split())]
    return hears(able.hears, words if detailed else None)(call)


def honest(call: Call) -> None:
    """What the abilities allow."""
    able, body = call.server.abilities, call.body
    if "file" in body:
        return transcription(call)
    if "chat_template_kwargs" in body and not able.knows_quiet:
        return fails(400, "unknown field chat_template_kwargs")(call)
    content = able.word
    if "response_format" in body and able.schema:
        schema = body["response_format"]["json_schema"]["schema"]
        content = json.dumps({"label": schema["properties"]["label"]["enum"][0]})
    repeated = able.caches and call.server.seen_before(json.dumps(body["messages"]))
    tokens = call.prompt_tokens()
    return call.reply(
        completion(
            content,
            "length" if body["max_tokens"] == 1 else "stop",
            odds=able.odds if body.get("logprobs") else None,
            prompt_tokens=tokens,
            cached_tokens=tokens - 1 if repeated else 0,
        )
    )


def says(content: str | None, finish_reason: str = "stop", **more: Any) -> Behaviour:
    return lambda call: call.reply(completion(content, finish_reason, **more))


def sends(body: bytes, kind: str = "application/json") -> Behaviour:
    return lambda call: call.reply(body, kind=kind)


def fails(status: int, message: str, **headers: str) -> Behaviour:
    body = json.dumps({"error": {"message": message, "code": status}}).encode()
    return lambda call: call.reply(body, status, **headers)


def hangs(call: Call) -> None:
    call.wait_for_client_to_leave()


def drips(call: Call) -> None:
    """A valid beginning, then one blank after the other: never silent, never finished."""
    call.reply(b'{"choices": [')

    def drop() -> None:
        call.handler.wfile.write(b" ")

    call.wait_for_client_to_leave(drop)


def floods(status: int = 200) -> Behaviour:
    """50 MB in parts of 1 MB."""

    def flood(call: Call) -> None:
        call.reply(b"", status)
        for _ in range(50):
            call.handler.wfile.write(b" " * 1_000_000)

    return flood


def zips(call: Call) -> None:
    call.reply(b"\x1f\x8b not really", Content_Encoding="gzip")


def hangs_up(call: Call) -> None:
    call.handler.wfile.close()
