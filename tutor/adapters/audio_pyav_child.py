"""The child that decodes a recording made by somebody else: whatever the file does to it, it does to nobody else.

Started by path in a process of its own, without environment. In: the file as standard input, and the order
`{"demuxer", "most_s", "memory_bytes", "cpu_s"}` as its argument; no name of any file reaches it. Out: the samples
(mono, 16,000 a second, signed 16 bit, little-endian) and, on standard error, one JSON line
`{"ending", "is_whole", "peak_bytes"}`; ending is `decoded`, `no_sound`, `too_long`, `heavy` or `unreadable`.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO, cast

import av

# PyAV would import this one when it meets such a stream, and by then nothing can be opened any more.
import av.subtitles.stream
from av.filter import Graph

if sys.platform != "win32":
    import resource

PR_SET_PDEATHSIG = 1
RATE_HZ = 16_000
RATES_HZ = range(8_000, 192_000 + 1)
CHANNELS = range(1, 8 + 1)
CODECS = (
    *"opus vorbis flac aac aac_fixed mp3 mp3float pcm_u8 pcm_alaw pcm_mulaw pcm_f32le pcm_f64le".split(),
    *(f"pcm_s{bits}{end}" for bits in (16, 24, 32) for end in ("le", "be")),
)
# Only these say how long they are; the length of MP3 and AAC is an estimate, and in a WAV that was written
# as a stream it is the largest number that fits.
STATED_LENGTHS = frozenset({"flac", "matroska", "mov", "ogg"})
ADDRESS_BYTES = 1_500_000_000
# Encoders pad: a recording that was stopped at the limit is a little longer when it is read.
PADDING_S = 1.0
# One lost Ogg page is about a second, the jitter of a recorder in a browser some hundredths.
GAP_S = 0.5
MOST_DAMAGES = 1_000
PLACEHOLDER_BYTES = 0x7FFF_0000


class Refused(Exception):
    """Why it ends early; the only argument is the ending."""


class Meter:
    """Looks at this process's own memory."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        # Open from the start, because later nothing can be opened. The kernel's `ru_maxrss` would not do: across
        # a start by vfork it carries over the parent's peak.
        self._status = os.open("/proc/self/status", os.O_RDONLY) if sys.platform == "linux" else None

    def peak_bytes(self) -> int:
        """The most that was resident at once."""
        if self._status is None:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            return peak if sys.platform == "darwin" else peak * 1024
        return _bytes_of(self._status, "VmHWM")

    def limit(self) -> None:
        """Let the system refuse what would exceed the limit: beyond now, only so much address space is granted."""
        if self._status is not None:
            grown = _bytes_of(self._status, "VmSize") - _bytes_of(self._status, "VmRSS") + self._most_bytes
            most = min(ADDRESS_BYTES, grown)
            resource.setrlimit(resource.RLIMIT_AS, (most, most))

    def check(self) -> None:
        """Raise Refused once too much was resident."""
        if self.peak_bytes() > self._most_bytes:
            raise Refused("heavy")


def _bytes_of(status: int, key: str) -> int:
    return int(os.pread(status, 8_192, 0).partition(key.encode() + b":")[2].split()[0]) * 1024


class Funnel:
    """Turns frames of any shape into mono samples of 16,000 a second."""

    def __init__(self) -> None:
        self._shape: tuple[object, ...] = ()
        self._graph: Graph | None = None

    def poured(self, frame: av.AudioFrame) -> Iterator[bytes]:
        """Samples that are ready; a recording may change its shape midway."""
        rate, layout, kind = frame.sample_rate, frame.layout.name, frame.format.name
        if rate not in RATES_HZ or frame.layout.nb_channels not in CHANNELS:
            raise Refused("unreadable")
        if self._shape != (rate, layout, kind):
            yield from self.rest()
            self._shape, self._graph = (rate, layout, kind), None
            if (rate, layout, kind) != (RATE_HZ, "mono", "s16"):
                self._graph = _chain(rate, layout, kind)
        if self._graph is None:
            yield _samples(frame)
            return
        # Times of a damaged file run backwards; the order of the frames is all that counts.
        frame.pts = None
        self._graph.push(frame)
        yield from _drawn(self._graph)

    def rest(self) -> Iterator[bytes]:
        """What the resampler still holds."""
        if self._graph is not None:
            self._graph.push(None)
            yield from _drawn(self._graph)


def _drawn(graph: Graph) -> Iterator[bytes]:
    while True:
        try:
            frame = cast(av.AudioFrame, graph.pull())
        except (BlockingIOError, EOFError):
            return
        yield _samples(frame)


def _chain(rate: int, layout: str, kind: str) -> Graph:
    graph = Graph()
    # By default it starts a thread for each core, whose stacks alone would fill the address space.
    graph.threads = 1
    source = graph.add("abuffer", sample_rate=str(rate), sample_fmt=kind, channel_layout=layout, time_base=f"1/{rate}")
    shape = graph.add("aformat", sample_rates=str(RATE_HZ), sample_fmts="s16", channel_layouts="mono")
    sink = graph.add("abuffersink")
    source.link_to(shape)
    shape.link_to(sink)
    graph.configure()
    return graph


def _samples(frame: av.AudioFrame) -> bytes:
    # A plane is padded for alignment.
    return bytes(frame.planes[0])[: frame.samples * 2]


