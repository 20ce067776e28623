"""The chat client against a server that misbehaves in every way we know of."""

from __future__ import annotations

import asyncio
import gc
import math
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx2
import openai
import pytest

from tests.fake_openai_server import (
    Abilities,
    Behaviour,
    Call,
    FakeOpenAIServer,
    drips,
    fails,
    floods,
    hangs,
    hangs_up,
    says,
    sends,
    zips,
)
from tutor.adapters.chat_openai import OpenAIChat
from tutor.adapters.chat_openai_transport import Deadline, Transport, as_engine_error
from tutor.adapters.endpoint import Endpoint
from tutor.errors import EngineDown, EngineError, EngineReply, EngineTimeout
from tutor.ports import Choice, Turn

TURNS = (Turn("system", "Reply with exactly one word: Yes or No."), Turn("user", "Answer: it is hot\nPoint: heat"))
YES_NO = ("Yes", "No")
SHORT_S = 1.0


@pytest.fixture
def server() -> Iterator[FakeOpenAIServer]:
    with FakeOpenAIServer() as server:
        yield server


@pytest.fixture
def chat(server: FakeOpenAIServer) -> Iterator[OpenAIChat]:
    with OpenAIChat(lambda: server.endpoint) as chat:
        chat.capabilities()
        server.calls.clear()
        yield chat


@pytest.fixture
def hasty(server: FakeOpenAIServer) -> Iterator[OpenAIChat]:
    """A client with little time."""
    with OpenAIChat(lambda: server.endpoint, deadline_s=SHORT_S, transport=Transport(pause_s=0.01)) as chat:
        chat.capabilities()
        yield chat


def chosen_by(abilities: Abilities, *script: Behaviour) -> tuple[Choice, list[Call]]:
    """One choice by a new client, and the judge's calls at the server."""
    with FakeOpenAIServer(abilities) as server, OpenAIChat(lambda: server.endpoint) as chat:
        chat.capabilities()
        server.calls.clear()
        server.then(*script)
        return chat.choose(TURNS, YES_NO), server.calls


