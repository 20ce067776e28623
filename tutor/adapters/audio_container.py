"""Which kind of recording a file is, told from its first bytes and never from its name."""

from __future__ import annotations

from dataclasses import dataclass

HEAD_BYTES = 64


@dataclass(frozen=True)
class Container:
    """A kind of file that can hold a recording.

    Attributes:
        suffix: Ending for a file of this kind, with its dot.
        demuxer: FFmpeg's name for the one reader that may open it.
    """

    suffix: str
    demuxer: str


WAV = Container(".wav", "wav")
OGG = Container(".ogg", "ogg")
FLAC = Container(".flac", "flac")
WEBM = Container(".webm", "matroska")
MATROSKA = Container(".mkv", "matroska")
M4A = Container(".m4a", "mov")
MP4 = Container(".mp4", "mov")
MP3 = Container(".mp3", "mp3")
AAC = Container(".aac", "aac")
CONTAINERS = (WAV, OGG, FLAC, WEBM, MATROSKA, M4A, MP4, MP3, AAC)


def sniffed(head: bytes) -> Container | None:
    """The kind of file that begins with these bytes; None when it is no kind of recording that is read here.

    Args:
        head: The first `HEAD_BYTES` of the file, fewer if it is shorter.

    >>> sniffed(b"RIFF....WAVEfmt ").suffix
    '.wav'
    >>> sniffed(b"ffconcat version 1.0") is None
    True
    """
    if head[:4] in (b"RIFF", b"RF64") and head[8:12] == b"WAVE":
        return WAV
    if head[4:8] == b"ftyp":
        return M4A if head[8:12] in (b"M4A ", b"M4B ") else MP4
    if head[:4] == b"\x1aE\xdf\xa3":
        return WEBM if b"webm" in head else MATROSKA
    for mark, container in ((b"OggS", OGG), (b"fLaC", FLAC), (b"ID3", MP3)):
        if head.startswith(mark):
            return container
    return _mpeg(head)


def _mpeg(head: bytes) -> Container | None:
    """MP3 or AAC that begins with its first frame: twelve set bits (eleven in MPEG 2.5), then version and layer."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return None
    layer = head[1] >> 1 & 0b11
    if layer == 0:
        return AAC if head[1] & 0xF0 == 0xF0 else None
    return MP3 if layer == 0b01 else None
