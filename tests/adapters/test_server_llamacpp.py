"""The supervisor with a child that has no model: births, deaths, hangs and ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tutor.adapters.server_llamacpp import LlamaServer, Patience
from tutor.errors import EngineDown

FAKE_CHILD = Path(__file__).with_name("fake_llama_child.py")
ROOT = Path(__file__).resolve().parents[2]
QUICK = Patience(restarts=3, window_s=60, backoff_s=0.01, load_s=20, ping_s=0.05, pong_s=0.5, stop_s=0.3)
PLENTY_S = 20.0
proc_only = pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="reads /proc")


def eventually(condition: Callable[[], bool]) -> bool:
    """Whether it becomes true; waits far longer than it should take."""
    until = time.monotonic() + PLENTY_S
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return False


def is_gone(pid: int) -> bool:
    """Whether a process has ended, even if nobody has collected it yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


class Nursery:
    """A folder in which the fake children note their births."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.gguf = folder / "small.gguf"
        self.gguf.write_bytes(b"GGUF")
        self.command = [sys.executable, str(FAKE_CHILD), str(folder)]

    def births(self) -> list[tuple[int, dict[str, object]]]:
        notes = self.folder / "births"
        lines = notes.read_text().splitlines() if notes.exists() else []
        return [(int(pid), json.loads(order)) for pid, _, order in (line.partition(" ") for line in lines)]

    def last_pid(self) -> int:
        return self.births()[-1][0]

    def say(self, word: str) -> None:
        (self.folder / word).touch()

    def unsay(self, word: str) -> None:
        (self.folder / word).unlink()

    def server(self, patience: Patience = QUICK, log: Path | None = None) -> LlamaServer:
        return LlamaServer(self.gguf, threads=2, patience=patience, log=log, command=self.command)


@pytest.fixture
def nursery(tmp_path: Path) -> Nursery:
    return Nursery(tmp_path)


@pytest.fixture
def server(nursery: Nursery) -> Iterator[LlamaServer]:
    server = nursery.server()
    yield server
    server.stop()


def test_a_started_server_tells_where_it_listens(server: LlamaServer, nursery: Nursery) -> None:
    server.start()
    endpoint = server.endpoint(PLENTY_S)
    assert endpoint.url.startswith("http://127.0.0.1:")
    assert endpoint.model == "small"
    assert server.state().state == "ready"
    assert nursery.births()[0][1] == {
        "gguf": str(nursery.gguf),
        "model": "small",
        "threads": 2,
        "context_tokens": 4096,
        "key": endpoint.key,
    }


def test_starting_twice_gives_one_child(server: LlamaServer, nursery: Nursery) -> None:
    server.start()
    server.start()
    server.endpoint(PLENTY_S)
    assert len(nursery.births()) == 1


def test_asking_for_the_address_starts_a_server_that_was_never_started(server: LlamaServer) -> None:
    assert server.endpoint(PLENTY_S).model == "small"


def test_start_returns_while_the_model_loads(server: LlamaServer, nursery: Nursery) -> None:
    nursery.say("wait")
    server.start()
    assert server.state().state == "loading"
    with pytest.raises(EngineDown, match=r"still loading small\.gguf after 0\.05 s\. Wait a little"):
        server.endpoint(0.05)
    nursery.unsay("wait")
    assert server.endpoint(PLENTY_S).model == "small"


@proc_only
def test_the_key_is_not_visible_in_the_process_list(server: LlamaServer, nursery: Nursery) -> None:
    key = server.endpoint(PLENTY_S).key.encode()
    pid = nursery.last_pid()
    assert len(key) >= 32
    assert key not in Path(f"/proc/{pid}/cmdline").read_bytes() + Path(f"/proc/{pid}/environ").read_bytes()


def test_the_key_is_not_in_the_address_as_printed(server: LlamaServer) -> None:
    endpoint = server.endpoint(PLENTY_S)
    assert endpoint.key not in repr(endpoint) + endpoint.shown


def test_a_killed_child_is_replaced_and_its_old_address_never_given_out_again(
    server: LlamaServer, nursery: Nursery
) -> None:
    before = server.endpoint(PLENTY_S)
    os.kill(nursery.last_pid(), signal.SIGKILL)
    # The first question after the kill may come before anybody noticed the death.
    assert eventually(lambda: server.endpoint(PLENTY_S) != before)
    assert server.endpoint(PLENTY_S).key != before.key
    assert len(nursery.births()) == 2


def test_a_child_that_stops_answering_is_replaced(server: LlamaServer, nursery: Nursery) -> None:
    server.endpoint(PLENTY_S)
    os.kill(nursery.last_pid(), signal.SIGSTOP)
    assert eventually(lambda: len(nursery.births()) == 2)
    assert server.endpoint(PLENTY_S).model == "small"


def test_after_three_restarts_it_is_left_alone_and_says_so(server: LlamaServer, nursery: Nursery) -> None:
    nursery.say("die")
    with pytest.raises(EngineDown, match=r"ended while it loaded 4 times in a row and is left alone now.*after 60 s"):
        server.endpoint(PLENTY_S)
    assert len(nursery.births()) == 4
    assert server.state().state == "failed"
    with pytest.raises(EngineDown, match="left alone"):
        server.endpoint(PLENTY_S)
    assert len(nursery.births()) == 4, "asking at once does not start it again"


def test_a_failed_server_starts_again_when_told_to(server: LlamaServer, nursery: Nursery) -> None:
    nursery.say("die")
    with pytest.raises(EngineDown):
        server.endpoint(PLENTY_S)
    nursery.unsay("die")
    server.start()
    assert server.endpoint(PLENTY_S).model == "small"


def test_a_failed_server_starts_again_when_asked_after_a_rest(nursery: Nursery) -> None:
    with nursery.server(Patience(restarts=0, window_s=0.0, stop_s=0.3)) as server:
        nursery.say("die")
        assert eventually(lambda: server.state().state == "failed")
        nursery.unsay("die")
        assert server.endpoint(PLENTY_S).model == "small"


def test_a_model_that_cannot_be_loaded_is_tried_once_and_named(server: LlamaServer, nursery: Nursery) -> None:
    nursery.say("refuse")
    with pytest.raises(EngineDown, match=r"small\.gguf cannot be loaded: bad magic.*TUTOR_CHAT_GGUF"):
        server.endpoint(PLENTY_S)
    assert len(nursery.births()) == 1


def test_a_missing_model_is_named_without_a_child(server: LlamaServer, nursery: Nursery) -> None:
    nursery.gguf.unlink()
    with pytest.raises(EngineDown, match=r"small\.gguf cannot be loaded: there is no such file\. Run the set-up again"):
        server.endpoint(PLENTY_S)
    assert nursery.births() == []


def test_a_child_that_loads_for_ever_is_given_up(nursery: Nursery) -> None:
    nursery.say("wait")
    with nursery.server(Patience(restarts=0, load_s=0.1, stop_s=0.3)) as server:
        with pytest.raises(EngineDown, match="took too long to load"):
            server.endpoint(PLENTY_S)
        assert eventually(lambda: all(is_gone(pid) for pid, _ in nursery.births()))


def test_a_child_that_says_something_else_is_not_believed(nursery: Nursery) -> None:
    nursery.say("chatter")
    with (
        nursery.server(Patience(restarts=0, stop_s=0.3)) as server,
        pytest.raises(EngineDown, match="in a row"),
    ):
        server.endpoint(PLENTY_S)


def test_a_command_that_does_not_exist_is_a_sentence(nursery: Nursery) -> None:
    nursery.command = [str(nursery.folder / "nothing")]
    with nursery.server() as server, pytest.raises(EngineDown, match="cannot be started"):
        server.endpoint(PLENTY_S)


def test_a_child_that_dies_before_reading_its_order_is_only_a_death(nursery: Nursery) -> None:
    nursery.command = [sys.executable, "-c", "import os; os.close(0); os._exit(3)"]
    with nursery.server() as server, pytest.raises(EngineDown, match="ended while it loaded 4 times"):
        server.endpoint(PLENTY_S)


@proc_only
def test_stop_ends_the_child_and_nothing_starts_it_again(server: LlamaServer, nursery: Nursery) -> None:
    server.endpoint(PLENTY_S)
    server.stop()
    assert is_gone(nursery.last_pid())
    with pytest.raises(EngineDown, match="stopped"):
        server.endpoint(PLENTY_S)
    server.stop()
    assert len(nursery.births()) == 1


@proc_only
def test_stop_while_loading_ends_the_child(server: LlamaServer, nursery: Nursery) -> None:
    nursery.say("wait")
    server.start()
    assert eventually(lambda: len(nursery.births()) == 1)
    server.stop()
    assert is_gone(nursery.last_pid())


@proc_only
def test_stop_kills_a_child_that_does_not_listen(server: LlamaServer, nursery: Nursery) -> None:
    nursery.say("stubborn")
    server.endpoint(PLENTY_S)
    server.stop()
    assert is_gone(nursery.last_pid())


def test_stop_before_start_is_allowed_and_start_still_works_after(server: LlamaServer) -> None:
    server.stop()
    server.start()
    assert server.endpoint(PLENTY_S).model == "small"


@proc_only
def test_the_child_ends_when_the_tutor_is_killed(nursery: Nursery) -> None:
    parent = start_parent(nursery.gguf, "command=sys.argv[2:]", *nursery.command)
    try:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
    finally:
        parent.kill()
        parent.communicate()
    assert eventually(lambda: is_gone(nursery.last_pid()))


def start_parent(gguf: Path, more: str, *arguments: str) -> subprocess.Popen[bytes]:
    """A tutor of its own that starts a server, says `ready` and waits to be killed."""
    program = (
        "import sys, time; from pathlib import Path; from tutor.adapters.server_llamacpp import LlamaServer\n"
        f"server = LlamaServer(Path(sys.argv[1]), threads=2, {more}); server.endpoint(120)\n"
        "print('ready', flush=True); time.sleep(600)"
    )
    return subprocess.Popen([sys.executable, "-c", program, str(gguf), *arguments], stdout=subprocess.PIPE, cwd=ROOT)


def test_the_engines_own_log_goes_to_the_given_file(nursery: Nursery, tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    with nursery.server(log=log) as server:
        server.endpoint(PLENTY_S)
    assert "engine's own log" in log.read_text()


def test_a_log_that_has_grown_large_begins_anew(
    nursery: Nursery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(b"old " * 100)
    monkeypatch.setattr("tutor.adapters.server_llamacpp_process.LOG_BYTES_KEPT", 100)
    with nursery.server(log=log) as server:
        server.endpoint(PLENTY_S)
    assert b"old" not in log.read_bytes()


def test_a_log_that_cannot_be_written_does_not_keep_the_server_from_starting(nursery: Nursery) -> None:
    with nursery.server(log=nursery.folder / "no" / "such" / "folder") as server:
        assert server.endpoint(PLENTY_S).model == "small"


@pytest.mark.parametrize("content", [b"", b"<html>not found</html>", b"GGUF" + b"\xff" * 64])
def test_a_file_that_is_no_model_is_refused_by_the_real_engine_with_a_sentence(tmp_path: Path, content: bytes) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(content)
    with LlamaServer(broken, threads=1) as server:
        with pytest.raises(EngineDown, match=r"broken\.gguf cannot be loaded: .*Run the set-up again"):
            server.endpoint(60)
        assert server.state().state == "failed"
