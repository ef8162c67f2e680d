"""20,000 monitors: each missed ping is found once within ten seconds, and service outages page nobody."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from inbox.database.base import db
from inbox.domain.heartbeats.monitor import PingKind
from inbox.flow.heartbeats.availability import report
from inbox.flow.heartbeats.ping import ReceivedPing
from inbox.flow.heartbeats.ping_groups import MAX_PINGS, PendingPing, store_group
from inbox.flow.routing.route import route
from inbox.flow.timers.run import run_due
from inbox.flow.upkeep.sweep import sweep
from inbox.runtime.queue import QueueName
from jobs.sweeper import SECONDS as SWEEP_SECONDS
from tests.cast import NOW, Cast
from tests.flow.heartbeats.crowd import crowd
from tests.heartbeats import end_reports

MONITORS = 20_000
BURSTS = 4
ROUND = timedelta(milliseconds=100)
"""What a round of a worker takes by the clock of these tests, whether it runs one timer or a group."""


def at(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


class Clock:
    """A clock that each reading moves. A round of `run_due` reads it twice."""

    def __init__(self, seconds: float) -> None:
        self.now = at(seconds)

    def __call__(self) -> datetime:
        self.now += ROUND / 2
        return self.now

    def pass_time(self, until: float, *, reporting: bool = True) -> None:
        """Every five seconds the sweep looks for due timers. The web processes report, and a worker does the work."""
        while self.now < at(until):
            began = self.now
            if reporting:
                report(began)
            if QueueName.TIMERS in sweep(began):
                run_due(self)
            self.now = max(self.now, began + timedelta(seconds=SWEEP_SECONDS))
        route(lambda: self.now)


def ping(numbers: Sequence[int], seconds: float) -> None:
    for first in range(0, len(numbers), MAX_PINGS):
        group = numbers[first : first + MAX_PINGS]
        digests = [hashlib.md5(str(number).encode(), usedforsecurity=False).digest() for number in group]
        sent = [PendingPing(digest, ReceivedPing(PingKind.SUCCESS), at(seconds)) for digest in digests]
        assert set(store_group(sent)) == {"success"}


def rows(sql: str) -> list[tuple[Any, ...]]:
    return list(db.execute_sql(sql).fetchall())


def alarms() -> list[tuple[Any, ...]]:
    """Events and the monitors that they are about, incidents and their states and numbers of events."""
    return rows(
        "SELECT (SELECT count(*) FROM received_events), (SELECT count(DISTINCT dedup_key) FROM received_events),"
        " (SELECT count(*) FROM incidents WHERE state = 'open' AND event_count = 1), (SELECT count(*) FROM incidents)"
    )


@pytest.mark.slow
def test_each_missed_ping_is_found_within_ten_seconds_and_once(cast: Cast) -> None:
    crowd(cast, MONITORS, at(0), period=600, grace=60, bursts=BURSTS, apart=20)
    silent = MONITORS // 4

    Clock(560).pass_time(570)
    ping(range(silent, MONITORS), 570)
    Clock(570).pass_time(740)

    assert alarms() == [(silent, silent, silent, silent)]
    statuses = f"SELECT status, name::int < {silent}, count(*) FROM heartbeat_monitors GROUP BY 1, 2 ORDER BY 1"
    assert rows(statuses) == [("down", True, silent), ("up", False, MONITORS - silent)]
    lateness = "down_since - (due_at + grace_seconds * interval '1 s')"
    [(soonest, latest)] = rows(f"SELECT min({lateness}), max({lateness}) FROM heartbeat_monitors WHERE status = 'down'")
    assert timedelta() <= soonest <= latest < timedelta(seconds=10)
    assert rows("SELECT from_status, to_status, count(*) FROM heartbeat_flips GROUP BY 1, 2 ORDER BY 1 DESC") == [
        ("up", "late", silent), ("late", "down", silent)
    ]  # fmt: skip


@pytest.mark.slow
def test_monitors_that_stay_silent_are_found_after_a_stop_of_ten_minutes(cast: Cast) -> None:
    crowd(cast, MONITORS, at(0), period=600, grace=60, bursts=BURSTS, apart=240)
    stopped, started = 590, 1190
    excused = MONITORS * 3 // BURSTS
    in_last_burst = range(3, MONITORS, BURSTS)
    silent = in_last_burst[:50]

    Clock(580).pass_time(stopped)
    end_reports()
    Clock(started).pass_time(started + 1, reporting=False)
    assert report(at(started + 2)) == excused
    clock = Clock(started + 3)
    clock.pass_time(1300)
    assert alarms() == [(0, 0, 0, 0)]
    ping(in_last_burst[50:], 1310)
    clock.pass_time(1400)

    assert alarms() == [(len(silent), len(silent), len(silent), len(silent))]
    statuses = "SELECT status, count(*), max(name::int) <= 199 FROM heartbeat_monitors GROUP BY 1 ORDER BY 1"
    assert rows(statuses) == [("down", len(silent), True), ("up", MONITORS - len(silent), False)]
    expected = f"SELECT count(*) FROM heartbeat_monitors WHERE name::int %% 4 < 3 AND due_at = '{at(started + 602)}'"
    assert rows(expected) == [(excused,)]
