"""A real Chromium before the real page; every request to elsewhere, every script error fails the test."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.conftest import skip_or_fail

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass
class App:
    """A running server, and what its pages did that they should not."""

    url: str
    folder: Path
    server: subprocess.Popen
    strays: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def let(self, *names: str) -> None:
        """Tell the scripted grading to go on."""
        for name in names:
            (self.folder / name).touch()


@pytest.fixture(scope="session")
def chromium() -> Iterator[object]:
    sync_api = pytest.importorskip("playwright.sync_api")
    if not shutil.which(CHROMIUM):
        skip_or_fail(f"no {CHROMIUM}")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., App]]:
    """Starts servers, and stops them after the test."""
    apps: list[App] = []

    def started(*options: str) -> App:
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.browser.server", str(tmp_path), *options],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        url = server.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:"), f"the server did not start: {url!r}"
        apps.append(App(url, tmp_path, server))
        return apps[-1]

    yield started
    for app in apps:
        app.server.terminate()
        app.server.wait(15)
        app.server.stdout.close()


@pytest.fixture
def visit(chromium: object) -> Iterator[Callable[..., object]]:
    """Opens a page in a browser of its own; afterwards no error and no stray request may have been seen."""
    contexts, apps = [], []

    def visited(app: App, path: str = "", **options: object) -> object:
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        apps.append(app)
        page = context.new_page()
        page.set_default_timeout(45_000)
        watch(page, app)
        page.goto(app.url + path)
        return page

    yield visited
    for context in contexts:
        context.close()
    for app in apps:
        assert not app.strays, f"requests to elsewhere: {app.strays}"
        assert not app.errors, f"errors in the page: {app.errors}"


def watch(page: object, app: App) -> None:
    """Write down what must not happen."""

    def requested(request: object) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob") and parts.netloc != urlsplit(app.url).netloc:
            app.strays.append(request.url)

    page.on("request", requested)
    page.on("pageerror", lambda error: app.errors.append(str(error)))
    page.on("console", lambda message: message.type == "error" and app.errors.append(message.text))


def reload(page: object, app: App) -> None:
    """Reload a page that may be in the middle of a stream; Gradio's own client complains of the cut, and only that."""
    before = len(app.errors)
    page.reload()
    of_the_cut = ("signal is aborted without reason", "Connection errored out")
    app.errors[before:] = [e for e in app.errors[before:] if not any(words in e for words in of_the_cut)]
