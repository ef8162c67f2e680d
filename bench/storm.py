"""A storm of changes beside many open dashboards: their reads, and the answers of ingest (specification 14.3)."""

from __future__ import annotations

import time
from typing import Any

from bench.environment import Api, BenchEnvironment
from bench.figures import Effort, Measurement
from bench.programs import Program
from bench.streams import people
from inbox.database.base import db
from inbox.domain.values import ids

RATE = 100
KEYS = 1_000
"""Incidents of the storm: the first events of each open it, later ones change it."""

DASHBOARDS = ((0, 1), (200, 2), (2_000, 4))
"""The number of open dashboards, and how many of them belong to one person."""

SETTLE_SECONDS = 125.0
"""Longer than four of the largest spreads: every list is due for a read when the storm begins."""


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures 100 events a second, beside no dashboard, 200 and 2,000; the last ones belong to 500 people."""
    figures: list[Measurement] = []
    for dashboards, each in DASHBOARDS:
        stand.clear()
        with stand.web() as web, stand.workers(2), stand.scheduler(), db.connection_context():
            figures += _storm(web, min(dashboards, effort.streams), each, effort, figures)
    return figures


def _storm(web: Api, dashboards: int, each: int, effort: Effort, before: list[Measurement]) -> list[Measurement]:
    workspace_id = web.workspace_id()
    decoded = ids.decode("wsp", workspace_id)
    assert decoded
    tokens = people(decoded, dashboards, each=each)
    order = {"port": web.port, "token": web.source_key(), "rate": RATE, "seconds": effort.storm_seconds, "keys": KEYS}
    with Program("simulated_dashboards", port=web.port, tokens=tokens, workspace_id=workspace_id) as program:
        opened = program.read_line()["open"]
        if opened < dashboards:
            raise RuntimeError(f"of {dashboards} streams {opened} opened: {program.request('')['first_refusal']}")
        time.sleep(SETTLE_SECONDS if dashboards > RATE else 1.0)
        spent = web.cpu_seconds() | {"dashboards": program.request("")["cpu_seconds"]}
        with Program("paced_sender", **order) as sender:
            sent = sender.read_line()
        reads = program.request("")
        now = web.cpu_seconds() | {"dashboards": reads["cpu_seconds"]}
        busy = {name: (seconds - spent[name]) / effort.storm_seconds for name, seconds in now.items()}
    if sent["refused"]:
        raise RuntimeError(f"{sent['refused']} events were refused: {sent['first_refusal']}")
    return _figures(dashboards, sent, reads, busy, effort.storm_seconds, before)


def _figures(
    dashboards: int,
    sent: dict[str, Any],
    reads: dict[str, Any],
    busy: dict[str, float],
    seconds: float,
    before: list[Measurement],
) -> list[Measurement]:
    cores = ", ".join(f"{name} {share:.0%} of a core" for name, share in busy.items())
    alone = before[0].p99 if before else None
    ingest = Measurement(
        f"ingest in a storm, {dashboards:,} dashboards",
        sent["sent"] / seconds,
        "/s",
        ratio=sent["p99"] / alone if alone else None,
        p50=sent["p50"],
        p99=sent["p99"],
        note=f"{cores}; last event {sent['late']:.1f} s late",
    )
    if not dashboards:
        return [ingest]
    return [
        ingest,
        Measurement(
            f"reads of {dashboards:,} dashboards in the storm",
            reads["reads"] / seconds,
            "/s",
            p50=reads["p50"],
            p99=reads["p99"],
            note=f"{reads['unchanged']:,} of {reads['reads']:,} unchanged (304), {reads['refused']} refused"
            f"{' (' + reads['first_refusal'][:120] + ')' if reads['refused'] else ''},"
            f" {reads['resyncs'] / dashboards:.0f} resyncs each, spread up to {reads['largest_spread']} s",
        ),
    ]
