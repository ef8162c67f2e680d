"""The pool of connections to checked addresses. Each connection is opened within the time limit of its call."""

from __future__ import annotations

import select
import socket
import ssl
import threading
import time
from collections import OrderedDict

from requests.adapters import DEFAULT_CA_BUNDLE_PATH

IDLE_SECONDS = 32
"""The maximum number of idle connections for one key."""

MAX_ADDRESSES = 256
"""The maximum number of keys with idle connections. The pool closes the connections of the least recently used key."""

SOONEST_SECONDS = 0.001
"""The shortest timeout of a socket, in seconds. A timeout of zero would make the socket non-blocking."""

Key = tuple[str, str, int, str]
"""Scheme, address, port and host name. A connection serves only the name for which it was opened."""


class NotConnected(Exception):
    """No server accepted the connection."""


class Connections:
    """The connection pool of one process. It is safe for many threads."""

    def __init__(self, ca_file: str | None = None) -> None:
        self._trust = ssl.create_default_context(cafile=ca_file or DEFAULT_CA_BUNDLE_PATH)
        self._trust.minimum_version = ssl.TLSVersion.TLSv1_2
        self._trust.set_alpn_protocols(["http/1.1"])
        self._lock = threading.Lock()
        self._idle: OrderedDict[Key, list[socket.socket]] = OrderedDict()

    def get(self, key: Key) -> socket.socket | None:
        """Return the most recently used idle connection that appears usable, or None."""
        while True:
            with self._lock:
                idle = self._idle.get(key)
                if not idle:
                    return None
                sock = idle.pop()
            if not _is_readable(sock):
                return sock
            sock.close()

    def new(self, key: Key, *, connect: float, until: float) -> socket.socket:
        """Open a connection: TCP within `connect` seconds, TLS until `until` (monotonic).

        Raises `NotConnected` when TCP fails. Raises `OSError` when TLS fails (`ssl.SSLError`) or takes too long
        (`TimeoutError`).
        """
        scheme, address, port, name = key
        try:
            sock = socket.create_connection((address, port), max(SOONEST_SECONDS, connect))
        except OSError as fault:
            raise NotConnected from fault
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if scheme == "http":
                return sock
            sock.settimeout(max(SOONEST_SECONDS, until - time.monotonic()))
            return self._trust.wrap_socket(sock, server_hostname=name)
        except BaseException:
            sock.close()
            raise

    def put(self, key: Key, sock: socket.socket) -> None:
        """Return a connection without a pending request to the pool."""
        closing = [sock]
        with self._lock:
            idle = self._idle.setdefault(key, [])
            self._idle.move_to_end(key)
            if len(idle) < IDLE_SECONDS:
                idle.append(closing.pop())
            if len(self._idle) > MAX_ADDRESSES:
                closing += self._idle.popitem(last=False)[1]
        _close(closing)

    def discard(self, key: Key) -> None:
        """Close the idle connections of this key."""
        with self._lock:
            closing = self._idle.pop(key, [])
        _close(closing)

    def close(self) -> None:
        """Close every idle connection."""
        with self._lock:
            closing = [sock for idle in self._idle.values() for sock in idle]
            self._idle.clear()
        _close(closing)


def _close(socks: list[socket.socket]) -> None:
    for sock in socks:
        sock.close()


def _is_readable(sock: socket.socket) -> bool:
    """Whether the peer closed the connection or sent unrequested data. In both cases the connection is unusable."""
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    return bool(poll.poll(0))
