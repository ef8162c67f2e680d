"""Receivers on loopback that do exactly what a test orders, down to the single byte."""

from __future__ import annotations

import contextlib
import itertools
import socket
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self


@dataclass
class Request:
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


Script = Callable[[socket.socket, Request], object]
"""Writes the answer to the connection; the connection is closed after it unless the script returns `True`."""


def answer(status: int = 200, body: bytes = b"", **headers: str) -> Script:
    """A whole answer that leaves the connection open."""
    lines = [f"HTTP/1.1 {status} Whatever", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    whole = "\r\n".join(lines).encode() + b"\r\n\r\n" + body

    def script(connection: socket.socket, request: Request) -> bool:
        connection.sendall(whole)
        return True

    return script


@dataclass
class Receiver:
    """Listens until the block ends. `hits` are the requests in order, `connections` how many were opened."""

    script: Script
    tls: ssl.SSLContext | None = None
    address: str = "127.0.0.1"
    hits: list[Request] = field(default_factory=list)
    connections: int = 0
    closing: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        self._listener = socket.create_server((self.address, 0))
        self.port: int = self._listener.getsockname()[1]
        self._open: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in list(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    @property
    def url(self) -> str:
        """Its address with a path."""
        return f"{'https' if self.tls else 'http'}://{self.address}:{self.port}/hook?a=b"

    def _accept(self) -> None:
        while not self.closing.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError, ValueError, IndexError):
            if self.tls:
                connection = self.tls.wrap_socket(connection, server_side=True)
            self._open.add(connection)
            with connection, connection.makefile("rb") as stream:
                while (request := _read(stream)) is not None:
                    self.hits.append(request)
                    if self.script(connection, request) is not True:
                        return


def _read(stream) -> Request | None:  # type: ignore[no-untyped-def]
    first = stream.readline().decode()
    if not first:
        return None
    method, path, _ = first.split(" ", 2)
    headers = {}
    while line := stream.readline().strip().decode():
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    return Request(method, path, headers, stream.read(int(headers.get("content-length", 0))))


def names(**addresses: list[str]) -> Callable[[str, int], Sequence[str]]:
    """A resolver that knows these names only; `_` stands for a dot."""
    existing = {name.replace("_", "."): found for name, found in addresses.items()}

    def resolve(host: str, port: int) -> Sequence[str]:
        if host not in existing:
            raise socket.gaierror(socket.EAI_NONAME, "not known")
        return existing[host]

    return resolve


def drip(connection: socket.socket, what: bytes) -> None:
    """Write it over and over, a byte at a time, until nobody listens."""
    for byte in itertools.cycle(what):
        connection.sendall(bytes([byte]))
        time.sleep(0.02)
