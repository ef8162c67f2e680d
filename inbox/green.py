"""psycopg2 under gevent: waiting gives way to other greenlets, has time limits, and a hung database costs seconds only."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gevent.local import local
from gevent.socket import wait_read, wait_write
from playhouse.pool import PooledPostgresqlDatabase
from psycopg2 import OperationalError, extensions

QUERY_SECONDS = 20.0  # above the server's statement_timeout, so that the server speaks first
CONNECT_SECONDS = 3.0  # libpq's connect_timeout is not honoured on the asynchronous path
PING_SECONDS = 2.0
PAUSE_SECONDS = 1.0  # after a failed connect, during which nobody else tries

_limits = local()


@contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Within it, each wait of this greenlet for the database lasts at most `seconds`."""
    before = getattr(_limits, "seconds", QUERY_SECONDS)
    _limits.seconds = seconds
    try:
        yield
    finally:
        _limits.seconds = before


def patch() -> None:
    """Let every psycopg2 connection of this process wait in gevent's loop. COPY does not work afterwards."""
    extensions.set_wait_callback(_wait)


class GreenPool(PooledPostgresqlDatabase):
    """The pool whose lock is held over connecting and probing: neither may hang, and a dead server is asked once a second."""

    _down_until = 0.0

    def _connect(self) -> Any:
        if time.monotonic() < self._down_until:
            raise OperationalError("the database is unavailable")
        try:
            with limit(CONNECT_SECONDS):
                return super()._connect()
        except OperationalError:
            self._down_until = time.monotonic() + PAUSE_SECONDS
            raise

    def _is_closed(self, conn: Any) -> bool:
        with limit(PING_SECONDS):
            closed = bool(super()._is_closed(conn))
        if closed:  # a restart or a dead network takes all of them: do not pay one time limit for each
            self.close_idle()
        return closed


def _wait(connection: Any) -> None:
    seconds = getattr(_limits, "seconds", QUERY_SECONDS)
    while True:
        state = connection.poll()
        if state == extensions.POLL_OK:
            return
        late = OperationalError(f"the database did not answer in {seconds:g} s")
        if state == extensions.POLL_READ:
            wait_read(connection.fileno(), timeout=seconds, timeout_exc=late)  # psycopg2 closes what raises here
        elif state == extensions.POLL_WRITE:
            wait_write(connection.fileno(), timeout=seconds, timeout_exc=late)
        else:
            raise OperationalError(f"unexpected state {state!r}")
