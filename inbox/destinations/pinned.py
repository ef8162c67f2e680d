"""Connections to an address that was checked: pinned, pooled, and read against one deadline for the whole call."""

from __future__ import annotations

import http.client
import io
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from requests import PreparedRequest
from requests.adapters import DEFAULT_CA_BUNDLE_PATH, HTTPAdapter
from requests.structures import CaseInsensitiveDict
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3._collections import RecentlyUsedContainer
from urllib3.connection import HTTPConnection, HTTPSConnection

from inbox.domain.addresses import Place

POOLS = 256
IDLE_CONNECTIONS = 32
ANSWER_BYTES = 192 * 1024
"""What is taken off the wire at most in one call, heads and interim answers included."""


class TooMuch(OSError):
    """The receiver sends more than is read."""


class Call(threading.local):
    """The call that this thread is in: until when (monotonic seconds), and whether it had to connect."""

    until: float = 0.0
    is_fresh: bool = False

    def left(self) -> float:
        """How many seconds are left, never none, so that a socket gets a time limit and not a mode."""
        return max(0.001, self.until - time.monotonic())


call = Call()


class Pinned(PreparedRequest):
    """A request whose address is decided; prepared by hand, so that nothing is read from the environment."""

    def __init__(self, method: str, place: Place, address: str, headers: Mapping[str, str], body: bytes | None) -> None:
        super().__init__()
        self.method = method
        self.url = f"{place.scheme}://{place.authority}{place.path}"
        self.headers = CaseInsensitiveDict(headers)
        self.body = body
        self.key = (place.scheme, address, place.port, place.host)


class _TimedReader(io.RawIOBase):
    """Reads a socket so that every single read ends with the call: a receiver that drips gains nothing by it."""

    def __init__(self, raw: Any, sock: socket.socket) -> None:
        self._raw = raw
        self._sock = sock
        self._until = call.until
        self._taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self._sock.settimeout(left)
        taken: int | None = self._raw.readinto(buffer)
        self._taken += taken or 0
        if self._taken > ANSWER_BYTES:
            raise TooMuch("more than is read")
        return taken

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
            super().close()


class _TimedResponse(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self.fp = io.BufferedReader(_TimedReader(self.fp.detach(), sock))


class _PinnedHTTP(HTTPConnection):
    response_class = _TimedResponse

    def _new_conn(self) -> socket.socket:
        return _connected(super()._new_conn)


class _PinnedHTTPS(HTTPSConnection):
    response_class = _TimedResponse

    def _new_conn(self) -> socket.socket:
        return _connected(super()._new_conn)


def _connected(connect: Callable[[], socket.socket]) -> socket.socket:
    call.is_fresh = True
    sock = connect()
    sock.settimeout(call.left())  # so that a TLS handshake ends with the call, too
    return sock


class _HTTPPool(HTTPConnectionPool):
    ConnectionCls = _PinnedHTTP


class _HTTPSPool(HTTPSConnectionPool):
    ConnectionCls = _PinnedHTTPS


class PinnedAdapter(HTTPAdapter):
    """Sends `Pinned` requests; safe for many threads. Connections are kept per (scheme, address, port, name)."""

    def __init__(self, ca_file: str | None = None) -> None:
        super().__init__()
        self._trust = ssl.create_default_context(cafile=ca_file or DEFAULT_CA_BUNDLE_PATH)
        self._trust.minimum_version = ssl.TLSVersion.TLSv1_2
        self._making = threading.Lock()
        self._pools: RecentlyUsedContainer[Any, HTTPConnectionPool] = RecentlyUsedContainer(
            POOLS, dispose_func=HTTPConnectionPool.close
        )

    def get_connection_with_tls_context(
        self, request: PreparedRequest, verify: Any, proxies: Any = None, cert: Any = None
    ) -> HTTPConnectionPool:
        """The pool of the request's own address; neither the name nor the environment is asked."""
        assert isinstance(request, Pinned)
        with self._making:
            pool = self._pools.get(request.key)
            if pool is None:
                pool = self._pools[request.key] = self._pool(*request.key)
            return pool

    def forget(self, request: Pinned) -> None:
        """Close the idle connections of the request's pool; those in use are closed when they come back."""
        with self._making:
            self._pools.pop(request.key, None)

    def close(self) -> None:
        """Close every idle connection."""
        with self._making:
            self._pools.clear()

    def cert_verify(self, conn: Any, url: Any, verify: Any, cert: Any) -> None:
        """Nothing to choose: every pool verifies against the one context."""

    def _pool(self, scheme: str, address: str, port: int, host: str) -> HTTPConnectionPool:
        if scheme == "http":
            return _HTTPPool(address, port, maxsize=IDLE_CONNECTIONS)
        return _HTTPSPool(
            address, port, maxsize=IDLE_CONNECTIONS, ssl_context=self._trust, server_hostname=host, assert_hostname=None
        )
