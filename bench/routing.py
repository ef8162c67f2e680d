"""Routing: the speed at which a backlog of accepted events is drained, by the default route and through fifty rules.

Each beside the ingest that created the backlog: batches of a hundred into the same tables, while nothing routes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from bench import rule_fixture
from bench.environment import Api, BenchEnvironment
from bench.figures import Effort, Measurement
from bench.processes import cpu_seconds
from inbox.runtime.queue import QueueName, job_queues
from ops.children import wait_until

SOURCES = 16
KEYS = 5_000
BACKLOG = 8
"""A multiple of the events of an effort, so that a run takes seconds."""

DRAIN_SECONDS = 120.0
ASKED_AGAIN = 10


class Setting(NamedTuple):
    """The events, the rules that decide them, and the number of workers."""

    name: str
    kind: str
    prepare: Callable[[Api], object]
    workers: tuple[int, ...]


SETTINGS = (
    Setting("routing", "batch", lambda web: None, (1, 2)),
    Setting(f"{rule_fixture.RULES} rules, {rule_fixture.PROFILES} profiles", "alerts", rule_fixture.write, (1, 2, 4)),
)


class Backlog(NamedTuple):
    """Waiting events, and the rate at which they were accepted."""

    events: int
    ingest: float


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures 5,000 deduplication keys over 16 sources without deliveries. In turns; the middle run of each counts."""
    kinds = [(setting, workers) for setting in SETTINGS for workers in setting.workers]
    rounds = [[drained(stand, setting, effort.events * BACKLOG, workers) for setting, workers in kinds]
              for _ in range(effort.rounds)]  # fmt: skip
    return [_middle(runs) for runs in zip(*rounds, strict=True)]


def _middle(runs: Sequence[Measurement]) -> Measurement:
    """Returns the fraction of its ingest rate that each reached."""
    parts = [run.value / run.more["ingest"] for run in runs]
    ordered = sorted(zip(parts, runs, strict=True), key=lambda pair: pair[0])
    middle = ordered[len(ordered) // 2][1]
    return replace(middle, note=f"{middle.note}; {' / '.join(f'{part:.2f}' for part in parts)} in turn")


def drained(
    stand: BenchEnvironment, setting: Setting, events: int, workers: int, sources: int = SOURCES
) -> Measurement:
    """Drains a backlog of about this many events of these sources with this many workers."""
    stand.clear()
    backlog = fill(stand, setting, events, sources)
    with stand.workers(workers, ["routing"]) as pids:
        with stand.gate("event_queue", workers):
            wake_workers(QueueName.ROUTING, workers)
        families = {"workers": pids, "postgres": [stand.servers.postgres.pid]}
        began, before = time.monotonic(), spent(families)
        if not wait_until(lambda: stand.query_one("SELECT count(*) FROM event_queue") == 0, DRAIN_SECONDS):
            raise RuntimeError(f"{stand.query_one('SELECT count(*) FROM event_queue')} events were not routed")
        seconds, after = time.monotonic() - began, spent(families)
    rate = backlog.events / seconds
    cpu = [f"{(after[name] - before[name]) / backlog.events * 1e6:.0f} µs {name}" for name in after]
    return Measurement(
        name=f"{setting.name}, {workers} worker{'s' if workers > 1 else ''}",
        value=rate,
        unit="events/s",
        note=", ".join([f"{rate / backlog.ingest:.2f} of ingest ({backlog.ingest:,.0f}/s)", *cpu]),
        more={"ingest": backlog.ingest, "seconds": seconds, "events": backlog.events},
    )


def spent(families: Mapping[str, Sequence[int]]) -> dict[str, float]:
    """Returns CPU time so far of these processes and their children, in seconds; 0 where it cannot be measured."""
    return {name: sum(_spent_by(pid) for pid in family) for name, family in families.items()}


def _spent_by(pid: int) -> float:
    """Measures again when a child ended at that moment. Returns 0 where it cannot be measured."""
    return next((seconds for _ in range(ASKED_AGAIN) if (seconds := cpu_seconds(pid)) is not None), 0.0)


def fill(stand: BenchEnvironment, setting: Setting, events: int, sources: int = SOURCES) -> Backlog:
    """Accepts about this many events, the same for any number of sources up to `SOURCES`. Nobody routes them yet."""
    count = max(SOURCES, sources)
    requests = max(2, events // 100 // count)
    order = {"kind": setting.kind, "connections": 8, "requests": requests, "keys": KEYS // count}
    with stand.web() as web:
        setting.prepare(web)
        tokens = [web.source_key() for _ in range(sources)]
        parts = [(tokens[number % sources], number * KEYS // count) for number in range(count)]
        rates = [web.load(token=token, first=first, **order)["rate"] * 100 for token, first in parts]
    return Backlog(int(stand.query_one("SELECT count(*) FROM event_queue")), sum(rates) / len(rates))


def wake_workers(queue: QueueName, times: int) -> None:
    """Wakes this many workers, though one call would do."""
    for _ in range(times):
        job_queues().acknowledge(queue)
        job_queues().wake(queue)
