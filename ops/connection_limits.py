"""Limits the connections of a web process, in all and per client. The hub counts streams.

Decision 0008.
"""

from __future__ import annotations

import ipaddress
import resource
from dataclasses import dataclass, field

from ops.client_connection import ClientConnection

CONNECTIONS = 5_000
STREAMS = 4_000
"""The most streams, as in the hub of a process. Their files are reserved here."""

SPARE_FILES = 200


@dataclass(slots=True)
class _Client:
    """The connections of one address without streams. Those that wait for a request can be closed, oldest first."""

    held: int = 0
    new: dict[ClientConnection, None] = field(default_factory=dict)
    idle: dict[ClientConnection, None] = field(default_factory=dict)


class ConnectionLimits:
    """Admits connections. At a limit the oldest that waits for its request is closed, so that a new one has a place.

    Connections that never sent a request are closed before others. Of all addresses, the one with the most connections
    gives way first.
    """

    def __init__(self, most: int, per_client: int) -> None:
        """Takes the limits. With a `per_client` of 0, an address has no limit."""
        self._most = most
        self._per_client = per_client
        self._held = 0
        self._clients: dict[str, _Client] = {}

    def __len__(self) -> int:
        """Returns the number of connections without streams."""
        return self._held

    def admit(self, connection: ClientConnection) -> bool:
        """Admits a connection, and returns whether there is room.

        It then waits for its first request, and must `leave`.
        """
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
        """Notes the head of a request. Until its answer is sent, the connection is not closed for another one."""
        self._not_waiting(connection)
        connection.end_head()

    def answered(self, connection: ClientConnection, *, lingers: bool) -> None:
        """Notes the sent answer. The connection waits for the next request, or for unwanted rest of a body."""
        self._not_waiting(connection)
        client = self._clients.get(connection.client)
        if client is not None and connection.counted:
            (client.new if lingers else client.idle)[connection] = None
        connection.begin_head()

    def leave(self, connection: ClientConnection) -> None:
        """Removes a connection that is closed or has become a stream. A second call is allowed."""
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
    """Returns the client of a peer: an IPv4 address, a /64 network, or one for all Unix sockets."""
    host = peer_of(address)
    if ":" not in host:
        return host
    parsed = ipaddress.IPv6Address(host.partition("%")[0])
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.IPv6Network((parsed.packed[:8] + bytes(8), 64)))


def peer_of(address: object) -> str:
    """Returns the address of a peer as the app sees it; empty for a Unix socket."""
    return str(address[0]) if isinstance(address, tuple) else ""


def most_connections() -> int:
    """Returns `CONNECTIONS`, or the number that the limit of open files leaves beside the streams."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if files == resource.RLIM_INFINITY:
        return CONNECTIONS
    return max(1, min(CONNECTIONS, files - SPARE_FILES - min(STREAMS, (files - SPARE_FILES) // 2)))
