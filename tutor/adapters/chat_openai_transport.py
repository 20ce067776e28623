"""One bounded request to a chat or speech server: overall deadline, size cap, and only our own errors."""

from __future__ import annotations

import asyncio
import functools
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import CancelledError
from typing import Any

import httpx2
from openai import APIConnectionError, APIStatusError, APITimeoutError, AsyncOpenAI, OpenAIError

from tutor.adapters.endpoint import Endpoint, Errand
from tutor.errors import EngineDown, EngineError, EngineReply, EngineTimeout

# RuntimeError and ExceptionGroup: what the networking layers raise for a client closed meanwhile, or
# for several failed connections at once. TimeoutError is an OSError; the deadline's own is caught first.
FOREIGN = (OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError, RuntimeError, ExceptionGroup)
CLIENTS_KEPT = 4
Send = Callable[[AsyncOpenAI], Awaitable[bytes]]


class Unreachable(EngineDown):
    """The connection was refused or broke; the server may be back in a moment."""


# A shorter key is a placeholder such as "local", and may be part of any word.
SECRET_CHARACTERS = 8


class Refused(EngineReply):
    """The server does not accept this request, for example a field it does not know."""


class Deadline:
    """Seconds left for one piece of work, from now on."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._until = time.monotonic() + seconds

    def left_s(self) -> float:
        """Seconds left, zero when it has passed."""
        return max(0.0, self._until - time.monotonic())


class Transport:
    """Sends requests from any thread through a private event loop.

    A loop rather than a blocking client: only a cancelled task ends a reply that drips for ever, and
    closing its connection also stops the generation at the server.
    """

    def __init__(self, *, reply_bytes: int = 1_000_000, pause_s: float = 0.5) -> None:
        self._reply_bytes, self._pause_s = reply_bytes, pause_s
        self._clients: dict[tuple[str, str], AsyncOpenAI] = {}
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._calls: set[asyncio.Task[Any] | None] = set()
        self._closed = False

    def chat(self, endpoint: Endpoint, body: Mapping[str, Any], deadline: Deadline) -> bytes:
        """The bytes of a chat completion. Raises EngineDown, EngineTimeout, EngineReply."""

        async def send(client: AsyncOpenAI) -> bytes:
            raw: bytes = (await client.chat.completions.with_raw_response.create(**body)).content
            return raw

        return self._run(endpoint, send, deadline)

    def models(self, endpoint: Endpoint, deadline: Deadline) -> bytes:
        """The bytes of the model list. Raises EngineDown, EngineTimeout, EngineReply."""

        async def send(client: AsyncOpenAI) -> bytes:
            raw: bytes = (await client.models.with_raw_response.list()).content
            return raw

        return self._run(endpoint, send, deadline)

    def transcription(self, endpoint: Endpoint, body: Mapping[str, Any], deadline: Deadline) -> bytes:
        """The bytes of a transcription. Raises EngineDown, EngineTimeout, EngineReply."""

        async def send(client: AsyncOpenAI) -> bytes:
            raw: bytes = (await client.audio.transcriptions.with_raw_response.create(**body)).content
            return raw

        return self._run(endpoint, send, deadline)

    def close(self) -> None:
        """End what is under way (its callers get EngineDown) and close every connection."""
        with self._lock:
            self._closed = True
            loop, self._loop = self._loop, None
        if loop is None or self._thread is None:
            return
        asyncio.run_coroutine_threadsafe(self._shut(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        self._thread.join()
        loop.close()

    def _run(self, endpoint: Endpoint, send: Send, deadline: Deadline) -> bytes:
        if not endpoint.is_address:
            raise _no_address(endpoint)
        with self._lock:
            if self._closed:
                raise _closing(endpoint)
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="chat-calls", daemon=True)
                self._thread.start()
            future = asyncio.run_coroutine_threadsafe(self._bounded(endpoint, send, deadline), self._loop)
        try:
            return future.result()
        except CancelledError:
            raise _closing(endpoint) from None
        except KeyboardInterrupt:
            future.cancel()
            raise

    async def _bounded(self, endpoint: Endpoint, send: Send, deadline: Deadline) -> bytes:
        loading, call = False, asyncio.current_task()
        self._calls.add(call)
        try:
            async with asyncio.timeout(deadline.left_s()):
                client = await self._client(endpoint)
                while True:
                    try:
                        return await send(client)
                    except APIStatusError as error:
                        if error.status_code != 503:
                            raise
                    loading = True
                    await asyncio.sleep(self._pause_s)
        except TimeoutError:
            raise _too_late(endpoint, deadline, loading) from None
        except FOREIGN as error:
            raise as_engine_error(error, endpoint) from error
        finally:
            self._calls.discard(call)

    async def _client(self, endpoint: Endpoint) -> AsyncOpenAI:
        kept = self._clients.get((endpoint.url, endpoint.key))
        if kept is not None:
            return kept
        # No clock of their own: the deadline around the call is the only one.
        client = AsyncOpenAI(
            base_url=endpoint.url,
            api_key=endpoint.key or "local",
            max_retries=0,
            timeout=None,
            default_headers={"Accept-Encoding": "identity"},
            http_client=httpx2.AsyncClient(
                timeout=None,
                trust_env=not endpoint.is_local,
                follow_redirects=False,
                event_hooks={"response": [functools.partial(self._cap, endpoint)]},
            ),
        )
        self._clients[endpoint.url, endpoint.key] = client
        if len(self._clients) > CLIENTS_KEPT:
            await self._clients.pop(next(iter(self._clients))).close()
        return client

    async def _cap(self, endpoint: Endpoint, response: httpx2.Response) -> None:
        errand = endpoint.errand
        if response.headers.get("content-encoding", "identity") != "identity":
            raise EngineReply(
                f"The {errand.server} compresses its replies although asked not to. Switch that off there."
            )
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Capped(response.stream, self._reply_bytes, errand)

    async def _shut(self) -> None:
        # Only the calls: each ends the tasks it began, whereas one cut off before its first step leaves a warning.
        calls = [call for call in self._calls if call is not None]
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        for client in self._clients.values():
            await client.close()
        await asyncio.get_running_loop().shutdown_asyncgens()
        await asyncio.get_running_loop().shutdown_default_executor()


class _Capped(httpx2.AsyncByteStream):
    """A reply's bytes up to a limit."""

    def __init__(self, stream: httpx2.AsyncByteStream, limit: int, errand: Errand) -> None:
        self._stream, self._limit, self._errand = stream, limit, errand

    async def __aiter__(self) -> AsyncIterator[bytes]:
        seen = 0
        async for chunk in self._stream:
            seen += len(chunk)
            if seen > self._limit:
                raise EngineReply(
                    f"The {self._errand.server} sent more than {self._limit} bytes, far too much for a reply. Check "
                    f"that {self._errand.settings}_URL offers {self._errand.ability}, then {self._errand.again}."
                )
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


