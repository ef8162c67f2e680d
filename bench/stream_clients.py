"""Many clients of the stream in one process.

Takes `{"port", "tokens"}`, writes `{"open": n}` when all are open and have their first `resync`. Answers each line with
the references that each stream got since the last line: `{"<id>": [seconds on the monotonic clock, ...]}`. A `resync`
has no id and stands under its own name.
"""

from __future__ import annotations

import json
import re
import resource
import selectors
import socket
import sys
import time
from typing import Any

ID = re.compile(rb'"id":"([^"]+)"|"type":"(resync)"')
TOGETHER = 50
"""Streams that are opened at a time; more would only fill the server's backlog."""
RECEIVE = "what whoever started us says"


class StreamClients:
    """All streams in one loop."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.received: dict[str, list[float]] = {}
        self._rest: dict[Any, bytes] = {}
        self._selector = selectors.DefaultSelector()

    def open(self, tokens: list[str]) -> int:
        """Opens a stream for each token. Returns how many are open; the others were refused."""
        opened = 0
        for first in range(0, len(tokens), TOGETHER):
            waiting = [self._ask(token) for token in tokens[first : first + TOGETHER]]
            for sock in waiting:
                answer = b""
                while b"resync" not in answer and (piece := sock.recv(4096)):
                    answer += piece
                    if not answer.startswith(b"HTTP/1.1 200"):
                        break
                if b"resync" in answer:
                    opened += 1
                    self._rest[sock] = b""
                    self._selector.register(sock, selectors.EVENT_READ)
        return opened

    def run(self) -> None:
        """Runs until the parent process closes our input."""
        self._selector.register(sys.stdin, selectors.EVENT_READ, RECEIVE)
        while True:
            for key, _ in self._selector.select():
                if key.data is not RECEIVE:
                    self._read(key.fileobj)
                elif not sys.stdin.readline():
                    return
                else:
                    print(json.dumps(self.received), flush=True)
                    self.received = {}

    def _ask(self, token: str) -> socket.socket:
        sock = socket.create_connection(("127.0.0.1", self.port))
        sock.sendall(
            f"GET /v1/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: inbox_session_{self.port}={token}\r\n\r\n".encode()
        )
        return sock

    def _read(self, sock: Any) -> None:
        piece = sock.recv(65536)
        now = time.monotonic()
        if not piece:
            self._selector.unregister(sock)
            sock.close()
            return
        received = self._rest[sock] + piece
        end = received.rfind(b"\n\n") + 2
        self._rest[sock] = received[end:] if end > 1 else received
        for found in ID.findall(received[:end] if end > 1 else b""):
            self.received.setdefault(b"".join(found).decode(), []).append(now)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    order = json.loads(sys.stdin.readline())
    followers = StreamClients(order["port"])
    print(json.dumps({"open": followers.open(order["tokens"])}), flush=True)
    followers.run()
