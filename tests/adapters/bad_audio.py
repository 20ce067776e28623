"""Recordings as they should not be, and some as they should, all made here from arithmetic."""

from __future__ import annotations

import io
import random
import struct
from collections.abc import Mapping

import av
import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.int16]
FIRST_SIBLING_HZ, SECOND_TRACK_HZ = 440, 1_760


def tone(seconds: float, rate: int = 16_000, hz: float = 440) -> Samples:
    """A tone that swells and fades twice a second, as syllables do."""
    at_s = np.arange(round(seconds * rate)) / rate
    return (9_000 * np.sin(2 * np.pi * hz * at_s) * np.sin(2 * np.pi * at_s) ** 2).astype("<i2")


def wav(
    data: bytes, *, rate: int = 16_000, channels: int = 1, bits: int = 16, data_bytes: int | None = None, kind: int = 1
) -> bytes:
    """A WAV whose header says what it is told to say."""
    n_bytes = len(data) if data_bytes is None else data_bytes
    block = channels * bits // 8
    shape = struct.pack("<HHIIHH", kind, channels, rate, rate * block & 0xFFFFFFFF, block & 0xFFFF, bits)
    chunks = b"WAVEfmt " + struct.pack("<I", len(shape)) + shape + b"data" + struct.pack("<I", n_bytes)
    return b"RIFF" + struct.pack("<I", min(len(chunks) + n_bytes, 0xFFFFFFFF)) + chunks + data


def encoded(
    container: str, codec: str, *tracks: Samples, rate: int = 48_000, options: Mapping[str, str] | None = None
) -> bytes:
    """Mono tracks in a container, one stream each."""
    file = io.BytesIO()
    with av.open(file, "w", format=container, options=dict(options or {})) as output:
        streams = [output.add_stream(codec, rate=rate, layout="mono") for _ in tracks]
        for stream, samples in zip(streams, tracks, strict=True):
            for start in range(0, len(samples), rate):
                frame = av.AudioFrame.from_ndarray(samples[None, start : start + rate], format="s16", layout="mono")
                frame.sample_rate, frame.pts = rate, start
                output.mux(stream.encode(frame))
            output.mux(stream.encode(None))
    return file.getvalue()


def opus(seconds: float) -> bytes:
    """Ogg as a phone or a chat writes it."""
    return encoded("ogg", "libopus", tone(seconds, 48_000))


def webm(seconds: float) -> bytes:
    """WebM as a browser records it: without any length."""
    return encoded("webm", "libopus", tone(seconds, 48_000), options={"live": "1"})


def fragmented_mp4(seconds: float) -> bytes:
    """MP4 as Safari records it: in fragments, without any length in its head."""
    options = {"movflags": "frag_keyframe+empty_moov+default_base_moof", "frag_duration": "500000"}
    return encoded("mp4", "aac", tone(seconds, 48_000), options=options)


def video(*tracks: Samples) -> bytes:
    """Ten grey pictures in an MP4, with or without sound."""
    file = io.BytesIO()
    with av.open(file, "w", format="mp4") as output:
        pictures = output.add_stream("mpeg4", rate=10)
        pictures.width = pictures.height = 64
        pictures.pix_fmt = "yuv420p"
        sounds = [output.add_stream("aac", rate=48_000, layout="mono") for _ in tracks]
        for number in range(10):
            frame = av.VideoFrame.from_ndarray(np.full((96, 64), 16 * number, np.uint8), format="yuv420p")
            frame.pts = number
            output.mux(pictures.encode(frame))
        output.mux(pictures.encode(None))
        for stream, samples in zip(sounds, tracks, strict=True):
            frame = av.AudioFrame.from_ndarray(samples[None], format="s16", layout="mono")
            frame.sample_rate = 48_000
            output.mux(stream.encode(frame))
            output.mux(stream.encode(None))
    return file.getvalue()


def ten_silent_hours(*, says_so: bool) -> bytes:
    """FLAC of 4.4 MB: one encoded minute, six hundred times over; the header tells its length or leaves it open."""
    minute = bytearray(encoded("flac", "flac", np.zeros(60 * 48_000, np.int16)))
    head = 4
    while not minute[head] & 0x80:
        head += 4 + int.from_bytes(minute[head + 1 : head + 4], "big")
    head += 4 + int.from_bytes(minute[head + 1 : head + 4], "big")
    # The number of samples is the last 36 bits before the checksum of the first block.
    first = int.from_bytes(minute[18:26], "big") >> 36 << 36
    minute[18:26] = (first | (36_000 * 48_000 if says_so else 0)).to_bytes(8, "big")
    return bytes(minute[:head] + minute[head:] * 600)


def flipped(whole: bytes, n_bytes: int, *, spare: int, seed: int = 5) -> bytes:
    """The same with some bytes turned over, none of them among the first `spare`."""
    chance, damaged = random.Random(seed), bytearray(whole)
    for at in chance.sample(range(spare, len(whole)), n_bytes):
        damaged[at] ^= chance.randrange(1, 256)
    return bytes(damaged)
