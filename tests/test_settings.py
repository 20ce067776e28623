"""Environment first, then the file, then defaults; a mistake is named with what is expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from tutor.errors import SettingsError
from tutor.settings import load


@pytest.fixture(autouse=True)
def own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    import os

    for name in [n for n in os.environ if n.startswith("TUTOR_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("TUTOR_DATA_DIR", str(tmp_path))
    return tmp_path


def test_defaults_need_nothing(own_folder: Path) -> None:
    settings = load()
    assert (settings.data_dir, settings.weights, settings.port) == (own_folder, own_folder / "weights", 7860)
    assert settings.chat_url is None


def test_the_file_beats_the_default_and_the_environment_beats_the_file(
    own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (own_folder / "settings.toml").write_text('port = 8001\nchat_model = "a"\n', encoding="utf-8")
    monkeypatch.setenv("TUTOR_CHAT_MODEL", "b")
    settings = load()
    assert (settings.port, settings.chat_model) == (8001, "b")
    assert load(port=8002).port == 8002


def test_an_empty_variable_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUTOR_CHAT_URL", "")
    assert load().chat_url is None


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("TUTOR_PORT", "abc", "TUTOR_PORT: .*integer.*'abc'"),
        ("TUTOR_PORT", "80", "TUTOR_PORT: .*greater than or equal to 1024"),
        ("TUTOR_CHAT_URL", "127.0.0.1:8080", "TUTOR_CHAT_URL: expected an address that starts with http"),
        ("TUTOR_CHAT_DEADLINE_S", "0", "TUTOR_CHAT_DEADLINE_S: .*greater than 0"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_expected(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, says: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=says):
        load()


def test_two_servers_at_once_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUTOR_CHAT_URL", "http://127.0.0.1:8080/v1")
    monkeypatch.setenv("TUTOR_CHAT_GGUF", "/models/x.gguf")
    with pytest.raises(SettingsError, match="not both"):
        load()


def test_a_misspelt_variable_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(SettingsError, match=r"TUTOR_CHATURL.*Did you mean TUTOR_CHAT_URL"):
        load(["PATH", "TUTOR_CHATURL"])
    with pytest.raises(SettingsError, match=r"TUTOR_XYZZY.*README"):
        load(["TUTOR_XYZZY"])
    load(["PATH", "TUTOR_PORT", "TUTOR_EVAL_DIR"])


def test_an_unknown_line_of_the_file_is_refused(own_folder: Path) -> None:
    (own_folder / "settings.toml").write_text("colour = 1\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="TUTOR_COLOUR does not exist"):
        load()


def test_a_broken_file_is_a_sentence(own_folder: Path) -> None:
    (own_folder / "settings.toml").write_text("port = = 3\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="settings file cannot be read"):
        load()


def test_the_key_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUTOR_CHAT_KEY", "sk-canary")
    assert "canary" not in repr(load())
    assert "canary" not in str(load().model_dump_json())
