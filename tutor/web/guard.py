"""The door: only this machine's own page gets in, and every reply carries headers that keep it to itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

NAMES = ("127.0.0.1", "localhost", "[::1]")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
# Gradio's own doors that this page does not use: calls by name, news of uploads, statistics, run history, proxies,
# its editor
CLOSED = tuple(
    "call run api/ upload monitoring proxy= deep_link dev vibe- undo-vibe-edit profiling process_recording "
    "mcp openapi.json info token custom_component stream login logout".split()
)
_LENGTH = re.compile("[0-9]{1,12}")
# Where the page brings a recording: 100 MB of it with the lines around it. The only door that takes much.
UPLOAD = "/gradio_api/upload"
MAX_UPLOAD_BYTES = 100_100_000
# Eight drafts and an answer of the longest kind, at most six bytes for a character
MAX_BODY_BYTES = 1_500_000
_TOO_MUCH_TEXT = "This is too much text at once. Shorten the answer, then grade it."
_TOO_MUCH_SOUND = "This recording is larger than 100 MB. Upload a shorter one, or one in a smaller format such as MP3."
HEADERS: Mapping[bytes, bytes] = {
    # Gradio needs inline and evaluated scripts and inline styles, and fetches what its microphone recorded as a blob,
    # which is this page's own memory; nothing at all may come from elsewhere.
    b"content-security-policy": b"default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    b"style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self' data:; "
    b"connect-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"x-frame-options": b"DENY",
    b"permissions-policy": b"microphone=(self), camera=(), geolocation=(), display-capture=()",
    b"cross-origin-resource-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
}


class Guard:
    """Pure ASGI middleware around the whole app; `refusal` says who is turned away."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with 403, 404, 411, 413 or 421."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
        elif refused := refusal(scope):
            # Gradio's page shows the `detail` of a refusal, and cannot read anything but JSON.
            await JSONResponse({"detail": refused[1]}, refused[0])(scope, receive, _sealed(send))
        else:
            await self._app(scope, receive, _sealed(send))


def refusal(scope: Scope) -> tuple[int, str] | None:
    """Status and sentence for a request that must not reach the app, or None.

    421 for a name that is not this machine's (DNS rebinding), 404 for doors that are closed, 403 for a request
    that may change something and does not come from the page itself, 411 and 413 for too much at once.
    """
    hosts, lengths = _values(scope, b"host"), _values(scope, b"content-length")
    port = (scope.get("server") or ("", 0))[1]
    known = {f"{name}:{port}" for name in NAMES} | (set(NAMES) if port == 80 else set())
    if len(hosts) != 1 or hosts[0] not in known:
        return 421, "This address is not served here. Open the address that was printed at the start."
    if _is_closed(scope):
        return 404, "There is nothing here."
    if scope["method"] not in SAFE_METHODS and not _is_own(scope, hosts[0]):
        return 403, "Requests from other pages are refused. Open the page itself and try there."
    if _values(scope, b"transfer-encoding") or (scope["path"] == UPLOAD and len(lengths) != 1):
        return 411, "A request must say how long it is."
    most = MAX_UPLOAD_BYTES if scope["path"] == UPLOAD else MAX_BODY_BYTES
    if any(not _LENGTH.fullmatch(length) or int(length) > most for length in lengths):
        return 413, _TOO_MUCH_SOUND if scope["path"] == UPLOAD else _TOO_MUCH_TEXT
    return None


def _is_closed(scope: Scope) -> bool:
    if scope["path"] == UPLOAD:
        return bool(scope["method"] != "POST")
    path: str = scope["path"]
    return path.lower().lstrip("/").removeprefix("gradio_api").lstrip("/").startswith(CLOSED)


def _is_own(scope: Scope, host: str) -> bool:
    """Whether a browser says that the request comes from this page: one of the two headers, none of them foreign."""
    sites, origins = _values(scope, b"sec-fetch-site"), _values(scope, b"origin")
    if len(sites) > 1 or len(origins) > 1 or not (sites or origins):
        return False
    site_is_own = all(site in ("same-origin", "none") for site in sites)
    return site_is_own and all(_origin_host(origin, scope["scheme"]) == host for origin in origins)


def _origin_host(origin: str, scheme: str) -> str | None:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return None
    return parts.netloc if parts.scheme == scheme and not (parts.path or parts.query or parts.fragment) else None


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1").strip().lower() for key, value in scope["headers"] if key.lower() == name]


def _sealed(send: Send) -> Send:
    """Adds the headers, and takes away any leave for other origins to read a reply."""

    async def sealed(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = [(k, v) for k, v in message.get("headers", ()) if not _is_replaced(k.lower())]
            message = {**message, "headers": [*kept, *HEADERS.items()]}
        await send(message)

    return sealed


def _is_replaced(name: bytes) -> bool:
    return name in HEADERS or name.startswith(b"access-control-")
