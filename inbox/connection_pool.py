"""The pool of connections to PostgreSQL. A connection that was just used is not probed (decision 0083)."""

from __future__ import annotations

import time
from typing import Any
from weakref import WeakKeyDictionary

from playhouse.pool import PooledPostgresqlDatabase

PROBE_AFTER_SECONDS = 0.05
"""A connection that was in use more recently is not probed: no server restarts that fast."""


class ConnectionPool(PooledPostgresqlDatabase):
    """A pool that probes a connection after a pause, before it is used again."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._used_at: WeakKeyDictionary[Any, float] = WeakKeyDictionary()
        super().__init__(*arguments, **options)

    def _close(self, conn: Any, close_conn: bool = False) -> None:
        self._used_at[conn] = time.monotonic()
        super()._close(conn, close_conn)

    def _is_closed(self, conn: Any) -> bool:
        return not self._was_just_used(conn) and bool(super()._is_closed(conn))

    def _was_just_used(self, conn: Any) -> bool:
        return not conn.closed and time.monotonic() - self._used_at.get(conn, 0.0) < PROBE_AFTER_SECONDS
