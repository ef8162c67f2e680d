"""Ten receivers of webhooks that harm their callers, each on its own port, in a separate process.

Writes their ports in a line of JSON. They drip a body or a head, hang, reset, redirect, answer without an end, or with
a compressed bomb.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable

LONGEST_SECONDS = 60.0
DRIP_SECONDS = 0.5
BOMB = gzip.compress(gzip.compress(b"\0" * 2**28))
"""256 MiB of zeros in some hundred bytes."""

Harm = Callable[[socket.socket], None]


def drip_body(connection: socket.socket) -> None:
    """Sends a byte of the body now and then."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    _drip(connection, b".")


def drip_head(connection: socket.socket) -> None:
    """Sends a byte of the head now and then."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Drip: ")
    _drip(connection, b"a")


def hang(connection: socket.socket) -> None:
    """Sends no answer."""
    time.sleep(LONGEST_SECONDS)


def reset(connection: socket.socket) -> None:
    """Breaks the connection."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def redirect(connection: socket.socket) -> None:
    """Redirects to the metadata service of clouds."""
    place = b"Location: http://169.254.169.254/latest/meta-data/"
    connection.sendall(b"HTTP/1.1 302 Found\r\n" + place + b"\r\nContent-Length: 0\r\n\r\n")


def endless(connection: socket.socket) -> None:
    """Sends a body without an end, as fast as it is read."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    until = time.monotonic() + LONGEST_SECONDS
    while time.monotonic() < until:
        connection.sendall(chunk)


def endless_head(connection: socket.socket) -> None:
    """Sends header lines without an end."""
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    until = time.monotonic() + LONGEST_SECONDS
    while time.monotonic() < until:
        connection.sendall(b"X-More: " + b"y" * 1_000 + b"\r\n")


def bomb(connection: socket.socket) -> None:
    """Sends a small body that is very large when it is decompressed."""
    head = f"HTTP/1.1 500 No\r\nContent-Encoding: gzip, gzip\r\nContent-Length: {len(BOMB)}\r\n\r\n"
    connection.sendall(head.encode() + BOMB)


HARMS: tuple[Harm, ...] = (
    drip_body,
    drip_head,
    hang,
    hang,
    reset,
    redirect,
    endless,
    endless_head,
    bomb,
    bomb,
)


def serve(harm: Harm) -> int:
    """Listens. Returns the port."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    threading.Thread(target=_accept, args=(listener, harm), daemon=True).start()
    return int(listener.getsockname()[1])


def _accept(listener: socket.socket, harm: Harm) -> None:
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=_answer, args=(connection, harm), daemon=True).start()


def _answer(connection: socket.socket, harm: Harm) -> None:
    with contextlib.suppress(OSError), connection:
        connection.recv(65_536)
        harm(connection)


def _drip(connection: socket.socket, piece: bytes) -> None:
    until = time.monotonic() + LONGEST_SECONDS
    while time.monotonic() < until:
        connection.sendall(piece)
        time.sleep(DRIP_SECONDS)


if __name__ == "__main__":
    sys.stdin.readline()
    print(json.dumps({"ports": [serve(harm) for harm in HARMS]}), flush=True)
    sys.stdin.readline()
