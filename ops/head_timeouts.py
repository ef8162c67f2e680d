"""Limits how long connections of a worker wait for their next heads. One sweep ends connections whose time is over."""

from __future__ import annotations

import time
from itertools import islice, takewhile
from typing import TYPE_CHECKING

import gevent
import structlog

if TYPE_CHECKING:
    from ops.client_connection import ClientConnection

log = structlog.get_logger(__name__)

SWEEP_SECONDS = 1.0
AT_ONCE = 50
"""The connections that are ended without giving way to others."""

PAUSE_SECONDS = 0.001
"""A pause of this length lets connections be read; a turn of the loop alone would not."""

STOP_AFTER_SECONDS = 1.0


class HeadTimeouts:
    """The connections that wait for the head of a request.

    A head has `head_seconds` in all. For a connection that was answered, that time begins with its first byte, which may
    take `idle_seconds`. A timer for each connection would cost more than the reading of its head. So the beginnings are
    kept in their order, which is the order of the ends, too.
    """

    def __init__(self, head_seconds: float, idle_seconds: float) -> None:
        self._head_seconds, self._idle_seconds = head_seconds, idle_seconds
        self._heads: dict[ClientConnection, float] = {}
        self._idle: dict[ClientConnection, float] = {}

    def begin(self, connection: ClientConnection) -> None:
        """Starts the wait of the connection."""
        (self._idle if connection.answered else self._heads)[connection] = time.monotonic()

    def begin_head(self, connection: ClientConnection) -> None:
        """Notes that bytes have arrived. Only the first ones change the time."""
        if self._idle.pop(connection, None) is not None:
            self._heads[connection] = time.monotonic()

    def end(self, connection: ClientConnection) -> None:
        """Ends the wait: the head is complete, or the connection is closed."""
        self._idle.pop(connection, None)
        self._heads.pop(connection, None)

    def run(self) -> None:
        """Sweeps once a second, for ever."""
        while True:
            gevent.sleep(SWEEP_SECONDS)
            try:
                self.sweep()
            except Exception:  # the loop must continue
                log.exception("a sweep of connections failed")

    def sweep(self) -> None:
        """Ends the connections whose time is over, a few at a time, because thousands may have begun together."""
        for waiting, seconds in ((self._heads, self._head_seconds), (self._idle, self._idle_seconds)):
            while expired := _until(waiting, time.monotonic() - seconds):
                # A process that was busy may find the end of the time before the bytes that came within it.
                gevent.sleep(PAUSE_SECONDS)
                for connection, since in expired:
                    if waiting.get(connection) == since:
                        del waiting[connection]
                        connection.end()

    def stop(self) -> None:
        """Ends all connections except new ones, whose requests may arrive."""
        for waiting in (self._heads, self._idle):
            for connection, since in list(waiting.items()):
                if time.monotonic() - since > STOP_AFTER_SECONDS:
                    self.end(connection)
                    connection.end()


def _until(waiting: dict[ClientConnection, float], latest: float) -> list[tuple[ClientConnection, float]]:
    return list(takewhile(lambda item: item[1] <= latest, islice(waiting.items(), AT_ONCE)))
