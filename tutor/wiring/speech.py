"""The speech recogniser that the settings want: loaded behind the page, and no obstacle to typed answers."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tutor.adapters.endpoint import SPEECH as SPEECH_ERRAND
from tutor.adapters.endpoint import Endpoint
from tutor.adapters.speech_openai import OpenAISpeech
from tutor.adapters.speech_whisper import WhisperSpeech, model_folder
from tutor.adapters.weights import SPEECH, Weights
from tutor.errors import AudioRefused, EngineDown, EngineError, TutorError
from tutor.ports import Recording
from tutor.settings import Settings
from tutor.spoken import Transcript
from tutor.states import EngineState

NAME = "speech model"


class SpeechEngine:
    """A `ports.Transcriber` that loads at `start`, or else at its first use, and tells the screen how it is.

    What is missing is told when it is needed, and looked for again each time: mending it needs no restart.
    """

    def __init__(self, settings: Settings) -> None:
        self._plug = _plug(settings)
        self._state = EngineState(NAME, "loading")

    @property
    def name(self) -> str:
        """Model, precision and library or server, for the attempt's record."""
        return self._plug.name

    def start(self) -> None:
        """Begin to load behind the page."""
        threading.Thread(target=self._load_quietly, name="tutor-load-speech", daemon=True).start()

    def close(self) -> None:
        """Cancel what a server was asked and close connections."""
        if isinstance(self._plug, OpenAISpeech):
            self._plug.close()

    def state(self) -> EngineState:
        """How the last loading or transcription ended."""
        return self._state

    def load(self) -> None:
        """Load, or have the server show that it transcribes. Raises TutorError with what to do."""
        outcome = EngineState(NAME, "failed", "it could not be loaded; the terminal shows why")
        try:
            self._plug.load()
            outcome = EngineState(NAME, "ready")
        except TutorError as error:
            outcome = EngineState(NAME, "failed", str(error))
            raise
        finally:
            self._state = outcome

    def transcribe(self, recording: Recording, terms: Sequence[str]) -> Transcript:
        """What is said, after waiting for the model; see ports.Transcriber.

        Raises:
            AudioRefused: There is no speech in it.
            EngineError: The recogniser is missing or failed.
        """
        try:
            transcript = self._plug.transcribe(recording, terms)
        except AudioRefused:
            # It listened, so it works.
            self._state = EngineState(NAME, "ready")
            raise
        except TutorError as error:
            self._state = EngineState(NAME, "failed", str(error))
            if isinstance(error, EngineError):
                raise
            raise EngineDown(str(error)) from error
        self._state = EngineState(NAME, "ready")
        return transcript

    def _load_quietly(self) -> None:
        # The state says it; typed practice goes on.
        with suppress(TutorError):
            self.load()


def _plug(settings: Settings) -> WhisperSpeech | OpenAISpeech:
    if settings.speech_url:
        endpoint = Endpoint(
            settings.speech_url,
            key=settings.speech_key.get_secret_value() if settings.speech_key else "local",
            model=settings.speech_model or "",
            fix=f"Start it or unset TUTOR_SPEECH_URL, then {SPEECH_ERRAND.again}.",
            errand=SPEECH_ERRAND,
        )
        return OpenAISpeech(endpoint, language=settings.speech_language, deadline_s=settings.speech_deadline_s)
    model, weights = settings.speech_model, Weights(settings.weights)
    return WhisperSpeech(
        (lambda: model_folder(model)) if model else (lambda: weights.require(SPEECH)),
        title=Path(model).name if model else "whisper base",
        language=settings.speech_language,
        threads=settings.speech_threads,
    )
