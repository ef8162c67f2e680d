"""The committer's own connection: it lives long, its statements are prepared, and no pool asks it how it is."""

from __future__ import annotations

import contextlib
import time
from typing import Any

import psycopg2

from inbox import settings
from inbox.models.events.ingest_store import IngestStore
from inbox.models.sql.base import connect, connect_arguments

LOCK_MS = 500
"""How long another transaction may hold up a whole group."""

RETRY_SECONDS = 1.0
"""After a failed connect, during which a database that is down is not asked again."""

# The statements are planned once, while the tables may still be empty and nothing is known of their size.
_SESSION = (
    " -c plan_cache_mode=force_generic_plan -c jit=off"
    " -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off"
)


class IngestConnection:
    """Connects when it is needed and again when it was lost. For one thread."""

    def __init__(self) -> None:
        self._connection: Any = None
        self._store: IngestStore | None = None
        self._url = ""
        self._down_until = 0.0

    def store(self) -> IngestStore:
        """The statements on an open connection; raises `psycopg2.OperationalError` when there is no database."""
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
        """Whether the connection is found to have been closed from the other side."""
        return self._connection is None or bool(self._connection.closed)

    def close(self) -> None:
        """Forget the connection, whatever state it is in."""
        if self._connection is not None:
            with contextlib.suppress(psycopg2.Error):
                self._connection.close()
        self._connection = self._store = None
