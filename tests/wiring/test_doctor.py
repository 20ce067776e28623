"""The doctor goes on after a finding, and every finding says how to mend it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.fake_openai_server import FakeOpenAIServer
from tutor.settings import Settings
from tutor.wiring import checks
from tutor.wiring.doctor import _hosts, _speech


def by_name(settings: Settings) -> dict[str, object]:
    return {check.name: check for check in checks(settings)}


def test_an_empty_machine_is_described_to_the_end(tmp_path: Path) -> None:
    found = by_name(Settings(data_dir=tmp_path / "own"))
    assert found["data folder"].ok
    assert found["question bank"].ok
    assert re.fullmatch(r"[1-9]\d+ questions, [1-9]\d+ criteria", found["question bank"].detail)
    assert "none yet" in found["database"].detail
    assert not found["models"].ok
    assert "make setup" in found["models"].fix + found["models"].detail
    assert found["other hosts"].detail == "none but this machine"
    assert not (tmp_path / "own" / "tutor.sqlite").exists(), "looking makes nothing"


def test_a_damaged_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "tutor.sqlite").write_bytes(b"this is no database at all" * 100)
    check = by_name(Settings(data_dir=tmp_path))["database"]
    assert not check.ok
    assert "tutor.sqlite" in check.detail


def test_a_broken_bank_is_named_with_the_line(tmp_path: Path) -> None:
    bank = tmp_path / "bank.jsonl"
    bank.write_text('{"id": "q"}\n', encoding="utf-8")
    check = by_name(Settings(data_dir=tmp_path, bank=bank))["question bank"]
    assert not check.ok
    assert "line 1" in check.detail
    assert "TUTOR_BANK" in check.fix


def test_a_server_elsewhere_is_told(tmp_path: Path) -> None:
    found = by_name(Settings(data_dir=tmp_path, chat_url="http://localhost:9/v1", embedder=tmp_path))
    assert found["other hosts"].detail == "none but this machine"
    assert not found["model server"].ok
    assert not found["embedding model"].ok


def test_the_decoder_of_recordings_is_tried(tmp_path: Path) -> None:
    found = by_name(Settings(data_dir=tmp_path))
    assert found["recordings"].ok
    assert found["recordings"].detail.startswith("1 s decoded in ")


def test_a_missing_speech_model_is_one_finding_with_what_to_do(tmp_path: Path) -> None:
    found = by_name(Settings(data_dir=tmp_path))
    assert not found["speech model"].ok
    assert not found["weights whisper-base"].ok
    assert "make setup" in found["speech model"].fix


def test_a_speech_server_is_tried_and_told_among_other_hosts(tmp_path: Path) -> None:
    with FakeOpenAIServer() as server:
        check = by_name(Settings(data_dir=tmp_path, speech_url=server.endpoint.url))["speech model"]
    assert check.ok
    assert check.detail.startswith(f"whisper-1 at {server.endpoint.url}, ready in ")
    settings = Settings(data_dir=tmp_path, chat_url="https://a.example/v1", speech_url="https://me:pw@b.example/v1")
    assert _hosts(settings) == "a.example (TUTOR_CHAT_URL), b.example (TUTOR_SPEECH_URL)"


@pytest.mark.real
def test_the_embedded_speech_model_is_loaded(tmp_path: Path, weights_dir: Path) -> None:
    assert _speech(Settings(data_dir=tmp_path, weights_dir=weights_dir)).startswith(
        "whisper base int8, faster-whisper "
    )
