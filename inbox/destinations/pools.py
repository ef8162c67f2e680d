"""The urllib3 connection pools to checked addresses. Failures become reasons that are stored."""

from __future__ import annotations

import ssl
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from http.client import HTTPException
from typing import Any, NamedTuple

from requests.adapters import DEFAULT_CA_BUNDLE_PATH
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, NewConnectionError

from inbox.destinations.bounded_response import MAX_RESPONSE_BYTES, BoundedResponse, InvalidResponse
from inbox.domain.deliveries.delivery import FailureReason
from inbox.runtime import tls

IDLE_CONNECTIONS = 32
"""The maximum number of idle connections of one pool."""

MAX_POOLS = 256
"""The maximum number of pools. The least recently used pool is closed."""


class CallFailed(Exception):
    """The call got no response. `failure` is the reason."""

    def __init__(self, failure: FailureReason) -> None:
        super().__init__(failure)
        self.failure = failure


class NotConnected(Exception):
    """No server accepted the connection."""


class IdleConnectionLost(Exception):
    """The receiver closed a reused connection before it responded."""


class Tunnel(NamedTuple):
    """The operator's proxy: its address, and the headers of the CONNECT request."""

    address: str
    port: int
    headers: Mapping[str, str]

    def __hash__(self) -> int:
        return hash((self.address, self.port))


class PoolKey(NamedTuple):
    """The identity of a pool. A connection serves only the name for which it was opened.

    With a tunnel, the proxy opens the connections to the address.
    """

    scheme: str
    address: str
    port: int
    name: str
    tunnel: Tunnel | None = None


class CallTime(NamedTuple):
    """The time of an attempt: `step` seconds for each step of the connection and for sending, and all of it `until` then."""

    step: float
    until: float

    @property
    def left(self) -> float:
        """Returns the seconds that are left. Raises `CallFailed` when none is."""
        seconds = self.until - time.monotonic()
        if seconds <= 0:
            raise CallFailed(FailureReason.TIMEOUT)
        return seconds


class Answer(NamedTuple):
    """What a receiver answered: the status, the headers as they came, and the beginning of the body."""

    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes

    def joined(self, name: str) -> str:
        """Returns the values of the headers of this name in lower case; empty without one."""
        return ", ".join([value for each, value in self.headers if each.lower() == name]).strip()


