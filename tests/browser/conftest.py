"""A real Chromium before the real page; every request to elsewhere, every script error fails the test."""

from __future__ import annotations

import math
import shutil
import signal
import struct
import subprocess
import sys
import wave
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
        """Tell the scripted grading to go on, or the scripted ear to be `slow` or `deaf`."""
        for name in names:
            (self.folder / name).touch()

    def end(self, *names: str) -> None:
        """Take it back."""
        for name in names:
            (self.folder / name).unlink()

    def takes(self) -> list[Path]:
        """The recordings that are kept."""
        folder = self.folder / "takes"
        return sorted(folder.iterdir()) if folder.exists() else []

    def uploads(self) -> list[Path]:
        """What lies where Gradio puts uploads."""
        return [path for path in (self.folder / "temp").rglob("*") if path.is_file()]


@pytest.fixture(scope="session")
def playwright() -> Iterator[object]:
    sync_api = pytest.importorskip("playwright.sync_api")
    if not shutil.which(CHROMIUM):
        skip_or_fail(f"no {CHROMIUM}")
    with sync_api.sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def chromium(playwright: object) -> Iterator[object]:
    browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGUMENTS)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def chromium_with_microphone(playwright: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """It asks nobody for leave, and hears a tone as long as it listens."""
    sound = tmp_path_factory.mktemp("sound") / "tone.wav"
    write_tone(sound, seconds=60)
    flags = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
    flags += [f"--use-file-for-fake-audio-capture={sound}%noloop"]
    browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=[*ARGUMENTS, *flags])
    yield browser
    browser.close()


def write_tone(path: Path, seconds: float, loudness: int = 8000) -> Path:
    """A WAV file of a tone, silence for a loudness of 0."""
    one_second = [round(loudness * math.sin(2 * math.pi * 440 * i / 48_000)) for i in range(48_000)]
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(48_000)
        frames = struct.pack("<48000h", *one_second)
        file.writeframes((frames * math.ceil(seconds))[: 2 * round(48_000 * seconds)])
    return path


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
        app.server.wait(60)
        app.server.stdout.close()


@pytest.fixture
def visit(chromium: object) -> Iterator[Callable[..., object]]:
    """Opens a page in a browser of its own; afterwards no error and no stray request may have been seen."""
    yield from _visits(chromium)


@pytest.fixture
def visit_speaking(chromium_with_microphone: object) -> Iterator[Callable[..., object]]:
    """The same with a microphone."""
    yield from _visits(chromium_with_microphone)


def _visits(browser: object) -> Iterator[Callable[..., object]]:
    with opening() as opened:
        yield lambda app, path="", **options: opened(browser, app, path, **options)


@contextmanager
def opening() -> Iterator[Callable[..., object]]:
    """Opens pages in any browser; afterwards no error and no stray request may have been seen."""
    contexts, apps = [], []

    def opened(browser: object, app: App, path: str = "", **options: object) -> object:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        apps.append(app)
        page = context.new_page()
        page.set_default_timeout(45_000)
        watch(page, app)
        page.goto(app.url + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    for app in apps:
        assert not app.strays, f"requests to elsewhere: {app.strays}"
        assert not app.errors, f"errors in the page: {app.errors}"


@pytest.fixture
def program(tmp_path: Path, weights_dir: Path) -> Iterator[object]:
    """The whole program with the real models; it must end well and may have called nobody."""
    from tests.browser.program import Program

    program = Program(tmp_path, weights_dir)
    yield program
    program.process.send_signal(signal.SIGTERM)
    assert program.process.wait(20) == 0
    program.process.stdout.close()
    assert not program.strays.exists(), f"connections to other hosts: {program.strays.read_text()}"


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
    """Reload a page that may be in the middle of a stream."""
    leave(app, page.reload)


def go(page: object, app: App, path: str) -> None:
    """Go to another page of the app from one that may be in the middle of a stream."""
    leave(app, lambda: page.goto(app.url + path))


def leave(app: App, going: Callable[[], object]) -> None:
    """Leave a page; Gradio's own client complains of the stream that is cut, and only that may be complained of."""
    before = len(app.errors)
    going()
    of_the_cut = ("signal is aborted without reason", "Connection errored out")
    app.errors[before:] = [e for e in app.errors[before:] if not any(words in e for words in of_the_cut)]
