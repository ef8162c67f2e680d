"""The outbound policy from the settings, and the HTTP clients of the process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace

from inbox.destinations.http import Client
from inbox.destinations.own import OwnServers, Server
from inbox.destinations.provider_client import ProviderClient
from inbox.domain import built_in_receiver
from inbox.domain.addresses import AddressRefused, Deny, IsBuiltIn, OutboundPolicy, ParsedUrl, parse
from inbox.server_addresses import database_parameters, parameters_by_host, redis_addresses, with_default_hosts
from inbox.settings import Settings, current

_create_lock = threading.Lock()
_client: tuple[Settings, Client] | None = None
_operators: tuple[Settings, ProviderClient] | None = None
_public: tuple[Settings, Client] | None = None

THIS_MACHINE = "0.0.0.0"

PROVIDER_SECONDS = 10.0
"""The total time of one call to an identity provider, in seconds. A person waits for the result in a browser."""


def client() -> Client:
    """Return the client of the process for the current settings. The first call creates it."""
    global _client
    settings = current()
    with _create_lock:
        if _client is None or _client[0] is not settings:
            deadline = float(settings.delivery_timeout_seconds)
            _client = (settings, Client(policy(settings), deadline=deadline, proxy=settings.outbound_proxy))
        return _client[1]


def public_client() -> Client:
    """Return the client for hosts that must be public, whatever the settings allow destinations: push services."""
    global _public
    settings = current()
    with _create_lock:
        if _public is None or _public[0] is not settings:
            strict = replace(policy(settings), allow_private=False, allow_loopback=False)
            deadline = float(settings.delivery_timeout_seconds)
            _public = (settings, Client(strict, deadline=deadline, proxy=settings.outbound_proxy))
        return _public[1]


def operators_client() -> ProviderClient:
    """Return the client for addresses from the operator's settings. The destination settings do not restrict it."""
    global _operators
    settings = current()
    with _create_lock:
        if _operators is None or _operators[0] is not settings:
            proxy = settings.outbound_proxy
            trusting = replace(policy(settings), allow_private=True, allow_loopback=proxy is None, deny=Deny())
            _operators = (settings, ProviderClient(trusting, deadline=PROVIDER_SECONDS, proxy=proxy))
        return _operators[1]


def policy(settings: Settings) -> OutboundPolicy:
    """Build the policy from the settings. It always refuses the service's web processes, PostgreSQL and Redis.

    With a proxy it refuses loopback addresses, because the proxy would open them on its own machine. Specification 9.4.
    """
    return OutboundPolicy(
        settings.may_call_private,
        settings.may_call_loopback and settings.outbound_proxy is None,
        settings.destination_deny,
        OwnServers(_servers(settings)),
        _built_in_receiver(settings),
    )


def _built_in_receiver(settings: Settings) -> IsBuiltIn:
    """Recognize the built-in receiver: the origin of `INBOX_BASE_URL` and a path with a signed token, and nothing more.

    With a proxy nothing is recognized, because the proxy would open a loopback address on its own machine.
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
    for url in filter(None, (settings.database_url, settings.migration_database_url)):
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
