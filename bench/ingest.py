"""Ingest: accepted events per second, compared with the bare server, and tool payloads compared with batches.

Nothing routes meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from bench.alertmanager_bodies import ALERTS
from bench.environment import Api, BenchEnvironment
from bench.figures import Effort, Measurement

CONNECTIONS = (1, 8, 64)
BATCH_CONNECTIONS = 8
PARTS = ("web", "postgres")
"""The processes whose CPU time of an event is printed."""


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures single events at 1, 8 and 64 connections, batches of 100, and Alertmanager webhooks of 100 alerts."""
    figures = []
    stand.clear()
    with stand.baseline() as bare, stand.web() as web:
        token = web.source_key()
        for connections in CONNECTIONS:
            figures += _beside(bare, web, effort, connections, {"kind": "single", "token": token})
        figures += _beside(bare, web, effort, BATCH_CONNECTIONS, {"kind": "batch", "token": token})
        figures.append(payloads(web, effort, token))
    return figures


def _beside(bare: Api, web: Api, effort: Effort, connections: int, order: dict[str, Any]) -> list[Measurement]:
    foreign_one, ours = [], []
    for _ in range(effort.rounds):
        foreign_one.append(bare.load(kind="hello", connections=connections, seconds=effort.seconds))
        ours.append(web.load(connections=connections, seconds=effort.seconds, **order))
    each = 100 if order["kind"] == "batch" else 1
    hello, rate = median(run["rate"] for run in foreign_one), median(run["rate"] for run in ours) * each
    cpu = [
        f"{median(run[f'{name}_us'] for run in ours) / each:.0f} µs {name}" for name in PARTS if f"{name}_us" in ours[0]
    ]
    figure = Measurement(
        name=f"{'batches of 100' if each > 1 else 'single events'}, {connections} connections",
        value=rate,
        unit="events/s",
        ratio=rate / hello,
        p50=median(run["p50"] for run in ours),
        p99=median(run["p99"] for run in ours),
        note=", ".join([f"bare {hello:,.0f}/s", *cpu]),
        more={"bare": foreign_one, "ours": ours},
    )
    return [figure]


def payloads(web: Api, effort: Effort, token: str) -> Measurement:
    """Measures an Alertmanager webhook with 100 alerts in batches of the same events, in turns with them."""
    batches, webhooks = [], []
    order = {"connections": BATCH_CONNECTIONS, "seconds": effort.seconds, "token": token}
    for _ in range(effort.rounds):
        batches.append(web.load(kind="alertmanager_events", **order))
        webhooks.append(web.load(kind="alertmanager", **order))
    cpu = [_compared(part, webhooks, batches) for part in PARTS if f"{part}_us" in webhooks[0]]
    return Measurement(
        name=f"webhooks of 100 alerts, {BATCH_CONNECTIONS} connections",
        value=median(run["rate"] for run in webhooks) * ALERTS,
        unit="events/s",
        p50=median(run["p50"] for run in webhooks),
        p99=median(run["p99"] for run in webhooks),
        note=", ".join(cpu),
        more={"batches": batches, "webhooks": webhooks},
    )


def _compared(part: str, webhooks: Sequence[Any], batches: Sequence[Any]) -> str:
    cost, own = (median(run[f"{part}_us"] for run in runs) for runs in (webhooks, batches))
    return f"{cost / ALERTS:.0f} µs {part}, {cost / own:.2f} of a batch of the same events"
