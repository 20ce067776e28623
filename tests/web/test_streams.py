"""An event that begins just as a page's stream of outcomes ends: the page learns of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from threading import Thread
from uuid import uuid4

import pytest
from starlette.types import Message, Receive, Scope, Send

from tests.web.test_forged_events import SERVERS, start, stop
from tutor.web.streams import JOIN, STREAM, Streams

END = b'data: {"msg":"close_stream","event_id":null}\n\n'
WORDS = b'data: {"msg":"process_completed","output":"a \\"msg\\":\\"close_stream\\" in words"}\n\n'


def gradio(*chunks: bytes) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for chunk in chunks if scope["path"] == STREAM else ():
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    return app


class Browser:
    """Two requests to the same app; the one for the stream stays until it hangs up."""

    def __init__(self, app: Streams) -> None:
        self.app, self.hangs_up = app, asyncio.Event()
        self.streamed: list[Message] = []
        self.joined: list[Message] = []

    def stream(self) -> asyncio.Task[None]:
        return asyncio.create_task(self._ask(STREAM, self.streamed))

    def join(self) -> asyncio.Task[None]:
        return asyncio.create_task(self._ask(JOIN, self.joined))

    async def _ask(self, path: str, told: list[Message]) -> None:
        async def receive() -> Message:
            await self.hangs_up.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            told.append(message)

        await self.app({"type": "http", "path": path}, receive, send)


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_an_event_is_accepted_only_after_the_page_has_seen_the_end_of_its_stream() -> None:
    async def play() -> None:
        browser = Browser(Streams(gradio(WORDS, END), patience_s=60))
        stream = browser.stream()
        await settled()
        assert browser.streamed[-1]["body"] == END, "the end is told at once"
        join = browser.join()
        await settled()
        assert browser.joined == []
        browser.hangs_up.set()
        await asyncio.gather(stream, join)
        assert browser.joined[0]["status"] == 200

    asyncio.run(play())


@pytest.mark.parametrize("chunks", [(), (WORDS,)])
def test_a_stream_that_does_not_end_like_this_holds_nobody_up(chunks: tuple[bytes, ...]) -> None:
    async def play() -> None:
        browser = Browser(Streams(gradio(*chunks), patience_s=60))
        await browser.stream()
        await browser.join()
        assert not browser.streamed[-1]["more_body"]

    asyncio.run(play())


def test_a_page_that_never_hangs_up_holds_nobody_up_for_long() -> None:
    async def play() -> None:
        browser = Browser(Streams(gradio(END), patience_s=0.01))
        stream = browser.stream()
        await settled()
        await asyncio.gather(stream, browser.join())
        assert not browser.streamed[-1]["more_body"]

    asyncio.run(play())


def test_gradio_ends_its_streams_as_this_expects(tmp_path: Path) -> None:
    server, page = start(SERVERS["both walls"], tmp_path)
    accepted: list[int] = []

    def join(session: str) -> None:
        event = {"data": [{}, {}], "fn_index": page.events["next", "click"], "session_hash": session}
        accepted.append(page.http.post("/gradio_api/queue/join", json=event).status_code)

    session = uuid4().hex
    join(session)
    late = Thread(target=join, args=(session,))
    with page.http.stream("GET", "/gradio_api/queue/data", params={"session_hash": session}) as lines:
        told = lines.iter_lines()  # named: once it is gone, httpx hangs up
        assert any('"close_stream"' in line for line in told)
        late.start()
        late.join(0.5)
        assert accepted == [200]
    late.join(20)
    assert accepted == [200, 200]
    stop(server, page)
