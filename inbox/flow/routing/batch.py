"""Fetches a batch: the events of one shard, or of several with few events, that are routed together."""

from __future__ import annotations

from collections.abc import Mapping

from inbox.flow.routing.routing_config import needs
from inbox.models.events import queue as event_queue
from inbox.models.events.queue import EVERY, FetchedEvents, QueuedEvent, Selection

FETCH_SIZE = 2_000
"""The number of events per fetch. Shards with this many waiting events take turns."""

MAX_EVENTS = 8_000
"""A batch with this many events is full. Repeats of an incident cost less when they are counted together."""

MAX_BYTES = 16 * 1024 * 1024
"""A batch with this many characters of optional columns is full, so that long texts do not exhaust the memory."""

TURN_EVENTS = 200
"""The number of events of a workspace whose events take long that are fetched for its turn."""


def claim(after: Mapping[int, int], selection: Selection = EVERY) -> dict[int, FetchedEvents]:
    """The next selected events of these shards after these positions. The caller holds the shards.

    Several shards are fetched by one statement. A single one may have a backlog, of which a full batch is fetched.
    """
    if selection.only is not None or len(after) > 1:
        return event_queue.fetch_all(after, TURN_EVENTS if selection.only else FETCH_SIZE, needs(), selection)
    return {shard: _full_batch(shard, position, selection) for shard, position in after.items()}


def _full_batch(shard: int, after: int, selection: Selection) -> FetchedEvents:
    events: list[QueuedEvent] = []
    missing: list[int] = []
    weight = 0
    while True:
        more, missing_seqs = event_queue.fetch(shard, FETCH_SIZE, after, needs(), selection)
        events += more
        missing += missing_seqs
        weight += sum(event.optional_length for event in more if event.read)
        if (
            len(more) + len(missing_seqs) < FETCH_SIZE
            or len(events) + len(missing) >= MAX_EVENTS
            or weight >= MAX_BYTES
        ):
            return FetchedEvents(events, missing)
        after = max([*missing_seqs[-1:], *(event.seq for event in more[-1:])])
