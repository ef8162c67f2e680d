"""Deliveries: the rate of due signed webhooks to receivers that answer at once.

First to twenty destinations. Then to two hundred, of which a tenth answer after two seconds. Measured are the speed of
the other webhooks, and their delay after the 202.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from bench import everyday
from bench.environment import Api, BenchEnvironment
from bench.figures import Effort, Measurement, share
from bench.programs import Program
from bench.routing import spent, wake_workers
from bench.slow_destinations import arrivals
from inbox.runtime.queue import QueueName
from ops.children import wait_until

DESTINATIONS = 20
DRAIN_SECONDS = 120.0
CONNECTIONS = 4

GROUPS, FAST, SLOW = 4, 45, 5
"""Sources beside slow destinations, and the destinations of each. A routing profile takes at most 50."""

SLOW_SECONDS = 2.0
MANY = 4
"""The factor of deliveries for the two hundred destinations."""

WARM_SECONDS = 1.0
EVENTS_A_SECOND = 4
"""Each has fifty webhooks. About forty calls of slow destinations are open all the time, of the 75
that one worker allows them."""


class Target(NamedTuple):
    """The target of events by `web`: `each` destinations, of which `fast` answer at once.

    `sources` adds sources and returns keys.
    """

    name: str
    web: Api
    each: int
    fast: int
    sources: Callable[[], list[str]]


class Receivers(NamedTuple):
    """The receiver of the destinations that answer at once, and the receiver of the slow ones."""

    fast: Program
    slow: Program | None = None

    def counts(self) -> tuple[int, int]:
        """Returns the number of webhooks that each has received so far."""
        return self.fast.request("")["count"], self.slow.request("")["count"] if self.slow else 0


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures deliveries to twenty destinations with one worker and with two, and then to two hundred."""
    return [*few(stand, effort), *many(stand, effort)]