class TestChoosing:
    def test_a_label_has_its_renormalised_probability_summed_over_spellings(self, chat: OpenAIChat) -> None:
        choice = chat.choose(TURNS, YES_NO)
        assert choice.label == "Yes"
        assert choice.probability == pytest.approx(0.8 / 0.95)
        assert choice.log_odds == pytest.approx(math.log(0.8 / 0.15))
        assert choice.prompt_tokens is not None

    def test_one_call_is_enough_and_asks_for_one_token_without_chance(
        self, chat: OpenAIChat, server: FakeOpenAIServer
    ) -> None:
        chat.choose(TURNS, YES_NO)
        (call,) = server.calls
        assert call.body == {
            "model": "tiny",
            "messages": [{"role": turn.role, "content": turn.content} for turn in TURNS],
            "temperature": 0,
            "max_tokens": 1,
            "logprobs": True,
            "top_logprobs": 20,
            "chat_template_kwargs": {"enable_thinking": False},
        }
        assert call.key == "k"

    def test_the_labels_decide_even_if_the_first_token_is_another(
        self, chat: OpenAIChat, server: FakeOpenAIServer
    ) -> None:
        server.then(says("The", "length", odds={"The": 0.6, "No": 0.3, "Yes": 0.1}))
        choice = chat.choose(TURNS, YES_NO)
        assert (choice.label, choice.probability) == ("No", pytest.approx(0.25))

    def test_labels_that_hardly_occur_are_repaired_by_words(self, chat: OpenAIChat, server: FakeOpenAIServer) -> None:
        server.then(says("The", "length", odds={"The": 0.999, "Yes": 1e-5, "No": 1e-6}), says("No"))
        choice = chat.choose(TURNS, YES_NO)
        assert (choice.label, choice.probability, choice.log_odds) == ("No", None, None)
        repair = server.calls[1].body["messages"]
        assert repair[-2:] == [
            {"role": "assistant", "content": "The"},
            {"role": "user", "content": "Reply to the last question with exactly one word: Yes or No."},
        ]
        assert repair[:-2] == server.calls[0].body["messages"], "the prefix stays, so the cache is used"

    def test_without_log_probabilities_a_schema_allows_only_the_labels(self) -> None:
        choice, calls = chosen_by(Abilities(odds=None))
        assert (choice.label, choice.probability) == ("Yes", None)
        schema = calls[0].body["response_format"]["json_schema"]["schema"]
        assert schema["properties"]["label"]["enum"] == ["Yes", "No"]
        assert "logprobs" not in calls[0].body

    def test_without_either_the_whole_reply_is_one_word(self) -> None:
        choice, calls = chosen_by(Abilities(odds=None, schema=False))
        assert (choice.label, choice.probability) == ("Yes", None)
        assert "response_format" not in calls[0].body

    def test_a_server_that_forgets_its_log_probabilities_is_asked_again(
        self, chat: OpenAIChat, server: FakeOpenAIServer
    ) -> None:
        server.then(says("Yes"))
        assert chat.choose(TURNS, YES_NO).probability is None
        assert len(server.calls) == 2

    def test_text_that_cannot_be_encoded_is_sent_with_a_sign_in_its_place(
        self, chat: OpenAIChat, server: FakeOpenAIServer
    ) -> None:
        chat.choose((Turn("user", "half a pair \ud800 here"),), YES_NO)
        assert server.calls[0].body["messages"][0]["content"] == "half a pair ? here"

    def test_many_threads_share_one_client(self, chat: OpenAIChat, server: FakeOpenAIServer) -> None:
        with ThreadPoolExecutor(8) as pool:
            choices = list(pool.map(lambda _: chat.choose(TURNS, YES_NO).label, range(24)))
        assert choices == ["Yes"] * 24
        assert len(server.calls) == 24


class TestUnusableReplies:
    @pytest.mark.parametrize(
        "behaviour",
        [
            pytest.param(sends(b"<html><body>Welcome</body></html>", "text/html"), id="html"),
            pytest.param(sends(b'{"choices": [{"message": {"content": "Ye'), id="truncated"),
            pytest.param(sends(b'{"choices": [{"message": {"content": "Yes"}, "x": NaN}]}'), id="nan"),
            pytest.param(sends(b""), id="nothing"),
            pytest.param(sends(b"\xff\xfe\x00"), id="not text"),
            pytest.param(sends(b"[" * 100_000), id="nested without end"),
            pytest.param(says("Well, I would say that it depends on what one means."), id="prose"),
            pytest.param(says("```\nYes\n```"), id="code fence"),
            pytest.param(says("Maybe"), id="wrong label"),
            pytest.param(says("", "length"), id="thought until the end"),
            pytest.param(says(None), id="null"),
        ],
    )
    def test_two_repairs_then_an_error_never_a_verdict(
        self, chat: OpenAIChat, server: FakeOpenAIServer, behaviour: Behaviour
    ) -> None:
        server.always = behaviour
        with pytest.raises(EngineReply, match=r"no usable verdict in 3 tries: .*Retry grading"):
            chat.choose(TURNS, YES_NO)
        assert len(server.calls) == 3

    def test_a_reply_that_ran_out_of_tokens_is_named(self, chat: OpenAIChat, server: FakeOpenAIServer) -> None:
        server.always = says("", "length")
        with pytest.raises(EngineReply, match="finish_reason length"):
            chat.choose(TURNS, YES_NO)

    def test_the_second_repair_may_still_succeed(self, chat: OpenAIChat, server: FakeOpenAIServer) -> None:
        server.then(sends(b"{"), says("I think so"), says("yes."))
        assert chat.choose(TURNS, YES_NO).label == "Yes"

    def test_a_prompt_the_server_cut_is_refused_without_repair(
        self, chat: OpenAIChat, server: FakeOpenAIServer
    ) -> None:
        server.then(says("Yes", odds={"Yes": 0.9, "No": 0.1}, prompt_tokens=512))
        long = (Turn("user", "one word after the other " * 400),)
        with pytest.raises(EngineReply, match=r"cut the prompt: it read 512 tokens of at least 1500.*longer context"):
            chat.choose(long, YES_NO)
        assert len(server.calls) == 1

    def test_an_unbroken_run_of_signs_is_not_taken_for_a_cut_prompt(
        self, chat: OpenAIChat, server: FakeOpenAIServer
    ) -> None:
        server.then(says("No", odds={"Yes": 0.1, "No": 0.9}, prompt_tokens=60))
        assert chat.choose((Turn("user", "=" * 4000),), YES_NO).label == "No"

    def test_fifty_megabytes_are_not_read(self, chat: OpenAIChat, server: FakeOpenAIServer) -> None:
        server.then(floods())
        with pytest.raises(EngineReply, match="more than 1000000 bytes"):
            chat.choose(TURNS, YES_NO)
        assert server.abandoned.wait(20)

    def test_fifty_megabytes_of_error_are_not_read_either(self, chat: OpenAIChat, server: FakeOpenAIServer) -> None:
        server.then(floods(status=500))
        with pytest.raises(EngineReply, match="more than 1000000 bytes"):
            chat.choose(TURNS, YES_NO)

    def test_a_compressed_reply_is_refused_before_it_can_swell(
        self, chat: OpenAIChat, server: FakeOpenAIServer
    ) -> None:
        server.then(zips)
        with pytest.raises(EngineReply, match="compresses"):
            chat.choose(TURNS, YES_NO)


