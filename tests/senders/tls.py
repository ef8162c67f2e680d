"""TLS in front of a web process, for clients that require it."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tests.destinations.test_tls import Authority


@dataclass(frozen=True)
class Front:
    """Its address, and the file with the authority that signed its certificate."""

    address: str
    authority: Path


@contextmanager
def front_of(address: str, folder: Path) -> Iterator[Front]:
    """`https://localhost` with its own port leads to `address`."""
    authority = Authority(folder)
    context = authority.context("localhost")
    behind = urlsplit(address)
    listener = socket.create_server(("127.0.0.1", 0))
    with listener:
        target = (str(behind.hostname), int(behind.port or 80))
        threading.Thread(target=_accept, args=(listener, context, target), daemon=True).start()
        yield Front(f"https://localhost:{listener.getsockname()[1]}", authority.file)
        listener.shutdown(socket.SHUT_RDWR)


def _accept(listener: socket.socket, context: ssl.SSLContext, target: tuple[str, int]) -> None:
    with suppress(OSError):
        while True:
            client, _ = listener.accept()
            threading.Thread(target=_serve, args=(client, context, target), daemon=True).start()


def _serve(client: socket.socket, context: ssl.SSLContext, target: tuple[str, int]) -> None:
    """Pass on one exchange after the other: a request in one piece, and its answer until the service closes."""
    with (
        suppress(OSError),
        context.wrap_socket(client, server_side=True) as secure,
        socket.create_connection(target) as service,
    ):
        answers = threading.Thread(target=_copy, args=(service, secure), daemon=True)
        answers.start()
        _copy(secure, service)
        answers.join(60)


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(65536):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
