"""Routing: how fast a backlog of accepted events is drained, by one worker and by two."""

from __future__ import annotations

import time

from bench.figures import Effort, Figure
from bench.stand import Stand
from inbox.queue import Bell, bells
from ops.children import wait_until

SOURCES = 16
KEYS = 5_000
DRAIN_SECONDS = 120.0


def measure(stand: Stand, effort: Effort) -> list[Figure]:
    """With 5,000 deduplication keys over 16 sources, and no destination."""
    return [_drained(stand, effort.events, workers) for workers in (1, 2)]


def _drained(stand: Stand, events: int, workers: int) -> Figure:
    stand.clear()
    events = fill(stand, events)
    with stand.workers(workers, ["routing"]):
        with stand.gate("event_queue", workers):
            ring(Bell.ROUTING, workers)
        began = time.monotonic()
        if not wait_until(lambda: stand.ask("SELECT count(*) FROM event_queue") == 0, DRAIN_SECONDS):
            raise RuntimeError(f"{stand.ask('SELECT count(*) FROM event_queue')} events were not routed")
        seconds = time.monotonic() - began
    incidents = stand.ask("SELECT count(*) FROM incidents")
    return Figure(
        name=f"routing, {workers} worker{'s' if workers > 1 else ''}",
        value=events / seconds,
        unit="events/s",
        note=f"{events:,} events, {incidents:,} incidents",
    )


def fill(stand: Stand, events: int) -> int:
    """Accept about so many events, spread over sources; nobody routes them yet. Answers how many there are."""
    order = {"kind": "batch", "connections": 2, "requests": max(2, events // 100 // SOURCES), "keys": KEYS // SOURCES}
    with stand.web() as web:
        for _ in range(SOURCES):
            web.load(token=web.source_key(), **order)
    return int(stand.ask("SELECT count(*) FROM event_queue"))


def ring(bell: Bell, times: int) -> None:
    """Call so many workers, though one call would do."""
    for _ in range(times):
        bells().heard(bell)
        bells().ring(bell)
