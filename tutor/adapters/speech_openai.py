"""Speech recognition by any server with OpenAI's transcription route; speech and pauses are still found here."""

from __future__ import annotations

import io
import wave
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field, FiniteFloat, ValidationError

from tutor.adapters.chat_openai_transport import Deadline, Refused, Transport
from tutor.adapters.endpoint import Endpoint
from tutor.adapters.speech_vad import SILENCE, speech_spans
from tutor.errors import AudioRefused, EngineReply
from tutor.ports import SAMPLE_RATE_HZ, Recording
from tutor.spoken import Transcript, Word

# The limit of OpenAI's own route, which most servers took over.
UPLOAD_BYTES = 25 * 1024 * 1024
# Ten minutes of fast speech with the time of each word are a tenth of it.
REPLY_BYTES = 4_000_000
# The name that most servers give to whichever model they have.
MODEL = "whisper-1"
# OpenAI's prompts end here, in tokens; a term has at least one for four characters.
PROMPT_CHARACTERS = 224 * 4


class OpenAISpeech:
    """The Transcriber plug for a server's `/v1/audio/transcriptions`.

    Asked for the time of each word first; a server that refuses that is asked for plain text, from then on.

    Args:
        endpoint: The server; its model name is asked for, `whisper-1` when it has none.
        language: Code of the language that is spoken, such as `en`.
        deadline_s: Seconds for one transcription.
        transport: Another transport, with other limits.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        language: str = "en",
        deadline_s: float = 300.0,
        transport: Transport | None = None,
    ) -> None:
        self._endpoint, self._language, self._deadline_s = endpoint, language, deadline_s
        self._model = endpoint.model or MODEL
        self._transport = transport or Transport(reply_bytes=REPLY_BYTES)
        self._is_plain = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Cancel what is under way and close the connections."""
        self._transport.close()

    @property
    def name(self) -> str:
        """Model and server, for the attempt's record."""
        return f"{self._model} at {self._endpoint.shown}"

    def load(self) -> None:
        """Have the server transcribe a second of silence. Raises EngineError when it cannot."""
        self._asked(np.zeros(SAMPLE_RATE_HZ, dtype=np.float32), ())

    def transcribe(self, recording: Recording, terms: Sequence[str]) -> Transcript:
        """What is said, spelling the terms as given where the server can be told; see ports.Transcriber.

        Raises:
            AudioRefused: No speech in it, no words in what sounded like speech, or more than a server takes.
            EngineDown: The server does not answer.
            EngineTimeout: The deadline passed.
            EngineReply: It answered, but not with a transcript.
        """
        speech = speech_spans(recording.samples)
        reply = self._asked(recording.samples, terms)
        text = " ".join(reply.text.split())
        if not text:
            raise AudioRefused("silence", SILENCE)
        duration_s = len(recording.samples) / SAMPLE_RATE_HZ
        return Transcript(
            text=text,
            language=self._language,
            words=_words(reply.words, duration_s),
            speech=speech,
            duration_s=duration_s,
            transcriber=self.name,
            is_whole=recording.is_whole,
        )

    def _asked(self, samples: NDArray[np.float32], terms: Sequence[str]) -> _Reply:
        file = ("answer.wav", as_wav(samples), "audio/wav")
        deadline = Deadline(self._deadline_s)
        if not self._is_plain:
            try:
                return self._sent(self._plain(file, terms) | _detailed(terms), deadline)
            except Refused:
                # Not everything is known everywhere: the times of words, or a list of words to expect.
                pass
        reply = self._sent(self._plain(file, terms), deadline)
        self._is_plain = True
        return reply

    def _sent(self, body: dict[str, Any], deadline: Deadline) -> _Reply:
        raw = self._transport.transcription(self._endpoint, body, deadline)
        try:
            return _Reply.model_validate_json(raw)
        except ValidationError:
            raise EngineReply(
                f"The speech server at {self._endpoint.shown} answered without a transcript. "
                "Check TUTOR_SPEECH_URL and TUTOR_SPEECH_MODEL, then transcribe the recording again, it is kept."
            ) from None

    def _plain(self, file: tuple[str, bytes, str], terms: Sequence[str]) -> dict[str, Any]:
        body = {
            "file": file,
            "model": self._model,
            "language": self._language,
            "response_format": "json",
            "temperature": 0,
        }
        # An empty prompt is refused by some.
        return body | ({"prompt": ", ".join(terms)[:PROMPT_CHARACTERS]} if terms else {})


class _Reply(BaseModel):
    text: str
    words: Any = None


class _SaidWord(BaseModel):
    word: str
    start: FiniteFloat = Field(ge=0)
    end: FiniteFloat = Field(ge=0)
    probability: float = Field(default=1.0, ge=0, le=1)
    """Servers that give none doubt nothing."""


def _detailed(terms: Sequence[str]) -> dict[str, Any]:
    detailed: dict[str, Any] = {"response_format": "verbose_json", "timestamp_granularities": ["word", "segment"]}
    # Servers on faster-whisper put these before every window; a prompt reaches the first alone.
    return detailed | ({"extra_body": {"hotwords": ", ".join(terms)}} if terms else {})


def _words(said: Any, duration_s: float) -> tuple[Word, ...] | None:
    """The words with times inside the recording; None where there are none, or none that make sense.

    >>> _words([{"word": " yes", "start": 0.5, "end": 9}], 2.0)
    (Word(text='yes', start_s=0.5, end_s=2.0, probability=1.0),)
    >>> _words([{"word": "no"}], 2.0), _words(None, 2.0)
    (None, None)
    """
    try:
        words = [_SaidWord.model_validate(word) for word in said or ()]
    except (ValidationError, TypeError):
        return None
    timed = tuple(
        Word(
            text=word.word.strip(),
            start_s=min(word.start, duration_s),
            end_s=min(max(word.start, word.end), duration_s),
            probability=word.probability,
        )
        for word in words
    )
    return timed or None


def as_wav(samples: NDArray[np.float32]) -> bytes:
    """Mono samples in [-1, 1], 16,000 a second, as a WAV file of 16 bits. Raises AudioRefused for more than 25 MB."""
    if 2 * len(samples) > UPLOAD_BYTES - 1000:
        longest = (UPLOAD_BYTES - 1000) // (2 * 60 * SAMPLE_RATE_HZ)
        raise AudioRefused("too_long", f"The speech server takes {longest} minutes at most. Record a shorter answer.")
    whole = np.round(np.clip(samples, -1, 1) * 32767).astype("<i2")
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(SAMPLE_RATE_HZ)
        out.writeframes(whole.tobytes())
    return file.getvalue()
