"""Events that a browser never sends, by HTTP: no file of this machine is read, moved or deleted through the page.

Each is tried twice: with both walls, and with Gradio's own look at paths taken away.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import wave
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from tests.browser.scene import DECODE

ROOT = Path(__file__).parents[2]
# The second one never lets anybody say that the page is launched.
SERVERS = {
    "both walls": ["-m", "tests.browser.server"],
    "one wall": [
        "-c",
        "import os, runpy, sys; from pathlib import Path; from tutor.web.launch import prepare\n"
        "prepare(os.environ, Path(sys.argv[1]) / 'temp'); import gradio\n"
        "gradio.Blocks.has_launched = property(lambda page: False, lambda page, said: None)\n"
        "runpy.run_module('tests.browser.server', run_name='__main__')",
    ],
}
SECRET = "a diary of one's own"


class Page:
    """A page that sends what it likes."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.url = folder, url.rstrip("/")
        self.temp = folder / "temp"
        self.http = httpx.Client(base_url=self.url, headers={"origin": self.url}, timeout=20, trust_env=False)
        config = self.http.get("/config").json()
        names = {part["id"]: part["props"].get("elem_id") for part in config["components"]}
        self.events = {
            (names.get(target), kind): event["id"]
            for event in config["dependencies"]
            for target, kind in event["targets"]
        }

    def send(self, name: str, kind: str, data: list[object]) -> str:
        """Everything the page is told until the event is over."""
        session = uuid4().hex
        joined = {"data": data, "fn_index": self.events[name, kind], "session_hash": session}
        self.http.post("/gradio_api/queue/join", json=joined).raise_for_status()
        told = []
        with self.http.stream("GET", "/gradio_api/queue/data", params={"session_hash": session}) as lines:
            for line in lines.iter_lines():
                told.append(line)
                if '"process_completed"' in line or '"close_stream"' in line:
                    break
        return "\n".join(told)

    def bring(self, path: str, by: str = "upload", **more: object) -> tuple[str, str]:
        """Claim that a file has come in; what the page says then, and the id of the take it would be."""
        seat = {"question_id": DECODE.id, "answer_id": "a1", "take_id": uuid4().hex}
        file = {"path": path, "meta": {"_type": "gradio.FileData"}, **more}
        kind = {"upload": "upload", "microphone": "stop_recording"}[by]
        return self.send(by, kind, [seat, {}, file]), seat["take_id"]

    def upload(self, sound: bytes) -> str:
        return self.http.post("/gradio_api/upload", files={"files": ("a.wav", sound, "audio/wav")}).json()[0]


