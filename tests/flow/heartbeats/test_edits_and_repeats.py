"""Edits that keep the expected time, and failures of a run that arrive twice (specification 18.1 and 18.5)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from inbox.flow.routing.route import route
from inbox.flow.timers.run import run_due
from inbox.models.events.tables import ReceivedEvent
from inbox.models.heartbeats.tables import HeartbeatMonitor, HeartbeatPing
from inbox.services.heartbeats import monitors
from tests.cast import NOW, Cast
from tests.heartbeats import HOURLY, make_monitor, next_check, ping, reread

MINUTE = timedelta(minutes=1)
FIRST, SECOND = UUID(int=1), UUID(int=2)


def at(minutes: float) -> datetime:
    return NOW + minutes * MINUTE


def pass_time(minutes: float) -> None:
    """Run what is due at this time, then route what came of it."""
    run_due(lambda: at(minutes))
    route(lambda: at(minutes))


def alarms() -> list[str]:
    return [row.type for row in ReceivedEvent.select().order_by(ReceivedEvent.received_at, ReceivedEvent.id)]


def edited_while_late(cast: Cast, fields: dict[str, Any]) -> HeartbeatMonitor:
    """A monitor that is late when a person edits it. The end of its former grace has passed."""
    monitor, token = make_monitor(cast.source, NOW)
    ping(token, at(0))
    pass_time(61)
    monitors.edit(reread(monitor), fields, expected_rev=None, now=at(62))
    pass_time(65)
    return monitor


@pytest.mark.parametrize(
    "fields",
    [
        {"never_seen_seconds": 86_400},
        {"name": "Nightly"},
        {"schedule": HOURLY, "grace_seconds": 300, "severity": "CRITICAL"},
    ],
)
def test_an_edit_that_is_not_about_runs_forgets_no_missed_run(cast: Cast, fields: dict[str, Any]) -> None:
    edited_while_late(cast, fields)

    assert alarms() == ["heartbeat.missed"]


@pytest.mark.parametrize("fields", [{"schedule": {**HOURLY, "periodSeconds": 7200}}, {"grace_seconds": 600}])
def test_an_edit_about_runs_counts_from_the_edit(cast: Cast, fields: dict[str, Any]) -> None:
    monitor = edited_while_late(cast, fields)

    assert (alarms(), reread(monitor).due_at >= at(62 + 60)) == ([], True)


def test_a_time_for_the_first_ping_is_checked_from_its_edit_on(cast: Cast) -> None:
    monitor, _ = make_monitor(cast.source, NOW)

    monitors.edit(monitor, {"never_seen_seconds": 600}, expected_rev=None, now=at(1))

    assert next_check(monitor) == at(10)
    pass_time(10)
    assert alarms() == ["heartbeat.never_seen"]


@pytest.mark.parametrize(
    ("pings", "failures"),
    [
        ([("fail", FIRST), ("fail", FIRST)], 1),
        ([("start", FIRST), ("fail", FIRST), ("log", FIRST), ("fail", FIRST)], 1),
        ([("fail", FIRST), ("start", SECOND), ("fail", FIRST)], 1),
        ([("fail", FIRST), ("fail", SECOND)], 2),
        ([("fail", FIRST), ("start", FIRST), ("fail", FIRST)], 2),
        ([("fail", None), ("fail", None)], 2),
        ([("fail", FIRST), ("success", FIRST), ("fail", FIRST)], 1),
    ],
)
def test_a_run_fails_once_however_often_its_failure_arrives(
    cast: Cast, pings: list[tuple[str, UUID | None]], failures: int
) -> None:
    monitor, token = make_monitor(cast.source, NOW, failures_before_incident=2)

    for minute, (kind, run_id) in enumerate(pings):
        ping(token, at(minute), kind, run_id=run_id)

    assert reread(monitor).failures == failures
    assert HeartbeatPing.select().count() == len(pings)
    assert alarms() == (["heartbeat.failed"] if failures == 2 else [])


def test_a_repeated_failure_ends_no_other_run(cast: Cast) -> None:
    monitor, token = make_monitor(cast.source, NOW)
    ping(token, at(0), "fail", run_id=FIRST)
    ping(token, at(1), "start", run_id=SECOND)

    ping(token, at(2), "fail", run_id=FIRST)

    assert (reread(monitor).run_id, reread(monitor).started_at) == (SECOND, at(1))
