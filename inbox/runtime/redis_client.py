"""Makes every Redis client of the service, for one server or for a master that sentinels name (decision 0038)."""

from __future__ import annotations

from contextlib import closing, suppress
from copy import copy
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from redis.sentinel import Sentinel

from inbox.config import sentinel_addresses
from inbox.config.sentinel_addresses import SentinelAddress
from inbox.config.settings import SettingsInvalid

SENTINEL_SECONDS = 0.5
"""The time limit of a connection to a sentinel, and of its answer."""

START_SECONDS = 2.0
"""The time limit of the check at the start of a process."""

IN_CLUSTER_MODE = (
    "REDIS_URL leads to a server in cluster mode, where the queues cannot run: use one server, or sentinels with"
    " redis+sentinel://"
)
IS_SENTINEL = "REDIS_URL leads to a sentinel as if it were the server: write redis+sentinel://host:port/name/0"

KNOWN_SERVERS: set[tuple[str, int]] = set()
"""Hosts and ports of the masters and replicas that sentinels have named to this process."""


def connect(url: str, **options: Any) -> Redis:
    """Returns a client of `REDIS_URL`; `options` are those of redis-py. It opens no connection yet.

    With sentinels, each new connection asks one of them for the master. Idle connections to an earlier one are closed.
    """
    if not sentinel_addresses.is_sentinel(url):
        return Redis.from_url(url, **options)
    address = sentinel_addresses.parse(url)
    return _Sentinels.of(address).master_for(
        address.name, db=address.database, **address.credentials, **_tls(address), **options
    )


def refuse_unusable(url: str) -> None:
    """Raises `SettingsInvalid` when the queues cannot run on the server. A server that does not answer is none."""
    if fault := _fault_of(url):
        raise SettingsInvalid([fault])


def _fault_of(url: str) -> str:
    never = Retry(NoBackoff(), 0)
    options = {"socket_timeout": START_SECONDS, "socket_connect_timeout": START_SECONDS, "retry": never}
    with suppress(RedisError, OSError), closing(connect(url, **options)) as redis:
        found = redis.info()
        if found.get("cluster_enabled"):
            return IN_CLUSTER_MODE
        if "sentinel" in (found.get("redis_mode"), found.get("server_mode")):  # the second one is of Valkey
            return IS_SENTINEL
    return ""


class _Sentinels(Sentinel):
    """The sentinels of one address. Threads may ask at the same time."""

    @classmethod
    def of(cls, address: SentinelAddress) -> _Sentinels:
        return cls(
            address.sentinels,
            sentinel_kwargs={
                "socket_timeout": SENTINEL_SECONDS,
                "socket_connect_timeout": SENTINEL_SECONDS,
                "retry": Retry(NoBackoff(), 0),
                **address.sentinel_credentials,
                **_tls(address),
            },
        )

    def discover_master(self, service_name: str) -> tuple[str, int]:
        """Return the address of the master.

        redis-py moves the sentinel that answered to the front of its list. Two threads that do so at once would lose
        one of the others, so each moves it in a copy.
        """
        asking = copy(self)
        asking.sentinels = list(self.sentinels)
        host, port = super(_Sentinels, asking).discover_master(service_name)
        self.sentinels = asking.sentinels
        if (host, port) not in KNOWN_SERVERS:
            KNOWN_SERVERS.add((host, port))
            with suppress(RedisError, OSError):
                KNOWN_SERVERS.update(self.discover_slaves(service_name))
        return host, port


def _tls(address: SentinelAddress) -> dict[str, Any]:
    return {} if address.tls is None else {"ssl": True, **address.tls}
