"""Speech recognition by faster-whisper on this machine; nothing is ever fetched."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tutor.adapters.speech_vad import SILENCE, failures_told, speech_spans
from tutor.errors import AudioRefused, EngineDown, SettingsError
from tutor.ports import SAMPLE_RATE_HZ, Recording
from tutor.speaking import unheard
from tutor.spoken import Span, Transcript, Word

if TYPE_CHECKING:
    from faster_whisper import WhisperModel

PRECISION = "int8"
# Without a tokenizer beside the weights the library would look for one at its hub.
NEEDED = ("model.bin", "config.json", "tokenizer.json")
BEAM = 5
# Whisper's own two signs of a window without words; either alone also marks quiet or unusual speech.
NO_SPEECH, UNLIKELY = 0.6, -1.0
# A stretch that is heard again begins and ends this much outside, so that its first word is whole.
MARGIN_S = 0.3


class WhisperSpeech:
    """The Transcriber plug for Whisper models in CTranslate2's form, one transcription at a time.

    Args:
        find: Gives the model's folder; called once, when the model is loaded, and may raise TutorError.
        title: What to call the model in an attempt's record.
        language: Code of the language that is spoken, such as `en`.
        threads: Threads to compute with.
    """

    def __init__(self, find: Callable[[], Path], *, title: str, language: str = "en", threads: int = 2) -> None:
        self._find, self._title, self._language, self._threads = find, title, language, threads
        self._loading, self._hearing = threading.Lock(), threading.Lock()
        self._model: WhisperModel | None = None

    @property
    def name(self) -> str:
        """Model, precision and library, for the attempt's record."""
        return f"{self._title} {PRECISION}, faster-whisper {version('faster-whisper')}"

    def load(self) -> WhisperModel:
        """The model, loaded now if it was not.

        Raises:
            TutorError: What `find` raises; EngineDown when the folder is no usable model.
        """
        with self._loading:
            if self._model is None:
                self._model = self._loaded(self._find())
            return self._model

    def transcribe(self, recording: Recording, terms: Sequence[str]) -> Transcript:
        """What is said, spelling the terms as given where they are heard; see ports.Transcriber.

        Raises:
            AudioRefused: No speech in it, or no words in what sounded like speech.
            EngineError: The model cannot be loaded or failed.
        """
        model = self.load()
        duration_s = len(recording.samples) / SAMPLE_RATE_HZ
        with self._hearing:
            speech = speech_spans(recording.samples)
            with failures_told("The speech model"):
                kept = self._pass(model, recording.samples, terms)
                text = "".join(segment.text for segment in kept).strip()
                words = _words(kept, duration_s)
                more = [
                    word for span in unheard(words, speech, duration_s) for word in self._again(model, recording, span)
                ]
        if more:
            words = tuple(sorted((*words, *more), key=lambda word: word.start_s))
            text = " ".join(word.text for word in words)
        if not text:
            raise AudioRefused("silence", SILENCE)
        return Transcript(
            text=text,
            language=self._language,
            words=words,
            speech=speech,
            duration_s=duration_s,
            transcriber=self.name,
            is_whole=recording.is_whole,
        )

    def _pass(self, model: WhisperModel, samples: NDArray[np.float32], terms: Sequence[str]) -> list[Any]:
        segments, _ = model.transcribe(samples, **self._options(terms))
        return [s for s in segments if s.no_speech_prob <= NO_SPEECH or s.avg_logprob >= UNLIKELY]

    def _again(self, model: WhisperModel, recording: Recording, span: Span) -> list[Word]:
        """The words of a stretch that the first pass skipped: Whisper may leave out half a window, alone it does not.

        Without the terms, which make it skip more.
        """
        start_s, end_s = span
        first, last = (int(SAMPLE_RATE_HZ * max(at_s, 0.0)) for at_s in (start_s - MARGIN_S, end_s + MARGIN_S))
        said = _words(self._pass(model, recording.samples[first:last], ()), end_s - start_s + 2 * MARGIN_S)
        offset_s = first / SAMPLE_RATE_HZ
        moved = [w.model_copy(update={"start_s": w.start_s + offset_s, "end_s": w.end_s + offset_s}) for w in said]
        # What the margins bring along was written down before.
        return [w for w in moved if start_s <= (w.start_s + w.end_s) / 2 <= end_s]

    def _options(self, terms: Sequence[str]) -> dict[str, Any]:
        return {
            "language": self._language,
            "beam_size": BEAM,
            # Before every window, unlike a prompt, which only the first one sees.
            "hotwords": ", ".join(terms) or None,
            "vad_filter": True,
            "vad_parameters": {"min_silence_duration_ms": 500},
            # Otherwise one invented sentence is repeated in every window after it.
            "condition_on_previous_text": False,
            "word_timestamps": True,
        }

    def _loaded(self, folder: Path) -> WhisperModel:
        fix = "Run `make setup` again, or correct TUTOR_SPEECH_MODEL."
        if missing := [name for name in NEEDED if not (folder / name).is_file()]:
            raise EngineDown(f"The speech model in {folder} has no {missing[0]}. {fix}")
        # The import takes a second or two: the page must not wait for it.
        from faster_whisper import WhisperModel

        with failures_told(f"Loading the speech model in {folder}", fix):
            model = WhisperModel(
                str(folder),
                device="cpu",
                compute_type=PRECISION,
                cpu_threads=self._threads,
                local_files_only=True,
            )
            known = model.supported_languages
        if self._language not in known:
            raise EngineDown(
                f"The speech model in {folder} does not know the language {self._language!r}. "
                f"Set TUTOR_SPEECH_LANGUAGE to one that it knows, such as {known[0] if len(known) == 1 else 'en'}."
            )
        return model


def model_folder(model: str) -> Path:
    """The folder of a model that was named by its folder, or by a size or hub name that an earlier download kept.

    Raises:
        SettingsError: It is neither, with how to get it.
    """
    # A home folder that does not exist is a RuntimeError, and then the name is none of a folder.
    with suppress(RuntimeError):
        folder = Path(model).expanduser()
        if folder.is_dir():
            return folder
    from faster_whisper.utils import available_models, download_model

    try:
        return Path(download_model(model, local_files_only=True))
    except (OSError, ValueError):
        sizes = ", ".join(available_models())
    raise SettingsError(
        f"TUTOR_SPEECH_MODEL: {model!r} is neither a folder nor a model in this machine's cache. With a network, fetch "
        "it once, for example `.venv/bin/hf download Systran/faster-whisper-small` for the size small; or name a "
        f"folder, or unset TUTOR_SPEECH_MODEL for the model that comes along. Sizes: {sizes}."
    )


def _words(segments: Iterable[Any], duration_s: float) -> tuple[Word, ...]:
    """The words with times inside the recording: the library's may run a little over its end."""
    return tuple(
        Word(
            text=word.word.strip(),
            start_s=min(max(word.start, 0.0), duration_s),
            end_s=min(max(word.end, word.start, 0.0), duration_s),
            probability=min(max(word.probability, 0.0), 1.0),
        )
        for segment in segments
        for word in segment.words or ()
    )
