"""Whether a source key is live, looked up before a large body is read; requests of the same moment share one query."""

from __future__ import annotations

import _thread
import os
import threading
from collections import deque
from collections.abc import Collection

import psycopg2
import structlog

from inbox.domain.refusals import Unavailable
from inbox.flow.again import sqlstate
from inbox.models.events.ingest_connection import IngestConnection

log = structlog.get_logger(__name__)

TOGETHER = 500
"""Keys of one query."""

PATIENCE_SECONDS = 10.0


class _Asked:
    """One request that waits: `done` is held until `live` is known; None says that the database is away."""

    __slots__ = ("digest", "done", "live")

    def __init__(self, digest: str) -> None:
        self.digest = digest
        self.live: bool | None = None
        self.done = _thread.allocate_lock()
        self.done.acquire()


class KeyLookups:
    """A thread with a database connection of its own, so that many look-ups take none from anybody else.

    Nothing is remembered. The transaction that stores the events looks the key up again (decision 0010).
    """

    def __init__(self, *, patience: float = PATIENCE_SECONDS) -> None:
        self._patience = patience
        self._asked: deque[_Asked] = deque()
        self._wake = threading.Event()
        self._line = IngestConnection()
        threading.Thread(target=self._run, name="key look-ups", daemon=True).start()

    def is_live(self, digest: str) -> bool:
        """Whether the key with this digest (hex) may send events now; raises `Unavailable` when that cannot be known."""
        asked = _Asked(digest)
        self._asked.append(asked)
        self._wake.set()
        if not asked.done.acquire(timeout=self._patience) or asked.live is None:
            raise Unavailable()
        return asked.live

    def _run(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            while self._asked:
                self._answer([self._asked.popleft() for _ in range(min(TOGETHER, len(self._asked)))])

    def _answer(self, together: list[_Asked]) -> None:
        try:
            live = self._live({asked.digest for asked in together})
        except Exception as fault:  # noqa: BLE001 - the thread goes on, and these requests are answered 503
            log.warning("keys not looked up", fault=type(fault).__name__, sqlstate=sqlstate(fault))
        else:
            for asked in together:
                asked.live = asked.digest in live
        for asked in together:
            asked.done.release()

    def _live(self, digests: Collection[str]) -> Collection[str]:
        try:
            return self._line.store().find_keys((digest, None) for digest in digests).keys
        except psycopg2.Error:
            was_lost = self._line.is_closed
            self._line.close()
            if not was_lost:
                raise
        return self._line.store().find_keys((digest, None) for digest in digests).keys


def key_lookups() -> KeyLookups:
    """Those of this process; a forked child has its own."""
    global _lookups
    if _lookups is None:
        with _making:
            _lookups = _lookups or KeyLookups()
    return _lookups


def _forget() -> None:
    global _lookups, _making
    _lookups, _making = None, _thread.allocate_lock()


_lookups: KeyLookups | None = None
_making = _thread.allocate_lock()
os.register_at_fork(after_in_child=_forget)
