"""Slow destinations: the delay of webhooks to healthy receivers next to ten that harm their caller."""

from __future__ import annotations

import time
from collections.abc import Sequence

from bench.environment import BenchEnvironment
from bench.figures import Effort, Measurement, share
from bench.processes import family, resident_bytes
from bench.programs import Program
from bench.routing import spent
from bench.tarpits import HARMS

DESTINATIONS = 50
EVENTS_A_SECOND = 2
ARRIVE_SECONDS = 60.0
LIMIT_MS, GROWTH_MB, LATE_MS = 2_000.0, 32.0, 1_000.0
"""The limits: p99 of the healthy ones, growth of a worker, and how long a call may outlast its deadline."""

DEADLINE_MS = 15_000
"""The default of `INBOX_DELIVERY_TIMEOUT_SECONDS`."""


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures forty healthy destinations alone, and then with ten harmful ones. One worker delivers."""
    healthy = DESTINATIONS - len(HARMS)
    alone = measured(stand, effort.everyday_seconds / 4, healthy, [])
    with Program("tarpits") as tarpits:
        ports = tarpits.read_line()["ports"]
        return [
            alone,
            measured(stand, effort.everyday_seconds, healthy, ports),
            measured(stand, effort.everyday_seconds, healthy, ports, divided=False),
        ]


def measured(
    stand: BenchEnvironment,
    seconds: float,
    healthy: int,
    slow: Sequence[int],
    *,
    rate: float = EVENTS_A_SECOND,
    divided: bool = True,
) -> Measurement:
    """Measures events at a rate, from the 202 to each healthy webhook, beside receivers at the ports `slow`.

    `divided`: one worker delivers and another one does the rest. Otherwise one worker has all queues.
    """
    stand.clear()
    with (
        Program("receiver") as receiver,
        stand.web() as web,
        stand.workers(1 if divided else 0, ["routing", "timers", "sweep"]),
        stand.workers(1, ["delivery"] if divided else []) as workers,
        stand.scheduler(),
    ):
        port = receiver.read_line()["port"]
        web.send_everything_to([port] * healthy + list(slow))
        order = {"port": web.port, "token": web.source_key(), "rate": rate, "keys": 1_000_000}
        with Program("paced_sender", **order, seconds=2, prefix="warm") as sender:
            sender.read_line()
        before, cpu = _memory(workers), spent({"worker": workers})["worker"]
        with Program("paced_sender", **order, seconds=seconds, prefix="beside", list_answered=True) as sender:
            sent = sender.read_line()
        took = arrivals(receiver, sent["answered"], healthy)
        if slow:
            time.sleep((DEADLINE_MS + LATE_MS) / 1000)  # the last calls end at their deadline
        grown, used = _memory(workers) - before, spent({"worker": workers})["worker"] - cpu
        longest = int(stand.query_one("SELECT coalesce(max(duration_ms), 0) FROM delivery_attempts"))
        calls = int(stand.query_one("SELECT count(*) FROM delivery_attempts"))
    name = f"{healthy} destinations" + (f" beside {len(slow)} slow ones" if slow else "")
    name += "" if divided else ", one worker for all"
    return _figure(name, took, calls, longest, grown, used)


def _figure(name: str, took: list[float], calls: int, longest: int, grown: float, used: float) -> Measurement:
    p99 = share(took, 0.99) * 1000
    held = p99 < LIMIT_MS and grown < GROWTH_MB and longest <= DEADLINE_MS + LATE_MS
    notes = [f"{len(took):,} webhooks", f"{calls:,} calls, the longest {longest:,} ms", f"worker {grown:+.0f} MiB"]
    notes += [f"{used / calls * 1e6:.0f} µs CPU a call", *([] if held else ["NOT HELD"])]
    return Measurement(
        name=name,
        value=p99,
        unit="ms",
        p50=share(took, 0.5) * 1000,
        p99=p99,
        note=", ".join(notes),
        more={"webhooks": len(took), "longest_ms": longest, "grown_mib": grown, "slowest_ms": max(took) * 1000},
    )


def arrivals(receiver: Program, answered: dict[str, float], healthy: int) -> list[float]:
    """Returns seconds from the answer of each event to each of its webhooks at the healthy receivers."""
    took, until = list[float](), time.monotonic() + ARRIVE_SECONDS
    required = len(answered) * healthy
    while len(took) < required:
        if time.monotonic() > until:
            raise RuntimeError(f"{required - len(took)} of {required} webhooks did not arrive")
        took += [at - answered[title] for at, title in receiver.request("")["arrivals"] if title in answered]
        time.sleep(0.2)
    return took


def _memory(pids: Sequence[int]) -> float:
    """Returns resident memory of the workers and their forks, in MiB."""
    return sum(resident_bytes(member) for pid in pids for member in family(pid)) / 2**20
