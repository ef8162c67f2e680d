"""psycopg2 under gevent: waits yield to other greenlets and have time limits, so a hung database costs only seconds.

A read of a person continues when nothing else waits in the loop of the process (decision 0026).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import gevent
from gevent.local import local
from gevent.lock import Semaphore
from gevent.socket import wait_read, wait_write
from playhouse.pool import PooledPostgresqlDatabase
from psycopg2 import OperationalError, extensions

from inbox.config.server_addresses import parameters_by_host
from inbox.runtime import work_budget
from inbox.runtime.low_priority import is_low

QUERY_SECONDS = 20.0  # above the server's statement_timeout, so that the server reports the timeout first
CONNECT_SECONDS = 3.0  # libpq's connect_timeout is not honoured on the asynchronous path
PROBE_SECONDS = 2.0
PROBE_AFTER_SECONDS = 0.05
"""A connection that was in use more recently is not probed: no server restarts that fast (decision 0026)."""
RETRY_PAUSE_SECONDS = 1.0  # after a failed connect, during which no other greenlet tries

TURN_SECONDS = 0.005
"""The longest wait of a read for an idle loop. Afterwards it continues in turn with everything else."""

_limits = local()
_turn = Semaphore()
"""One read at a time waits for an idle loop. Otherwise all of them would continue in the same moment."""


@contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Limit each wait of this greenlet for the database to `seconds` within the block."""
    before = getattr(_limits, "seconds", None)
    _limits.seconds = seconds
    try:
        yield
    finally:
        if before is None:
            del _limits.seconds
        else:
            _limits.seconds = before


_preferred_host: dict[str, int] = {}


def connect_to_one(
    connect: Callable[[dict[str, Any]], Any], parameters: dict[str, Any], seconds: float = CONNECT_SECONDS
) -> Any:
    """Return a connection to the first host that accepts one. Later calls begin with that host.

    libpq's asynchronous path stays with a host that never responds. So each host is tried alone, with its own time
    limit.
    """
    hosts = parameters_by_host(parameters)
    hosts_key = f"{parameters.get('host')} {parameters.get('hostaddr')} {parameters.get('port')}"
    began = _preferred_host.get(hosts_key, 0)
    for attempt in range(len(hosts)):
        place = (began + attempt) % len(hosts)
        try:
            with limit(seconds):
                connection = connect(hosts[place])
        except OperationalError:
            if attempt == len(hosts) - 1:
                raise
        else:
            _preferred_host[hosts_key] = place
            return connection


def patch() -> None:
    """Make every psycopg2 connection of this process wait in gevent's loop. COPY does not work afterwards."""
    extensions.set_wait_callback(_wait)


class GreenPool(PooledPostgresqlDatabase):
    """Peewee's pool with time limits, because it holds its lock during connecting and probing.

    Without limits one dead connection would stop all requests of the process.
    """

    connect_params: dict[str, Any]
    _down_until = 0.0

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._used_at: WeakKeyDictionary[Any, float] = WeakKeyDictionary()
        super().__init__(*arguments, **options)

    def _connect(self) -> Any:
        """Try a dead server once a second, because each try holds the lock for up to three seconds."""
        if time.monotonic() < self._down_until:
            raise OperationalError("the database is unavailable")
        try:
            return connect_to_one(self._connect_to, self.connect_params)
        except OperationalError:
            self._down_until = time.monotonic() + RETRY_PAUSE_SECONDS
            raise

    def _connect_to(self, parameters: dict[str, Any]) -> Any:
        all_parameters, self.connect_params = self.connect_params, parameters
        try:
            return super()._connect()
        finally:
            self.connect_params = all_parameters

    def _close(self, conn: Any, close_conn: bool = False) -> None:
        self._used_at[conn] = time.monotonic()
        super()._close(conn, close_conn)

    def _is_closed(self, conn: Any) -> bool:
        """Probe only a connection that rested, because Peewee sends a query at each loan."""
        if not conn.closed and time.monotonic() - self._used_at.get(conn, 0.0) < PROBE_AFTER_SECONDS:
            return False
        with limit(PROBE_SECONDS):
            closed = bool(super()._is_closed(conn))
        if closed:  # a restart or a dead network breaks all connections: do not wait one time limit for each
            self.close_idle()
        return closed


def _wait(connection: Any) -> None:
    work_budget.rest()  # computing time of other requests meanwhile is not counted
    seconds = getattr(_limits, "seconds", QUERY_SECONDS)
    while True:
        state = connection.poll()
        if state == extensions.POLL_OK:
            if is_low.get() and not hasattr(_limits, "seconds"):  # the pool waits for a connection that is being made
                _wait_for_turn()
            return
        timeout_error = OperationalError(f"the database did not answer in {seconds:g} s")
        if state == extensions.POLL_READ:
            wait_read(
                connection.fileno(), timeout=seconds, timeout_exc=timeout_error
            )  # psycopg2 closes the connection that raises here
        elif state == extensions.POLL_WRITE:
            wait_write(connection.fileno(), timeout=seconds, timeout_exc=timeout_error)
        else:
            raise OperationalError(f"unexpected state {state!r}")


def _wait_for_turn() -> None:
    with _turn, gevent.Timeout(TURN_SECONDS, exception=False):
        gevent.idle()
