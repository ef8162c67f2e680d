"""Deliveries: how fast signed webhooks that are due leave to a receiver that answers at once."""

from __future__ import annotations

import time

from bench.figures import Effort, Figure
from bench.programs import Program
from bench.routing import ring, spent
from bench.stand import Stand
from inbox.queue import Bell
from ops.children import wait_until

DESTINATIONS = 20
DRAIN_SECONDS = 120.0


def measure(stand: Stand, effort: Effort) -> list[Figure]:
    """With one worker and with two."""
    return [_drained(stand, effort.deliveries, workers) for workers in (1, 2)]


def _drained(stand: Stand, wanted: int, workers: int) -> Figure:
    stand.clear()
    with Program("receiver") as receiver:
        port = receiver.hear()["port"]
        owed = _owe(stand, wanted, port)
        with stand.workers(workers, ["delivery"]) as pids:
            with stand.gate("deliveries", workers):
                ring(Bell.DELIVERY, workers)
            families = {"workers": pids, "postgres": [stand.servers.postgres.pid], "receiver": [receiver.pid]}
            began, before = time.monotonic(), spent(families)
            if not wait_until(lambda: receiver.ask("")["count"] >= owed, DRAIN_SECONDS):
                raise RuntimeError(f"of {owed} webhooks {receiver.ask('')['count']} arrived")
            seconds, after = time.monotonic() - began, spent(families)
    cpu = [f"{(after[name] - before[name]) / owed * 1e6:.0f} µs {name}" for name in after]
    return Figure(
        name=f"deliveries, {workers} worker{'s' if workers > 1 else ''}",
        value=owed / seconds,
        unit="webhooks/s",
        note=", ".join([f"{owed:,} webhooks, {DESTINATIONS} destinations", *cpu]),
        more={"seconds": seconds, "webhooks": owed},
    )


def _owe(stand: Stand, wanted: int, port: int) -> int:
    """Events become incidents become deliveries; answers how many are due."""
    with stand.web() as web, stand.workers(1, ["routing"]):
        web.send_everything_to([port] * DESTINATIONS)
        requests = max(1, wanted // DESTINATIONS // 100 + 1)
        web.load(kind="batch", token=web.source_key(), connections=1, requests=requests)
        if not wait_until(lambda: stand.ask("SELECT count(*) FROM event_queue") == 0, DRAIN_SECONDS):
            raise RuntimeError("the events were not routed")
    owed = int(stand.ask("SELECT count(*) FROM deliveries WHERE status = 'pending'"))
    if owed == 0:
        raise RuntimeError("routing owes no delivery")
    return owed
