"""A batch: the events of a shard that are routed together, claimed portion by portion."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from inbox.flow.routing.routing_config import needs
from inbox.models.events import queue as event_queue
from inbox.models.events.queue import QueuedEvent

FETCH_SIZE = 2_000
"""So many events are claimed at a time; who has so many waiting takes turns with others like it."""

MAX_EVENTS = 8_000
"""From so many on a batch is full: the more repeats an incident counts at once, the less each costs."""

MAX_BYTES = 16 * 1024 * 1024
"""Bytes of bodies, metadata and the like from which a batch is full, so that one of long texts does not fill the memory."""

SAMPLED = 16
"""One of so many events is weighed."""


def claim(shard: int, after: int) -> tuple[list[QueuedEvent], list[int]]:
    """The next events behind this place, in their order, and places whose event is gone. Only for who holds the shard."""
    events: list[QueuedEvent] = []
    deferred: list[int] = []
    weight = 0
    while True:
        more, too_heavy = event_queue.fetch(shard, FETCH_SIZE, after, needs())
        events += more
        deferred += too_heavy
        weight += _weight(more)
        if len(more) + len(too_heavy) < FETCH_SIZE or len(events) + len(deferred) >= MAX_EVENTS or weight >= MAX_BYTES:
            return events, deferred
        after = max([*too_heavy[-1:], *(event.seq for event in more[-1:])])


def _weight(events: Sequence[QueuedEvent]) -> int:
    """About how many bytes were read of them beside what is always read."""
    return SAMPLED * sum(len(orjson.dumps(tuple(event.details))) for event in events[::SAMPLED])