class TestTime:
    @pytest.mark.parametrize("behaviour", [hangs, drips])
    def test_one_deadline_ends_silence_and_a_drip_and_the_servers_work(
        self, hasty: OpenAIChat, server: FakeOpenAIServer, behaviour: Behaviour
    ) -> None:
        server.then(behaviour)
        with pytest.raises(EngineTimeout, match=r"did not finish within 1 s\. Retry grading"):
            hasty.choose(TURNS, YES_NO)
        assert server.abandoned.wait(20), "the server sees that nobody waits any more"

    def test_repairs_share_the_deadline(self, hasty: OpenAIChat, server: FakeOpenAIServer) -> None:
        server.then(says("Maybe"), says("Maybe"), hangs)
        with pytest.raises(EngineTimeout):
            hasty.choose(TURNS, YES_NO)

    @pytest.mark.parametrize(("deadline_s", "first_s", "good_calls"), [(30, SHORT_S, 0), (SHORT_S, 30, 1)])
    def test_the_first_call_at_an_address_has_its_own_time(
        self, server: FakeOpenAIServer, deadline_s: float, first_s: float, good_calls: int
    ) -> None:
        with OpenAIChat(
            lambda: server.endpoint, deadline_s=deadline_s, first_s=first_s, transport=Transport(pause_s=0.01)
        ) as chat:
            chat.capabilities()
            for _ in range(good_calls):
                assert chat.choose(TURNS, YES_NO).label == "Yes"
            server.then(hangs)
            with pytest.raises(EngineTimeout, match="within 1 s"):
                chat.choose(TURNS, YES_NO)

    def test_a_server_that_loads_is_waited_for(self, server: FakeOpenAIServer) -> None:
        server.then(*[fails(503, "Loading model")] * 4)
        with OpenAIChat(lambda: server.endpoint, transport=Transport(pause_s=0.01)) as chat:
            assert chat.choose(TURNS, YES_NO).label == "Yes"

    def test_a_server_that_loads_longer_than_the_deadline_is_down_not_late(
        self, hasty: OpenAIChat, server: FakeOpenAIServer
    ) -> None:
        server.always = fails(503, "Loading model")
        with pytest.raises(EngineDown, match=r"still loading its model after 1 s\. Wait a little"):
            hasty.choose(TURNS, YES_NO)

    def test_closing_ends_a_call_under_way_and_later_ones(self, server: FakeOpenAIServer) -> None:
        chat = OpenAIChat(lambda: server.endpoint)
        chat.capabilities()
        arrived = threading.Event()

        def arrives_and_hangs(call: Call) -> None:
            arrived.set()
            hangs(call)

        server.then(arrives_and_hangs)
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(chat.choose, TURNS, YES_NO)
            assert arrived.wait(20)
            chat.close()
            with pytest.raises(EngineDown, match="shutting down"):
                waiting.result(20)
        with pytest.raises(EngineDown, match="shutting down"):
            chat.choose(TURNS, YES_NO)
        chat.close()

    def test_a_client_that_was_never_used_closes(self) -> None:
        OpenAIChat(lambda: Endpoint("http://127.0.0.1:1/v1")).close()


