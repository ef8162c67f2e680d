"""Clients that send raw bytes, over connections that they may leave incomplete."""

from __future__ import annotations

import http.client
import json
import selectors
import socket
from collections.abc import Iterator
from typing import Any

SECONDS = 60.0


def connect(port: int, *, source: str = "127.0.0.1", sent: bytes = b"") -> socket.socket:
    """A connection from this loopback address, over which `sent` has gone."""
    client = socket.create_connection(("127.0.0.1", port), SECONDS, source_address=(source, 0))
    client.sendall(sent)
    return client


def head(path: str, *lines: str, method: str = "POST") -> bytes:
    fixed = (f"{method} {path} HTTP/1.1", "Host: inbox", "Content-Type: application/json")
    return "\r\n".join((*fixed, *lines, "", "")).encode("latin-1")


def answer(client: socket.socket) -> tuple[int, dict[str, Any]]:
    """Status and JSON of the next answer."""
    response = http.client.HTTPResponse(client)
    response.begin()
    return response.status, json.loads(response.read())


def ended(client: socket.socket) -> bool:
    """Whether the server has ended the connection, looked at without waiting."""
    client.setblocking(False)
    try:
        return client.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True
    finally:
        client.settimeout(SECONDS)


def was_reset(client: socket.socket) -> bool:
    """Whether the server has reset the connection, found without reading from it."""
    return client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0


def pieces(size: int, *, chunked: bool, of: int = 65_536) -> Iterator[bytes]:
    """A body of so many spaces, as it is written on the wire."""
    for start in range(0, size, of):
        part = b" " * min(of, size - start)
        yield b"%x\r\n%b\r\n" % (len(part), part) if chunked else part
    if chunked:
        yield b"0\r\n\r\n"


def pour(client: socket.socket, limit: int) -> int:
    """Send until the server ends the connection, or `limit` bytes were taken; answers how many were."""
    taken = 0
    with selectors.DefaultSelector() as selector:
        selector.register(client, selectors.EVENT_WRITE)
        client.setblocking(False)
        while taken < limit and selector.select(SECONDS):
            try:
                taken += client.send(b" " * 65_536)
            except (BrokenPipeError, ConnectionResetError):
                break
    return taken
