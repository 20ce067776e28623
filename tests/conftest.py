"""What every test gets: loopback only, the weights' folder, and honest skips."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.fakes import FakeClock
from tutor.web.launch import ENVIRONMENT

# As the program does at its start: the libraries report to nobody, in no test and no child of one.
os.environ.update(ENVIRONMENT)

LOOPBACK = ("127.", "::1", "localhost", "0.0.0.0")


def skip_or_fail(reason: str) -> None:
    """Skip with a reason; where everything must be there (TUTOR_REQUIRE_SYSTEM=1) fail instead."""
    if os.environ.get("TUTOR_REQUIRE_SYSTEM") == "1":
        pytest.fail(f"required here: {reason}")
    pytest.skip(reason)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come last: while Playwright runs, its event loop is in the way of any other."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Any connection to another host fails the test that tried it, even if the code swallowed the error."""
    strays: list[object] = []
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def guarded(original: Callable[..., object]) -> Callable[..., object]:
        def attempt(self: socket.socket, address: object) -> object:
            host = address[0] if isinstance(address, tuple) else "localhost"
            if not str(host).startswith(LOOPBACK):
                strays.append(address)
                raise OSError(f"tests contact only this machine, not {address}")
            return original(self, address)

        return attempt

    monkeypatch.setattr(socket.socket, "connect", guarded(connect))
    monkeypatch.setattr(socket.socket, "connect_ex", guarded(connect_ex))
    yield
    assert not strays, f"connections to other hosts: {strays}"


@pytest.fixture
def clock() -> FakeClock:
    """A clock that only moves when told."""
    return FakeClock()


@pytest.fixture(scope="session")
def weights_dir() -> Path:
    """The folder with the assembled embedded weights."""
    import platformdirs

    default = platformdirs.user_data_path("tutor", appauthor=False) / "weights"
    folder = Path(os.environ.get("TUTOR_WEIGHTS_DIR") or default)
    if not (folder / "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf").exists():
        skip_or_fail(f"no weights in {folder}; run `make setup`")
    return folder


@pytest.fixture(scope="session")
def devset_dir() -> Path:
    """The labelled development answers that come along."""
    return Path(__file__).resolve().parents[1] / "data" / "labelled"
