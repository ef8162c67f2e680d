"""What this instance may call, as its settings have it, and the one client of the process."""

from __future__ import annotations

import contextlib
import socket
import threading
from dataclasses import replace

from inbox.destinations.http import Client
from inbox.domain.addresses import ANYWHERE, Listener, Policy
from inbox.server_addresses import database_addresses, redis_addresses
from inbox.settings import Settings, current

_making = threading.Lock()
_client: tuple[Settings, Client] | None = None
_operators: tuple[Settings, Client] | None = None

PROVIDER_SECONDS = 10.0
"""The whole time of one call to an identity provider: somebody waits for it in a browser."""


def client() -> Client:
    """The client of the process, for the settings in use; made when first asked for."""
    global _client
    settings = current()
    with _making:
        if _client is None or _client[0] is not settings:
            _client = (settings, Client(policy(settings), deadline=float(settings.delivery_timeout_seconds)))
        return _client[1]


def operators_client() -> Client:
    """The client for addresses that the operator wrote into the settings: they may be private, whatever people may name."""
    global _operators
    settings = current()
    with _making:
        if _operators is None or _operators[0] is not settings:
            trusting = replace(policy(settings), allow_private=True)
            _operators = (settings, Client(trusting, deadline=PROVIDER_SECONDS))
        return _operators[1]


def policy(settings: Settings) -> Policy:
    """Private addresses as the operator says; never our own listener, Postgres or Redis (decision 11)."""
    own = _listeners(settings.host, settings.port)
    for server in (*database_addresses(settings.database_url), *redis_addresses(settings.redis_url)):
        own += _listeners(server.host, server.port)
    return Policy(settings.allow_private_destinations and not settings.hosted, tuple(own))


def _listeners(host: str, port: int) -> list[Listener]:
    if host in ANYWHERE:
        return [Listener.at(host, port, _own_addresses())]
    return [Listener.at(address, port) for address in _addresses(host)]


def _addresses(host: str) -> list[str]:
    with contextlib.suppress(OSError):
        return sorted({str(entry[4][0]).partition("%")[0] for entry in socket.getaddrinfo(host, None)})
    return []


def _own_addresses() -> list[str]:
    """This machine's addresses as far as it tells: those of its name, and the one it would call out from."""
    found = set(_addresses(socket.gethostname()))
    for family, anywhere in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((anywhere, 9))  # sends nothing: it only chooses the address to send from
            found.add(str(probe.getsockname()[0]))
    return sorted(found)