class Decoding:
    """One pass over the recording, counting what is damaged."""

    def __init__(self, order: dict[str, Any], meter: Meter) -> None:
        self._order, self._meter = order, meter
        self._is_open_ended = False
        self._damages = 0
        self._n_samples = 0
        self.is_whole = True

    def run(self, source: BinaryIO, sink: BinaryIO) -> None:
        """Decode the first audio stream. Raises Refused, MemoryError, or an error of FFmpeg."""
        # A limit below what is resident already would make FFmpeg fail anywhere, in any way.
        self._meter.check()
        options = {
            "format_whitelist": self._order["demuxer"],
            # The file is already open: there is nothing to be opened by any protocol.
            "protocol_whitelist": "none",
            "codec_whitelist": ",".join(CODECS),
        }
        if self._order["demuxer"] == "wav":
            self._is_open_ended = is_open_ended(source.read(8))
            source.seek(0)
        with av.open(source, format=self._order["demuxer"], options=options, metadata_errors="replace") as container:
            if not container.streams.audio:
                raise Refused("no_sound")
            stream = container.streams.audio[0]
            stated_s = self._stated_s(container, stream)
            _check(stream.codec_context)
            # Threads would take time from the models, and each one address space.
            stream.codec_context.thread_count = 1
            if stream.codec_context.name == "flac":
                # Its frames carry sums over their content: noise in place of speech is found out.
                stream.codec_context.options = {"err_detect": "crccheck+explode"}
            for samples in self._samples(container, stream):
                sink.write(samples)
                self._count(len(samples) // 2)
            sink.flush()
        if self._n_samples / RATE_HZ < stated_s - GAP_S:
            self.is_whole = False
        if not self._n_samples and not self.is_whole:
            raise Refused("unreadable")

    def _stated_s(self, container: Any, stream: Any) -> float:
        """The length that the header gives, in seconds; 0 if it gives none that can be believed."""
        if self._order["demuxer"] not in STATED_LENGTHS:
            return 0.0
        if stream.duration is not None:
            stated_s = float(stream.duration * stream.time_base)
        else:
            # Of several streams, another one may be longer.
            alone = len(container.streams) == 1 and container.duration is not None
            stated_s = container.duration / av.time_base if alone else 0.0
        if stated_s > self._order["most_s"] + PADDING_S:
            raise Refused("too_long")
        return stated_s

    def _samples(self, container: Any, stream: Any) -> Iterator[bytes]:
        funnel = Funnel()
        next_s: float | None = None
        for frame in self._frames(container, stream):
            if frame.time is not None:
                if next_s is not None and frame.time - next_s > GAP_S:
                    self.is_whole = False
                next_s = frame.time + frame.samples / (frame.sample_rate or RATE_HZ)
            yield from funnel.poured(frame)
        yield from funnel.rest()

    def _frames(self, container: Any, stream: Any) -> Iterator[av.AudioFrame]:
        for packet in self._packets(container, stream):
            try:
                frames = packet.decode()
            except MemoryError:
                raise
            except av.FFmpegError:
                self._note_damage()
                continue
            if (packet.is_corrupt and not self._is_open_ended) or any(frame.is_corrupt for frame in frames):
                self._note_damage()
            yield from frames

    def _packets(self, container: Any, stream: Any) -> Iterator[Any]:
        while self._damages < MOST_DAMAGES:
            try:
                yield from container.demux(stream)
                return
            except MemoryError:
                raise
            except av.FFmpegError:
                # Behind the damage it may go on.
                self._note_damage()

    def _note_damage(self) -> None:
        self._damages += 1
        self.is_whole = False

    def _count(self, n_samples: int) -> None:
        before, self._n_samples = self._n_samples, self._n_samples + n_samples
        if self._n_samples > (self._order["most_s"] + PADDING_S) * RATE_HZ:
            raise Refused("too_long")
        if before // RATE_HZ != self._n_samples // RATE_HZ:
            self._meter.check()


def is_open_ended(head: bytes) -> bool:
    """Whether a WAV was written as a stream, so that its head holds a placeholder where the length should be.

    Args:
        head: The first 8 bytes.

    >>> [is_open_ended(b"RIFF" + n.to_bytes(4, "little")) for n in (36, 32_036, 0x7FFFF024, 0xFFFFFFFF)]
    [True, False, True, True]
    """
    # 36 is a head without sound; no file that gets here is as large as the placeholders in use say.
    return not 36 < int.from_bytes(head[4:8], "little") < PLACEHOLDER_BYTES


def _check(context: Any) -> None:
    """Raise Refused for a codec or a shape that is not read here; what the header leaves open, the frames tell."""
    if context is None or context.name not in CODECS:
        raise Refused("unreadable")
    if context.sample_rate and context.sample_rate not in RATES_HZ:
        raise Refused("unreadable")
    if context.channels and context.channels not in CHANNELS:
        raise Refused("unreadable")


def main() -> None:
    """Shut the doors, decode, and say how it ended."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    order = json.loads(sys.argv[1])
    meter = Meter(order["memory_bytes"])
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_CPU, (order["cpu_s"], order["cpu_s"]))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        meter.limit()
        # Nothing can be opened from here on: no file beside the recording, no connection.
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    decoding = Decoding(order, meter)
    ending = "decoded"
    try:
        decoding.run(sys.stdin.buffer, sys.stdout.buffer)
    except Refused as refused:
        ending = str(refused)
    except MemoryError:
        ending = "heavy"
    except (av.FFmpegError, ValueError):
        ending = "unreadable"
    report = {"ending": ending, "is_whole": decoding.is_whole, "peak_bytes": meter.peak_bytes()}
    sys.stderr.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main()
