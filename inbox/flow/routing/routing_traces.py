"""Routing traces. A repeated trace is stored once a day, and each event refers to it by id.

Specification 4.10.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from threading import Lock
from uuid import UUID

from cachetools import LRUCache

from inbox.domain import ids
from inbox.domain.routing import RoutingDecision, RoutingOutcome, record
from inbox.flow.routing.evaluate import EvaluatedEvent
from inbox.flow.routing.routing_config import SourceRouting
from inbox.models.events.queue import QueuedEvent
from inbox.models.events.routing_results import RoutingResult, SharedTrace

MAX_CACHED = 20_000
"""The maximum number of cached traces. Their keys have at most about a kilobyte."""

MAX_KEY_LENGTH = 1_024
"""The number of characters of the rules' record in a key. A digest replaces a longer record."""

DAY = 24 * 60 * 60 * 1000
"""In milliseconds."""

TraceKey = tuple[int, SourceRouting, RoutingDecision, str, str, str | None, str | None, tuple[str, ...]]
"""The day, and all values that the trace consists of. Events with this key have equal traces."""


class TraceCache:
    """The ids of the traces that a process made; None for a trace that was made once and is not shared.

    Threads may share it. At worst two threads store the same trace under one id.
    """

    def __init__(self, max_entries: int = MAX_CACHED) -> None:
        self._lock = Lock()
        self._ids: LRUCache[TraceKey, UUID | None] = LRUCache(max_entries)

    @contextmanager
    def cleared_on_failure(self) -> Iterator[None]:
        """Clear the cache after a failure: the database may come back without traces that were stored."""
        try:
            yield
        except BaseException:
            with self._lock:
                self._ids.clear()
            raise

    def find(self, key: TraceKey) -> tuple[bool, UUID | None]:
        """Whether the trace was made before, and its id if it is stored. It counts as made from now on."""
        with self._lock:
            if key in self._ids:
                return True, self._ids[key]
            self._ids[key] = None
        return False, None

    def add(self, ids: Mapping[TraceKey, UUID]) -> None:
        """Remember the ids of stored traces."""
        with self._lock:
            self._ids.update(ids)


class BatchTraces:
    """The traces of one batch, which is routed at `now` under the lock of its shard."""

    def __init__(self, cache: TraceCache, now: datetime) -> None:
        self._day = int(now.timestamp() * 1000) // DAY
        self._cache = cache
        self._ids: dict[TraceKey, UUID] = {}
        self._new_traces: dict[TraceKey, SharedTrace] = {}

    @property
    def new_traces(self) -> Sequence[SharedTrace]:
        """The traces to store with the batch if they are missing."""
        return list(self._new_traces.values())

    def result(self, event: QueuedEvent, evaluated: EvaluatedEvent, outcome: RoutingOutcome) -> RoutingResult:
        """The result of this event with its trace, or with the id of a shared one.

        The first event with a trace stores it, because the trace may never be repeated.
        """
        decision, rules, text = evaluated.decision, evaluated.rules_record, None
        if rules is None:
            rules = evaluated.trace_text
        key = (
            self._day,
            evaluated.routing,
            decision,
            rules if len(rules) <= MAX_KEY_LENGTH else _digest(rules),
            outcome.disposition,
            outcome.act,
            outcome.reason,
            outcome.sentences,
        )
        id = self._ids.get(key)
        if id is None:
            is_repeated, id = self._cache.find(key)
            if not is_repeated:
                text = record(decision, outcome, rules)
            elif id is None:
                id = self._share(key, event, record(decision, outcome, rules))
            else:
                self._ids[key] = id
        return RoutingResult(event.workspace_id, event.id_text, outcome.disposition, outcome.incident_id, text, id)

    def mark_committed(self) -> None:
        """Remember the stored traces after the commit, so that they are not stored again."""
        self._cache.add({key: self._ids[key] for key in self._new_traces})

    def _share(self, key: TraceKey, event: QueuedEvent, text: str) -> UUID:
        """Add a trace to store, and return its id.

        The id has the day, so that the trace is purged after the events of the day.

        The digest has the source as key. Only the holder of its shard can store the trace at this time.
        """
        digest = hashlib.blake2b(text.encode(), digest_size=10, key=event.source_id.bytes).digest()
        id = self._ids[key] = ids.uuid7(self._day * DAY, digest)
        self._new_traces[key] = SharedTrace(event.workspace_id, id, event.source_id, text)
        return id


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


trace_cache = TraceCache()
"""The cache of this process."""
