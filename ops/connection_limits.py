"""How many connections a web process holds, in all and of one client; streams are counted by the hub.

Decision 0008.
"""

from __future__ import annotations

import ipaddress
import resource
from dataclasses import dataclass, field

from ops.client_connection import ClientConnection

CONNECTIONS = 5_000
STREAMS = 4_000
"""As many as the hub of a process holds; their files are reserved here."""

SPARE_FILES = 200


@dataclass(slots=True)
class _Client:
    """The connections of one address, streams left out; those that wait for a request, oldest first, can be closed."""

    held: int = 0
    new: dict[ClientConnection, None] = field(default_factory=dict)
    idle: dict[ClientConnection, None] = field(default_factory=dict)


class ConnectionLimits:
    """Admits connections. At a limit the oldest that waits for its request is closed, so that a new one has a place.

    Connections that never sent a request are closed before those that did; of all addresses the one that holds most
    connections gives way first.
    """

    def __init__(self, most: int, per_client: int) -> None:
        """`per_client` 0 is no limit of its own for an address."""
        self._most = most
        self._per_client = per_client
        self._held = 0
        self._clients: dict[str, _Client] = {}

    def __len__(self) -> int:
        """How many connections are held, streams left out."""
        return self._held

    def admit(self, connection: ClientConnection) -> bool:
        """Whether it has a place; it then waits for its first request, and must `leave`."""
        client = self._clients.get(connection.client) or _Client()
        if self._per_client and client.held >= self._per_client and not self._close_one_of(client):
            return False
        if self._held >= self._most and not self._close_one():
            return False
        client = self._clients.setdefault(connection.client, client)
        connection.counted = True
        client.held += 1
        client.new[connection] = None
        self._held += 1
        return True

    def begin_request(self, connection: ClientConnection) -> None:
        """It has sent the head of a request; until the answer is sent it is not closed for another one."""
        self._not_waiting(connection)
        connection.end_head()

    def answered(self, connection: ClientConnection, *, lingers: bool) -> None:
        """The answer is sent; it waits for the next request, or for the rest of a body that nobody wants."""
        self._not_waiting(connection)
        client = self._clients.get(connection.client)
        if client is not None and connection.counted:
            (client.new if lingers else client.idle)[connection] = None
        connection.begin_head()

    def leave(self, connection: ClientConnection) -> None:
        """It is closed, or has become a stream, which is counted elsewhere; may be called twice."""
        client = self._clients.get(connection.client)
        if client is None or not connection.counted:
            return
        connection.counted = False
        self._not_waiting(connection)
        client.held -= 1
        self._held -= 1
        if not client.held:
            del self._clients[connection.client]

    def _not_waiting(self, connection: ClientConnection) -> None:
        client = self._clients.get(connection.client)
        if client is not None:
            client.new.pop(connection, None)
            client.idle.pop(connection, None)

    def _close_one(self) -> bool:
        with_waiting = (client for client in self._clients.values() if client.new or client.idle)
        client = max(with_waiting, key=lambda client: client.held, default=None)
        return client is not None and self._close_one_of(client)

    def _close_one_of(self, client: _Client) -> bool:
        for waiting in (client.new, client.idle):
            for connection in waiting:
                self.leave(connection)
                connection.end()
                return True
        return False


def client_of(address: object) -> str:
    """The client behind a peer's address: an IPv4 address, or the /64 network of an IPv6 one; all Unix sockets are one."""
    host = peer_of(address)
    if ":" not in host:
        return host
    parsed = ipaddress.IPv6Address(host.partition("%")[0])
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.IPv6Network((parsed.packed[:8] + bytes(8), 64)))


def peer_of(address: object) -> str:
    """The address of a peer as the app sees it; empty for a Unix socket."""
    return str(address[0]) if isinstance(address, tuple) else ""


def most_connections() -> int:
    """`CONNECTIONS`, or what the limit of open files leaves beside the streams."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if files == resource.RLIM_INFINITY:
        return CONNECTIONS
    return max(1, min(CONNECTIONS, files - SPARE_FILES - min(STREAMS, (files - SPARE_FILES) // 2)))
