"""A changed setting stands for something: a server that can exist, a model file, the folder of a speech model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tutor.settings import Settings
from tutor.wiring.usable import is_server, unusable


def wrong(tmp_path: Path, **changes: str) -> dict[str, str]:
    return unusable(Settings(data_dir=tmp_path, **changes), changes)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:8080",
        "localhost",
        "LOCALHOST:1",
        "host:",
        "[::1]:8080",
        "[fe80::1%25eth0]",
        "models.example",
        "models.example.",
        "my_box",
        "müller.example",
        "me:word@models.example",
        "8.example",
    ],
)
def test_an_address_of_a_host_that_can_exist_is_one(host: str) -> None:
    assert is_server(f"http://{host}/v1")


@pytest.mark.parametrize(
    "host",
    [
        "",
        "[bad",
        "[1]",
        "999.1.1.1",
        "1.2.3.4.5",
        "a b",
        "a\nb",
        "a\tb",
        "a\0b",
        "\u200b",
        "a\u00a0b",
        "a..b",
        "xn--",
        "-a",
        "*",
        "a%zz",
        "a\\b",
        "a" * 64,
        "host:99999",
        "host:0",
        "host:x",
    ],
)
def test_what_no_request_can_be_sent_to_is_refused_without_repeating_it(tmp_path: Path, host: str) -> None:
    for name in ("chat_url", "speech_url"):
        found = wrong(tmp_path, **{name: f"http://me:canary@{host}/v1"})
        assert "no address" in found[name]
        assert "canary" not in found[name]


def test_a_path_with_a_blank_or_a_line_is_no_address() -> None:
    assert not is_server("http://models.example/v1 evil")
    assert not is_server("http://models.example/v1\nevil")


def test_a_model_file_begins_as_one(tmp_path: Path) -> None:
    file = tmp_path / "x.gguf"
    assert "no such file" in wrong(tmp_path, chat_gguf=str(file))["chat_gguf"]
    assert "no such file" in wrong(tmp_path, chat_gguf=str(tmp_path))["chat_gguf"]
    assert "no such file" in wrong(tmp_path, chat_gguf="~nosuchuser/x")["chat_gguf"]
    assert "cannot be read" in wrong(tmp_path, chat_gguf=f"/{'x' * 300}")["chat_gguf"]
    for not_one in (b"", b"GG", b"root:x:0:0"):
        file.write_bytes(not_one)
        assert "does not begin with the letters GGUF" in wrong(tmp_path, chat_gguf=str(file))["chat_gguf"]
    file.write_bytes(b"GGUF\x03")
    assert wrong(tmp_path, chat_gguf=str(file)) == {}


def test_the_folder_of_a_speech_model_holds_one(tmp_path: Path) -> None:
    assert "has no model.bin" in wrong(tmp_path, speech_model=str(tmp_path))["speech_model"]
    (tmp_path / "model.bin").touch()
    assert "has no config.json" in wrong(tmp_path, speech_model=str(tmp_path))["speech_model"]
    for name in ("config.json", "tokenizer.json"):
        (tmp_path / name).touch()
    assert wrong(tmp_path, speech_model=str(tmp_path)) == {}


def test_a_speech_model_that_is_nowhere_is_a_sentence(tmp_path: Path) -> None:
    assert "neither a folder" in wrong(tmp_path, speech_model="~nosuchuser/x")["speech_model"]
    assert "cannot be read" in wrong(tmp_path, speech_model="x" * 300)["speech_model"]
    assert "neither a folder" in wrong(tmp_path, speech_model="bad\0name")["speech_model"]
    found = wrong(tmp_path, speech_model="http://me:canary@host/v1")["speech_model"]
    assert "neither a folder" in found
    assert "canary" not in found


def test_a_model_name_at_a_server_is_the_servers_matter(tmp_path: Path) -> None:
    assert wrong(tmp_path, speech_model="~any/name", speech_url="http://127.0.0.1:9/v1") == {}


def test_what_is_taken_back_is_not_looked_at(tmp_path: Path) -> None:
    assert unusable(Settings(data_dir=tmp_path, chat_url="http://[bad"), {"chat_url": ""}) == {}
