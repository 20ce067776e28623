"""The doctor goes on after a finding, and every finding says how to mend it."""

from __future__ import annotations

from pathlib import Path

from tutor.settings import Settings
from tutor.wiring import checks


def by_name(settings: Settings) -> dict[str, object]:
    return {check.name: check for check in checks(settings)}


def test_an_empty_machine_is_described_to_the_end(tmp_path: Path) -> None:
    found = by_name(Settings(data_dir=tmp_path / "own"))
    assert found["data folder"].ok
    assert found["question bank"].ok
    assert "3 questions" in found["question bank"].detail
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
