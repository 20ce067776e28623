"""A child for the supervisor's tests: speaks its two JSON lines, without a model.

Run as `fake_llama_child.py <folder> [mode]`: notes its birth and its order in the folder. While the folder holds
a file named `wait` it loads, `die` makes it die while loading, `refuse` makes it report an error, `chatter` makes it
print something else, and `stubborn` makes it outlive its parent's wish.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingTCPServer


class Health(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


def leave_with_parent(folder: Path) -> None:
    sys.stdin.buffer.read()
    if not (folder / "stubborn").exists():
        os._exit(0)


def main() -> None:
    folder = Path(sys.argv[1])
    order = sys.stdin.buffer.readline()
    with open(folder / "births", "a", encoding="utf-8") as births:
        births.write(f"{os.getpid()} {order.decode()}")
    threading.Thread(target=leave_with_parent, args=(folder,), daemon=True).start()
    print("a line of the engine's own log", file=sys.stderr, flush=True)
    while (folder / "wait").exists():
        time.sleep(0.02)
    if (folder / "die").exists():
        os._exit(9)
    if (folder / "refuse").exists():
        print(json.dumps({"error": "bad magic"}), flush=True)
        os._exit(1)
    if (folder / "chatter").exists():
        print("hello", flush=True)
    server = ThreadingTCPServer(("127.0.0.1", 0), Health)
    print(json.dumps({"port": server.server_address[1]}), flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
