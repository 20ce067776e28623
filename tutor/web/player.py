"""Recordings on their way to the page's player."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from starlette.responses import FileResponse, JSONResponse, Response

from tutor.booth import Booth
from tutor.web.frame import ID

AUDIO_TYPES = {
    ".wav": "audio/wav",
    ".mp3": "audio/mpeg",
    ".m4a": "audio/mp4",
    ".mp4": "audio/mp4",
    ".webm": "audio/webm",
    ".ogg": "audio/ogg",
    ".oga": "audio/ogg",
    ".opus": "audio/ogg",
    ".flac": "audio/flac",
    ".aac": "audio/aac",
}


def player(booth: Booth) -> Callable[[str], Response]:
    """The recordings as the page's player fetches them: whole or in ranges, known by their id alone."""

    def played(take_id: str) -> Response:
        path = booth.recording_path(take_id) if ID.fullmatch(take_id) else None
        if path is None:
            return JSONResponse({"detail": "There is no such recording."}, 404)
        kind = AUDIO_TYPES.get(Path(path).suffix.lower(), "application/octet-stream")
        return FileResponse(path, media_type=kind, headers={"cache-control": "no-store"})

    return played
