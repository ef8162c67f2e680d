"""Outgoing clients of both kinds, and receivers that answer byte by byte."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

import pytest

from inbox.destinations.http import Client
from inbox.destinations.provider_client import ProviderClient
from inbox.domain.values.addresses import OutboundPolicy
from tests.destinations.receivers import Receiver, answer

ANY = OutboundPolicy(allow_private=True, allow_loopback=True)


HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.fixture(params=[Client, ProviderClient])
def client(request: pytest.FixtureRequest) -> Iterator[Client]:
    client: Client = request.param(ANY, deadline=60.0)
    yield client
    client.close()


@contextlib.contextmanager
def _listening_at(address: str, port: int) -> Iterator[Receiver]:
    """Something that takes connections at another loopback address and never says a word."""
    silent = Receiver(answer(), address=address)
    with socket.create_server((address, port)) as listener:
        listener.settimeout(0.05)
        ended = threading.Event()

        def accept() -> None:
            retained = []
            while not ended.is_set():
                with contextlib.suppress(TimeoutError):
                    retained.append(listener.accept())
                    silent.connections += 1

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield silent
        finally:
            ended.set()
            thread.join()
