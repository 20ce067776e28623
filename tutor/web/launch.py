"""Before and around the page: what the environment must say before Gradio is imported, and serving on loopback."""

from __future__ import annotations

import logging
import socket
import sys
from collections.abc import Callable, Generator, Mapping, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

import uvicorn
from starlette.types import ASGIApp

from tutor.errors import SettingsError

HOST = "127.0.0.1"
TRIED_PORTS = 20

# Open streams of a page that is still open are cut after this long.
GRACE_S = 2
ENVIRONMENT: Mapping[str, str] = MappingProxyType(
    {
        "GRADIO_ANALYTICS_ENABLED": "False",
        "GRADIO_RUN_HISTORY": "False",
        "GRADIO_SHARE": "False",
        "GRADIO_SSR_MODE": "False",
        "GRADIO_MCP_SERVER": "False",
        "GRADIO_SERVER_NAME": HOST,
        "HF_HUB_OFFLINE": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        # ONNX Runtime, which detects speech, would keep an id of this machine and report to its maker.
        "ORT_DISABLE_TELEMETRY": "1",
    }
)
"""What the environment must say before any library is imported, besides `GRADIO_TEMP_DIR`."""


def prepare(environ: MutableMapping[str, str], temp_dir: Path) -> None:
    """Make the private temporary folder and settle what Gradio reads from its environment.

    Call it before gradio is imported. Every other `GRADIO_*` variable is dropped, so that none can
    open the page to the network, share it, serve further folders or keep a history.

    Args:
        environ: Normally `os.environ`; changed in place.
        temp_dir: Folder for uploads on their way; made with mode 0700.
    """
    private_folder(temp_dir)
    for variable in [name for name in environ if name.startswith("GRADIO_")]:
        del environ[variable]
    environ.update(ENVIRONMENT, GRADIO_TEMP_DIR=str(temp_dir))


def private_folder(folder: Path) -> None:
    """Make a folder that only this user can enter.

    Raises:
        SettingsError: It cannot be made or protected.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    except OSError as error:
        raise SettingsError(
            f"The temporary folder {folder} cannot be made private ({error.strerror}). Choose another data folder."
        ) from error


def serve(app: ASGIApp, port: int, on_ready: Callable[[str], None]) -> None:
    """Serve on 127.0.0.1 until SIGINT or SIGTERM, then return normally.

    Args:
        app: What `build` returns.
        port: TCP port; the next free one when it is taken, any free one for 0.
        on_ready: Called once with the address of the page, when it can be opened.

    Raises:
        SettingsError: None of the ports can be used.
    """
    # Nothing of a request is logged: answers are the candidate's own business.
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    config = uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=GRACE_S, ws="none")
    with _listen(port) as listener:
        _Server(config, on_ready).run(sockets=[listener])


def _listen(port: int) -> socket.socket:
    for candidate in range(port, port + TRIED_PORTS) if port >= 0 else ():
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if sys.platform != "win32":  # there it would allow two programs on one port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, candidate))
            listener.listen()
        except (OSError, OverflowError):
            listener.close()
        else:
            return listener
    raise SettingsError(f"The ports {port} to {port + TRIED_PORTS - 1} on {HOST} are taken. Set another port.")


class _Server(uvicorn.Server):
    """Says when it is ready, and after a signal returns, so that the rest of the program can be closed too."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[str], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_ready(f"http://{HOST}:{(sockets or [])[0].getsockname()[1]}/")

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        with super().capture_signals():
            yield
            self._captured_signals.clear()
