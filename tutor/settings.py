"""The settings: environment first, then the settings file, then the defaults."""

from __future__ import annotations

import difflib
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import platformdirs
import tomlkit
from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)
from tomlkit.exceptions import TOMLKitError

from tutor.errors import SettingsError

PREFIX = "TUTOR_"
FILE = "settings.toml"
# The codes that Whisper was trained on, from its own table of languages.
LANGUAGES = frozenset(
    "af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi hr ht hu hy id "
    "is it ja jw ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si "
    "sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo zh yue".split()
)
# Read by the tests alone; a person's environment may carry them all the same.
_FOR_TESTS = ("TUTOR_SOURCES_DIR", "TUTOR_EVAL_DIR", "TUTOR_REQUIRE_SYSTEM")


class Settings(BaseSettings):
    """Every setting, read once at start."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, frozen=True, extra="forbid", use_attribute_docstrings=True, env_ignore_empty=True
    )

    data_dir: Path = Field(default_factory=lambda: platformdirs.user_data_path("tutor", appauthor=False))
    """Folder of everything that is yours: database, backups, weights, settings file, logs."""
    weights_dir: Path | None = None
    """Folder of the model files; `weights` in the data folder when not set."""
    bank: Path | None = None
    """Folder or JSON-lines file with questions and rubrics, instead of those that come with the program."""
    port: int = Field(default=7860, ge=1024, le=65535)
    """Port of the page on 127.0.0.1; when it is taken the next free one is used."""
    open_browser: bool = True
    """Open the page in the browser when the program starts."""
    chat_url: str | None = None
    """Base URL of another OpenAI-compatible server, such as `http://127.0.0.1:11434/v1`."""
    chat_model: str | None = None
    """Model name to ask that server for; its first model when not set."""
    chat_key: SecretStr | None = None
    """Key for that server, if it wants one."""
    chat_gguf: Path | None = None
    """Another local GGUF file for the built-in server."""
    chat_threads: int = Field(default_factory=lambda: max(os.cpu_count() or 2, 1), ge=1, le=256)
    """Threads of the built-in server; all cores when not set."""
    chat_deadline_s: float = Field(default=60.0, gt=0, le=3600)
    """Seconds after which one call to the model is given up."""
    embedder: Path | None = None
    """Folder of another sentence-transformers model; all-MiniLM-L6-v2 of the weights folder when not set."""
    speech_model: str | None = None
    """Folder of another faster-whisper model, or a cached size such as `small`; with `speech_url`, the name there."""
    speech_language: str = "en"
    """Language code of spoken answers."""
    speech_threads: int = Field(default_factory=lambda: max(os.cpu_count() or 2, 1), ge=1, le=256)
    """Threads of the speech model; all cores when not set."""
    speech_url: str | None = None
    """Base URL of an OpenAI-compatible server that transcribes recordings, instead of the speech model here."""
    speech_key: SecretStr | None = None
    """Key for that server, if it wants one."""
    speech_deadline_s: float = Field(default=300.0, gt=0, le=3600)
    """Seconds after which one transcription by that server is given up."""
    takes_days: int = Field(default=30, ge=0, le=36500)
    """Days that recordings are kept; 0 keeps them for ever. Transcripts and grades always stay."""

    @field_validator("chat_url", "speech_url")
    @classmethod
    def _is_http(cls, url: str | None) -> str | None:
        if url is not None and not url.startswith(("http://", "https://")):
            raise ValueError(
                "expected an address that starts with http:// or https://, such as http://127.0.0.1:8080/v1"
            )
        return url

    @field_validator("speech_language")
    @classmethod
    def _is_known(cls, code: str) -> str:
        if code not in LANGUAGES:
            raise ValueError("expected the small letters of a language that Whisper knows, such as en, de or yue")
        return code

    @model_validator(mode="after")
    def _one_server(self) -> Settings:
        if self.chat_url and self.chat_gguf:
            raise ValueError("set either chat_url (another server) or chat_gguf (a local file), not both")
        return self

    @property
    def weights(self) -> Path:
        """The folder of the model files."""
        return self.weights_dir or self.data_dir / "weights"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the library's signature
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, then environment, then `settings.toml` in the data folder."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, toml_file=settings_file())


def load(environment_names: Iterable[str] = (), **given: Any) -> Settings:
    """Read all settings.

    Args:
        environment_names: Names of all environment variables, to refuse misspelt ones.
        given: Settings from the command line; they win over everything.

    Raises:
        SettingsError: An unknown name or a value that cannot be used, with the name and what is expected.
    """
    _refuse_unknown(environment_names)
    try:
        return Settings(**given)
    except ValidationError as e:
        raise _mistaken(e) from None
    except ValueError as e:
        raise SettingsError(f"The settings file cannot be read: {e}. Mend it or move it away.") from None


SECRETS = tuple(name for name, field in Settings.model_fields.items() if "SecretStr" in str(field.annotation))
Origin = Literal["environment", "settings file", "default", "command line"]


def settings_file() -> Path:
    """Where the settings file is read from: the data folder that the environment names, or the platform's."""
    folder = _of_environment().get("data_dir") or platformdirs.user_data_path("tutor", appauthor=False)
    return Path(folder) / FILE


