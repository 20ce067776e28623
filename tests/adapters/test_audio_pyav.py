"""Recordings made by somebody else: good ones are read, bad ones are refused with a sentence, cheaply."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from tests.adapters import bad_audio
from tests.adapters.bad_audio import encoded, flipped, opus, ten_silent_hours, tone, video, wav
from tutor.adapters import audio_pyav
from tutor.adapters.audio_container import sniffed
from tutor.adapters.audio_pyav import IN_PLACE, UPLOADED, AudioLimits, Decoded, PyAvReader, decode
from tutor.errors import AudioRefused
from tutor.ports import SAMPLE_RATE_HZ, Recording

MEMORY_BYTES = 300_000_000
T = TypeVar("T")
TWO_S = tone(2).tobytes()
FULL = tone(5, 48_000)


class Watch:
    """Keeps what every child left behind."""

    def __init__(self) -> None:
        self.children: list[Decoded] = []

    def decode(self, *args: object) -> Decoded:
        self.children.append(decode(*args))  # type: ignore[arg-type]
        return self.children[-1]


@pytest.fixture(autouse=True)
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    watch = Watch()
    monkeypatch.setattr(audio_pyav, "decode", watch.decode)
    return watch


@pytest.fixture
def file(tmp_path: Path) -> Callable[[bytes], str]:
    def write(content: bytes) -> str:
        path = tmp_path / "take.wav"
        path.write_bytes(content)
        return str(path)

    return write


def refusal(path: str, reader: PyAvReader | None = None) -> AudioRefused:
    with pytest.raises(AudioRefused) as caught:
        (reader or PyAvReader()).read(path)
    return caught.value


def seconds(recording: Recording) -> float:
    return len(recording.samples) / SAMPLE_RATE_HZ


def hertz(recording: Recording) -> float:
    """The strongest frequency."""
    spectrum = np.abs(np.fft.rfft(recording.samples))
    return float(np.argmax(spectrum) / seconds(recording))


GOOD: dict[str, Callable[[], bytes]] = {
    "plain WAV": lambda: wav(tone(5).tobytes()),
    "stereo at 48,000": lambda: wav(np.repeat(FULL[:, None], 2, axis=1).tobytes(), rate=48_000, channels=2),
    "eight channels": lambda: wav(np.repeat(FULL[:, None], 8, axis=1).tobytes(), rate=48_000, channels=8),
    "floats": lambda: wav((FULL / 32_768).astype("<f4").tobytes(), rate=48_000, bits=32, kind=3),
    "Ogg Opus": lambda: opus(5),
    "WebM without a length": lambda: bad_audio.webm(5),
    "MP3": lambda: encoded("mp3", "libmp3lame", FULL),
    "M4A": lambda: encoded("ipod", "aac", FULL),
    "MP4 in fragments": lambda: bad_audio.fragmented_mp4(5),
    "bare AAC": lambda: encoded("adts", "aac", FULL),
    "FLAC": lambda: encoded("flac", "flac", FULL),
    "WAV written as a stream": lambda: wav(tone(5).tobytes(), data_bytes=0xFFFFFFFF),
    "two tracks": lambda: encoded("matroska", "libopus", FULL, tone(8, 48_000, bad_audio.SECOND_TRACK_HZ)),
}


@pytest.mark.parametrize("name", GOOD)
def test_a_recording_is_read_whole_whatever_its_name_says(
    name: str, file: Callable[[bytes], str], watch: Watch
) -> None:
    recording = PyAvReader().read(file(GOOD[name]()))
    assert recording.is_whole
    assert seconds(recording) == pytest.approx(5, abs=0.06)
    assert hertz(recording) == pytest.approx(440, abs=3)
    assert 0.2 < np.abs(recording.samples).max() <= 1
    assert 0 < watch.children[0].peak_bytes < MEMORY_BYTES


def test_the_sound_of_a_video_is_read(file: Callable[[bytes], str]) -> None:
    recording = PyAvReader().read(file(video(tone(3, 48_000))))
    assert seconds(recording) == pytest.approx(3, abs=0.06)
    assert recording.is_whole


BAD: dict[str, tuple[str, Callable[[], bytes]]] = {
    "empty": ("unreadable", lambda: b""),
    "one byte": ("unreadable", lambda: b"R"),
    "only a head": ("too_short", lambda: wav(b"")),
    "one sample": ("too_short", lambda: wav(TWO_S[:2])),
    "a fifth of a second": ("too_short", lambda: wav(tone(0.2).tobytes())),
    "silence": ("silence", lambda: wav(bytes(2 * 16_000 * 20))),
    "the last bit of a muted microphone": (
        "silence",
        lambda: wav(np.random.default_rng(1).integers(-2, 3, 32_000).astype("<i2").tobytes()),
    ),
    "an offset without sound": ("silence", lambda: wav(np.full(32_000, 3_000, "<i2").tobytes())),
    "1 Hz": ("unreadable", lambda: wav(TWO_S[:32_000], rate=1)),
    "0 Hz": ("unreadable", lambda: wav(TWO_S, rate=0)),
    "192 MHz": ("unreadable", lambda: wav(TWO_S, rate=192_000_000)),
    "no channel": ("unreadable", lambda: wav(TWO_S, channels=0)),
    "9 channels": ("unreadable", lambda: wav(TWO_S, channels=9)),
    "65,535 channels": ("unreadable", lambda: wav(TWO_S, channels=65_535)),
    "no bits": ("unreadable", lambda: wav(TWO_S, bits=0)),
    "text": ("unreadable", lambda: b"This is what I would have said.\n" * 100),
    "HTML": ("unreadable", lambda: b"<!doctype html><title>Sign in</title>"),
    "PNG": ("unreadable", lambda: b"\x89PNG\r\n\x1a\n" + bytes(500)),
    "zeros": ("unreadable", lambda: bytes(30_000)),
    "random bytes": ("unreadable", lambda: random.Random(3).randbytes(50_000)),
    "a playlist": ("unreadable", lambda: b"#EXTM3U\n#EXTINF:2,\nsibling.wav\n"),
    "pictures without sound": ("no_sound", video),
    "ten silent hours": ("too_long", lambda: ten_silent_hours(says_so=True)),
    "ten silent hours that do not say so": ("too_long", lambda: ten_silent_hours(says_so=False)),
    "eleven minutes": ("too_long", lambda: wav(bytes(2 * 16_000 * 660))),
    "a codec that nobody records with": ("unreadable", lambda: encoded("matroska", "ac3", FULL)),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_in_little_memory(name: str, file: Callable[[bytes], str], watch: Watch) -> None:
    reason, make = BAD[name]
    error = refusal(file(make()))
    assert error.reason == reason
    assert str(error).endswith(".")
    assert "{" not in str(error)
    assert all(0 < child.peak_bytes < MEMORY_BYTES for child in watch.children)


def test_sentences_say_what_to_do(file: Callable[[bytes], str]) -> None:
    assert "upload WAV, MP3, M4A, OGG, FLAC or WebM of up to 10 minutes" in str(refusal(file(b"?")))
    assert "shorter than 0.3 s. Record again" in str(refusal(file(wav(b""))))
    assert "not muted" in str(refusal(file(wav(bytes(32_000)))))


def test_a_truncated_recording_gives_what_is_there_and_says_so(file: Callable[[bytes], str]) -> None:
    recording = PyAvReader().read(file(wav(TWO_S + TWO_S)[: 44 + len(TWO_S)]))
    assert seconds(recording) == 2
    assert not recording.is_whole


@pytest.mark.parametrize("data_bytes", [0, 0x7FFFF000, 0xFFFFFFFE])
def test_a_length_that_cannot_be_is_no_damage(data_bytes: int, file: Callable[[bytes], str]) -> None:
    recording = PyAvReader().read(file(wav(TWO_S, data_bytes=data_bytes)))
    assert seconds(recording) == 2
    assert recording.is_whole


@pytest.mark.parametrize(
    ("whole", "spare", "n_bytes"),
    [
        pytest.param(lambda: opus(40), 4_000, 20, id="Ogg Opus"),
        pytest.param(lambda: encoded("flac", "flac", tone(20, 48_000)), 9_000, 20, id="FLAC"),
        pytest.param(lambda: encoded("mp3", "libmp3lame", tone(20, 48_000)), 2_000, 200, id="MP3"),
    ],
)
def test_a_damaged_middle_is_skipped_and_said(
    whole: Callable[[], bytes], spare: int, n_bytes: int, file: Callable[[bytes], str]
) -> None:
    recording = PyAvReader().read(file(flipped(whole(), n_bytes, spare=spare)))
    assert not recording.is_whole
    assert seconds(recording) > 5


def test_a_script_never_leads_to_the_file_beside_it(file: Callable[[bytes], str], tmp_path: Path) -> None:
    (tmp_path / "sibling.wav").write_bytes(wav(TWO_S))
    script = file(b"ffconcat version 1.0\nfile sibling.wav\n")
    assert refusal(script).reason == "unreadable"
    # Nor if the look at its first bytes had let it pass.
    for demuxer in ("concat", "hls"):
        with open(script, "rb") as opened:
            decoded = decode(opened.fileno(), demuxer, AudioLimits())
        assert (decoded.ending, decoded.samples) == ("unreadable", b"")


def test_what_is_no_ordinary_file_is_missing(tmp_path: Path) -> None:
    (tmp_path / "take.wav").write_bytes(wav(TWO_S))
    (tmp_path / "link.wav").symlink_to(tmp_path / "take.wav")
    os.mkfifo(tmp_path / "pipe.wav")
    for name in ("link.wav", "pipe.wav", "", "absent.wav", "\0", "x" * 5_000):
        error = refusal(os.path.join(tmp_path, name))
        assert error.reason == "missing"
        assert "Record again" in str(error)


def test_a_file_over_the_limit_is_not_even_opened_by_a_child(tmp_path: Path, watch: Watch) -> None:
    path = tmp_path / "take.wav"
    with path.open("wb") as sparse:
        sparse.write(wav(TWO_S))
        sparse.truncate(100_000_001)
    error = refusal(str(path))
    assert error.reason == "too_large"
    assert "100 MB" in str(error)
    assert not watch.children


def test_a_recording_that_needs_more_memory_than_allowed_is_refused(file: Callable[[bytes], str]) -> None:
    error = refusal(file(opus(2)), PyAvReader(AudioLimits(memory_bytes=20_000_000)))
    assert error.reason == "too_large"
    assert "more memory" in str(error)


def test_a_large_picture_in_the_tags_does_not_take_more_memory_than_allowed(
    file: Callable[[bytes], str], watch: Watch
) -> None:
    picture = b"\0image/png\0\3\0" + bytes(40_000_000)
    cover = b"APIC" + len(picture).to_bytes(4, "big") + b"\0\0" + picture
    size = bytes(len(cover) >> shift & 0x7F for shift in (21, 14, 7, 0))
    path = file(b"ID3\3\0\0" + size + cover + encoded("mp3", "libmp3lame", FULL))
    for memory_bytes in (60_000_000, MEMORY_BYTES):
        recording = PyAvReader(AudioLimits(memory_bytes=memory_bytes)).read(path)
        assert seconds(recording) == pytest.approx(5, abs=0.06)
        assert watch.children[-1].peak_bytes < memory_bytes


def test_nothing_but_a_recording_or_a_refusal_comes_out_of_damaged_files(file: Callable[[bytes], str]) -> None:
    chance = random.Random(11)
    for name in ("plain WAV", "Ogg Opus", "WebM without a length", "MP3", "M4A", "FLAC"):
        whole = GOOD[name]()
        for seed in range(3):
            path = file(flipped(whole, 5 * 10**seed, spare=12, seed=seed)[: chance.randrange(100, len(whole))])
            try:
                recording = PyAvReader().read(path)
            except AudioRefused:
                continue
            assert np.isfinite(recording.samples).all()


def child(code: str) -> tuple[str, ...]:
    return (sys.executable, "-I", "-c", f"import json, os, signal, sys, time; {code}")


def tells(ending: str) -> str:
    return f"sys.stderr.write(json.dumps({{'ending': {ending}}}))"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("time.sleep(600)", "too_large"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "unreadable"),
        ("sys.exit('Traceback')", "unreadable"),
        (tells("['decoded']"), "unreadable"),
        (tells("'secret'"), "unreadable"),
        ("sys.stderr.write('[' * 60_000)", "unreadable"),
        ("sys.stderr.write('3')", "unreadable"),
        ("[sys.stdout.buffer.write(bytes(65_536)) for _ in iter(int, 1)]", "too_long"),
        (tells("'no_sound' if 'TUTOR_CHAT_KEY' not in os.environ else 'decoded'"), "no_sound"),
    ],
)
def test_a_child_gone_wrong_is_ended_and_nothing_of_it_is_shown(
    code: str, reason: str, file: Callable[[bytes], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TUTOR_CHAT_KEY", "sesame")
    born: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *a, **k: born.append(popen(*a, **k)) or born[-1])
    wall_s = 0.5 if "sleep" in code else 30.0
    error = refusal(file(wav(TWO_S)), PyAvReader(AudioLimits(most_s=60, wall_s=wall_s), child(code)))
    assert error.reason == reason
    assert "Traceback" not in str(error)
    assert [process.poll() is None for process in born] == [False]


def test_a_machine_that_starts_no_child_says_so(file: Callable[[bytes], str], tmp_path: Path) -> None:
    error = refusal(file(wav(TWO_S)), PyAvReader(command=(str(tmp_path / "absent"),)))
    assert error.reason == "unreadable"
    assert "Close programs" in str(error)


def test_a_child_whose_time_cannot_be_watched_is_ended_and_told_like_one_that_cannot_start(
    file: Callable[[bytes], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_thread(alarm: threading.Timer) -> None:
        raise RuntimeError("can't start new thread")

    born: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *a, **k: born.append(popen(*a, **k)) or born[-1])
    monkeypatch.setattr(threading.Timer, "start", no_thread)
    error = refusal(file(wav(TWO_S)), PyAvReader(command=child("time.sleep(60)")))
    assert (error.reason, "Close programs" in str(error)) == ("unreadable", True)
    assert [process.poll() is None for process in born] == [False]


def test_a_file_named_in_a_terminal_is_not_spoken_of_as_uploaded() -> None:
    assert set(IN_PLACE) == set(UPLOADED)
    assert not [advice for advice in IN_PLACE.values() if "upload" in advice.lower()]


def test_each_advice_fits_what_is_wrong(file: Callable[[bytes], str], tmp_path: Path) -> None:
    empty, absent = file(b""), str(tmp_path / "absent.wav")
    assert "Record again, or upload WAV" in str(refusal(empty))
    assert "kind. Name WAV, MP3" in str(refusal(empty, PyAvReader(advice=IN_PLACE)))
    assert "Name a file that is there" in str(refusal(absent, PyAvReader(advice=IN_PLACE)))


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_the_child_does_not_outlive_a_killed_parent() -> None:
    reading, writing = os.pipe()
    # It waits for the head of a recording that never comes, as we hold the other end.
    code = "import sys; from tutor.adapters.audio_pyav import *; decode(int(sys.argv[1]), 'wav', AudioLimits())"
    parent = subprocess.Popen((sys.executable, "-c", code, str(reading)), pass_fds=(reading,))
    try:
        children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
        pid = _awaited(lambda: children.read_text().split())[0]
        # Until the child's own code runs, it is bound to nobody.
        _awaited(lambda: _limit_of_open_files(pid) == "0")
        parent.kill()
        parent.wait()
        _awaited(lambda: not _runs(pid))
    finally:
        parent.kill()
        parent.wait()
        os.close(reading)
        os.close(writing)


def _limit_of_open_files(pid: str) -> str:
    return Path(f"/proc/{pid}/limits").read_text().partition("Max open files")[2].split()[0]


def _runs(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _awaited(look: Callable[[], T]) -> T:
    for _ in range(1_000):
        if found := look():
            return found
        time.sleep(0.02)
    pytest.fail("it did not come about")


@pytest.mark.parametrize(
    ("head", "suffix"),
    [
        (b"RIFF\0\0\0\0AVI ", None),
        (b"RF64\0\0\0\0WAVE", ".wav"),
        (b"\0\0\0\x20ftypM4A ", ".m4a"),
        (b"\0\0\0\x20ftypisom", ".mp4"),
        (b"\x1aE\xdf\xa3....webm", ".webm"),
        (b"\x1aE\xdf\xa3....matroska", ".mkv"),
        (b"ID3\4", ".mp3"),
        (b"\xff\xfb\x90\0", ".mp3"),
        (b"\xff\xf1\x50\0", ".aac"),
        (b"\xff\xe1\x50\0", None),
        (b"\xff\xfe\0\0", None),
        (b"\xff\xfb", None),
    ],
)
def test_the_first_bytes_tell_the_kind(head: bytes, suffix: str | None) -> None:
    container = sniffed(head)
    assert (container.suffix if container else None) == suffix
