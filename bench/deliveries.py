"""Deliveries: how fast signed webhooks that are due leave to a receiver that answers at once."""

from __future__ import annotations

import time

from bench.environment import BenchEnvironment
from bench.figures import Effort, Measurement
from bench.programs import Program
from bench.routing import spent, wake_workers
from inbox.queue import QueueName
from ops.children import wait_until

DESTINATIONS = 20
DRAIN_SECONDS = 120.0


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """With one worker and with two."""
    return [_drained(stand, effort.deliveries, workers) for workers in (1, 2)]


def _drained(stand: BenchEnvironment, required: int, workers: int) -> Measurement:
    stand.clear()
    with Program("receiver") as receiver:
        port = receiver.read_line()["port"]
        due = _owe(stand, required, port)
        with stand.workers(workers, ["delivery"]) as pids:
            with stand.gate("deliveries", workers):
                wake_workers(QueueName.DELIVERY, workers)
            families = {"workers": pids, "postgres": [stand.servers.postgres.pid], "receiver": [receiver.pid]}
            began, before = time.monotonic(), spent(families)
            if not wait_until(lambda: receiver.request("")["count"] >= due, DRAIN_SECONDS):
                raise RuntimeError(f"of {due} webhooks {receiver.request('')['count']} arrived")
            seconds, after = time.monotonic() - began, spent(families)
    cpu = [f"{(after[name] - before[name]) / due * 1e6:.0f} µs {name}" for name in after]
    return Measurement(
        name=f"deliveries, {workers} worker{'s' if workers > 1 else ''}",
        value=due / seconds,
        unit="webhooks/s",
        note=", ".join([f"{due:,} webhooks, {DESTINATIONS} destinations", *cpu]),
        more={"seconds": seconds, "webhooks": due},
    )


def _owe(stand: BenchEnvironment, required: int, port: int) -> int:
    """Events become incidents become deliveries; answers how many are due."""
    with stand.web() as web, stand.workers(1, ["routing"]):
        web.send_everything_to([port] * DESTINATIONS)
        requests = max(1, required // DESTINATIONS // 100 + 1)
        web.load(kind="batch", token=web.source_key(), connections=1, requests=requests)
        if not wait_until(lambda: stand.query_one("SELECT count(*) FROM event_queue") == 0, DRAIN_SECONDS):
            raise RuntimeError("the events were not routed")
    due = int(stand.query_one("SELECT count(*) FROM deliveries WHERE status = 'pending'"))
    if due == 0:
        raise RuntimeError("routing owes no delivery")
    return due
