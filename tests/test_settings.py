"""Environment first, then the file, then defaults; a mistake is named with what is expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from tutor.errors import SettingsError
from tutor.settings import LANGUAGES, changed, load, origins, saved, settings_file, write


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
    assert (settings.speech_url, settings.speech_model, settings.speech_language) == (None, None, "en")
    assert settings.takes_days == 30


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
        ("TUTOR_PORT", "abc", "TUTOR_PORT: .*whole number.*'abc'"),
        ("TUTOR_PORT", "80", "TUTOR_PORT: .*greater than or equal to 1024"),
        ("TUTOR_CHAT_URL", "127.0.0.1:8080", "TUTOR_CHAT_URL: expected an address that starts with http"),
        ("TUTOR_SPEECH_URL", "speech.example/v1", "TUTOR_SPEECH_URL: expected an address that starts with http"),
        ("TUTOR_SPEECH_LANGUAGE", "English", "TUTOR_SPEECH_LANGUAGE: .*small letters"),
        ("TUTOR_SPEECH_LANGUAGE", "xx", "TUTOR_SPEECH_LANGUAGE: .*that Whisper knows"),
        ("TUTOR_TAKES_DAYS", "-1", "TUTOR_TAKES_DAYS: .*greater than or equal to 0"),
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


def test_the_keys_are_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUTOR_CHAT_KEY", "sk-canary")
    monkeypatch.setenv("TUTOR_SPEECH_KEY", "sk-canary")
    assert "canary" not in repr(load())
    assert "canary" not in str(load().model_dump_json())


def save(file: Path, **changes: str | None) -> None:
    write(file, changed(file, changes)[1])


def test_who_decided_is_known_for_every_setting(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = own_folder / "settings.toml"
    file.write_text('chat_model = "a"\nchat_deadline_s = 30\n', encoding="utf-8")
    monkeypatch.setenv("TUTOR_CHAT_MODEL", "b")
    monkeypatch.setenv("TUTOR_CHAT_URL", "")
    monkeypatch.setenv("TUTOR_EVAL_DIR", "/elsewhere")
    deciding = origins(settings_file(), given=["port"])
    assert settings_file() == file
    assert deciding["chat_model"] == deciding["data_dir"] == "environment"
    assert deciding["chat_deadline_s"] == "settings file"
    assert deciding["port"] == "command line"
    assert deciding["chat_url"] == deciding["bank"] == "default"
    assert set(deciding) == set(load().__class__.model_fields)


def test_a_change_keeps_the_comments_and_the_order_of_the_file(own_folder: Path) -> None:
    file = own_folder / "settings.toml"
    file.write_text('# mine\nchat_model = "a"  # small\n\nport = 8001\n', encoding="utf-8")
    save(file, chat_model="b", open_browser="false", port=None)
    assert file.read_text(encoding="utf-8") == '# mine\nchat_model = "b"  # small\n\nopen_browser = false\n'
    settings = load()
    assert (settings.chat_model, settings.open_browser, settings.port) == ("b", False, 7860)


def test_the_first_change_makes_a_file_for_its_owner_alone(own_folder: Path) -> None:
    file = own_folder / "settings.toml"
    save(file, port="8001", chat_deadline_s="90", chat_key="sk-canary", bank=None)
    assert saved(file) == {"port": 8001, "chat_deadline_s": 90.0, "chat_key": "sk-canary"}
    assert file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in own_folder.iterdir()] == ["settings.toml"]


@pytest.mark.parametrize("text", ['"', "'''\n[table]\nx = 1", "\\", "\x00\x1b", "\ud800", "# no comment", "ü \u202e"])
def test_whatever_is_typed_stays_one_text(own_folder: Path, text: str) -> None:
    save(own_folder / "settings.toml", chat_model=text)
    assert load().chat_model == text.replace("\ud800", "?")
    assert list(saved(own_folder / "settings.toml")) == ["chat_model"]


@pytest.mark.parametrize(
    ("changes", "at", "says"),
    [
        ({"port": "abc"}, "port", "whole number"),
        ({"port": "80"}, "port", "greater than or equal to 1024"),
        ({"chat_url": "localhost"}, "chat_url", "starts with http"),
        ({"chat_deadline_s": "0"}, "chat_deadline_s", "greater than 0"),
        ({"speech_language": "English"}, "speech_language", "such as en"),
        ({"speech_language": "xx"}, "speech_language", "such as en"),
        ({"speech_language": "en\nde"}, "speech_language", "such as en"),
        ({"open_browser": "perhaps"}, "open_browser", "true or false"),
    ],
)
def test_a_change_that_would_not_start_is_refused_at_its_field(
    own_folder: Path, changes: dict[str, str], at: str, says: str
) -> None:
    with pytest.raises(SettingsError) as refused:
        changed(own_folder / "settings.toml", {"chat_model": "a"} | changes)
    assert list(refused.value.mistakes) == [at]
    assert says in refused.value.mistakes[at]
    assert "TUTOR_" not in refused.value.mistakes[at]
    assert not list(own_folder.iterdir())


def test_a_change_is_held_against_what_the_environment_says(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUTOR_CHAT_GGUF", "/models/x.gguf")
    with pytest.raises(SettingsError, match="not both") as refused:
        changed(own_folder / "settings.toml", {"chat_url": "http://127.0.0.1:8080/v1"})
    assert refused.value.mistakes == {}


def test_a_broken_file_is_not_overwritten(own_folder: Path) -> None:
    file = own_folder / "settings.toml"
    for broken in (b"port = \xff 3\n", b"port = = 3\n"):
        file.write_bytes(broken)
        with pytest.raises(SettingsError, match="cannot be read"):
            changed(file, {"port": "8001"})
        assert file.read_bytes() == broken


def test_a_file_that_cannot_be_written_is_a_sentence_and_leaves_no_half(own_folder: Path) -> None:
    (own_folder / "settings.toml").mkdir()
    with pytest.raises(SettingsError, match="cannot be written"):
        write(own_folder / "settings.toml", "port = 8001\n")
    with pytest.raises(SettingsError, match="cannot be written"):
        write(own_folder / "none" / "settings.toml", "port = 8001\n")
    assert [path.name for path in own_folder.iterdir()] == ["settings.toml"]


def test_a_file_that_is_a_link_stays_one_and_what_it_leads_to_is_written(own_folder: Path) -> None:
    real, file = own_folder / "mine" / "real.toml", own_folder / "settings.toml"
    real.parent.mkdir()
    file.symlink_to(real)
    save(file, port="8001")
    save(file, chat_model="a")
    assert file.is_symlink()
    assert real.read_text(encoding="utf-8") == 'port = 8001\nchat_model = "a"\n'
    assert real.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in real.parent.iterdir()] == ["real.toml"]


@pytest.mark.parametrize(
    "line",
    [
        'chat_url = "ftp://me:canary@host"',
        'chat_url = "me:canary@host:80/v1"',
        'speech_url = "host/v1?key=canary"',
        'chat_url = ["http://me:canary@host"]',
        'port = "http://me:canary@host"',
        'chat_url = "http://me:canary@host"\nchat_gguf = "/x"',
    ],
)
def test_a_refused_address_is_not_repeated_where_it_may_carry_a_password(own_folder: Path, line: str) -> None:
    (own_folder / "settings.toml").write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(SettingsError) as refused:
        load()
    assert "canary" not in str(refused.value) + str(refused.value.mistakes)


def test_the_languages_are_those_of_the_speech_model() -> None:
    from faster_whisper.tokenizer import _LANGUAGE_CODES

    assert set(_LANGUAGE_CODES) == LANGUAGES


def test_a_refused_key_is_not_repeated(own_folder: Path) -> None:
    (own_folder / "settings.toml").write_text("chat_key = 771177\n", encoding="utf-8")
    with pytest.raises(SettingsError) as refused:
        load()
    assert "chat_key" in refused.value.mistakes
    assert "771177" not in str(refused.value) + str(refused.value.mistakes)
