"""Addresses of PostgreSQL and Redis, parsed from `DATABASE_URL` and `REDIS_URL` as libpq and redis-py do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import psycopg2
from psycopg2.extensions import parse_dsn
from redis.connection import parse_url

from inbox.config import sentinel_addresses

DATABASE_PORT, REDIS_PORT = 5432, 6379


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """A TCP address of a server: `host` is a name or an IP address."""

    host: str
    port: int


def database_parameters(url: str) -> dict[str, str]:
    """Returns the connection parameters of a `postgresql://` URL by libpq's names.

    Raises `ValueError` without a quote of the URL.
    """
    try:
        parameters = parse_dsn(url)
    except psycopg2.ProgrammingError:
        raise ValueError("cannot be read by libpq: percent-encode special characters") from None
    if "service" in parameters:
        raise ValueError("must name its hosts itself: service= is not supported")
    _check_hosts(parameters)
    return dict(parameters)


def with_default_hosts(parameters: Mapping[str, str], *, host: str = "", hostaddr: str = "") -> dict[str, str]:
    """Returns the parameters, with the hosts of `PGHOST` and `PGHOSTADDR` (as in libpq) when the URL names none.

    Raises `ValueError` without a quote of the URL when hosts and ports do not fit.
    """
    defaults = {name: value for name, value in (("host", host), ("hostaddr", hostaddr)) if value}
    completed = {**defaults, **{name: value for name, value in parameters.items() if value}}
    _check_hosts(completed)
    return completed


def without_credentials(url: str) -> str:
    """Returns a `postgresql://` URL with the same hosts and ports only.

    Raises `ValueError` without a quote of the URL.
    """
    parameters = database_parameters(url)
    host_parameters = {name: parameters[name] for name in ("host", "hostaddr", "port") if parameters.get(name)}
    return f"postgresql:///?{urlencode(host_parameters)}"


def database_addresses(url: str) -> tuple[ServerAddress, ...]:
    """Returns every TCP address of a `postgresql://` URL, in `host` and in `hostaddr`. Unix sockets are omitted."""
    parameters = database_parameters(url)
    found = []
    for each in parameters_by_host(parameters):
        for host in (each.get("host", ""), each.get("hostaddr", "")):
            if host and not host.startswith(("/", "@")):
                found.append(ServerAddress(host, int(each["port"])))
    return tuple(found)


def redis_addresses(url: str) -> tuple[ServerAddress, ...]:
    """Returns the TCP address of a Redis URL, or those of its sentinels; empty for a Unix socket.

    Raises `ValueError` without a quote of the URL.
    """
    if sentinel_addresses.is_sentinel(url):
        return tuple(ServerAddress(*sentinel) for sentinel in sentinel_addresses.parse(url).sentinels)
    try:
        found = parse_url(url)
    except ValueError:
        raise ValueError("cannot be read: it must be redis://user:password@host:port/number") from None
    if "path" in found or url.startswith("unix:"):
        return ()
    return (ServerAddress(str(found.get("host", "localhost")), int(found.get("port", REDIS_PORT))),)


def parameters_by_host(parameters: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the parameters once for each named host, with its own `host`, `hostaddr` and `port`, in order."""
    lists = {name: str(parameters[name]).split(",") for name in ("host", "hostaddr") if parameters.get(name)}
    count = max((len(values) for values in lists.values()), default=1)
    ports = str(parameters.get("port") or "").split(",")
    found = []
    for place in range(count):
        one = {name: values[place] for name, values in lists.items() if values[place]}
        port = (ports[place] if len(ports) > 1 else ports[0]) or str(DATABASE_PORT)
        rest = {name: value for name, value in parameters.items() if name not in ("host", "hostaddr")}
        found.append({**rest, **one, "port": port})
    return found


def _check_hosts(parameters: dict[str, str]) -> None:
    counts = {len(parameters[name].split(",")) for name in ("host", "hostaddr") if parameters.get(name)}
    ports = parameters.get("port", "").split(",")
    if len(counts) > 1 or (len(ports) > 1 and counts != {len(ports)}):
        raise ValueError("must name as many ports as hosts, or one port for all of them")
    if any(port and not (port.isascii() and port.isdigit() and 0 < int(port) < 65_536) for port in ports):
        raise ValueError("has a port that is not 1 to 65535")
