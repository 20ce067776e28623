"""All pages in one frame: practice, dashboard, library, settings, with the same head and foot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import gradio as gr

from tutor import view
from tutor.library import Library
from tutor.practice import Practice
from tutor.web.dashboard import dashboard_page
from tutor.web.library_page import library_page
from tutor.web.moves import Moves
from tutor.web.page import practice_page
from tutor.web.settings_page import Preferences, settings_page

# Every open page that watches a grading holds one of Gradio's 40 threads.
WATCHERS = 16
QUEUE_LENGTH = 64
_PAGES = {"/": "Practice", "/dashboard": "Dashboard", "/library": "Library", "/settings": "Settings"}


def site(moves: Moves, practice: Practice, library: Library, preferences: Preferences, version: str) -> gr.Blocks:
    """The pages as Blocks, ready to be mounted."""
    pages: gr.Blocks
    # Without `delete_cache`: `Uploads` deletes what came in, and knows what nobody may delete.
    with gr.Blocks(title="Tutor", analytics_enabled=False) as pages, _framed("/", version):
        practice_page(pages, moves)
    with pages.route("Dashboard", "/dashboard"), _framed("/dashboard", version):
        dashboard_page(practice)
    with pages.route("Library", "/library"), _framed("/library", version):
        library_page(library)
    with pages.route("Settings", "/settings"), _framed("/settings", version):
        settings_page(pages, preferences)
    pages.queue(default_concurrency_limit=WATCHERS, max_size=QUEUE_LENGTH, api_open=False)
    return pages


@contextmanager
def _framed(here: str, version: str) -> Iterator[None]:
    """Head and foot around what is laid out inside."""
    links = view.joined(
        view.markup(
            '<li><a href="{path}"{current}>{name}</a></li>',
            path=path,
            current=view.markup(' aria-current="page"') if path == here else "",
            name=name,
        )
        for path, name in _PAGES.items()
    )
    head = view.markup(
        '<header><h1>Tutor <span>{name}</span></h1><nav aria-label="Pages"><ul>{links}</ul></nav>'
        '<p id="engines"></p><p id="voice" role="status"></p></header>',
        name=_PAGES[here],
        links=links,
    )
    gr.HTML(str(head), elem_id="top", js_on_load=None)
    yield
    gr.HTML(
        str(view.markup("<p>Tutor {v}. Runs on this machine only.</p>", v=version)), elem_id="foot", js_on_load=None
    )
