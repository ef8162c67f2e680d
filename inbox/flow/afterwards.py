"""What follows the commits of ingest, apart from them: nobody who waits for an answer waits for Redis."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime, timedelta
from uuid import UUID

import peewee
import psycopg2
import structlog
from playhouse.pool import MaxConnectionsExceeded

from inbox import queue
from inbox.flow.receive import Settled
from inbox.models.base import db
from inbox.models.sources import SourceKey
from inbox.queue import Bell

log = structlog.get_logger(__name__)

PAUSE_SECONDS = 0.02
"""The bell is rung at once when it has been quiet, else at most this often."""

NOTED_SECONDS = 60.0
"""How often at most it is noted that a key was used."""


class Afterwards:
    """Rings for routing and notes the use of keys, in a thread of its own."""

    def __init__(self) -> None:
        self._wake = threading.Event()
        self._ring = False
        self._used: set[UUID] = set()
        self._noted: dict[UUID, float] = {}
        threading.Thread(target=self._run, name="afterwards", daemon=True).start()

    def follow(self, settled: Settled) -> None:
        """Take note of what was committed; answers at once."""
        now = time.monotonic()
        for key_id in settled.key_ids:
            if now - self._noted.get(key_id, -NOTED_SECONDS) >= NOTED_SECONDS:
                self._noted[key_id] = now
                self._used.add(key_id)
        if settled.new:
            self._ring = True
        if self._ring or self._used:
            self._wake.set()

    def _run(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            try:
                self._catch_up()
            except (
                Exception
            ):  # the loop goes on: routing finds the events by its sweep, and the use of a key is a nicety
                log.exception("what follows a commit failed")
            time.sleep(PAUSE_SECONDS)

    def _catch_up(self) -> None:
        if self._ring:
            self._ring = False
            queue.bells().ring(Bell.ROUTING)
        if self._used:
            used, self._used = self._used, set()
            _note(used)


def _note(key_ids: set[UUID]) -> None:
    now = datetime.now(UTC)
    old = SourceKey.last_used_at.is_null() | (SourceKey.last_used_at < now - timedelta(seconds=NOTED_SECONDS))
    try:
        with db.connection_context():
            SourceKey.update(last_used_at=now).where(SourceKey.id.in_(key_ids) & old).execute()
    except (peewee.DatabaseError, peewee.InterfaceError, psycopg2.Error, MaxConnectionsExceeded) as fault:
        log.warning("use of keys not noted", fault=type(fault).__name__)
