"""The outbound policy from the settings, the HTTP clients of the process, and the check for the service's own servers.

The service's own servers are web processes, PostgreSQL and Redis (decision 0019).
"""

from __future__ import annotations

import errno
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from ipaddress import IPv6Address, ip_address
from typing import Generic, TypeVar

from inbox.config.server_addresses import database_parameters, parameters_by_host, redis_addresses, with_default_hosts
from inbox.config.settings import Settings, current
from inbox.destinations.http import Client
from inbox.destinations.lookup import OF_OPERATOR, Resolver, system_resolver, within
from inbox.destinations.provider_client import ProviderClient
from inbox.domain.deliveries import built_in_receiver
from inbox.domain.values.addresses import (
    Address,
    AddressRefused,
    Deny,
    IsBuiltIn,
    OutboundPolicy,
    ParsedUrl,
    parse,
    unmapped,
)
from inbox.runtime import redis_client

THIS_MACHINE = "0.0.0.0"

PROVIDER_SECONDS = 10.0
"""The total time of one call to an identity provider, in seconds. A person waits for the result in a browser."""

ANYWHERE = frozenset({"", "*", "0.0.0.0", "::", "[::]"})
"""The host settings that make a server listen on every address of its machine."""

REFRESH_SECONDS, UNKNOWN_SECONDS = 30.0, 5.0
"""The seconds for which the addresses of a name, and a failed look-up, are cached."""

LOOKUP_SECONDS = 2.0
"""A look-up that takes longer counts as failed."""

_ELSEWHERE = frozenset({errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EINVAL})

Made = TypeVar("Made")


class _OfSettings(Generic[Made]):
    """One object per process for the current settings. It is made at first use, and again after the settings change."""

    def __init__(self, make: Callable[[Settings], Made]) -> None:
        self._make, self._lock = make, threading.Lock()
        self._made: tuple[Settings, Made] | None = None

    def __call__(self) -> Made:
        settings = current()
        with self._lock:
            if self._made is None or self._made[0] is not settings:
                self._made = (settings, self._make(settings))
            return self._made[1]


def _client(settings: Settings) -> Client:
    return _client_of(settings, policy(settings))


def _client_of(settings: Settings, limits: OutboundPolicy) -> Client:
    seconds = float(settings.delivery_timeout_seconds)
    return Client(limits, deadline=seconds, ca_file=settings.ca_file, proxy=settings.outbound_proxy)


def _public_client(settings: Settings) -> Client:
    return _client_of(settings, replace(policy(settings), allow_private=False, allow_loopback=False))


def _operators_client(settings: Settings) -> ProviderClient:
    proxy = settings.outbound_proxy
    trusting = replace(policy(settings), allow_private=True, allow_loopback=proxy is None, deny=Deny())
    return ProviderClient(trusting, deadline=PROVIDER_SECONDS, ca_file=settings.ca_file, proxy=proxy)


client = _OfSettings(_client)
"""The client for destinations."""

public_client = _OfSettings(_public_client)
"""The client for hosts that must always be public, such as push services, whatever the settings allow destinations."""

operators_client = _OfSettings(_operators_client)
"""The client for addresses from the operator's settings, which the destination settings do not restrict."""


def policy(settings: Settings) -> OutboundPolicy:
    """Builds the policy from the settings (specification 9.4).

    It always refuses the service's web processes, PostgreSQL and Redis. With a proxy it refuses loopback addresses,
    because the proxy would open them on its own machine.
    """
    return OutboundPolicy(
        settings.may_call_private,
        settings.may_call_loopback and settings.outbound_proxy is None,
        settings.destination_deny,
        OwnServers(_servers(settings), named=redis_client.KNOWN_SERVERS),
        _built_in_receiver(settings),
    )


def _built_in_receiver(settings: Settings) -> IsBuiltIn:
    """Returns a check for the built-in receiver: the origin of `INBOX_BASE_URL` and a path with a signed token.

    With a proxy the check never matches, because the proxy would open a loopback address on its own machine.
    """
    try:
        home = parse(settings.base_url)
    except AddressRefused:
        return lambda url: False
    root = home.path.rstrip("/") + built_in_receiver.PATH

    def is_built_in(url: ParsedUrl) -> bool:
        if (url.scheme, url.host, url.port) != (home.scheme, home.host, home.port) or not url.path.startswith(root):
            return False
        return built_in_receiver.workspace_of(settings.signing_key, url.path.removeprefix(root)) is not None

    return is_built_in if settings.outbound_proxy is None else lambda url: False


def _servers(settings: Settings) -> Iterator[Server]:
    for host, port in (
        (settings.host, settings.port),
        (settings.host, settings.metrics_port),
        (settings.mail_in_host, settings.mail_in_port),
    ):
        if port:
            yield Server(host, port)
    own = (
        settings.database_url,
        settings.migration_database_url,
        settings.direct_database_url,
        settings.read_database_url,
    )
    for url in filter(None, own):
        yield from _database_servers(url, settings)
    for address in redis_addresses(settings.redis_url):
        yield Server(address.host, address.port)


def _database_servers(url: str, settings: Settings) -> Iterator[Server]:
    parameters = with_default_hosts(
        database_parameters(url), host=settings.database_host, hostaddr=settings.database_hostaddr
    )
    for each in parameters_by_host(parameters):
        for host in [each[name] for name in ("host", "hostaddr") if name in each] or [THIS_MACHINE]:
            # A server on a socket file may also listen on the same TCP port of this machine.
            yield Server(THIS_MACHINE if host.startswith(("/", "@")) else host, int(each["port"]))


def is_local(address: Address) -> bool:
    """Returns whether an address belongs to this machine: the kernel allows binding to local addresses only.

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
    host of the settings. While a name has no address, its port counts as the service's own at every address. `named` are
    hosts and ports that the settings do not name, those that sentinels watch. Another thread may add to it.
    """

    def __init__(
        self,
        servers: Iterable[Server],
        *,
        named: Collection[tuple[str, int]] = frozenset(),
        resolver: Resolver = system_resolver,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        hosts: dict[int, set[str]] = {}
        for server in servers:
            hosts.setdefault(server.port, set()).add("" if server.host in ANYWHERE else server.host.strip("[]"))
        self._hosts: Mapping[int, set[str]] = hosts
        self._named = named
        self._resolver, self._clock = resolver, clock
        self._cached_addresses: dict[str, tuple[float, frozenset[Address]]] = {}

    def __call__(self, address: Address, port: int) -> bool:
        """Returns whether a server of the service may listen at this address and port.

        A server on this machine counts as listening on every local address, because its bind address is unknown here.
        """
        hosts = {*self._hosts.get(port, ()), *(host for host, its_port in tuple(self._named) if its_port == port)}
        return any(self._is_at(host, port, address) for host in hosts)

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
