"""The database connection of the committer: long-lived, with prepared statements, outside the pool and its checks."""

from __future__ import annotations

import contextlib
import time
from typing import Any

import psycopg2

from inbox import settings
from inbox.models.events.ingest_store import IngestStore
from inbox.models.sql.base import connect, connect_arguments

LOCK_MS = 500
"""How long another transaction may delay a whole group, in milliseconds."""

RETRY_SECONDS = 1.0
"""The pause after a failed connect, in which an unavailable database is not tried again, in seconds."""

# The statements are planned once, possibly while the tables are empty and have no statistics.
_SESSION = (
    " -c plan_cache_mode=force_generic_plan -c jit=off"
    " -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off"
)


class IngestConnection:
    """Connects on demand, and reconnects after a loss. For one thread."""

    def __init__(self) -> None:
        self._connection: Any = None
        self._store: IngestStore | None = None
        self._url = ""
        self._down_until = 0.0

    def store(self) -> IngestStore:
        """The statements on an open connection. Raises `psycopg2.OperationalError` when the database is unavailable."""
        url = settings.current().database_url
        if self._url != url:
            self.close()
            self._url, self._down_until = url, 0.0
        if self._store is None:
            try:
                self._connection = self._connected()
                self._store = IngestStore(self._connection, lock_ms=LOCK_MS, prepared=True)
            except psycopg2.Error:
                self.close()
                raise
        return self._store

    def _connected(self) -> Any:
        if time.monotonic() < self._down_until:
            raise psycopg2.OperationalError("the database is unavailable")
        arguments = connect_arguments(self._url, application="inbox-ingest")
        arguments["options"] += _SESSION
        try:
            connection = connect(arguments)
        except psycopg2.Error:
            self._down_until = time.monotonic() + RETRY_SECONDS
            raise
        connection.autocommit = True
        return connection

    @property
    def is_closed(self) -> bool:
        """Whether the other side has closed the connection, as far as it is known."""
        return self._connection is None or bool(self._connection.closed)

    def close(self) -> None:
        """Discard the connection in any state."""
        if self._connection is not None:
            with contextlib.suppress(psycopg2.Error):
                self._connection.close()
        self._connection = self._store = None