def start(command: list[str], folder: Path) -> tuple[subprocess.Popen[str], Page]:
    given = [sys.executable, *command, str(folder)]
    server = subprocess.Popen(given, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return server, Page(folder, server.stdout.readline().strip())


def stop(server: subprocess.Popen[str], page: Page) -> None:
    page.http.close()
    server.terminate()
    assert server.communicate(timeout=20)[0].endswith("closed\n")


@pytest.fixture(scope="module", params=SERVERS.values(), ids=SERVERS)
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    server, made = start(request.param, tmp_path_factory.mktemp("app"))
    yield made
    stop(server, made)


def sound(seconds: float = 1.0, loudness: int = 3000) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(2)
        written.setframerate(16_000)
        written.writeframes(b"".join(loudness.to_bytes(2, "little") for _ in range(round(16_000 * seconds))))
    return file.getvalue()


def own(page: Page, name: str = "diary.txt") -> Path:
    folder = page.folder / f"own-{uuid4().hex[:6]}"
    folder.mkdir()
    (folder / name).write_text(SECRET)
    return folder / name


def linked(page: Page) -> str:
    folder = page.temp / uuid4().hex
    folder.mkdir()
    (folder / "a.wav").symlink_to(own(page))
    return str(folder / "a.wav")


def pipe(page: Page) -> str:
    place = own(page).with_name("pipe")
    os.mkfifo(place)
    return str(place)


FORGED: dict[str, Callable[[Page], str]] = {
    "a file of the user": lambda page: str(own(page)),
    "a picture that would be served": lambda page: str(own(page, "diary.svg")),
    "a system file": lambda page: "/etc/passwd",
    "the database": lambda page: str(own(page, "tutor.db")),
    "a link": linked,
    "up and out": lambda page: f"{page.temp}/x/../../{own(page).relative_to(page.folder)}",
    "a folder": lambda page: str(own(page).parent),
    "the folder of uploads": lambda page: str(page.temp),
    "nothing there": lambda page: str(own(page).parent / "gone.wav"),
    "an address": lambda page: "http://127.0.0.1:9/a.wav",
    "a pipe": pipe,
}


@pytest.mark.parametrize("is_stream", [False, True])
@pytest.mark.parametrize("by", ["upload", "microphone"])
def test_a_forged_file_is_neither_read_nor_moved_nor_deleted(page: Page, by: str, is_stream: bool) -> None:
    paths = {name: claim(page) for name, claim in FORGED.items()}
    before = files_in(page.folder)
    # Together, because the page takes half a second for an event whatever it is.
    with ThreadPoolExecutor(len(paths)) as senders:
        told = dict(
            zip(paths, senders.map(lambda path: page.bring(path, by, is_stream=is_stream), paths.values()), strict=True)
        )
    assert files_in(page.folder) == before
    for name, (words, take_id) in told.items():
        assert SECRET not in words, name
        assert "root:" not in words, name
        assert page.http.get(f"/take/{take_id}").status_code == 404, name
        assert page.http.get(f"/gradio_api/file={paths[name]}").status_code in (403, 404), name
    assert page.http.get("/status").status_code == 200


def files_in(folder: Path) -> dict[str, int]:
    """Inode of everything by its path."""
    return {str(place): place.lstat().st_ino for place in folder.rglob("*")}


@pytest.mark.parametrize("place", ["seat", "drafts"])
def test_a_file_among_the_words_is_not_copied_in(page: Page, place: str) -> None:
    file = {"path": str(own(page)), "meta": {"_type": "gradio.FileData"}}
    before = sorted(page.folder.rglob("*"))
    page.send("next", "click", [{"question_id": file}, {}] if place == "seat" else [{}, {"q": file}])
    assert sorted(page.folder.rglob("*")) == before


@pytest.mark.parametrize("by", ["upload", "microphone"])
def test_an_honest_recording_is_still_taken(page: Page, by: str) -> None:
    brought = sound(loudness=3000 + len(by))
    told, take_id = page.bring(page.upload(brought), by)
    assert "data-start" in told or "check" in told
    reply = page.http.get(f"/take/{take_id}")
    assert (reply.status_code, reply.content) == (200, brought)


def test_asking_only_for_the_head_of_a_recording_brings_no_sound(page: Page) -> None:
    _, take_id = page.bring(page.upload(sound(loudness=4000)))
    whole, head = page.http.get(f"/take/{take_id}"), page.http.head(f"/take/{take_id}")
    assert (head.status_code, head.content) == (200, b"")
    for name in ("content-type", "content-length", "cache-control"):
        assert head.headers[name] == whole.headers[name]
    assert page.http.head("/take/nobody").status_code == 404


def test_no_upload_outlives_the_program_but_one_that_could_not_be_kept(tmp_path: Path) -> None:
    def files() -> list[str]:
        return [path.name for path in (tmp_path / "temp").rglob("*") if path.is_file()]

    (tmp_path / "takes").write_text("in the way of the folder")
    server, page = start(SERVERS["both walls"], tmp_path)
    page.upload(sound(loudness=1000))
    told, take_id = page.bring(page.upload(sound(loudness=2000)))
    assert re.search("recording was left where it is", told)
    stop(server, page)
    assert files() == [take_id]
    for left in ("tmp0a1b2c3d", f"{'c' * 64}"):
        (tmp_path / "temp" / left).write_bytes(b"left by a crash")
    server, page = start(SERVERS["both walls"], tmp_path)
    assert files() == [take_id]
    (tmp_path / "takes").unlink()
    seat = {"question_id": DECODE.id, "answer_id": "a1", "take_id": take_id}
    assert "Check the transcript" in page.send("hear", "click", [seat, {}])
    assert page.http.get(f"/take/{take_id}").content == sound(loudness=2000)
    stop(server, page)
    assert files() == []
