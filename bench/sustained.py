"""Ingest and routing at once: whether workers keep up with web processes at full load, on the same cores."""

from __future__ import annotations

import time
from typing import NamedTuple

from bench import rule_fixture
from bench.environment import BenchEnvironment
from bench.figures import Effort, Measurement
from bench.load import BATCH
from bench.routing import DRAIN_SECONDS, SOURCES
from ops.children import wait_until

SECONDS = 2
"""A multiple of the seconds of an effort: long enough for a queue to grow where one does."""

TAKEN_IN = "SELECT count(*) FROM received_events"
WAITING = "SELECT count(*) FROM event_queue"
SPAN = "SELECT extract(epoch FROM max(received_at) - min(received_at)) FROM received_events"


class Flow(NamedTuple):
    """The flow of events: the kind of load, the connections, and the events of a request."""

    name: str
    kind: str
    connections: int
    each: int


FLOWS = (Flow("single events", "alert", 64, 1), Flow(f"batches of {BATCH}", "alerts", 8, BATCH))


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures fifty rules and twenty profiles, by one worker and by two, without deliveries."""
    return [_measured(stand, effort, flow, workers) for flow in FLOWS for workers in (1, 2)]


def _measured(stand: BenchEnvironment, effort: Effort, flow: Flow, workers: int) -> Measurement:
    stand.clear()
    with stand.web() as web, stand.workers(workers, ["routing"]):
        rule_fixture.write(web)
        tokens = [web.source_key() for _ in range(SOURCES)]
        order = {"kind": flow.kind, "connections": flow.connections, "seconds": effort.seconds * SECONDS}
        run = web.load(tokens=tokens, **order)
        waiting, taken_in, seconds = stand.query_one(WAITING), stand.query_one(TAKEN_IN), float(stand.query_one(SPAN))
        began = time.monotonic()
        if not wait_until(lambda: stand.query_one(WAITING) == 0, DRAIN_SECONDS):
            raise RuntimeError(f"{stand.query_one(WAITING)} events were not routed")
        drained = time.monotonic() - began
    ingest, routed = taken_in / seconds, (taken_in - waiting) / seconds
    return Measurement(
        name=f"{flow.name}, {flow.connections} connections, routed by {workers} worker{'s' if workers > 1 else ''}",
        value=routed,
        unit="events/s",
        p50=run["p50"],
        p99=run["p99"],
        note=f"{routed / ingest:.2f} of ingest ({ingest:,.0f}/s); {waiting:,} of {taken_in:,} waited at the end, for {drained:.1f} s",
        more={"ingest": ingest, "waiting": waiting, "taken_in": taken_in, "drained_seconds": drained},
    )