@pytest.mark.parametrize("steps", range(1, 12))
def test_closing_at_any_step_of_a_connection_ends_the_call_without_a_warning(steps: int) -> None:
    transport = Transport()

    async def send(client: openai.AsyncOpenAI) -> bytes:
        return bytes((await client.models.with_raw_response.list()).content)

    async def closed_early() -> None:
        call = asyncio.create_task(transport._bounded(Endpoint("http://127.0.0.1:1/v1"), send, Deadline(SHORT_S)))
        for _ in range(steps):
            await asyncio.sleep(0)
        await transport._shut()
        assert call.done()
        assert call.cancelled() or isinstance(call.exception(), EngineDown)

    asyncio.run(closed_early())
    # A coroutine that never began warns when it is collected.
    gc.collect()


class TestRefusals:
    @pytest.mark.parametrize(
        ("status", "kind", "sentence"),
        [
            (400, EngineReply, r"refuses the request \(status 400: .*it broke.*shorten the answer"),
            (401, EngineDown, "refuses the key. Set TUTOR_CHAT_KEY"),
            (403, EngineDown, "refuses the key. Set TUTOR_CHAT_KEY"),
            (404, EngineDown, "TUTOR_CHAT_URL .it usually ends in /v1. and TUTOR_CHAT_MODEL"),
            (413, EngineReply, "refuses the request"),
            (422, EngineReply, "refuses the request"),
            (429, EngineDown, "is busy"),
            (500, EngineDown, r"failed \(status 500: .*it broke.*Start it or unset TUTOR_CHAT_URL"),
            (502, EngineDown, "failed"),
        ],
    )
    def test_each_status_becomes_a_sentence_with_what_to_do_and_is_not_repeated(
        self, chat: OpenAIChat, server: FakeOpenAIServer, status: int, kind: type[EngineError], sentence: str
    ) -> None:
        server.then(fails(status, "it broke"))
        with pytest.raises(kind, match=sentence):
            chat.choose(TURNS, YES_NO)
        assert len(server.calls) == 1

    def test_a_redirect_is_not_followed(self, chat: OpenAIChat, server: FakeOpenAIServer) -> None:
        with FakeOpenAIServer() as elsewhere:
            server.then(fails(307, "moved", Location=elsewhere.endpoint.url + "/chat/completions"))
            with pytest.raises(EngineDown, match="sends elsewhere"):
                chat.choose(TURNS, YES_NO)
            assert elsewhere.calls == []

    def test_a_server_that_is_not_there_is_named_without_its_password(self) -> None:
        with FakeOpenAIServer() as server:
            address = server.endpoint.url.replace("//", "//me:secret@")
        with (
            OpenAIChat(lambda: Endpoint(address, key="hidden")) as chat,
            pytest.raises(EngineDown, match=r"does not answer. Start it or unset TUTOR_CHAT_URL, then retry") as caught,
        ):
            chat.choose(TURNS, YES_NO)
        assert "secret" not in str(caught.value)
        assert "hidden" not in str(caught.value)

    @pytest.mark.parametrize("address", ["http://[nonsense", "http://127.0.0.1:99999999/v1", "no address", ""])
    def test_an_address_that_is_none_is_a_sentence(self, address: str) -> None:
        with OpenAIChat(lambda: Endpoint(address)) as chat, pytest.raises(EngineDown, match="TUTOR_CHAT_URL"):
            chat.choose(TURNS, YES_NO)

    def test_a_key_that_no_header_can_carry_is_a_sentence(self, server: FakeOpenAIServer) -> None:
        with (
            OpenAIChat(lambda: Endpoint(server.endpoint.url, key="schlüssel\n")) as chat,
            pytest.raises(EngineError),
        ):
            chat.choose(TURNS, YES_NO)

    def test_a_proxy_in_the_environment_is_not_used_for_this_machine(
        self, server: FakeOpenAIServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
        monkeypatch.delenv("NO_PROXY", raising=False)
        with OpenAIChat(lambda: server.endpoint) as chat:
            assert chat.choose(TURNS, YES_NO).label == "Yes"


class TestReconnecting:
    def test_a_broken_connection_is_tried_once_more(self, chat: OpenAIChat, server: FakeOpenAIServer) -> None:
        server.then(hangs_up)
        assert chat.choose(TURNS, YES_NO).label == "Yes"
        server.then(hangs_up, hangs_up)
        with pytest.raises(EngineDown, match="does not answer"):
            chat.choose(TURNS, YES_NO)

    def test_a_restarted_server_is_found_where_it_listens_now(self) -> None:
        with FakeOpenAIServer() as second:
            with FakeOpenAIServer() as first:
                addresses = iter([first.endpoint, first.endpoint, second.endpoint])
                chat = OpenAIChat(lambda: next(addresses))
                assert chat.choose(TURNS, YES_NO).label == "Yes"
            with chat:
                assert chat.choose(TURNS, YES_NO).label == "Yes"

    def test_connections_to_old_addresses_are_not_kept_for_ever(self) -> None:
        servers = [FakeOpenAIServer() for _ in range(6)]
        try:
            addresses = iter([server.endpoint for server in servers])
            with OpenAIChat(lambda: next(addresses)) as chat:
                assert [chat.choose(TURNS, YES_NO).label for _ in servers] == ["Yes"] * 6
        finally:
            for server in servers:
                server.__exit__()

    def test_an_endpoint_that_is_down_is_passed_on(self) -> None:
        def down() -> Endpoint:
            raise EngineDown("The model server is stopped.")

        with OpenAIChat(down) as chat, pytest.raises(EngineDown, match="is stopped"):
            chat.choose(TURNS, YES_NO)


def all_kinds(root: type[Exception]) -> set[type[Exception]]:
    return {root}.union(*(all_kinds(kind) for kind in root.__subclasses__()))


def example_of(kind: type[Exception]) -> Exception:
    error = kind.__new__(kind)
    error.message, error.status_code, error.body = "it broke", 418, None  # type: ignore[attr-defined]
    return error


FOREIGN_KINDS = (
    all_kinds(openai.OpenAIError)
    | all_kinds(httpx2.HTTPError)
    | {httpx2.InvalidURL, httpx2.StreamClosed, ValueError, ConnectionResetError}
)


@pytest.mark.parametrize("kind", sorted(FOREIGN_KINDS, key=lambda kind: kind.__name__))
def test_every_foreign_error_has_one_of_ours(kind: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    error = example_of(kind)
    assert isinstance(as_engine_error(error, Endpoint("http://localhost:9/v1")), EngineError)

    async def raises(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(httpx2.AsyncClient, "send", raises)
    with (
        OpenAIChat(lambda: Endpoint("http://127.0.0.1:9/v1", model="m"), probe_s=0.2) as chat,
        pytest.raises(EngineError, match=r"[Rr]etry grading"),
    ):
        chat.choose(TURNS, YES_NO)
