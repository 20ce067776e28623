"""The whole web room as one ASGI app: the guard outside, then our few static files, then the Gradio page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import gradio as gr
from fastapi import FastAPI
from gradio.utils import get_upload_folder
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from tutor import view
from tutor.errors import SettingsError
from tutor.practice import Practice
from tutor.states import EngineState
from tutor.web.guard import Guard
from tutor.web.launch import HOST, private_folder
from tutor.web.moves import Moves
from tutor.web.page import practice_page

STATIC = Path(__file__).parent / "static"
# Not deferred: it mends the browser's storage before Gradio reads it.
_HEAD = '<script src="own/page.js"></script><meta name="color-scheme" content="light dark">'


def build(
    practice: Practice, *, status: Callable[[], tuple[EngineState, ...]], version: str, temp_dir: Path
) -> ASGIApp:
    """The app to serve on loopback.

    Args:
        practice: The verbs of a session.
        status: What is loading behind the page, asked every few seconds.
        version: Of the program, for the foot of the page.
        temp_dir: The private folder that `launch.prepare` was given before gradio was imported.

    Raises:
        SettingsError: `prepare` was not called with this folder, so Gradio would use one that others can read.
    """
    private_folder(temp_dir)
    if Path(get_upload_folder()) != temp_dir:
        raise SettingsError(f"GRADIO_TEMP_DIR must be {temp_dir}. Call tutor.web.launch.prepare before this.")
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.add_api_route("/status", lambda: {"line": view.status_line(status())})
    app.mount("/own", StaticFiles(directory=STATIC))
    gr.mount_gradio_app(
        app,
        practice_page(Moves(practice, status), version),
        path="/",
        server_name=HOST,
        footer_links=[],
        run_history=False,
        allowed_paths=[],
        show_error=False,
        max_file_size="25mb",
        ssr_mode=False,
        enable_monitoring=False,
        pwa=False,
        mcp_server=False,
        theme=_theme(),
        css_paths=[STATIC / "page.css"],
        head=_HEAD,
    )
    return Guard(app)


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
