"""Measures the cost of an event as tables grow, and floods of one and of sixteen sources."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from bench import dataset, everyday, routing
from bench.environment import Api, BenchEnvironment
from bench.figures import Effort, Measurement
from inbox.database.base import db
from inbox.domain.values import ids

FIRST = 10_000
"""Stored events of the first measurement. The largest number is `stored` of the effort.

Numbers in between are multiples of a hundred.
"""

GROWTH = 100
RATE = 50
"""New incidents a second."""

DAYS = 365
"""The stored events are up to 360 days old, and the purge must leave them."""

WAITING = """UPDATE incidents SET state = 'resolved', resolved_at = last_seen_at, flapping = false
WHERE state <> 'resolved' OR flapping"""
"""No timer, silence or notice of an unresolved incident is stored, so the service would notify every destination of it."""

FLOODS = ((16, 1), (1, 1), (16, 2), (1, 2))
"""Sources and workers of each flood."""

FLOOD = routing.SETTINGS[0]._replace(prepare=lambda web: web.send_everything_to([]))
"""Nothing is delivered, whatever was measured before."""


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures floods, and everyday load at each number of stored events.

    Ratios are to sixteen sources, and to the first number.
    """
    return [*_floods(stand, effort), *_grown(stand, effort)]


def sizes(most: int) -> Iterator[int]:
    """Yields the numbers of stored events, the largest last."""
    size = FIRST
    while size < most:
        yield size
        size *= GROWTH
    yield most


def _grown(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    figures: list[Measurement] = []
    for size in sizes(effort.stored):
        stand.clear()
        _fill(stand, size)
        with everyday.running(stand, effort) as load:
            figures += [_named(each, size) for each in load.measure(RATE, effort.everyday_seconds)]
    costs = [each for each in figures if each.unit == everyday.COST]
    return [_to_first(each, costs[0]) if each in costs else each for each in figures]


def _named(figure: Measurement, size: int) -> Measurement:
    return replace(figure, name=f"{size:,} stored events: {figure.name}")


def _to_first(figure: Measurement, first: Measurement) -> Measurement:
    return replace(figure, note=f"{figure.value / first.value:.2f} of the first; {figure.note}")


def _fill(stand: BenchEnvironment, events: int) -> None:
    """Fills the workspace with this many routed events, and a tenth as many incidents."""
    with stand.web(workers=1) as web, db.connection_context():
        shown = web.workspace_id()
        web.call("PATCH", f"/v1/workspaces/{shown}", {"settings": {"retention": {"eventDays": DAYS}}})
        workspace_id, person = ids.decode("wsp", shown), ids.decode("usr", str(web.call("GET", "/v1/me")["id"]))
        assert workspace_id
        db.execute_sql("SET statement_timeout = 0")
        dataset.fill_one(workspace_id, _sources(web, shown), person, events, datetime.now(UTC))
        db.execute_sql(WAITING)
        dataset.finish()
    stand.query_one("TRUNCATE event_queue; SELECT 1")
    stand.query_one("CHECKPOINT; SELECT 1")


def _sources(web: Api, workspace: str) -> list[UUID]:
    made = [
        web.call("POST", "/v1/sources", {"workspaceId": workspace, "name": f"Stored {n}"})
        for n in range(dataset.SOURCES)
    ]
    return [found for each in made if (found := ids.decode("src", str(each["id"]))) is not None]


def _floods(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures a backlog from one source and from sixteen, drained in turns by one worker and by two."""
    drained = {
        (sources, workers): routing.drained(
            stand, routing.SETTINGS[0], effort.events * routing.BACKLOG, workers, sources
        )
        for sources, workers in FLOODS
    }
    return [
        replace(
            figure,
            name=f"flood of {sources} source{'s' if sources > 1 else ''}, {figure.name}",
            note=f"{figure.value / drained[16, workers].value:.2f} of sixteen sources; {figure.note}",
        )
        for (sources, workers), figure in drained.items()
    ]
