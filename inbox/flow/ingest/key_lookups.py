"""Checks that a source key is live before a large body is read. Concurrent requests share one query."""

from __future__ import annotations

import _thread
import os
import threading
from collections import deque
from collections.abc import Collection

import psycopg2
import structlog

from inbox.domain.refusals import Unavailable
from inbox.flow.unit_of_work import sqlstate
from inbox.models.events.ingest_store import IngestConnection

log = structlog.get_logger(__name__)

MAX_KEYS = 500
"""The maximum number of keys in one query."""

TIMEOUT_SECONDS = 10.0


class _PendingLookup:
    """A waiting request. `release_lock` is locked until it is released; `live` is None when the database is unavailable."""

    __slots__ = ("digest", "live", "release_lock")

    def __init__(self, digest: str) -> None:
        self.digest = digest
        self.live: bool | None = None
        self.release_lock = _thread.allocate_lock()
        self.release_lock.acquire()


class KeyLookups:
    """Looks up keys in a thread with its own database connection, so that look-ups use no pooled connection.

    Results are not cached. The transaction that stores the events looks up the key again (decision 0010).
    """

    def __init__(self, *, timeout: float = TIMEOUT_SECONDS) -> None:
        self._timeout = timeout
        self._pending: deque[_PendingLookup] = deque()
        self._wake = threading.Event()
        self._connection = IngestConnection()
        threading.Thread(target=self._run, name="key look-ups", daemon=True).start()

    def is_live(self, digest: str) -> bool:
        """Whether the key with this digest (hex) may send events; raises `Unavailable` when the look-up fails."""
        pending = _PendingLookup(digest)
        self._pending.append(pending)
        self._wake.set()
        if not pending.release_lock.acquire(timeout=self._timeout) or pending.live is None:
            raise Unavailable()
        return pending.live

    def _run(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            while self._pending:
                self._look_up([self._pending.popleft() for _ in range(min(MAX_KEYS, len(self._pending)))])

    def _look_up(self, group: list[_PendingLookup]) -> None:
        try:
            live = self._live({pending.digest for pending in group})
        except Exception as fault:  # noqa: BLE001 - the thread continues, and these requests get a 503
            log.warning("keys not looked up", fault=type(fault).__name__, sqlstate=sqlstate(fault))
        else:
            for pending in group:
                pending.live = pending.digest in live
        for pending in group:
            pending.release_lock.release()

    def _live(self, digests: Collection[str]) -> Collection[str]:
        try:
            return self._connection.store().find_keys((digest, None) for digest in digests).keys
        except psycopg2.Error:
            connection_lost = self._connection.is_closed
            self._connection.close()
            if not connection_lost:
                raise
        return self._connection.store().find_keys((digest, None) for digest in digests).keys


def key_lookups() -> KeyLookups:
    """The look-ups of this process; a forked child creates its own."""
    global _lookups
    if _lookups is None:
        with _creation_lock:
            _lookups = _lookups or KeyLookups()
    return _lookups


def _forget() -> None:
    global _lookups, _creation_lock
    _lookups, _creation_lock = None, _thread.allocate_lock()


_lookups: KeyLookups | None = None
_creation_lock = _thread.allocate_lock()
os.register_at_fork(after_in_child=_forget)
