"""The database of the process, and code that every table shares."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import orjson
import peewee
import psycopg2
from playhouse.pool import PooledPostgresqlDatabase
from playhouse.postgres_ext import DateTimeTZField
from psycopg2 import extensions, extras

from inbox.config.server_addresses import DATABASE_PORT, database_parameters, parameters_by_host
from inbox.domain.values import ids

SESSION = {
    "TimeZone": "UTC",
    "statement_timeout": "15000",
    "idle_in_transaction_session_timeout": "15000",
    "lock_timeout": "5000",
    "synchronous_commit": "on",
    "jit": "off",
}
"""The settings of a session of the service. Times are in milliseconds."""

db = peewee.DatabaseProxy()

extras.register_uuid()
extras.register_default_jsonb(globally=True, loads=orjson.loads)


class Table(peewee.Model):
    """The base class of all tables: the SQL name is explicit, the database is the process's."""

    class Meta:
        database = db
        legacy_table_names = False

    def _pk_expr(self) -> Any:
        """The condition by which peewee saves and deletes this row: its key, in its workspace if it has one."""
        key, workspace = super()._pk_expr(), self._meta.columns.get("workspace_id")
        found_in = None if workspace is None else self.__data__.get(workspace.name)
        return key if found_in is None or workspace.primary_key else key & (workspace == found_in)


class _SeverityField(peewee.Field):
    field_type = "severity"


# Typed as Any, so that type checkers do not confuse a row's values with its fields.
TimestampField: Any = DateTimeTZField
"""A `timestamptz`; always an aware datetime in UTC."""
SeverityField: Any = _SeverityField
"""The `severity` enumeration, ordered by rank in the database; a canonical name in Python."""


def connect_arguments(
    url: str,
    *,
    application: str,
    session: Mapping[str, str] = SESSION,
    pooled: bool = False,
    server: str = "read-write",
) -> dict[str, Any]:
    """Returns psycopg2's keyword arguments for a `postgresql://` address, with session settings and dead-peer limits.

    Values in the address take precedence; its `options` come after ours. Of several hosts, one is chosen that is
    `server`, a value of `target_session_attrs`: by default the writable one.
    A transaction pooler takes no options: there, `SESSION` is kept with the role (`role_settings`).
    """
    parameters = database_parameters(url)
    database, options = parameters.pop("dbname", "postgres"), parameters.pop("options", "")
    settings = " ".join(f"-c {name}={value}" for name, value in session.items())
    several = len(parameters_by_host(parameters)) > 1
    return {
        "port": str(DATABASE_PORT),
        "keepalives": 1,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 2,
        "tcp_user_timeout": 10_000,
        "connect_timeout": 3,
        "application_name": application,
        **({"target_session_attrs": server} if several else {}),
        **parameters,
        "database": database,
        **({} if pooled else {"options": f"{settings} {options}".rstrip()}),
    }


def connect(arguments: dict[str, Any], seconds: float = 3.0) -> Any:
    """Opens a connection outside the pool. Under gevent, it waits at most `seconds` for a host that never answers."""
    if extensions.get_wait_callback() is None:
        return psycopg2.connect(**arguments)
    from inbox.runtime import gevent_psycopg

    return gevent_psycopg.connect_to_one(lambda one: psycopg2.connect(**one), arguments, seconds)


def open_database(
    url: str, *, application: str, connections: int = 20, green: bool = False, pooled: bool = False
) -> None:
    """Bind the tables to the database at `url`; `green` selects the pool that is safe under gevent.

    No connection is opened yet. May be called again (tests, a forked child): the earlier pool is discarded.
    """
    pool: type[PooledPostgresqlDatabase] = PooledPostgresqlDatabase
    if green:
        from inbox.runtime.gevent_psycopg import GreenPool

        pool = GreenPool
    arguments = connect_arguments(url, application=application, pooled=pooled)
    db.initialize(
        pool(
            arguments.pop("database"),
            max_connections=connections,
            stale_timeout=300,
            timeout=5,
            autoconnect=False,
            **arguments,
        )
    )


def pool_usage() -> tuple[int, int, int]:
    """Returns the numbers of pool connections: in use, idle, and the maximum."""
    pool = db.obj  # Peewee has no public names for these numbers.
    return len(pool._in_use), len(pool._connections), pool._max_connections or 0  # noqa: SLF001


@contextmanager
def connection_released() -> Iterator[None]:
    """Releases the caller's connection during a wait for another service, and connects again afterwards.

    It connects again also after an outage. Within a transaction, or without a connection, nothing changes.
    """
    # Peewee's close() drops these, and an outer `connection_context` would then fail. They have no public name.
    contexts = db._state.ctx  # noqa: SLF001
    if db.in_transaction() or (db.is_closed() and not contexts):
        yield
        return
    db.close()
    try:
        yield
    finally:
        try:
            db.connect()
        finally:
            db._state.ctx = contexts  # noqa: SLF001


def new_id(now: datetime | None = None) -> UUID:
    """Returns a UUIDv7 of `now` or of the current time. It is made in Python to save a query."""
    moment = now if now is not None else datetime.now(UTC)
    return ids.uuid7(int(moment.timestamp() * 1000), os.urandom(10))
