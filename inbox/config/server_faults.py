"""What is wrong with the addresses of PostgreSQL and Redis, in one sentence each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from inbox.config import sentinel_addresses
from inbox.config.server_addresses import database_parameters, redis_addresses, with_default_hosts


def of_database(urls: Mapping[str, str], hosts: Mapping[str, str]) -> list[str]:
    """Returns the faults of addresses by the name of their variable. `hosts` is what libpq reads where one names none."""
    return [f"{name}{fault}" for name, url in urls.items() if url and (fault := _database_fault(url, hosts))]


def of_pooler(pooler: str, url: str) -> list[str]:
    """Returns the faults of `INBOX_DATABASE_POOLER` with the address of the database."""
    if pooler not in ("", "transaction"):
        return ["INBOX_DATABASE_POOLER must be empty or transaction"]
    if pooler and not _unreadable(database_parameters, url) and "options" in database_parameters(url):
        return ["DATABASE_URL has options, which a pooler drops. Set them with ALTER ROLE ... IN DATABASE ... SET"]
    return []


def of_redis(url: str) -> list[str]:
    """Returns the faults of the address of Redis."""
    if not url.startswith(("redis://", "rediss://", "unix://", *sentinel_addresses.SCHEMES)):
        return ["REDIS_URL must begin with redis://, rediss://, unix://, redis+sentinel:// or rediss+sentinel://"]
    return [f"REDIS_URL {fault}" for fault in (_unreadable(redis_addresses, url),) if fault]


def _database_fault(url: str, hosts: Mapping[str, str]) -> str:
    if not url.startswith(("postgres://", "postgresql://")):
        return " must begin with postgresql://"
    if fault := _unreadable(database_parameters, url):
        return f" {fault}"
    fault = _unreadable(lambda one: with_default_hosts(database_parameters(one), **hosts), url)
    return fault and f", with PGHOST or PGHOSTADDR, {fault}"


def _unreadable(read: Callable[[str], object], url: str) -> str:
    """Returns why the URL cannot be used; empty when it can."""
    try:
        read(url)
    except ValueError as fault:
        return str(fault)
    return ""
