"""Reads on a replica: the connections to `INBOX_READ_DATABASE_URL`, and the block whose queries go there.

No request waits for a replica that does not answer: after a failure, nobody asks it for some seconds (decision 0044).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, NamedTuple

import peewee
import psycopg2
import structlog
from psycopg2 import extensions

from inbox.database.base import connect, connect_arguments, db

log = structlog.get_logger("inbox.database")

ANSWER_SECONDS = 1.0
"""The longest wait for a connection to the replica, and for its first answer in a request."""

PAUSE_SECONDS = 5.0
"""After a failure nobody asks the replica for so long."""

CONNECTION_SECONDS = 300.0
"""The longest life of a connection, so that the reads find a replica that was added or is back."""

FAULTS = (peewee.DatabaseError, peewee.InterfaceError, psycopg2.Error)

OTHER_SYSTEM = (
    "INBOX_READ_DATABASE_URL does not lead to a replica of DATABASE_URL: it has another system identifier or database"
)

IDENTITY = (
    "(SELECT c.system_identifier || '/' || d.oid FROM pg_control_system() c, pg_database d"
    " WHERE d.datname = current_database())"
)
"""An SQL expression for what a server and its replicas have in common: the system identifier, and the database."""


_STATUS = f"""
    SELECT {IDENTITY}, pg_is_in_recovery(), CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
        ELSE coalesce(extract(epoch FROM now() - pg_last_xact_replay_timestamp()), 0) END::float8
"""


class ReplicaStatus(NamedTuple):
    """What the server at `INBOX_READ_DATABASE_URL` says of itself. `lag_seconds` is the age of what it replays, or 0."""

    identity: str
    is_in_recovery: bool
    lag_seconds: float


class ReplicaUnavailable(Exception):
    """The replica cannot be asked now: it failed some seconds ago, or all connections are in use."""


class Replica:
    """The replica of one process. Threads and greenlets share its connections."""

    def __init__(self, url: str, *, application: str, connections: int, pooled: bool = False) -> None:
        """Opens no connection yet. The name of a connection is `application` with `-reads`."""
        name = f"{application}-reads"
        self._arguments = connect_arguments(url, application=name, pooled=pooled, server="standby")
        self._pooled = pooled
        self._arguments["connect_timeout"] = 2  # libpq's shortest, where gevent does not limit the wait
        self._idle: list[tuple[Any, float]] = []
        self._free = threading.BoundedSemaphore(connections)
        self._connecting = threading.Lock()
        self._paused_until = 0.0
        self._primary_identity: str | None = None

    @property
    def is_paused(self) -> bool:
        """Whether the replica failed some seconds ago, so that it is not asked now."""
        return time.monotonic() < self._paused_until

    def pause(self) -> None:
        """Ask the replica no more for some seconds, and close its idle connections."""
        self._paused_until = time.monotonic() + PAUSE_SECONDS
        self.close()

    def close(self) -> None:
        """Close the idle connections."""
        while self._idle:
            with suppress(IndexError, psycopg2.Error):
                self._idle.pop()[0].close()

    @contextmanager
    def queries(self) -> Iterator[None]:
        """Sends the queries of the block to the replica. Through a pooler they are one transaction, which keeps to one server.

        Raises `ReplicaUnavailable` at once where the replica cannot be asked. It is paused when the connection breaks.
        """
        if self.is_paused or not self._free.acquire(blocking=False):
            raise ReplicaUnavailable
        try:
            connection, until = self._take()
            try:
                with _in_place_of_the_primary(connection), db.atomic() if self._pooled else nullcontext():
                    yield
            except FAULTS:
                if connection.closed:
                    self.pause()
                raise
            finally:
                self._give_back(connection, until)
        finally:
            self._free.release()

    def status(self) -> ReplicaStatus:
        """Asks the replica for its status. Raises `ReplicaUnavailable` where it does not answer."""
        try:
            with self.queries(), answer_limit():
                return ReplicaStatus(*db.execute_sql(_STATUS).fetchone())
        except FAULTS as fault:
            raise ReplicaUnavailable from fault

    def primary_identity(self) -> str:
        """Returns the identity of the server that this thread is connected to, which is asked once."""
        if self._primary_identity is None:
            [self._primary_identity] = db.execute_sql(f"SELECT {IDENTITY}").fetchone()
        return self._primary_identity

    def refuse_other_system(self) -> None:
        """Pauses the replica and logs what is wrong. The primary is asked for its identity again."""
        self._primary_identity = None
        if not self.is_paused:
            log.error("reads stay on the primary", detail=OTHER_SYSTEM)
        self.pause()

    def _take(self) -> tuple[Any, float]:
        now = time.monotonic()
        with suppress(IndexError):
            while True:
                connection, until = self._idle.pop()
                if not connection.closed and now < until:
                    return connection, until
                connection.close()
        if not self._connecting.acquire(blocking=False):  # one request tries, and the others go to the primary
            raise ReplicaUnavailable
        try:
            connection = connect(self._arguments, ANSWER_SECONDS)
            connection.autocommit = True
        except psycopg2.Error as fault:
            self.pause()
            raise ReplicaUnavailable from fault
        finally:
            self._connecting.release()
        return connection, now + CONNECTION_SECONDS

    def _give_back(self, connection: Any, until: float) -> None:
        if connection.closed or connection.get_transaction_status() != extensions.TRANSACTION_STATUS_IDLE:
            connection.close()
        else:
            self._idle.append((connection, until))


def answer_limit() -> Any:
    """Returns a block in which each wait for the database is short. Without gevent it does nothing."""
    if extensions.get_wait_callback() is None:
        return nullcontext()
    from inbox.runtime import gevent_psycopg

    return gevent_psycopg.limit(ANSWER_SECONDS)


@contextmanager
def _in_place_of_the_primary(connection: Any) -> Iterator[None]:
    # Models and queries know one database, so its connection is replaced. Peewee has no public name for it.
    state = db._state  # noqa: SLF001
    primary, state.conn = state.conn, connection
    try:
        yield
    finally:
        state.conn = primary


def report_other_system() -> None:
    """Logs one line at the start of a process whose replica has another system identifier or database."""
    if (replica := current()) is None:
        return
    with suppress(ReplicaUnavailable, *FAULTS), db.connection_context():
        if replica.status().identity != replica.primary_identity():
            replica.refuse_other_system()


_replica: Replica | None = None


def use(replica: Replica | None) -> None:
    """Sets the replica of the process; called by `bootstrap.configure`."""
    global _replica
    if _replica is not None:
        _replica.close()
    _replica = replica


def current() -> Replica | None:
    """Returns the replica of the process, or None without `INBOX_READ_DATABASE_URL`."""
    return _replica
