"""Fetches a batch: the events of one shard, or of several with few events, that are routed together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import orjson

from inbox.flow.routing.routing_config import needs
from inbox.models.events import queue as event_queue
from inbox.models.events.queue import FetchedEvents, QueuedEvent

FETCH_SIZE = 2_000
"""The number of events per fetch. Shards with this many waiting events take turns."""

MAX_EVENTS = 8_000
"""A batch with this many events is full. Repeats of an incident cost less when they are counted together."""

MAX_BYTES = 16 * 1024 * 1024
"""A batch with this many bytes of optional columns is full, so that long texts do not exhaust the memory."""

SAMPLE_INTERVAL = 16
"""One of this many events is measured."""


def claim(after: Mapping[int, int]) -> dict[int, FetchedEvents]:
    """The next events of these shards after these positions. The caller holds the shards.

    Several shards are fetched by one statement. A single one may have a backlog, of which a full batch is fetched.
    """
    if len(after) > 1:
        return event_queue.fetch_all(after, FETCH_SIZE, needs())
    return {shard: _full_batch(shard, position) for shard, position in after.items()}


def _full_batch(shard: int, after: int) -> FetchedEvents:
    events: list[QueuedEvent] = []
    missing: list[int] = []
    weight = 0
    while True:
        more, missing_seqs = event_queue.fetch(shard, FETCH_SIZE, after, needs())
        events += more
        missing += missing_seqs
        weight += _weight(more)
        if (
            len(more) + len(missing_seqs) < FETCH_SIZE
            or len(events) + len(missing) >= MAX_EVENTS
            or weight >= MAX_BYTES
        ):
            return FetchedEvents(events, missing)
        after = max([*missing_seqs[-1:], *(event.seq for event in more[-1:])])


def _weight(events: Sequence[QueuedEvent]) -> int:
    """The approximate number of bytes read in optional columns."""
    return SAMPLE_INTERVAL * sum(
        len(orjson.dumps((event.body, event.url, event.external_id, event.metadata)))
        for event in events[::SAMPLE_INTERVAL]
    )
