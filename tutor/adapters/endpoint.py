"""Where a model server listens and what it can do: the values that the chat plugs share."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Errand:
    """What a server is asked for, in the words of the sentences about it.

    Attributes:
        server: What to call the server.
        ability: What it has to offer under its address.
        settings: Names of its settings without `_URL`, `_KEY` and `_MODEL`.
        again: What a person does once the server is mended.
        smaller: What a person does when the server finds a request too large or wrong.
    """

    server: str
    ability: str
    settings: str
    again: str
    smaller: str


CHAT = Errand(
    server="model server",
    ability="chat",
    settings="TUTOR_CHAT",
    again="retry grading",
    smaller="If the prompt was too long for it, shorten the answer or give the server a longer context",
)
SPEECH = Errand(
    server="speech server",
    ability="transcription",
    settings="TUTOR_SPEECH",
    again="transcribe the recording again, it is kept",
    smaller="If the recording was too long for it, record a shorter answer or unset TUTOR_SPEECH_URL",
)


@dataclass(frozen=True)
class Endpoint:
    """The address of an OpenAI-compatible server.

    Attributes:
        url: Base address, usually ending in `/v1`.
        key: API key, kept out of `repr`; servers without keys accept anything.
        model: Model name to ask for; empty means the first one the server lists.
        fix: What a person does when the server does not answer.
        errand: What it is asked for.
    """

    url: str
    key: str = field(default="local", repr=False)
    model: str = ""
    fix: str = "Start it or unset TUTOR_CHAT_URL, then retry grading."
    errand: Errand = CHAT

    @property
    def shown(self) -> str:
        """The address for a sentence, without user name, password or query.

        >>> Endpoint("http://me:secret@localhost:8080/v1?x=1").shown
        'http://localhost:8080/v1'
        """
        before, _, after = self.url.rpartition("@")
        place = after.partition("?")[0]
        return f"{before.partition('//')[0]}//{place}" if before else place

    @property
    def is_address(self) -> bool:
        """Whether a request can be sent there at all.

        >>> Endpoint("https://models.example/v1").is_address, Endpoint("localhost:70000/v1").is_address
        (True, False)
        """
        try:
            parts = urlsplit(self.url)
            return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            return False

    @property
    def is_local(self) -> bool:
        """Whether the server runs on this machine, where no proxy may stand between; needs an address.

        >>> Endpoint("http://127.0.0.1:1/v1").is_local, Endpoint("https://models.example/v1").is_local
        (True, False)
        """
        return urlsplit(self.url).hostname in LOOPBACK


@dataclass(frozen=True)
class Capabilities:
    """What one server was seen to do, by asking it.

    Attributes:
        server: Its address as shown to a person.
        model: The model that answers.
        logprobs: The alternatives to the reply's first token come with usable log probabilities.
        schema: A nested `json_schema` response format is obeyed, not just accepted.
        prefix_reuse: It reports that a repeated prompt came from its cache.
        quiet: It accepts being told not to think aloud before it answers.
        detail: One sentence for `tutor doctor`.
    """

    server: str
    model: str
    logprobs: bool
    schema: bool
    prefix_reuse: bool
    quiet: bool
    detail: str
