"""Who gets in, and what every reply carries; requests as a browser, an attacker or a broken client sends them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

import pytest
from starlette.types import Message, Receive, Scope, Send

from tutor.web.frame import MAX_DRAFTS
from tutor.web.guard import HEADERS, MAX_BODY_BYTES, MAX_UPLOAD_BYTES, UPLOAD, Guard

HOST = "127.0.0.1:7860"
OWN = f"http://{HOST}"


class Inner:
    """The app behind the guard: counts who got through, and answers as Gradio would."""

    def __init__(self) -> None:
        self.reached = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.reached += 1
        if scope["type"] == "lifespan":
            return
        headers = [(b"content-type", b"text/plain"), (b"Access-Control-Allow-Origin", b"*")]
        headers += [(b"Referrer-Policy", b"unsafe-url"), (b"set-cookie", b"a=b")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"inside"})


def ask(
    method: str = "GET",
    path: str = "/",
    headers: Sequence[tuple[str, str]] = (),
    host: str | None = HOST,
    port: int = 7860,
    kind: str = "http",
    sent: list[Message] | None = None,
) -> tuple[int, dict[str, str], int]:
    """Status, reply headers, and how often the app behind was reached."""
    inner, sent = Inner(), [] if sent is None else sent
    named = [] if host is None else [(b"host", host.encode("latin-1"))]
    scope = {
        "type": kind,
        "method": method,
        "path": path,
        "scheme": "http",
        "server": ("127.0.0.1", port),
        "headers": [*named, *((k.encode("latin-1"), v.encode("latin-1")) for k, v in headers)],
    }

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(Guard(inner)(scope, receive, send))
    start = sent[0] if sent else {"type": "", "status": 0}
    given = {k.decode().lower(): v.decode() for k, v in start.get("headers", ())}
    return start.get("status", start.get("code", 0)), given, inner.reached


@pytest.mark.parametrize("host", [HOST, "localhost:7860", "LOCALHOST:7860", "[::1]:7860"])
def test_the_names_of_this_machine_are_served(host: str) -> None:
    assert ask(host=host)[0] == 200


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "localhost:80"])
def test_the_port_may_be_left_out_only_where_it_is_80(host: str) -> None:
    assert ask(host=host, port=80)[0] == 200
    assert ask(host=host)[0] == 421


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "evil.example",
        "evil.example:7860",
        "127.0.0.1:7861",
        "127.0.0.1.evil.example:7860",
        "localhost.evil.example:7860",
        "evil.example@127.0.0.1:7860",
        "127.0.0.1:7860@evil.example",
        "127.0.0.1:7860:7860",
        "127.0.0.1:7860/",
        "127.0.0.1:7860, evil.example",
        "127.0.0.2:7860",
        "0.0.0.0:7860",
        "[::]:7860",
        "::1:7860",
        "localhost.:7860",
        "2130706433:7860",
        "127.1:7860",
        "127.0.0.1:07860",
        "\xff\xfe:7860",
    ],
)
def test_any_other_host_is_misdirected(host: str | None) -> None:
    status, headers, reached = ask(host=host)
    assert (status, reached) == (421, 0)
    assert "frame-ancestors 'none'" in headers["content-security-policy"]


def test_two_hosts_are_none() -> None:
    assert ask(headers=[("Host", HOST)])[0] == 421


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "post", "PROPFIND"])
def test_a_request_that_may_change_something_must_say_where_it_comes_from(method: str) -> None:
    assert ask(method)[::2] == (403, 0)


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_reading_needs_no_origin(method: str) -> None:
    assert ask(method)[::2] == (200, 1)


@pytest.mark.parametrize(
    "headers",
    [
        [("Sec-Fetch-Site", "same-origin")],
        [("sec-fetch-site", "same-origin")],
        [("SEC-FETCH-SITE", "Same-Origin")],
        [("Sec-Fetch-Site", "none")],
        [("Origin", OWN)],
        [("Origin", OWN.upper())],
        [("Sec-Fetch-Site", "same-origin"), ("Origin", OWN)],
    ],
)
def test_the_pages_own_requests_pass(headers: list[tuple[str, str]]) -> None:
    assert ask("POST", headers=headers)[::2] == (200, 1)


@pytest.mark.parametrize(
    "headers",
    [
        [("Sec-Fetch-Site", "cross-site")],
        [("Sec-Fetch-Site", "same-site")],
        [("Sec-Fetch-Site", "")],
        [("Sec-Fetch-Site", "same-origin, cross-site")],
        [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")],
        [("Sec-Fetch-Site", "cross-site"), ("Origin", OWN)],
        [("Sec-Fetch-Site", "same-origin"), ("Origin", "http://evil.example")],
        [("Origin", "null")],
        [("Origin", "")],
        [("Origin", "http://evil.example")],
        [("Origin", "https://127.0.0.1:7860")],
        [("Origin", "http://127.0.0.1")],
        [("Origin", "http://127.0.0.1:8000")],
        [("Origin", "http://localhost:7860")],
        [("Origin", "http://127.0.0.1:7860.evil.example")],
        [("Origin", "http://evil.example/http://127.0.0.1:7860")],
        [("Origin", "http://127.0.0.1:7860/path")],
        [("Origin", "http://127.0.0.1:7860?query")],
        [("Origin", "http://user@127.0.0.1:7860")],
        [("Origin", "127.0.0.1:7860")],
        [("Origin", "//127.0.0.1:7860")],
        [("Origin", "file://127.0.0.1:7860")],
        [("Origin", "http://[::1")],
        [("Origin", "http://[bad]:7860")],
        [("Origin", "\xff")],
        [("Origin", OWN), ("Origin", "http://evil.example")],
        [("Referer", OWN + "/")],
    ],
)
def test_requests_of_other_pages_and_malformed_ones_are_refused(headers: list[tuple[str, str]]) -> None:
    assert ask("POST", headers=headers)[::2] == (403, 0)


@pytest.mark.parametrize(
    "path",
    [
        "/monitoring",
        "/monitoring/summary",
        "/Monitoring/key",
        "/gradio_api/monitoring",
        "/gradio_api/runs",
        "/gradio_api/runs/",
        "/gradio_api/run-history/records",
        "/gradio_api/upload/",
        "/gradio_api/Upload",
        "/upload",
        "/gradio_api/UPLOAD",
        "//gradio_api//upload",
        "/gradio_api/upload_progress",
        "/gradio_api/proxy=http://evil.example/",
        "/gradio_api/vibe-edit/",
        "/gradio_api/vibe-code",
        "/gradio_api/info",
        "/gradio_api/openapi.json",
        "/gradio_api/process_recording",
        "/gradio_api/deep_link",
        "/gradio_api/mcp/sse",
    ],
)
def test_doors_the_page_does_not_use_are_closed(path: str) -> None:
    assert ask("POST", path, [("Sec-Fetch-Site", "same-origin")])[::2] == (404, 0)


@pytest.mark.parametrize(
    "path", ["/", "/config", "/assets/upload-1.js", "/gradio_api/queue/join", "/own/page.js", "/take/t1"]
)
def test_the_pages_own_doors_are_open(path: str) -> None:
    assert ask(path=path)[::2] == (200, 1)


@pytest.mark.parametrize("length", [str(MAX_BODY_BYTES + 1), "9" * 5000, "-1", "1e3", "", "12 34", "٣"])
def test_a_body_that_is_too_large_or_has_no_honest_length_is_refused(length: str) -> None:
    sent = [("Sec-Fetch-Site", "same-origin"), ("Content-Length", length.encode("utf-8").decode("latin-1"))]
    assert ask("POST", headers=sent)[::2] == (413, 0)


def upload(size: str | None, *more: tuple[str, str], method: str = "POST", sent: list[Message] | None = None) -> tuple:
    own = () if any(name.lower() in ("origin", "sec-fetch-site") for name, _ in more) else (("Origin", OWN),)
    length = () if size is None else (("Content-Length", size),)
    return ask(method, UPLOAD, [*own, *length, *more], sent=sent)[::2]


def test_a_recording_of_100_mb_may_come_in_and_a_larger_one_is_told_so() -> None:
    sent: list[Message] = []
    assert upload(str(MAX_UPLOAD_BYTES)) == (200, 1)
    assert MAX_UPLOAD_BYTES >= 100_000_000 + 1000
    assert upload(str(MAX_UPLOAD_BYTES + 1), sent=sent) == (413, 0)
    assert "This recording is larger than 100 MB." in json.loads(sent[1]["body"])["detail"]


@pytest.mark.parametrize("size", [None, "", "-1", "1e3"])
def test_a_recording_must_say_how_large_it_is(size: str | None) -> None:
    assert upload(size)[0] in (411, 413)
    assert upload("5", ("Content-Length", "6")) == (411, 0)
    assert upload("5", ("Transfer-Encoding", "chunked")) == (411, 0)


@pytest.mark.parametrize(
    "foreign", [("Origin", "http://evil.example"), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site")]
)
def test_no_other_page_may_bring_a_recording(foreign: tuple[str, str]) -> None:
    assert upload("5", foreign) == (403, 0)


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "HEAD"])
def test_the_door_for_recordings_only_lets_in(method: str) -> None:
    assert upload("5", method=method) == (404, 0)


def test_every_refusal_is_a_sentence_that_the_page_can_read() -> None:
    own = ("Sec-Fetch-Site", "same-origin")
    too_much = [own, ("Content-Length", str(MAX_BODY_BYTES + 1))]
    for asked in ({"headers": too_much}, {"host": "evil.example"}, {"headers": []}, {"path": "/monitoring"}):
        sent = []
        assert ask("POST", sent=sent, **asked)[0] in (403, 404, 413, 421)
        assert list(json.loads(sent[1]["body"])) == ["detail"]
        assert json.loads(sent[1]["body"])["detail"].endswith(".")
        assert dict(sent[0]["headers"])[b"content-type"] == b"application/json"


def test_drafts_and_answer_of_the_longest_kind_fit_into_one_request() -> None:
    from tutor.web.layout import BOX_CHARACTERS

    texts = [chr(1) * BOX_CHARACTERS] * (MAX_DRAFTS + 1)
    assert len(json.dumps(texts)) + 10_000 < MAX_BODY_BYTES


def test_the_largest_body_passes_and_a_body_of_unknown_length_does_not() -> None:
    own = ("Sec-Fetch-Site", "same-origin")
    assert ask("POST", headers=[own, ("Content-Length", str(MAX_BODY_BYTES))])[0] == 200
    assert ask("POST", headers=[own, ("Transfer-Encoding", "chunked")])[::2] == (411, 0)


def test_every_reply_carries_our_headers_once_and_no_leave_for_other_origins() -> None:
    for reply in (ask(), ask(host="evil.example")):
        headers = reply[1]
        for name, value in HEADERS.items():
            assert headers[name.decode()] == value.decode()
        assert not [name for name in headers if name.startswith("access-control-")]
    assert ask()[1]["set-cookie"] == "a=b"
    assert headers["referrer-policy"] == "no-referrer"
    assert "microphone=(self)" in headers["permissions-policy"]


def test_only_this_origin_may_be_the_source_of_anything() -> None:
    policy = dict(part.strip().split(" ", 1) for part in ask()[1]["content-security-policy"].split(";"))
    assert policy["default-src"] == "'self'"
    assert policy["connect-src"] == "'self' blob:"
    assert policy["frame-ancestors"] == policy["object-src"] == "'none'"
    assert not any("http" in sources or "*" in sources for sources in policy.values())


def test_a_websocket_is_closed_and_the_start_of_the_app_passes() -> None:
    assert ask(kind="websocket")[::2] == (1008, 0)
    assert ask(kind="lifespan")[2] == 1
