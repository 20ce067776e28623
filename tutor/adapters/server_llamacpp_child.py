"""The child that runs llama.cpp's server: one JSON line in, one out, and it ends when its standard input does.

Started by path in a process of its own, so that a fault inside the engine cannot take the tutor down.
In: `{"gguf", "model", "key", "threads", "context_tokens"}`; out: `{"port"}` once it listens, or `{"error"}`.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import threading
from typing import Any, BinaryIO

PR_SET_PDEATHSIG = 1
# Room for the prompts of several graders side by side: about 28 kB a token for a 1.5B model.
PROMPT_CACHE_MIB = 256


def main() -> None:
    """Read the order, load the model, report the port, and stay until standard input closes."""
    if sys.platform == "linux":
        # Loading holds the interpreter's lock, so meanwhile the thread below could not see the parent end.
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    order = json.loads(sys.stdin.buffer.readline())
    reports = os.fdopen(os.dup(1), "wb", buffering=0)
    # The engine logs to both outputs; only our own line may reach the parent.
    os.dup2(2, 1)
    watching = threading.Thread(target=_exit_with_parent, daemon=True)
    watching.start()
    try:
        server = _serve(order)
    except (RuntimeError, ValueError, OSError, ImportError) as error:
        _report(reports, {"error": str(error)})
        os._exit(1)
    _report(reports, {"port": int(server.listening_address.rpartition(":")[2])})
    watching.join()


def _serve(order: dict[str, Any]) -> Any:
    # Threads that wait must sleep, not spin: beside other work on the same cores (speech, a browser) a
    # spinning one holds the core that its partner needs; seen on two busy cores: 2 to 9 times slower.
    os.putenv("OMP_WAIT_POLICY", "passive")
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = order["gguf"]
    params.model_alias = {order["model"]}
    params.api_keys = [order["key"]]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.cors_origins = "localhost"
    params.ui = False
    params.endpoint_slots = False
    params.endpoint_props = False
    params.endpoint_metrics = False
    params.offline = True
    params.n_ctx = order["context_tokens"]
    params.n_parallel = 1
    params.cache_ram_mib = PROMPT_CACHE_MIB
    params.cpuparams.n_threads = order["threads"]
    params.cpuparams_batch.n_threads = order["threads"]
    params.fit_params = False
    params.warmup = False
    return xllamacpp.Server(params)


def _report(reports: BinaryIO, line: dict[str, Any]) -> None:
    reports.write(json.dumps(line).encode() + b"\n")


def _exit_with_parent() -> None:
    sys.stdin.buffer.read()
    # The engine's own threads do not survive an orderly interpreter exit.
    os._exit(0)


if __name__ == "__main__":
    main()
