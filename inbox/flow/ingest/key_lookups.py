"""Checks that a source key is live before a large body is read. Concurrent requests share one query."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import psycopg2
import structlog

from inbox.domain.values.refusals import Unavailable
from inbox.flow.group_commit import GroupCommit, PerProcess, Waiting
from inbox.flow.unit_of_work import sqlstate
from inbox.models.events.ingest_store import IngestConnection

log = structlog.get_logger(__name__)

MAX_KEYS = 500
"""The maximum number of keys in one query."""

TIMEOUT_SECONDS = 10.0


class _PendingLookup(Waiting[bool]):
    """A waiting request. Its outcome says whether its key is live."""

    __slots__ = ("digest",)

    def __init__(self, digest: str) -> None:
        super().__init__()
        self.digest = digest


class KeyLookups(GroupCommit[_PendingLookup]):
    """Looks up keys in a thread with its own database connection, so that look-ups use no pooled connection.

    Results are not cached. The transaction that stores the events looks up the key again (decision 0006).
    """

    def __init__(self, *, timeout: float = TIMEOUT_SECONDS) -> None:
        self._connection = IngestConnection()
        super().__init__(["key look-ups"], max_group=MAX_KEYS, timeout=timeout)

    def is_live(self, digest: str) -> bool:
        """Returns whether the key with this digest (hex) may send events; raises `Unavailable` when the look-up fails."""
        pending = _PendingLookup(digest)
        self._wait(pending)
        if pending.outcome is None or isinstance(pending.outcome, Exception):
            raise Unavailable()
        return pending.outcome

    def _commit(self, group: Sequence[_PendingLookup], number: int) -> None:
        live: Collection[str] | None = None
        try:
            live = self._live({pending.digest for pending in group})
        except Exception as fault:  # noqa: BLE001 - the thread continues, and these requests get a 503
            log.warning("keys not looked up", fault=type(fault).__name__, sqlstate=sqlstate(fault))
        for pending in group:
            pending.release(None if live is None else pending.digest in live)

    def _live(self, digests: Collection[str]) -> Collection[str]:
        try:
            return self._connection.store().find_keys((digest, None) for digest in digests).keys
        except psycopg2.Error:
            connection_lost = self._connection.is_closed
            self._connection.close()
            if not connection_lost:
                raise
        return self._connection.store().find_keys((digest, None) for digest in digests).keys


key_lookups = PerProcess(KeyLookups)
"""The look-ups of this process."""