class _Guarded(HTTPConnection):
    """A connection that raises `CallFailed`, `NotConnected` or `IdleConnectionLost`, and limits the bytes it reads."""

    def __init__(
        self,
        *args: Any,
        target: tuple[str, int, Mapping[str, str]] | None = None,
        max_bytes: int = MAX_RESPONSE_BYTES,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.response_class = partial(BoundedResponse, max_bytes=max_bytes)  # type: ignore[assignment]
        self._target, self._max_bytes = target, max_bytes
        self._has_answered = False

    def connect(self) -> None:
        """Opens the connection. Sets the tunnel again, because urllib3 drops it when a connection closes."""
        self._has_answered = False
        if self._target is not None:
            self.set_tunnel(*self._target)
        with self._failures(is_tunnel=self._target is not None):
            super().connect()

    def call(self, method: str, request: bytes, limits: CallTime, body_bytes: int) -> tuple[Answer, bool]:
        """Sends the written request in one piece, and reads the answer.

        Returns it with whether the connection can serve again. A receiver may answer before it has read the whole request.
        """
        self.timeout = limits.step
        with self._failures():
            if self.sock is None:
                self.connect()
            self.sock.settimeout(limits.step)
            with suppress(BrokenPipeError):
                self.sock.sendall(request)
            self.sock.settimeout(limits.left)
            response = BoundedResponse(self.sock, method=method, max_bytes=self._max_bytes)
            response.begin()
        self._has_answered = True
        body, can_serve_again = response.read_answer(body_bytes)
        return Answer(response.status, response.msg.items(), body), can_serve_again

    def request(self, *args: Any, **kwargs: Any) -> None:
        """Sends the request. urllib3 reads a response also after a `BrokenPipeError`."""
        with self._failures():
            super().request(*args, **kwargs)

    def getresponse(self) -> Any:
        """Returns the response, with its head read."""
        with self._failures():
            response = super().getresponse()
        self._has_answered = True
        return response

    @contextmanager
    def _failures(self, *, is_tunnel: bool = False) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            raise
        except (NewConnectionError, ConnectTimeoutError):
            raise NotConnected from None
        except TimeoutError:
            raise CallFailed(FailureReason.TIMEOUT) from None
        except (InvalidResponse, HTTPException, OSError, ValueError) as fault:
            if self._has_answered and isinstance(fault, OSError):
                raise IdleConnectionLost from None
            if is_tunnel and not isinstance(fault, ssl.SSLError):
                raise NotConnected from None
            raise CallFailed(_reason(fault)) from None


def _reason(fault: Exception) -> FailureReason:
    match fault:
        case ssl.SSLError():  # before ValueError: a refused certificate is also a ValueError
            return FailureReason.TLS_FAILED
        case OSError():  # before HTTPException: an ended connection is both
            return FailureReason.CONNECTION_LOST
        case InvalidResponse() | HTTPException():
            return FailureReason.BAD_RESPONSE
    return FailureReason.UNSENDABLE


class _GuardedTls(_Guarded, HTTPSConnection):
    """A guarded connection over TLS."""


class Pool(HTTPConnectionPool):
    """The connections to one checked address."""

    ConnectionCls = _Guarded

    def call(self, method: str, request: bytes, limits: CallTime, body_bytes: int) -> Answer:
        """Makes one call. The request is written already, because urllib3 would take a third of the time of a call for it.

        Raises what the connection raises.
        """
        connection: Any = self._get_conn()
        can_serve_again = False
        try:
            answer, can_serve_again = connection.call(method, request, limits, body_bytes)
        finally:
            if not can_serve_again:
                connection.close()
            self._put_conn(connection if can_serve_again else None)
        return answer


class _TlsPool(Pool, HTTPSConnectionPool):
    ConnectionCls = _GuardedTls


class Pools:
    """The connection pools of one client, safe for many threads. `ca_file` has further certificate authorities.

    A response has at most `max_bytes`.
    """

    def __init__(self, ca_file: str = "", max_bytes: int = MAX_RESPONSE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._trust = tls.trust(DEFAULT_CA_BUNDLE_PATH, ca_file)  # small images lack a system store
        self._lock = threading.Lock()
        self._pools: OrderedDict[PoolKey, Pool] = OrderedDict()

    def get(self, key: PoolKey) -> Pool:
        """Returns the pool of this key."""
        closing = None
        with self._lock:
            pool = self._pools.get(key)
            if pool is None:
                pool = self._pools[key] = self._new(key)
                if len(self._pools) > MAX_POOLS:
                    closing = self._pools.popitem(last=False)[1]
            else:
                self._pools.move_to_end(key)
        if closing is not None:
            closing.close()
        return pool

    def discard(self, key: PoolKey) -> None:
        """Closes the idle connections of this key."""
        with self._lock:
            pool = self._pools.pop(key, None)
        if pool is not None:
            pool.close()

    def close(self) -> None:
        """Closes every idle connection."""
        with self._lock:
            pools = list(self._pools.values())
            self._pools.clear()
        for pool in pools:
            pool.close()

    def _new(self, key: PoolKey) -> Pool:
        host, port, target = key.address, key.port, None
        if key.tunnel is not None:
            host, port, target = key.tunnel.address, key.tunnel.port, (key.address, key.port, key.tunnel.headers)
        options: dict[str, Any] = {"maxsize": IDLE_CONNECTIONS, "target": target, "max_bytes": self._max_bytes}
        if key.scheme == "http":
            return Pool(host, port, **options)
        return _TlsPool(host, port, ssl_context=self._trust, server_hostname=key.name, **options)
