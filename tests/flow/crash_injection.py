"""A worker that dies between two statements: its database connection ends, and another worker continues."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import count
from time import monotonic, sleep
from typing import Any, Self

import peewee
import psycopg2
from psycopg2.extensions import cursor as Cursor

from inbox.config import settings
from inbox.database.base import connection_released, db
from inbox.models.events import queue as event_queue
from inbox.models.events.queue import PARTITIONS
from tests.database.pgbouncer import direct

EVERYWHERE = -1
"""After each statement in turn."""


class CrashInjector:
    """Ends the connection of this thread after so many statements; a context manager, since it needs another connection."""

    def __init__(self) -> None:
        self._other_session = psycopg2.connect(direct(settings.current()))
        self._other_session.autocommit = True
        self.kills = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._other_session.close()

    def survive(self, act: Callable[[], object], after: int | None) -> None:
        """Do `act`; who is killed after the `after`-th statement is followed by one who does it again.

        `EVERYWHERE`: they are killed after the first statement, the second, and so on, until one comes to the end.
        """
        for place in count() if after == EVERYWHERE else (after, None):
            if not self._is_cut_short(act, place):
                return

    def _is_cut_short(self, act: Callable[[], object], after: int | None) -> bool:
        """Whether it was killed before all was done. The last statement of a transaction is the boundary before its commit;
        who dies with all done has done it."""
        left = [after]
        connection = db.connection()
        connection.cursor_factory = self._counting(left)
        is_cut_short = False
        try:
            act()
        except (peewee.OperationalError, peewee.InterfaceError, psycopg2.Error):
            if left[0] != -1:
                raise
            is_cut_short = True
        finally:
            connection.cursor_factory = None
        if left[0] == -1:
            self._another_worker()
        return is_cut_short

    def _another_worker(self) -> None:
        self.kills += 1
        with suppress(
            peewee.OperationalError
        ):  # behind a pooler, the next client may get the connection that was ended
            self._forget_attempts()
            return
        self._forget_attempts()

    @staticmethod
    def _forget_attempts() -> None:
        """The other one died of us, and not of its events."""
        with connection_released():
            pass
        for shard in range(PARTITIONS):
            event_queue.reset_attempts([shard])

    def _counting(self, left: list[int | None]) -> type[Cursor]:
        other_session = self._other_session

        class Counting(Cursor):
            def execute(self, *args: Any) -> None:
                super().execute(*args)
                if left[0] is not None and left[0] >= 0:
                    left[0] -= 1
                    if left[0] == -1:
                        _end(other_session, _pid(self.connection))

        return Counting


def _pid(connection: psycopg2.extensions.connection) -> int:
    """The backend, which a pooler gives to this connection for a transaction only."""
    with connection.cursor(cursor_factory=Cursor) as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [(pid,)] = cursor.fetchall()
        return int(pid)


def _end(connection: psycopg2.extensions.connection, pid: int) -> None:
    """End the backend and return when it is gone. The wait of `pg_terminate_backend` itself looks only every 100 ms."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", (pid,))
        deadline = monotonic() + 10
        while True:
            cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE pid = %s", (pid,))
            if cursor.fetchone() == (0,):
                return
            assert monotonic() < deadline, f"the backend {pid} goes on"
            sleep(0.002)
