"""The Gradio page without a browser: what it offers to the outside, and frames as widget values."""

from __future__ import annotations

import http.client
import json
import logging
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from pathlib import Path

import pytest
from markupsafe import Markup

from tests.fake_tracker import FakeTracker
from tests.fakes import FakeClock
from tests.samples import BANK
from tutor.errors import SettingsError, TrackerError
from tutor.practice import Practice
from tutor.web.frame import ALL_BUTTONS

SECRET = "the candidate's own words"
OWN = {"Sec-Fetch-Site": "same-origin"}
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Message
    text: str


class Client:
    """Sends requests exactly as written, with a Host of one's own if need be."""

    def __init__(self, url: str) -> None:
        self.host = url.removeprefix("http://").rstrip("/")

    def request(self, method: str, path: str, headers: Mapping[str, str] = {}, body: str | None = None) -> Reply:
        line = http.client.HTTPConnection(self.host, timeout=20)
        try:
            line.request(method, path, body, dict(headers))
            reply = line.getresponse()
            return Reply(reply.status, reply.headers, reply.read().decode())
        finally:
            line.close()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A server in a process of its own: Gradio leaves event loops unclosed behind it."""
    command = [sys.executable, "-m", "tests.browser.server", str(tmp_path_factory.mktemp("app")), "--loading"]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    yield Client(server.stdout.readline().strip())
    server.terminate()
    assert server.communicate(timeout=20)[0] == "closed\n"
    assert server.returncode == 0


def test_the_page_opens_with_our_headers_and_names_no_other_host_to_load_from(client: Client) -> None:
    reply = client.request("GET", "/")
    assert reply.status == 200
    assert "default-src 'self'" in reply.headers["content-security-policy"]
    assert "own/page.js" in reply.text


def test_nothing_is_offered_as_an_api_or_recorded(client: Client) -> None:
    config = json.loads(client.request("GET", "/config").text)
    assert {event["api_visibility"] for event in config["dependencies"]} == {"private"}
    assert not config.get("run_history")
    assert not config["analytics_enabled"]
    assert config["footer_links"] == []


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/", {"Host": "evil.example"}, 421),
        ("GET", "/monitoring", {}, 404),
        ("GET", "/gradio_api/runs", {}, 404),
        ("GET", "/gradio_api/file=/etc/passwd", {}, 403),
        ("GET", "/gradio_api/file=../../../etc/passwd", {}, 403),
        ("GET", "/own/../page.py", {}, 404),
        ("GET", "/docs", {}, 404),
        ("GET", "/gradio_api/upload", {}, 404),
        ("POST", "/gradio_api/upload", {"Sec-Fetch-Site": "cross-site", "Content-Length": "0"}, 403),
        ("GET", "/take/no", {}, 404),
        ("GET", "/take/..%2f..%2fetc%2fpasswd", {}, 404),
        ("GET", "/take/%2e%2e", {}, 404),
        ("POST", "/gradio_api/queue/join", {"Sec-Fetch-Site": "cross-site"}, 403),
        ("POST", "/gradio_api/queue/join", {}, 403),
    ],
)
def test_probes_of_a_hostile_page_get_nothing(
    client: Client, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    reply = client.request(method, path, headers)
    assert reply.status == status
    assert "root:" not in reply.text
    assert "access-control-allow-origin" not in reply.headers


def test_handlers_cannot_be_called_by_name(client: Client) -> None:
    headers = {**OWN, "Content-Type": "application/json"}
    for path in ("call/graded", "run/graded", "api/opened", "call/cancelled", "call/v2/graded"):
        assert client.request("POST", f"/gradio_api/{path}", headers, '{"data": []}').status == 404


def test_the_line_about_the_engines_is_plain_text(client: Client) -> None:
    assert json.loads(client.request("GET", "/status").text) == {
        "line": "Loading the language model. You can write and send answers meanwhile."
    }


def test_building_without_the_private_folder_is_refused(
    clock: FakeClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tutor.web.app import build

    monkeypatch.setenv("GRADIO_TEMP_DIR", "/tmp/gradio")
    tracker = FakeTracker(clock)
    practice = Practice(bank=BANK, tracker=tracker, jobs=tracker, desk=None, clock=clock)
    with pytest.raises(SettingsError, match="prepare"):
        build(practice, None, None, library=None, status=tuple, version="1", temp_dir=tmp_path / "temp")


class Shown:
    """Widgets that stand for themselves."""

    def __getattr__(self, name: str) -> object:
        return {button: button for button in ALL_BUTTONS} if name == "buttons" else name


def test_a_frame_becomes_values_and_the_rest_stays() -> None:
    from tutor.web.frame import Frame, Seat, Stage
    from tutor.web.page import updates

    seat = Seat("q", "a", take_id="t")
    asked = updates(
        Shown(), Frame(Stage.ASKED, (("assistant", Markup("<p>q</p>")),), "Q", Markup("<i>0:00</i>"), seat=seat)
    )
    assert asked["thread"] == [{"role": "assistant", "content": "<p>q</p>"}]
    assert Seat.read(asked["seat"]) == seat
    assert (asked["recorder"].value, asked["recorder"].visible) == ("<i>0:00</i>", True)
    assert (asked["microphone"].value, asked["microphone"].visible) == (None, True)
    assert not asked["answer"].visible
    assert [asked[name].variant for name in ("record", "stop", "type", "next")] == ["primary"] * 2 + ["secondary"] * 2
    assert not asked["retry"].visible
    assert not {"drafts", "past", "upload"} & set(asked)
    typing = updates(Shown(), Frame(Stage.TYPING, (), "Q"))
    assert typing["answer"].visible
    assert "as you would out loud" in typing["answer"].info
    assert (typing["grade"].visible, typing["grade"].variant) == (True, "primary")
    assert not typing["insist"].visible
    assert not typing["microphone"].visible
    check = updates(Shown(), Frame(Stage.CHECK, (), "Check", take=Markup("<p>t</p>")))
    assert check["take"].value == "<p>t</p>"
    assert "misheard" in check["answer"].info
    refused = updates(Shown(), Frame(Stage.REFUSED, (), "Too short."))
    assert refused["answer"].visible
    assert (refused["insist"].visible, refused["insist"].variant) == (True, "secondary")
    assert refused["grade"].variant == "primary"
    grading = updates(Shown(), Frame(Stage.GRADING, (), "Grading.", draft="", drafts={}, past=Markup("<ol>")))
    assert (grading["answer"].visible, grading["answer"].value) == (False, "")
    assert (grading["cancel"].visible, grading["cancel"].variant) == (True, "secondary")
    assert grading["drafts"] == {}
    assert grading["past"] == "<ol>"
    assert list(updates(Shown(), None)) == ["said"]


def test_what_is_said_to_screen_readers_is_escaped() -> None:
    from tutor.web.frame import Frame, Stage
    from tutor.web.page import updates

    said = updates(Shown(), Frame(Stage.ASKED, (), "<img src=x>"))["said"]
    assert "<" not in said


def test_a_known_error_is_told_in_its_own_sentence() -> None:
    from tutor.web.page import _shown

    def move() -> Iterator[None]:
        yield None
        raise TrackerError("The database is locked. Close the other window.")

    last = list(_shown(Shown(), move))[-1]
    assert "The database is locked" in last["note"].value
    assert set(last) == {"note", "said"}


def test_an_unknown_error_shows_a_number_and_logs_no_words(caplog: pytest.LogCaptureFixture) -> None:
    from tutor.web.page import _shown

    def move() -> Iterator[None]:
        raise ValueError(SECRET)
        yield

    with caplog.at_level(logging.DEBUG):
        (last,) = _shown(Shown(), move)
    number = last["said"].split("error ")[-1][:8] if "error " in last["said"] else ""
    assert "Copy words you have not sent yet" in last["note"].value
    assert "kept" not in last["note"].value
    assert "saved" not in last["note"].value
    assert number in caplog.text
    assert "ValueError" in caplog.text
    assert "test_page.py" in caplog.text
    assert SECRET not in caplog.text
