"""The check for addresses of the service's servers: web processes, PostgreSQL and Redis (decision 0038)."""

from __future__ import annotations

import errno
import socket
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

from inbox.destinations.lookup import OF_OPERATOR, Resolver, system_resolver, within
from inbox.domain.addresses import Address, unmapped

ANYWHERE = frozenset({"", "*", "0.0.0.0", "::", "[::]"})
"""The host settings that make a server listen on every address of its machine."""

REFRESH_SECONDS, UNKNOWN_SECONDS = 30.0, 5.0
"""How long found addresses of a name are cached, and how long a failed look-up is cached."""

LOOKUP_SECONDS = 2.0
"""A look-up that takes longer counts as failed."""

_ELSEWHERE = frozenset({errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EINVAL})


def is_local(address: Address) -> bool:
    """Whether an address belongs to this machine. The kernel allows a socket to bind to local addresses only.

    Any other failure of the bind counts as local, so that a lack of sockets opens nothing.
    """
    family = socket.AF_INET6 if isinstance(address, IPv6Address) else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))
    except OSError as fault:
        return fault.errno not in _ELSEWHERE
    return True


@dataclass(frozen=True, slots=True)
class Server:
    """A port of one of the service's servers, at the configured host.

    An empty host means every address of this machine.
    """

    host: str
    port: int


class OwnServers:
    """Decides whether one of the service's servers listens at an address and port.

    A check of a port looks up the names of that port, and again after `REFRESH_SECONDS`. The cache has one entry per
    host of the settings. While a name has no address, its port counts as the service's own at every address.
    """

    def __init__(
        self,
        servers: Iterable[Server],
        *,
        resolver: Resolver = system_resolver,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        hosts: dict[int, set[str]] = {}
        for server in servers:
            hosts.setdefault(server.port, set()).add("" if server.host in ANYWHERE else server.host.strip("[]"))
        self._hosts: Mapping[int, set[str]] = hosts
        self._resolver, self._clock = resolver, clock
        self._cached_addresses: dict[str, tuple[float, frozenset[Address]]] = {}

    def __call__(self, address: Address, port: int) -> bool:
        """Whether a server of ours may listen at this address and port.

        A server on this machine counts as listening on every local address, because its bind address is unknown here.
        """
        return any(self._is_at(host, port, address) for host in self._hosts.get(port, ()))

    def _is_at(self, host: str, port: int, address: Address) -> bool:
        if not host:
            return is_local(address)
        found = self._addresses(host, port)
        return not found or address in found or (any(map(is_local, found)) and is_local(address))

    def _addresses(self, host: str, port: int) -> frozenset[Address]:
        until, found = self._cached_addresses.get(host, (float("-inf"), frozenset()))
        if self._clock() < until:
            return found
        try:
            texts = within(LOOKUP_SECONDS, lambda: self._resolver(host, port), OF_OPERATOR)
            found = frozenset(unmapped(ip_address(text)) for text in texts)
        except (TimeoutError, ValueError):
            found = frozenset()
        self._cached_addresses[host] = (self._clock() + (REFRESH_SECONDS if found else UNKNOWN_SECONDS), found)
        return found
