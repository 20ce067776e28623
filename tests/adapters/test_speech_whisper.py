"""Whisper on this machine: how it is asked, what is kept of what it says, and a sentence for each failure."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from tests.sounds import noise, silence, speechlike
from tutor.adapters import speech_whisper
from tutor.adapters.speech_vad import failures_told, speech_spans
from tutor.adapters.speech_whisper import NEEDED, WhisperSpeech, model_folder
from tutor.errors import AudioRefused, EngineDown, SettingsError, WeightsError
from tutor.ports import Recording

SPOKEN = Recording(speechlike(4.0))


def word(text: str, start: float, end: float, probability: float = 0.9) -> SimpleNamespace:
    return SimpleNamespace(word=text, start=start, end=end, probability=probability)


def segment(text: str, no_speech: float = 0.1, logprob: float = -0.3, words: object = None) -> SimpleNamespace:
    return SimpleNamespace(text=text, no_speech_prob=no_speech, avg_logprob=logprob, words=words)


class FakeWhisper:
    """The library's model: says the segments it was given, or raises."""

    supported_languages = ("en", "de")
    made: list[FakeWhisper]
    segments: list[SimpleNamespace]
    on_load: Exception | None
    on_transcribe: Exception | None

    def __init__(self, folder: str, **options: object) -> None:
        if self.on_load:
            raise self.on_load
        self.folder, self.options, self.asked = folder, options, {}
        self.at_once, self.most_at_once = 0, 0
        self.made.append(self)

    def transcribe(self, samples: object, **options: object) -> tuple[Iterator[SimpleNamespace], object]:
        self.asked = options
        return self._said(), object()

    def _said(self) -> Iterator[SimpleNamespace]:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        threading.Event().wait(0.01)
        self.at_once -= 1
        if self.on_transcribe:
            raise self.on_transcribe
        yield from self.segments


@pytest.fixture
def whisper(monkeypatch: pytest.MonkeyPatch) -> type[FakeWhisper]:
    class Fresh(FakeWhisper):
        on_load = on_transcribe = None

    Fresh.made = []
    Fresh.segments = [segment(" Decode is limited.", words=[word(" Decode", 0, 0.5), word(" is", 0.5, 0.7)])]

    library = ModuleType("faster_whisper")
    library.WhisperModel = Fresh  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "faster_whisper", library)
    monkeypatch.setattr(speech_whisper, "speech_spans", lambda samples: ((0.5, 3.5),))
    return Fresh


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NEEDED:
        (tmp_path / name).write_text("{}", encoding="utf-8")
    return tmp_path


@pytest.fixture
def ear(whisper: type[FakeWhisper], folder: Path) -> WhisperSpeech:
    return WhisperSpeech(lambda: folder, title="whisper base", threads=3)


def test_a_stretch_that_was_skipped_is_heard_again_by_itself(
    ear: WhisperSpeech, whisper: type[FakeWhisper], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speech_whisper, "speech_spans", lambda samples: ((0.0, 20.0),))
    whisper.segments = [segment(" Decode and so.", words=[word(" Decode", 0, 1), word(" so.", 11, 20)])]
    again = [segment(" reads weights", words=[word(" reads", 0.5, 4), word(" weights", 4, 9)])]
    first = whisper.transcribe

    def transcribe(self: FakeWhisper, samples: np.ndarray, **options: object) -> tuple[object, object]:
        if len(samples) < 20 * 16_000:
            assert len(samples) == int(10.6 * 16_000)
            assert options["hotwords"] is None
            return iter(again), object()
        return first(self, samples, **options)

    monkeypatch.setattr(whisper, "transcribe", transcribe)
    transcript = ear.transcribe(Recording(speechlike(20.0)), ("KV cache",))
    assert transcript.text == "Decode reads weights so."
    assert [round(w.start_s, 1) for w in transcript.words] == [0.0, 1.2, 4.7, 11.0]


def test_a_recording_becomes_text_words_and_stretches_of_speech(ear: WhisperSpeech) -> None:
    transcript = ear.transcribe(SPOKEN, ())
    assert transcript.text == "Decode is limited."
    assert transcript.words is not None
    assert [(w.text, w.start_s, w.end_s) for w in transcript.words] == [("Decode", 0, 0.5), ("is", 0.5, 0.7)]
    assert (transcript.speech, transcript.duration_s, transcript.language) == (((0.5, 3.5),), 4.0, "en")
    assert transcript.is_whole


def test_a_recording_that_was_cut_gives_a_transcript_that_says_so(ear: WhisperSpeech) -> None:
    assert not ear.transcribe(Recording(SPOKEN.samples, is_whole=False), ()).is_whole


def test_the_record_names_model_precision_and_library(ear: WhisperSpeech) -> None:
    assert ear.name.startswith("whisper base int8, faster-whisper 1.")
    assert ear.transcribe(SPOKEN, ()).transcriber == ear.name


def test_the_model_runs_on_the_processor_and_looks_for_nothing_elsewhere(
    ear: WhisperSpeech, whisper: type[FakeWhisper], folder: Path
) -> None:
    ear.load()
    ear.transcribe(SPOKEN, ())
    (model,) = whisper.made
    assert model.folder == str(folder)
    assert model.options == {"device": "cpu", "compute_type": "int8", "cpu_threads": 3, "local_files_only": True}


