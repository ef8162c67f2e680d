"""A receiver of webhooks that answers 204, at once or after `answer_after` seconds. Runs as a separate process.

Takes `{"answer_after"}`, which may be left out. Writes its port in a line of JSON. Answers each line with the number of
webhooks and the arrivals since the last line, as `[seconds on the monotonic clock, title]`.
"""

from __future__ import annotations

import json
import re
import selectors
import socket
import sys
import time
from collections import deque
from contextlib import suppress
from typing import Any

ANSWER = b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n"
LENGTH = re.compile(rb"content-length:\s*(\d+)", re.IGNORECASE)
TITLE = re.compile(rb'"title":\s*"([^"]*)"')
RECEIVE = "what whoever started us says"


class Receiver:
    """All connections in one loop."""

    def __init__(self, answer_after: float = 0.0) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.count = 0
        self.arrivals: list[tuple[float, str]] = []
        self._answer_after = answer_after
        self._waiting: deque[tuple[float, Any]] = deque()
        self._parts: dict[Any, bytes] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(self.listener, selectors.EVENT_READ)
        self._selector.register(sys.stdin, selectors.EVENT_READ, RECEIVE)

    def run(self) -> None:
        """Runs until the parent process closes our input."""
        while True:
            for key, _ in self._selector.select(self._seconds_to_next_answer()):
                if key.fileobj is self.listener:
                    sock, _ = self.listener.accept()
                    self._parts[sock] = b""
                    self._selector.register(sock, selectors.EVENT_READ)
                elif key.data is RECEIVE:
                    if not sys.stdin.readline():
                        return
                    print(json.dumps({"count": self.count, "arrivals": self.arrivals}), flush=True)
                    self.arrivals = []
                else:
                    self._read(key.fileobj)
            self._answer_due()

    def _seconds_to_next_answer(self) -> float | None:
        return max(0.0, self._waiting[0][0] - time.monotonic()) if self._waiting else None

    def _answer_due(self) -> None:
        while self._waiting and self._waiting[0][0] <= time.monotonic():
            _, sock = self._waiting.popleft()
            with suppress(OSError):  # the caller may have gone
                sock.sendall(ANSWER)

    def _read(self, sock: Any) -> None:
        try:
            piece = sock.recv(65536)
        except OSError:
            piece = b""
        if not piece:
            self._selector.unregister(sock)
            del self._parts[sock]
            sock.close()
            return
        received = self._parts[sock] + piece
        head, separator, body = received.partition(b"\r\n\r\n")
        length = LENGTH.search(head) if separator else None
        if length is None or len(body) < int(length[1]):
            self._parts[sock] = received
            return
        self._parts[sock] = b""
        self.count += 1
        title = TITLE.search(body)
        now = time.monotonic()
        self.arrivals.append((now, title[1].decode() if title else ""))
        self._waiting.append((now + self._answer_after, sock))


if __name__ == "__main__":
    receiver = Receiver(**json.loads(sys.stdin.readline()))
    print(json.dumps({"port": receiver.listener.getsockname()[1]}), flush=True)
    receiver.run()
