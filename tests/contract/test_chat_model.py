"""One contract for every inhabitant of the ChatModel socket."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fake_openai_server import FakeOpenAIServer
from tests.fakes import FakeChatModel
from tutor.adapters.chat_openai import OpenAIChat
from tutor.adapters.server_llamacpp import LlamaServer
from tutor.errors import EngineDown
from tutor.ports import ChatModel, Choice, Turn

GGUF = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
SYSTEM = Turn("system", "You are a strict examiner. Reply with exactly one word: Yes or No.")
LABELS = ("Yes", "No")


@pytest.fixture(scope="module")
def real(request: pytest.FixtureRequest) -> Iterator[ChatModel]:
    weights: Path = request.getfixturevalue("weights_dir")
    with LlamaServer(weights / GGUF, threads=2) as server, OpenAIChat(lambda: server.endpoint(120)) as chat:
        yield chat


@pytest.fixture
def served() -> Iterator[ChatModel]:
    with FakeOpenAIServer() as server, OpenAIChat(lambda: server.endpoint) as chat:
        yield chat


@pytest.fixture(params=["fake", "served", pytest.param("real", marks=pytest.mark.real)])
def model(request: pytest.FixtureRequest) -> ChatModel:
    chat: ChatModel = FakeChatModel() if request.param == "fake" else request.getfixturevalue(request.param)
    return chat


@pytest.fixture(params=["fake", "served"])
def model_that_is_down(request: pytest.FixtureRequest) -> Iterator[ChatModel]:
    if request.param == "fake":
        yield FakeChatModel(lambda _: EngineDown("It does not answer. Start it, then retry grading."))
    else:
        with FakeOpenAIServer() as server:
            gone = server.endpoint
        with OpenAIChat(lambda: gone) as chat:
            yield chat


def ask(model: ChatModel, question: str) -> Choice:
    return model.choose((SYSTEM, Turn("user", question)), LABELS)


def test_it_has_a_name(model: ChatModel) -> None:
    assert model.name
    assert model.name == model.name


def test_it_chooses_one_of_the_labels_with_consistent_figures(model: ChatModel) -> None:
    choice = ask(model, "Is fire hot?")
    assert choice.label in LABELS
    assert choice.probability is not None
    assert choice.log_odds is not None
    assert math.isfinite(choice.log_odds)
    assert choice.probability == pytest.approx(1 / (1 + math.exp(-choice.log_odds)), abs=1e-6)
    assert (choice.label == LABELS[0]) == (choice.log_odds >= 0.0)


def test_it_counts_the_prompt(model: ChatModel) -> None:
    short, long = ask(model, "Is fire hot?"), ask(model, "Is fire hot, or is it cold as the deepest ice?")
    assert short.prompt_tokens is not None
    assert long.prompt_tokens is not None
    assert 0 < short.prompt_tokens < long.prompt_tokens


def test_the_same_question_has_the_same_label(model: ChatModel) -> None:
    assert ask(model, "Is fire hot?").label == ask(model, "Is fire hot?").label


def test_probability_is_of_the_first_label_whichever_it_is(model: ChatModel) -> None:
    choice = model.choose((SYSTEM, Turn("user", "Is fire hot?")), ("No", "Yes"))
    assert choice.probability is not None
    assert (choice.label == "No") == (choice.probability >= 0.5)


def test_a_model_that_is_down_raises_and_chooses_nothing(model_that_is_down: ChatModel) -> None:
    with pytest.raises(EngineDown, match="retry grading"):
        ask(model_that_is_down, "Is fire hot?")


@pytest.mark.real
def test_the_real_model_knows_that_fire_is_hot_and_ice_is_not(real: ChatModel) -> None:
    assert ask(real, "Is fire hot?").label == "Yes"
    assert ask(real, "Is ice hot?").label == "No"
