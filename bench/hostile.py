"""Hostile clients: many connections that cost the server something, in a separate process. Loopback only.

Takes `{"port", "kind", "connections", "seconds", "heads", "sources"}`. Writes `{"ready": n}` when n connections are
open for the first time. At the end it writes their number, the answers, and the longest answer. A connection stays open
until the server ends it, and is then opened again. It stops by itself after `seconds`.
"""

from __future__ import annotations

import contextlib
import json
import resource
import selectors
import socket
import sys
import time
from itertools import cycle
from typing import Any

OPENED_TOGETHER = 100
"""Connections that are opened before the answers are read again."""

READY_SECONDS = 15.0
DRIP_SECONDS = 1.0
PIECE = b" " * 65_536
GOES_ON: dict[str, bytes] = {"silent": b"", "half_heads": b"", "slow": b" " * 100, "pour": PIECE}
"""The bytes of each kind after its head: none, 100 a second, or as many as are accepted."""


class Flood:
    """All connections in one loop."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.opened = 0
        self.answers: dict[str, int] = {}
        self.largest = 0
        self._port: int = order["port"]
        self._kind: str = order["kind"]
        self._expected: int = order["connections"]
        self._until = time.monotonic() + order["seconds"] + READY_SECONDS
        self._seconds: float = order["seconds"]
        self._heads = cycle([head.encode("latin-1") for head in order["heads"]])
        self._sources = cycle(order["sources"])
        self._received: dict[socket.socket, bytes] = {}
        self._selector = selectors.DefaultSelector()

    def run(self) -> None:
        """Runs until the time is over. The time begins when all are open, or cannot be opened."""
        began = time.monotonic()
        dripped, ready = began, False
        while (now := time.monotonic()) < self._until:
            for _ in range(min(OPENED_TOGETHER, self._expected - len(self._received))):
                self._open()
            if not ready and (len(self._received) >= self._expected or now - began > READY_SECONDS):
                ready, self._until = True, now + self._seconds
                print(json.dumps({"ready": len(self._received)}), flush=True)
            for key, events in self._selector.select(0.02):
                self._act(key.fileobj, events)
            if self._kind == "slow" and now - dripped > DRIP_SECONDS:
                dripped = now
                for sock in list(self._received):
                    self._send(sock)
        print(json.dumps({"opened": self.opened, "answers": self.answers, "largest": self.largest}), flush=True)

    def _open(self) -> None:
        sock = socket.socket()
        sock.setsockopt(socket.SOL_IP, getattr(socket, "IP_BIND_ADDRESS_NO_PORT", 24), 1)
        sock.bind((next(self._sources), 0))
        try:
            sock.settimeout(1.0)
            sock.connect(("127.0.0.1", self._port))
            sock.setblocking(False)
            sock.send(next(self._heads))
        except OSError:
            sock.close()
            return
        self.opened += 1
        self._received[sock] = b""
        required = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._kind == "pour" else 0)
        self._selector.register(sock, required)

    def _act(self, sock: Any, events: int) -> None:
        if events & selectors.EVENT_READ and not self._read(sock):
            return
        if events & selectors.EVENT_WRITE:
            self._send(sock)

    def _send(self, sock: socket.socket) -> None:
        try:
            sock.send(GOES_ON[self._kind])
        except BlockingIOError:
            pass
        except OSError:
            self._close(sock)

    def _read(self, sock: socket.socket) -> bool:
        try:
            piece = sock.recv(65_536)
        except BlockingIOError:
            return True
        except OSError:
            piece = b""
        if piece:
            self._received[sock] += piece
            return True
        self._close(sock)
        return False

    def _close(self, sock: socket.socket) -> None:
        received = self._received.pop(sock, b"")
        self.largest = max(self.largest, len(received))
        status = received[9:12].decode("latin-1") or "none"
        self.answers[status] = self.answers.get(status, 0) + 1
        with contextlib.suppress(KeyError):
            self._selector.unregister(sock)
        sock.close()


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    Flood(json.loads(sys.stdin.readline())).run()
