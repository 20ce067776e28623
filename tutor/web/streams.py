"""A mend for a race in Gradio 6 that loses the outcome of an event: one that begins just as the last one ends.

Gradio sends a page its outcomes over one stream and ends it when nothing is pending. An event that is accepted between
that end and the moment the page has seen it is never heard of: the page takes the old stream for open, opens no other,
and the outcome waits in the server until the next event. So nobody is told that an event is accepted while a page has
still to see the end of a stream; having seen it, the page hangs up.
"""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

STREAM = "/gradio_api/queue/data"
JOIN = "/gradio_api/queue/join"
# What a page with frozen tabs or another client can delay an event by.
PATIENCE_S = 2.0
# In words of a person these quotes would be escaped.
_END = b'"msg":"close_stream"'


class Streams:
    """Pure ASGI middleware around the Gradio app.

    Args:
        app: What is inside.
        patience_s: For how long, in seconds, a page may take to hang up.
    """

    def __init__(self, app: ASGIApp, patience_s: float = PATIENCE_S) -> None:
        self._app, self._patience_s = app, patience_s
        self._ending: set[asyncio.Event] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; the end of a stream and the acceptance of an event wait for each other."""
        path = scope["path"] if scope["type"] == "http" else ""
        if path == STREAM:
            await self._streamed(scope, receive, send)
        elif path == JOIN:
            await self._app(scope, receive, self._after_ends(send))
        else:
            await self._app(scope, receive, send)

    async def _streamed(self, scope: Scope, receive: Receive, send: Send) -> None:
        hung_up, last = asyncio.Event(), list[Message]()

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.body":
                if _END in message.get("body", b""):
                    self._ending.add(hung_up)
                elif hung_up in self._ending and not message.get("more_body"):
                    last.append(message)
                    return
            await send(message)

        try:
            await self._app(scope, receive, watched)
            if hung_up in self._ending:
                await self._until_hung_up(receive)
        finally:
            self._ending.discard(hung_up)
            hung_up.set()
        for message in last:
            await send(message)

    async def _until_hung_up(self, receive: Receive) -> None:
        try:
            async with asyncio.timeout(self._patience_s):
                while (await receive())["type"] != "http.disconnect":
                    pass
        except TimeoutError:
            pass

    def _after_ends(self, send: Send) -> Send:
        async def held(message: Message) -> None:
            if message["type"] == "http.response.start":
                for hung_up in tuple(self._ending):
                    await hung_up.wait()
            await send(message)

        return held