def few(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures events to twenty destinations each, which answer at once."""
    with Program("receiver") as receiver, stand.web() as web:
        ports = [receiver.read_line()["port"]] * DESTINATIONS
        target = Target("deliveries", web, DESTINATIONS, DESTINATIONS, lambda: _default_route(web, ports))
        return [_drained(stand, target, Receivers(receiver), effort.deliveries, workers) for workers in (1, 2)]


def many(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures events of four sources to fifty other destinations each, of which five are slow."""
    with Program("receiver") as fast, Program("receiver", answer_after=SLOW_SECONDS) as slow, stand.web() as web:
        ports = [fast.read_line()["port"]] * FAST + [slow.read_line()["port"]] * SLOW
        groups = [web.webhooks(ports) for _ in range(GROUPS)]
        name = f"{GROUPS * FAST} destinations beside {GROUPS * SLOW} slow ones"
        target = Target(name, web, FAST + SLOW, FAST, lambda: everyday.sources(web, groups))
        figures = list[Measurement]()
        for workers in (1, 2):
            figures.append(_drained(stand, target, Receivers(fast, slow), effort.deliveries * MANY, workers))
            figures.append(_paced(stand, target, Receivers(fast, slow), effort.everyday_seconds, workers))
        return figures


def _default_route(web: Api, ports: Sequence[int]) -> list[str]:
    web.send_everything_to(ports)
    return [web.source_key()]


def _drained(stand: BenchEnvironment, target: Target, receivers: Receivers, required: int, workers: int) -> Measurement:
    """Sends due deliveries by this many workers, until the last fast destination has all of its deliveries."""
    due = _fill(stand, target, required // target.each)
    with stand.workers(workers, ["delivery"]) as pids:
        first = receivers.counts()
        with stand.gate("deliveries", workers):
            wake_workers(QueueName.DELIVERY, workers)
        families = _families(stand, receivers, workers=pids)
        until = first[0] + due * target.fast // target.each
        began, before, sent = time.monotonic(), spent(families), receivers.counts()
        if not wait_until(lambda: receivers.fast.request("")["count"] >= until, DRAIN_SECONDS):
            raise RuntimeError(
                f"of {until - first[0]} webhooks {receivers.fast.request('')['count'] - first[0]} arrived"
            )
        seconds, after, last = time.monotonic() - began, spent(families), receivers.counts()
    fast, slow = last[0] - sent[0], last[1] - sent[1]
    notes = [f"{fast:,} webhooks", *([f"{slow:,} to slow ones"] if receivers.slow else [])]
    cpu = _cpu_each(before, after, fast + slow)
    return Measurement(
        name=f"{target.name}, {_of(workers)}",
        value=fast / seconds,
        unit="webhooks/s",
        note=", ".join([*notes, *_stated(cpu)]),
        more={"seconds": seconds, "webhooks": fast, "slow": slow, "cpu_us": cpu},
    )


def _fill(stand: BenchEnvironment, target: Target, events: int) -> int:
    """Turns events into incidents and deliveries. Returns the number of due ones.

    No wake-up is left for a new worker.
    """
    stand.clear()
    with stand.workers(1, ["routing"]):
        target.web.load(kind="single", tokens=target.sources(), connections=CONNECTIONS, requests=events)
        if not wait_until(lambda: stand.query_one("SELECT count(*) FROM event_queue") == 0, DRAIN_SECONDS):
            raise RuntimeError("the events were not routed")
    stand.redis.flushdb()
    due = int(stand.query_one("SELECT count(*) FROM deliveries WHERE status = 'pending'"))
    if due != events * target.each:
        raise RuntimeError(f"routing of {events} events owes {due} deliveries")
    return due


def _paced(stand: BenchEnvironment, target: Target, receivers: Receivers, seconds: float, workers: int) -> Measurement:
    """Measures events at a fixed rate, from the 202 to each webhook of a fast destination. Workers have all queues."""
    stand.clear()
    with stand.workers(workers) as pids, stand.scheduler() as scheduler:
        families = _families(stand, receivers, web=[target.web.pid], workers=pids, scheduler=[scheduler])
        order = {"port": target.web.port, "tokens": target.sources(), "rate": EVENTS_A_SECOND, "keys": 1_000_000}
        _send(receivers, target, order | {"seconds": WARM_SECONDS, "prefix": f"warm, {_of(workers)}"})
        before = spent(families)
        took = _send(receivers, target, order | {"seconds": seconds, "prefix": _of(workers)})
        time.sleep(SLOW_SECONDS)  # the last calls end
        cpu = _cpu_each(before, spent(families), len(took) * target.each // target.fast)
    p50, p99 = share(took, 0.5) * 1000, share(took, 0.99) * 1000
    notes = [f"{len(took):,} webhooks, the slowest {max(took) * 1000:,.0f} ms", *_stated(cpu)]
    return Measurement(
        name=f"{target.name}, {EVENTS_A_SECOND * target.each}/s, {_of(workers)} for all queues: accepted to webhook",
        value=p99,
        unit="ms",
        p50=p50,
        p99=p99,
        note=", ".join(notes),
        more={"webhooks": len(took), "slowest_ms": max(took) * 1000, "cpu_us": cpu},
    )


def _send(receivers: Receivers, target: Target, order: dict[str, object]) -> list[float]:
    """Returns seconds from the answer of each event to each of its fast webhooks.

    At the end, slow ones have begun, too.
    """
    slow = receivers.counts()[1]
    with Program("paced_sender", **order, list_answered=True) as sender:
        sent = sender.read_line()
    if sent["refused"]:
        raise RuntimeError(f"{sent['refused']} events were refused: {sent['first_refusal']}")
    took = arrivals(receivers.fast, sent["answered"], target.fast)
    slow += sent["sent"] * (target.each - target.fast)
    if not wait_until(lambda: receivers.counts()[1] >= slow, DRAIN_SECONDS):
        raise RuntimeError(f"{slow - receivers.counts()[1]} webhooks of slow destinations did not arrive")
    return took


def _families(stand: BenchEnvironment, receivers: Receivers, **service: Sequence[int]) -> dict[str, Sequence[int]]:
    servers = {"postgres": [stand.servers.postgres.pid], "redis": [stand.servers.redis.pid]}
    return service | servers | {"receivers": [each.pid for each in receivers if each]}


def _cpu_each(before: Mapping[str, float], after: Mapping[str, float], webhooks: int) -> dict[str, float]:
    """Returns microseconds of CPU of each part of a webhook."""
    return {part: (after[part] - before[part]) / webhooks * 1e6 for part in after}


def _stated(cpu: Mapping[str, float]) -> list[str]:
    return [f"{microseconds:.0f} µs {part}" for part, microseconds in cpu.items()]


def _of(workers: int) -> str:
    return f"{workers} worker{'s' if workers > 1 else ''}"
