"""The settings: environment first, then the settings file, then the defaults."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import platformdirs
from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from tutor.errors import SettingsError

PREFIX = "TUTOR_"
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

    @field_validator("chat_url")
    @classmethod
    def _is_http(cls, url: str | None) -> str | None:
        if url is not None and not url.startswith(("http://", "https://")):
            raise ValueError(
                "expected an address that starts with http:// or https://, such as http://127.0.0.1:8080/v1"
            )
        return url

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
        folder = Path(env_settings().get("data_dir") or platformdirs.user_data_path("tutor", appauthor=False))
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, toml_file=folder / "settings.toml")


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
        raise SettingsError("\n".join(_sentence(error) for error in e.errors())) from None
    except ValueError as e:
        raise SettingsError(f"The settings file cannot be read: {e}. Mend it or move it away.") from None


def _refuse_unknown(names: Iterable[str]) -> None:
    known = [PREFIX + name.upper() for name in Settings.model_fields]
    for name in names:
        if name.startswith(PREFIX) and name not in known and name not in _FOR_TESTS:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]}?" if near else " The README lists all settings."
            raise SettingsError(f"There is no setting {name}.{hint}")


def _sentence(error: Any) -> str:
    name = ".".join(str(part) for part in error["loc"])
    where = f"Setting {PREFIX}{name.upper()}" if name else "Settings"
    if error["type"] == "extra_forbidden":
        return f"{where} does not exist; the README lists all settings."
    message = error["msg"].removeprefix("Value error, ")
    return f"{where}: {message}." + (f" It was {error['input']!r}." if name and name != "chat_key" else "")
