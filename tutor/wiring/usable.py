"""What a changed setting has to stand for besides its form: a place on the network, a model file, a model folder."""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from tutor.adapters.endpoint import Endpoint
from tutor.adapters.speech_whisper import NEEDED, model_folder
from tutor.errors import TutorError
from tutor.settings import Settings

# The first bytes of every file in llama.cpp's form.
_GGUF = b"GGUF"
_LABEL = re.compile(r"\w([\w-]{0,61}\w)?", re.ASCII)
_NUMBER = re.compile(r"[0-9]+", re.ASCII)
_NO_SUCH_MODEL = "This is neither a folder nor a model in this machine's cache."
_NO_ADDRESS = "This is no address of a server, such as http://127.0.0.1:8080/v1."


def unusable(coming: Settings, changes: Mapping[str, str]) -> dict[str, str]:
    """What would stop the next start, or be wrong there in any case, although it has the right form.

    Args:
        coming: What will hold at the next start.
        changes: The settings that are changed, blank for those that are taken back.

    Returns:
        A sentence by name of the setting; it repeats no address, which may carry a password.
    """
    urls = ("chat_url", "speech_url")
    wrong = {name: _NO_ADDRESS for name in urls if changes.get(name) and not is_server(changes[name])}
    if changes.get("chat_gguf") and coming.chat_gguf:
        wrong["chat_gguf"] = _no_gguf(coming.chat_gguf)
    if changes.get("speech_model") and not coming.speech_url:
        wrong["speech_model"] = _no_speech_model(changes["speech_model"])
    return {name: sentence for name, sentence in wrong.items() if sentence}


def is_server(url: str) -> bool:
    """Whether a request could be sent to an address: its host can exist, and nothing in it is blank or invisible.

    >>> [is_server(f"http://{host}/v1") for host in ("127.0.0.1:8080", "[::1]", "my_box", "müller.example")]
    [True, True, True, True]
    >>> [is_server(f"http://{host}/v1") for host in ("999.1.1.1", "[1]", "a..b", "a b", "-a", "*")]
    [False, False, False, False, False, False]
    """
    if not url.isprintable() or " " in url or "\\" in url or not Endpoint(url).is_address:
        return False
    host = urlsplit(url).hostname or ""
    try:
        labels = host.removesuffix(".").encode("idna").decode("ascii").split(".")
        # A last part in digits is read as the end of an IPv4 address, whatever stands before it.
        if ":" in host or _NUMBER.fullmatch(labels[-1]):
            ip_address(host)
            return True
    except ValueError:
        return False
    return all(map(_LABEL.fullmatch, labels))


def _no_gguf(file: Path) -> str:
    try:
        with file.open("rb") as reading:
            begins = reading.read(len(_GGUF))
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError, ValueError):
        return "There is no such file. Name one by its whole path."
    except OSError as error:
        return f"This file cannot be read ({error.strerror}). Choose another one."
    return (
        "" if begins == _GGUF else "This is no model file: it does not begin with the letters GGUF. Choose another one."
    )


def _no_speech_model(model: str) -> str:
    try:
        folder = model_folder(model)
    except TutorError as error:
        return _NO_SUCH_MODEL if {"@", "?"} & set(model) else str(error)
    except OSError as error:
        return f"This folder cannot be read ({error.strerror}). Choose another one."
    missing = [name for name in NEEDED if not (folder / name).is_file()]
    return f"The folder {folder} has no {missing[0]}, so it is no speech model. Choose another one." if missing else ""
