"""What is recorded of events: a record that is made again is stored once a day, and only its id with each event.

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
"""Records that a process knows again, of about a kilobyte each; then it begins anew."""

DAY = 24 * 60 * 60 * 1000
"""In milliseconds."""

_TraceKey = tuple[int, int, int, str, str | None, str | None, tuple[str, ...]]
"""Events of which the same is recorded: of one court, by one decision and what rules said (the same objects), with one fate."""


class Recorded(NamedTuple):
    """The record of an event, as JSON, or the id of the one that it shares."""

    record: str | None = None
    id: UUID | None = None


class TraceRef:
    """Of one case a record was made before; `id` is by which it is stored, if it is. With the case stays what it is known by."""

    __slots__ = ("event", "id")

    def __init__(self, event: EvaluatedEvent) -> None:
        self.event = event
        self.id: UUID | None = None


class TraceCache:
    """The records that a process made on one day. Threads may share it: at worst one is stored by both, under one id."""

    def __init__(self, size: int = CACHED) -> None:
        self._size = size
        self._day = 0
        self._traces: dict[_TraceKey, TraceRef] = {}

    @contextmanager
    def trusted(self) -> Iterator[None]:
        """Within it the database must not fail: what comes back afterwards may be without what was stored."""
        try:
            yield
        except BaseException:
            self._traces = {}
            raise

    def on(self, day: int) -> dict[_TraceKey, TraceRef]:
        """What is known of this day; who asks fills it."""
        if day != self._day or len(self._traces) >= self._size:
            self._day, self._traces = day, {}
        return self._traces


class BatchTraces:
    """The records of one batch, of which a shard is held and which is routed at `now`."""

    def __init__(self, cache: TraceCache, now: datetime) -> None:
        self._day = int(now.timestamp() * 1000) // DAY
        self._traces = cache.on(self._day)
        self._fresh: dict[_TraceKey, SharedTrace] = {}

    @property
    def fresh(self) -> Sequence[SharedTrace]:
        """What is to be stored with the batch, where it is not."""
        return list(self._fresh.values())

    def of(self, event: EvaluatedEvent, outcome: RoutingOutcome) -> Recorded:
        """The record of this event. One that is made for the first time may be so for the last: the event keeps it to itself."""
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
        """The batch is committed: what was fresh need not be stored again."""
        for key, shared in self._fresh.items():
            if key in self._traces:
                self._traces[key].id = shared.id

    def _shared(self, event: EvaluatedEvent, text: str) -> SharedTrace:
        """By its id it goes when the events of the day are gone. It is of one source, so that nobody else stores it just now."""
        source_id, workspace_id = event.event.source_id, event.event.workspace_id
        digest = hashlib.blake2b(text.encode(), digest_size=10, key=source_id.bytes).digest()
        return SharedTrace(workspace_id, ids.uuid7(self._day * DAY, digest), source_id, text)


trace_cache = TraceCache()
"""Of this process."""
