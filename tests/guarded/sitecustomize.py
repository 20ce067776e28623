"""Put in front of a program under test by PYTHONPATH: writes down every connection to another host and refuses it."""

import os
import socket

_connect = socket.socket.connect
_LOOPBACK = ("127.", "::1", "localhost", "0.0.0.0")


def _loopback_only(self, address):
    host = address[0] if isinstance(address, tuple) else "localhost"
    if not str(host).startswith(_LOOPBACK):
        with open(os.environ["TESTS_STRAYS"], "a", encoding="utf-8") as strays:
            strays.write(f"{address}\n")
        raise OSError(f"tests contact only this machine, not {address}")
    return _connect(self, address)


socket.socket.connect = _loopback_only
