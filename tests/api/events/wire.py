"""A connection to a web process on which events are sent as bytes."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from tests.api.events.senders import event
from tests.live.web import Web

CAP = 2 * 1024 * 1024
GOOD = orjson.dumps(event())


@dataclass
class Arrived:
    """An answer as it came; `closed` says that nothing can follow on the connection."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def problem(self) -> dict[str, Any]:
        assert self.headers["content-type"] == "application/problem+json"
        parsed: dict[str, Any] = json.loads(self.body)
        assert parsed["requestId"] == self.headers["x-request-id"]
        return parsed


class Wire:
    """A connection on which bytes are sent as they are."""

    def __init__(self, web: Web) -> None:
        self.socket = socket.create_connection(("127.0.0.1", web.port), timeout=30)
        self.file = self.socket.makefile("rb")

    def close(self) -> None:
        self.file.close()
        self.socket.close()

    def send(self, *parts: bytes) -> None:
        for part in parts:
            self.socket.sendall(part)

    def receive(self) -> Arrived:
        status = int(self.file.readline().split()[1])
        headers = {}
        while line := self.file.readline().strip():
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        return Arrived(status, headers, self.file.read(int(headers["content-length"])))

    def ended(self) -> bool:
        """Whether the server closes the connection without another word."""
        try:
            return self.file.read(1) == b""
        except ConnectionResetError:
            return True


def head(key: str, *lines: str) -> bytes:
    fixed = (
        "POST /v1/events HTTP/1.1",
        "Host: inbox",
        f"Authorization: Bearer {key}",
        "Content-Type: application/json",
    )
    return "\r\n".join((*fixed, *lines, "", "")).encode("latin-1")


def chunks(body: bytes, size: int = 60_000) -> Iterator[bytes]:
    for start in range(0, len(body), size):
        part = body[start : start + size]
        yield b"%x\r\n%b\r\n" % (len(part), part)
    yield b"0\r\n\r\n"


def sent(wire: Wire, key: str, body: bytes = GOOD, *lines: str) -> Arrived:
    wire.send(head(key, f"Content-Length: {len(body)}", *lines) + body)
    return wire.receive()