def test_the_terms_are_expected_in_every_window_and_no_window_sees_the_one_before(
    ear: WhisperSpeech, whisper: type[FakeWhisper]
) -> None:
    ear.transcribe(SPOKEN, ("KV cache", "PagedAttention"))
    asked = whisper.made[0].asked
    assert asked["hotwords"] == "KV cache, PagedAttention"
    assert asked["condition_on_previous_text"] is False
    assert (asked["beam_size"], asked["word_timestamps"], asked["vad_filter"]) == (5, True, True)
    assert asked["vad_parameters"] == {"min_silence_duration_ms": 500}
    ear.transcribe(SPOKEN, ())
    assert whisper.made[0].asked["hotwords"] is None


@pytest.mark.parametrize(
    ("no_speech", "logprob", "is_kept"), [(0.7, -1.2, False), (0.7, -0.5, True), (0.2, -1.2, True)]
)
def test_a_segment_is_dropped_only_when_both_signs_speak_against_it(
    ear: WhisperSpeech, whisper: type[FakeWhisper], no_speech: float, logprob: float, is_kept: bool
) -> None:
    whisper.segments = [segment(" One."), segment(" Thanks for watching.", no_speech, logprob)]
    assert ("Thanks" in ear.transcribe(SPOKEN, ()).text) is is_kept


def test_noise_in_which_no_words_are_heard_is_refused_as_silence(
    ear: WhisperSpeech, whisper: type[FakeWhisper]
) -> None:
    whisper.segments = [segment(" ..", 0.9, -2.0), segment("  ")]
    with pytest.raises(AudioRefused) as refused:
        ear.transcribe(SPOKEN, ())
    assert refused.value.reason == "silence"


def test_times_over_the_end_are_brought_inside(ear: WhisperSpeech, whisper: type[FakeWhisper]) -> None:
    whisper.segments = [segment(" a b", words=[word(" a", -0.01, 0.2), word(" b", 3.9, 4.3, 1.0000001)])]
    words = ear.transcribe(SPOKEN, ()).words
    assert words is not None
    assert [(w.start_s, w.end_s) for w in words] == [(0.0, 0.2), (3.9, 4.0)]


def test_only_one_transcription_runs_at_a_time_and_the_model_is_loaded_once(
    ear: WhisperSpeech, whisper: type[FakeWhisper]
) -> None:
    threads = [threading.Thread(target=lambda: ear.transcribe(SPOKEN, ())) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (model,) = whisper.made
    assert model.most_at_once == 1


@pytest.mark.parametrize("error", [RuntimeError("Unable to open file\n'model.bin'"), Exception("bare"), MemoryError()])
def test_a_folder_that_is_no_model_is_a_sentence(
    ear: WhisperSpeech, whisper: type[FakeWhisper], folder: Path, error: Exception
) -> None:
    whisper.on_load = error
    with pytest.raises(EngineDown, match=r"Loading the speech model.*make setup.*TUTOR_SPEECH_MODEL") as down:
        ear.load()
    assert "\n" not in str(down.value)


@pytest.mark.parametrize("missing", NEEDED)
def test_a_missing_file_is_named_before_the_library_could_fetch_it(
    ear: WhisperSpeech, folder: Path, missing: str
) -> None:
    (folder / missing).unlink()
    with pytest.raises(EngineDown, match=f"has no {missing}"):
        ear.load()


def test_missing_weights_are_told_and_found_when_they_have_come(whisper: type[FakeWhisper], folder: Path) -> None:
    found: list[Callable[[], Path]] = []

    def find() -> Path:
        if not found:
            raise WeightsError("whisper-base is missing; run `make setup` again")
        return folder

    ear = WhisperSpeech(find, title="whisper base")
    with pytest.raises(WeightsError):
        ear.transcribe(SPOKEN, ())
    found.append(find)
    assert ear.transcribe(SPOKEN, ()).text


def test_a_failure_while_listening_is_a_sentence_and_the_next_try_is_free(
    ear: WhisperSpeech, whisper: type[FakeWhisper]
) -> None:
    whisper.on_transcribe = RuntimeError("out of memory")
    with pytest.raises(EngineDown, match=r"speech model failed .*out of memory.*it is kept"):
        ear.transcribe(SPOKEN, ())
    whisper.on_transcribe = None
    assert ear.transcribe(SPOKEN, ()).text


def test_a_language_that_the_model_does_not_know_names_the_setting(whisper: type[FakeWhisper], folder: Path) -> None:
    ear = WhisperSpeech(lambda: folder, title="x", language="tlh")
    with pytest.raises(EngineDown, match=r"'tlh'.*TUTOR_SPEECH_LANGUAGE"):
        ear.load()


def test_a_folder_is_taken_as_it_is(folder: Path) -> None:
    assert model_folder(str(folder)) == folder


@pytest.mark.parametrize("name", ["small", "smal", "Systran/faster-whisper-small", "/no/such/folder"])
def test_a_model_that_is_not_on_this_machine_says_how_to_get_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(SettingsError, match=r"TUTOR_SPEECH_MODEL: .*hf download.*Sizes: .*small") as refused:
        model_folder(name)
    assert repr(name) in str(refused.value)


@pytest.mark.parametrize("samples", [silence(3), noise(3, 0.01), silence(0)])
def test_a_recording_without_speech_is_refused(samples: np.ndarray) -> None:
    with pytest.raises(AudioRefused, match="microphone") as refused:
        speech_spans(samples)
    assert refused.value.reason == "silence"


def test_foreign_failures_keep_their_words_on_one_line() -> None:
    with (
        pytest.raises(EngineDown, match=r"^It failed \(ValueError: a b\)\. Mend it\.$"),
        failures_told("It", "Mend it."),
    ):
        raise ValueError("a\n  b")
