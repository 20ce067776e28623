"""What the probe finds out about servers that can more or less."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fake_openai_server import Abilities, Behaviour, Call, FakeOpenAIServer, fails, honest, says, sends
from tutor.adapters.chat_openai import OpenAIChat
from tutor.adapters.endpoint import Capabilities, Endpoint
from tutor.errors import EngineDown, EngineReply
from tutor.ports import Turn

TURNS = (Turn("user", "Is it?"),)


def found(abilities: Abilities, always: Behaviour | None = None) -> Capabilities:
    with FakeOpenAIServer(abilities) as server, OpenAIChat(lambda: server.endpoint) as chat:
        server.always = always
        return chat.capabilities()


def test_a_server_that_can_everything() -> None:
    able = found(Abilities())
    assert (able.model, able.logprobs, able.schema, able.prefix_reuse, able.quiet) == ("tiny", True, True, True, True)
    assert able.detail == "tiny: log probabilities yes, schema yes, reuse of a repeated prompt yes."
    assert able.server.startswith("http://127.0.0.1:")


def test_a_server_that_can_only_chat() -> None:
    able = found(Abilities(odds=None, schema=False, caches=False))
    assert (able.logprobs, able.schema, able.prefix_reuse) == (False, False, False)


def test_a_schema_that_is_accepted_and_ignored_is_noticed() -> None:
    assert not found(Abilities(schema=False)).schema


def test_a_schema_that_is_refused_is_noticed() -> None:
    def refuses_schema(call: Call) -> None:
        (fails(400, "unknown response_format") if "response_format" in call.body else honest)(call)

    assert not found(Abilities(), refuses_schema).schema


def test_a_server_that_refuses_unknown_fields_is_asked_without_them() -> None:
    with FakeOpenAIServer(Abilities(knows_quiet=False)) as server, OpenAIChat(lambda: server.endpoint) as chat:
        able = chat.capabilities()
        assert (able.quiet, able.logprobs) == (False, True)
        server.calls.clear()
        chat.choose(TURNS, ("Yes", "No"))
        assert "chat_template_kwargs" not in server.calls[0].body


def test_a_server_that_refuses_log_probabilities_is_asked_without_them() -> None:
    def refuses_logprobs(call: Call) -> None:
        (fails(400, "logprobs are not supported") if "logprobs" in call.body else honest)(call)

    able = found(Abilities(), refuses_logprobs)
    assert (able.logprobs, able.quiet, able.schema) == (False, True, True)


def test_a_server_that_refuses_every_request_is_an_error_with_its_own_words() -> None:
    with pytest.raises(EngineReply, match=r"refuses the request \(status 400: .*no way"):
        found(Abilities(), fails(400, "no way"))


def test_log_probabilities_of_a_first_thought_do_not_count() -> None:
    assert not found(Abilities(odds={"<think>": 0.9999, "The": 0.0001}, word="<think>Hm")).logprobs


def test_log_probabilities_of_the_chosen_token_alone_do_not_count() -> None:
    assert not found(Abilities(odds={"Yes": 0.9})).logprobs


def test_a_web_page_is_not_a_model_server() -> None:
    with pytest.raises(EngineReply, match=r"is not a usable model server: .*TUTOR_CHAT_URL"):
        found(Abilities(), sends(b"<html></html>", "text/html"))


def test_a_server_without_a_model_says_what_to_do() -> None:
    with pytest.raises(EngineReply, match=r"lists no model\. Load one there or set TUTOR_CHAT_MODEL"):
        found(Abilities(models=()))


def test_a_server_without_a_model_list_says_what_to_do() -> None:
    with pytest.raises(EngineReply, match=r"is not a model server: its reply is not a list of models"):
        found(Abilities(model_list=b'{"hello": "world"}'))


def test_a_set_model_is_used_without_asking_for_the_list() -> None:
    with FakeOpenAIServer() as server:
        endpoint = replace(server.endpoint, model="large")
        with OpenAIChat(lambda: endpoint) as chat:
            assert chat.name == "large"
            assert server.calls == []
            chat.choose(TURNS, ("Yes", "No"))
            assert {call.body["model"] for call in server.calls} == {"large"}
            assert chat.name == "large"


def test_the_name_is_asked_for_where_none_is_set() -> None:
    with FakeOpenAIServer() as server, OpenAIChat(lambda: server.endpoint) as chat:
        assert chat.name == "tiny"


def test_each_address_is_probed_once() -> None:
    with FakeOpenAIServer() as server, OpenAIChat(lambda: server.endpoint) as chat:
        first = chat.capabilities()
        asked = len(server.calls)
        assert chat.capabilities() is first
        chat.choose(TURNS, ("Yes", "No"))
        assert len(server.calls) == asked + 1


def test_a_failed_probe_is_not_remembered() -> None:
    with FakeOpenAIServer() as server, OpenAIChat(lambda: server.endpoint) as chat:
        server.then(fails(500, "not yet"))
        with pytest.raises(EngineDown):
            chat.capabilities()
        assert chat.capabilities().logprobs


def test_a_server_that_is_not_there_has_no_capabilities() -> None:
    with OpenAIChat(lambda: Endpoint("http://127.0.0.1:1/v1")) as chat, pytest.raises(EngineDown):
        chat.capabilities()


def test_a_reply_without_usage_is_enough() -> None:
    able = found(Abilities(models=("m",)), says("Yes"))
    assert able == replace(able, logprobs=False, schema=False, prefix_reuse=False)