def _closing(endpoint: Endpoint) -> EngineDown:
    return EngineDown(f"The tutor is shutting down; start it again, then {endpoint.errand.again}.")


def _too_late(endpoint: Endpoint, deadline: Deadline, loading: bool) -> EngineError:
    if loading:
        return EngineDown(
            f"{_where(endpoint)} is still loading its model after {deadline.seconds:g} s. "
            f"Wait a little, then {endpoint.errand.again}."
        )
    return EngineTimeout(
        f"{_where(endpoint)} did not finish within {deadline.seconds:g} s. {_capital(endpoint.errand.again)}; "
        "if it happens again, choose a smaller model or close other programs."
    )


def _no_address(endpoint: Endpoint) -> EngineDown:
    return EngineDown(
        f"{endpoint.shown!r} is not an address such as http://localhost:8080/v1. "
        f"Correct or unset {endpoint.errand.settings}_URL, then {endpoint.errand.again}."
    )


def as_engine_error(error: Exception, endpoint: Endpoint) -> EngineError:
    """Any error of the client libraries as one of ours, with what to do.

    >>> print(as_engine_error(OSError(), Endpoint("http://localhost:9/v1")))
    The model server at http://localhost:9/v1 does not answer. Start it or unset TUTOR_CHAT_URL, then retry grading.
    """
    where, again = _where(endpoint), _capital(endpoint.errand.again)
    if isinstance(error, APITimeoutError):
        return EngineTimeout(f"{where} did not answer in time. {again}.")
    if isinstance(error, APIStatusError):
        return _by_status(error, where, endpoint)
    if isinstance(error, httpx2.InvalidURL):
        return _no_address(endpoint)
    if isinstance(error, APIConnectionError | httpx2.HTTPError | OSError | RuntimeError | ExceptionGroup):
        return Unreachable(f"{where} does not answer. {endpoint.fix}")
    return EngineReply(f"{where} answered in a way that cannot be read ({type(error).__name__}). {again}.")


def _by_status(error: APIStatusError, where: str, endpoint: Endpoint) -> EngineError:
    # Some servers echo what they were sent; the sentence is stored and shown.
    told = error.message.replace(endpoint.key, "(key)") if len(endpoint.key) >= SECRET_CHARACTERS else error.message
    status, said, errand = error.status_code, _one_line(told), endpoint.errand
    if status in (401, 403):
        return EngineDown(f"{where} refuses the key. Set {errand.settings}_KEY to its key, then {errand.again}.")
    if status == 404:
        return EngineDown(
            f"{where} has no {errand.ability} there or does not know the model {endpoint.model!r} ({said}). Check "
            f"{errand.settings}_URL (it usually ends in /v1) and {errand.settings}_MODEL, then {errand.again}."
        )
    if status == 429:
        return EngineDown(f"{where} is busy ({said}). Wait a minute, then {errand.again}.")
    if status < 400:
        return EngineDown(f"{where} sends elsewhere (status {status}). Set {errand.settings}_URL to the final address.")
    if status < 500:
        return Refused(f"{where} refuses the request (status {status}: {said}). {errand.smaller}; then {errand.again}.")
    return EngineDown(f"{where} failed (status {status}: {said}). {endpoint.fix}")


def _where(endpoint: Endpoint) -> str:
    return f"The {endpoint.errand.server} at {endpoint.shown}"


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _one_line(text: str) -> str:
    """Foreign words for a sentence: one printable line of 200 characters at most.

    >>> _one_line("no such  model" + chr(7))
    'no such model'
    """
    return " ".join("".join(c if c.isprintable() else " " for c in text[:200]).split())
