"""Routing traces. A repeated trace is stored once a day, and each event refers to it by id.

Specification 4.10.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from inbox.domain import ids
from inbox.domain.routing import RoutingOutcome, record
from inbox.flow.routing.evaluate import EvaluatedEvent
from inbox.models.events.queue import SharedTrace

CACHED = 20_000
"""The maximum number of cached traces, of about a kilobyte each; a full cache is cleared."""

DAY = 24 * 60 * 60 * 1000
"""In milliseconds."""

_TraceKey = tuple[int, int, int, str, str | None, str | None, tuple[str, ...]]
"""Events with this key have equal traces: the same routing, decision and verdict objects, and equal outcomes."""


class Recorded(NamedTuple):
    """The trace of an event as JSON, or the id of a shared trace."""

    record: str | None = None
    id: UUID | None = None


class TraceRef:
    """A trace that was made before; `id` is None until it is stored. The event keeps the objects of the key alive."""

    __slots__ = ("event", "id")

    def __init__(self, event: EvaluatedEvent) -> None:
        self.event = event
        self.id: UUID | None = None


class TraceCache:
    """The traces that a process made on one day.

    Threads may share it. At worst two threads store the same trace under one id.
    """

    def __init__(self, size: int = CACHED) -> None:
        self._size = size
        self._day = 0
        self._traces: dict[_TraceKey, TraceRef] = {}

    @contextmanager
    def trusted(self) -> Iterator[None]:
        """Clear the cache after a failure: the database may come back without traces that were stored."""
        try:
            yield
        except BaseException:
            self._traces = {}
            raise

    def on(self, day: int) -> dict[_TraceKey, TraceRef]:
        """The traces of this day; the caller adds new ones."""
        if day != self._day or len(self._traces) >= self._size:
            self._day, self._traces = day, {}
        return self._traces


class BatchTraces:
    """The traces of one batch, which is routed at `now` under the lock of its shard."""

    def __init__(self, cache: TraceCache, now: datetime) -> None:
        self._day = int(now.timestamp() * 1000) // DAY
        self._traces = cache.on(self._day)
        self._fresh: dict[_TraceKey, SharedTrace] = {}

    @property
    def fresh(self) -> Sequence[SharedTrace]:
        """The traces to store with the batch if they are missing."""
        return list(self._fresh.values())

    def of(self, event: EvaluatedEvent, outcome: RoutingOutcome) -> Recorded:
        """The trace of this event. A first occurrence is stored with its event, because it may never be repeated."""
        key = (
            id(event.routing),
            id(event.decision),
            id(event.cached_verdict),
            outcome.disposition,
            outcome.act,
            outcome.reason,
            outcome.sentences,
        )
        trace = self._traces.get(key)
        if trace is None:
            self._traces[key] = TraceRef(event)
            return Recorded(record(event.decision, outcome, event.explained))
        if trace.id is not None:
            return Recorded(id=trace.id)
        if key not in self._fresh:
            self._fresh[key] = self._shared(event, record(event.decision, outcome, event.explained))
        return Recorded(id=self._fresh[key].id)

    def mark_committed(self) -> None:
        """Mark the stored traces after the commit, so that they are not stored again."""
        for key, shared in self._fresh.items():
            if key in self._traces:
                self._traces[key].id = shared.id

    def _shared(self, event: EvaluatedEvent, text: str) -> SharedTrace:
        """The id has the day, so that the trace is purged after the events of the day.

        The digest has the source as key. Only the holder of its shard can store the trace at this time.
        """
        source_id, workspace_id = event.event.source_id, event.event.workspace_id
        digest = hashlib.blake2b(text.encode(), digest_size=10, key=source_id.bytes).digest()
        return SharedTrace(workspace_id, ids.uuid7(self._day * DAY, digest), source_id, text)


trace_cache = TraceCache()
"""The cache of this process."""