def origins(file: Path, given: Iterable[str] = ()) -> dict[str, Origin]:
    """Who decides each setting.

    Args:
        file: The settings file.
        given: Names of the settings from the command line.

    Raises:
        SettingsError: The file cannot be read.
    """
    deciding: dict[str, Origin] = dict.fromkeys(Settings.model_fields, "default")
    deciding |= dict.fromkeys(saved(file), "settings file")
    deciding |= dict.fromkeys(_of_environment(), "environment")
    return deciding | dict.fromkeys(given, "command line")


def saved(file: Path) -> dict[str, Any]:
    """What the settings file says, by name. Raises SettingsError when it cannot be read."""
    return _read(file).unwrap()


def changed(file: Path, changes: Mapping[str, str | None]) -> tuple[Settings, str]:
    """What will hold at the next start with some settings changed, and the text of the file for it; nothing is written.

    Args:
        file: The settings file; its comments and its order stay.
        changes: Text by name of the setting, as a person would write it; None takes the setting out of the file.

    Raises:
        SettingsError: With these changes the program would not start, or the file cannot be read.
    """
    document = _read(file)
    for name, text in changes.items():
        if text is None:
            document.pop(name, None)
        else:
            # Half a surrogate pair cannot be written.
            document[name] = _typed(name, text.encode("utf-8", "replace").decode("utf-8"))
    try:
        return _Merged(**document.unwrap() | _of_environment()), document.as_string()
    except ValidationError as e:
        raise _mistaken(e) from None


def write(file: Path, text: str) -> None:
    """Put a whole new settings file in the place of the old one, readable by its owner alone.

    A file that is a link stays one; what it leads to is replaced.

    Raises:
        SettingsError: It cannot be written; the old one is as it was.
    """
    half, target = None, os.path.realpath(file)
    try:
        # mkstemp lets nobody but the owner read it.
        handle, half = tempfile.mkstemp(prefix=f".{FILE}-", dir=os.path.dirname(target))
        with os.fdopen(handle, "w", encoding="utf-8") as writing:
            writing.write(text)
            writing.flush()
            os.fsync(writing.fileno())
        os.replace(half, target)
    except OSError as e:
        if half is not None:
            Path(half).unlink(missing_ok=True)
        raise SettingsError(f"The settings file {file} cannot be written ({e.strerror}). Nothing was saved.") from None


class _Merged(Settings):
    """Settings whose sources were put together before; nothing else is read."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - the library's signature
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)


def _of_environment() -> dict[str, Any]:
    return EnvSettingsSource(Settings)()


def _read(file: Path) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(file.read_text(encoding="utf-8")) if file.exists() else tomlkit.document()
    except (OSError, ValueError, TOMLKitError) as e:
        raise SettingsError(f"The settings file {file} cannot be read: {e}. Mend it or move it away.") from None


def _typed(name: str, text: str) -> Any:
    """The text as TOML would hold it; one that does not fit stays text, and is refused with a sentence later.

    >>> _typed("port", "8001"), _typed("chat_deadline_s", "90"), _typed("open_browser", "false"), _typed("port", "x")
    (8001, 90.0, False, 'x')
    """
    kind = Settings.model_fields[name].annotation
    words: Mapping[str, Any] = {"true": True, "false": False} if kind is bool else {}
    if kind not in (int, float):
        return words.get(text, text)
    try:
        return kind(text)
    except ValueError:
        return text


def _refuse_unknown(names: Iterable[str]) -> None:
    known = [PREFIX + name.upper() for name in Settings.model_fields]
    for name in names:
        if name.startswith(PREFIX) and name not in known and name not in _FOR_TESTS:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]}?" if near else " The README lists all settings."
            raise SettingsError(f"There is no setting {name}.{hint}")


def _mistaken(mistakes: ValidationError) -> SettingsError:
    names = {_name(error): _message(error) for error in mistakes.errors() if error["loc"]}
    return SettingsError("\n".join(_sentence(error) for error in mistakes.errors()), names)


def _sentence(error: Any) -> str:
    where = f"Setting {PREFIX}{_name(error).upper()}" if error["loc"] else "Settings"
    if error["type"] == "extra_forbidden":
        return f"{where} does not exist; the README lists all settings."
    return f"{where}: {_message(error)}"


_EXPECTED = {
    "int_parsing": "expected a whole number",
    "float_parsing": "expected a number",
    "bool_parsing": "expected true or false",
}


def _message(error: Any) -> str:
    was = f"{error['input']!r}"
    # An address may carry a password before its @, or a key after its question mark.
    is_shown = error["loc"] and _name(error) not in SECRETS and not {"@", "?"} & set(was)
    was = f" It was {was}." if is_shown else ""
    return f"{_EXPECTED.get(error['type']) or error['msg'].removeprefix('Value error, ')}.{was}"


def _name(error: Any) -> str:
    return ".".join(map(str, error["loc"]))
