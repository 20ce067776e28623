"""The whole web room as one ASGI app: the guard outside, then the streams, our few static files, the Gradio page."""

from __future__ import annotations

import warnings
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import gradio as gr
from fastapi import FastAPI
from gradio.blocks import Block
from gradio.exceptions import InvalidPathError
from gradio.utils import get_upload_folder
from starlette.responses import FileResponse
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from tutor import view
from tutor.booth import Booth
from tutor.errors import SettingsError
from tutor.library import Library
from tutor.practice import Practice
from tutor.states import EngineState
from tutor.web.guard import Guard
from tutor.web.launch import HOST, private_folder
from tutor.web.moves import Moves
from tutor.web.player import player
from tutor.web.settings_page import Preferences
from tutor.web.site import site
from tutor.web.streams import Streams
from tutor.web.uploads import Uploads

STATIC = Path(__file__).parent / "static"
# Not deferred: it mends the browser's storage before Gradio reads it.
_HEAD = (
    '<script src="/own/page.js"></script><script src="/own/speech.js" defer></script>'
    '<meta name="color-scheme" content="light dark">'
)
MAX_RECORDING = "100mb"


def build(
    practice: Practice,
    booth: Booth,
    preferences: Preferences,
    *,
    library: Library,
    status: Callable[[], tuple[EngineState, ...]],
    version: str,
    temp_dir: Path,
) -> ASGIApp:
    """The app to serve on loopback.

    Args:
        practice: The verbs of a session.
        booth: The verbs of a spoken answer.
        preferences: The verbs of the settings page.
        library: The verbs of the library page.
        status: What is loading behind the page, asked every few seconds.
        version: Of the program, for the foot of the page.
        temp_dir: The private folder that `launch.prepare` was given before gradio was imported.

    Raises:
        SettingsError: `prepare` was not called with this folder, so Gradio would use one that others can read.
    """
    private_folder(temp_dir)
    if Path(get_upload_folder()) != temp_dir:
        raise SettingsError(f"GRADIO_TEMP_DIR must be {temp_dir}. Call tutor.web.launch.prepare before this.")
    uploads = Uploads(temp_dir)
    moves = Moves(practice, booth, uploads, status)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=_tidied(uploads, moves))
    app.add_api_route("/status", lambda: {"line": view.status_line(status())})
    app.mount("/own", StaticFiles(directory=STATIC))
    app.add_api_route("/take/{take_id}", player(booth), methods=["GET", "HEAD"], response_class=FileResponse)
    pages = site(moves, practice, library, preferences, version)
    _mount(app, pages)
    # Only where this is set does Gradio look at the paths that a browser claims; mounting leaves it unset.
    pages.has_launched = True
    _take_from_uploads_alone(uploads)
    return Guard(Streams(app))


def _tidied(uploads: Uploads, moves: Moves) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """No upload outlives the program, nor a crash the next start; one that could not be kept is tried again."""

    @asynccontextmanager
    async def tidied(_: FastAPI) -> AsyncIterator[None]:
        uploads.clear()
        moves.spoken.bring_in()
        yield
        uploads.clear()

    return tidied


def _take_from_uploads_alone(uploads: Uploads) -> None:
    """No event makes Gradio copy a file of this machine or fetch one from elsewhere, whatever path it names."""

    async def named(_: Block, path: str | Path | None) -> str | None:
        if path is not None and not uploads.is_inside(str(path)):
            raise InvalidPathError("A file of an event did not come by an upload.")
        return None if path is None else str(path)

    # On the class, as a session has copies of the widgets.
    setattr(Block, "async_move_resource_to_block_cache", named)  # noqa: B010 - mypy forbids it as an assignment


def _mount(app: FastAPI, pages: gr.Blocks) -> None:
    with warnings.catch_warnings():
        # It says that what is switched off below is switched off.
        warnings.filterwarnings("ignore", message="SSR mode is not supported", category=UserWarning)
        _mounted(app, pages)


def _mounted(app: FastAPI, pages: gr.Blocks) -> None:
    gr.mount_gradio_app(
        app,
        pages,
        path="/",
        server_name=HOST,
        footer_links=[],
        run_history=False,
        allowed_paths=[],
        show_error=False,
        max_file_size=MAX_RECORDING,
        ssr_mode=False,
        enable_monitoring=False,
        pwa=False,
        mcp_server=False,
        theme=_theme(),
        css_paths=[STATIC / "page.css", STATIC / "dashboard.css"],
        head=_HEAD,
    )


def _theme() -> gr.themes.Base:
    """Quiet grey surfaces, one accent, fonts of the system."""
    return gr.themes.Base(
        primary_hue=gr.themes.colors.teal,
        neutral_hue=gr.themes.colors.slate,
        font=["ui-sans-serif", "system-ui", "sans-serif"],
        font_mono=["ui-monospace", "monospace"],
        radius_size=gr.themes.sizes.radius_md,
    ).set(
        body_background_fill="*neutral_50",
        body_background_fill_dark="*neutral_950",
        button_primary_background_fill="*primary_700",
        button_primary_background_fill_hover="*primary_800",
        button_primary_background_fill_dark="*primary_400",
        button_primary_background_fill_hover_dark="*primary_300",
        button_primary_text_color="white",
        button_primary_text_color_dark="*neutral_950",
    )
