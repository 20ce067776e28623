"""What the environment must say before Gradio is imported, and the server around the app."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tutor.errors import SettingsError
from tutor.web import launch

SERVING = """
import sys
from tutor.web.launch import serve
async def app(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"here"})
serve(app, int(sys.argv[1]), lambda url: print(url, flush=True))
print("closed in order", flush=True)
"""


def test_variables_that_could_open_the_page_to_others_are_dropped(tmp_path: Path) -> None:
    environ = {
        "GRADIO_SHARE": "True",
        "GRADIO_SERVER_NAME": "0.0.0.0",
        "GRADIO_ALLOWED_PATHS": "/",
        "GRADIO_MCP_SERVER": "True",
        "GRADIO_ROOT_PATH": "http://evil.example",
        "GRADIO_TEMP_DIR": "/tmp/gradio",
        "GRADIO_ANALYTICS_ENABLED": "True",
        "GRADIO_NEW_IN_A_LATER_VERSION": "1",
        "PATH": "/bin",
    }
    launch.prepare(environ, tmp_path / "temp")
    assert environ == {**launch.ENVIRONMENT, "GRADIO_TEMP_DIR": str(tmp_path / "temp"), "PATH": "/bin"}
    assert environ["GRADIO_ANALYTICS_ENABLED"] == environ["GRADIO_SHARE"] == "False"
    assert environ["GRADIO_SERVER_NAME"] == "127.0.0.1"
    assert environ["HF_HUB_OFFLINE"] == "1"


def test_the_temporary_folder_is_for_this_user_alone(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "temp"
    launch.private_folder(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    folder.chmod(0o777)
    launch.private_folder(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match="cannot be made private"):
        launch.private_folder(tmp_path / "file" / "temp")


def test_preparing_needs_no_gradio() -> None:
    lines = "import sys, tutor.web.launch; print('gradio' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_and_lets_the_program_clean_up(stop: signal.Signals) -> None:
    served = subprocess.Popen([sys.executable, "-c", SERVING, "0"], stdout=subprocess.PIPE, text=True)
    url = served.stdout.readline().strip()
    host, port = url.removeprefix("http://").rstrip("/").split(":")
    assert host == "127.0.0.1"
    with socket.create_connection((host, int(port)), timeout=10) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert b"here" in line.makefile("rb").read()
    served.send_signal(stop)
    assert served.communicate(timeout=20)[0] == "closed in order\n"
    assert served.returncode == 0


def test_a_taken_port_gives_way_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with launch._listen(port) as listener:
            assert port < listener.getsockname()[1] < port + launch.TRIED_PORTS
        monkeypatch.setattr(launch, "TRIED_PORTS", 1)
        with pytest.raises(SettingsError, match="taken"):
            launch._listen(port)


def test_the_server_listens_on_loopback_only() -> None:
    with launch._listen(0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"


@pytest.mark.parametrize("port", [-5, 70000])
def test_a_port_that_is_none_is_refused_with_a_sentence(port: int) -> None:
    with pytest.raises(SettingsError, match="port"):
        launch._listen(port)


def test_no_variable_of_this_process_is_touched_by_the_tests() -> None:
    assert "GRADIO_NEW_IN_A_LATER_VERSION" not in os.environ
