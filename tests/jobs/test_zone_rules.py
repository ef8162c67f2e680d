"""A worker that starts with other rules of time zones computes handoffs and expected pings again (specification 18.2, 23.10)."""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta
from importlib.resources import as_file, files
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from inbox.config.settings import Settings
from inbox.database.base import new_id
from inbox.flow.heartbeats import zone_rules
from inbox.flow.oncall import record
from inbox.flow.timers.run import run_due
from inbox.flow.unit_of_work import work
from inbox.models.heartbeats.tables import HeartbeatMonitor
from inbox.models.incidents.tables import Timer
from inbox.models.oncall.schedules import OnCallSchedule
from tests.cast import Cast, present, typeid
from tests.heartbeats import make_monitor, next_check, ping, reread
from tests.jobs.worker_process import worker_of
from tests.oncall import a_layer, make_schedule
from tests.ops.processes import until

BERLIN = ZoneInfo("Europe/Berlin")
NEW_RULES = "Etc/GMT-5"
"""The zone whose rules Berlin gets: five hours ahead of UTC, where Berlin is one or two."""


def due(schedule: OnCallSchedule) -> datetime:
    found: datetime = Timer.get(Timer.kind == record.CHANGE, Timer.subject_id == schedule.id).due_at
    return found


def made(cast: Cast, start: datetime) -> OnCallSchedule:
    """A schedule whose daily turns begin at this local time of Berlin, with its timer at the next handoff."""
    layer = {
        **a_layer(cast.users["olga"], cast.users["mia"], unit="day", start=f"{start - timedelta(days=30):%Y-%m-%dT%H:%M}"),
        "id": typeid("lay", new_id()), "level": 1, "timezone": None, "windows": [], "from": None, "until": None,
        "counts": "all",
    }  # fmt: skip
    schedule = make_schedule(cast.workspace, timezone="Europe/Berlin", layers=[layer], logged_until=present())
    with work() as done:
        record.set_due(cast.workspace.id, [schedule.id], present(), done)
    run_due(present)
    return schedule


def other_rules(directory: Path) -> str:
    """A directory of time zones in which Berlin has other rules."""
    (directory / "Europe").mkdir(parents=True)
    with as_file(files("tzdata") / "zoneinfo" / NEW_RULES) as rules:
        shutil.copy(rules, directory / "Europe" / "Berlin")
    return str(directory)


def in_hours(hours: int) -> datetime:
    """The whole minute of Berlin's clocks in some hours."""
    return (present() + timedelta(hours=hours)).astimezone(BERLIN).replace(tzinfo=None, second=0, microsecond=0)


def monitor_at(cast: Cast, start: datetime) -> HeartbeatMonitor:
    """A monitor that expects a ping each day at this local time of Berlin, and has had one."""
    cron = {"kind": "cron", "expression": f"{start.minute} {start.hour} * * *", "timezone": "Europe/Berlin"}
    monitor, token = make_monitor(cast.source, schedule=cron)
    ping(token, present())
    return monitor


def test_the_timer_of_a_schedule_stays_when_a_worker_starts_with_the_same_rules(cast: Cast) -> None:
    schedule = made(cast, in_hours(8))
    before = due(schedule)

    assert record.apply_zone_rules(present()) == 0

    assert due(schedule) == before


def test_an_expected_ping_stays_when_a_worker_starts_with_the_same_rules(cast: Cast) -> None:
    monitor = monitor_at(cast, in_hours(8))
    before = reread(monitor)

    assert zone_rules.apply(present()) == 0

    assert reread(monitor) == before


@pytest.mark.slow
def test_a_worker_with_other_rules_of_time_zones_expects_pings_by_them(
    cast: Cast, settings: Settings, tmp_path: Path
) -> None:
    start = in_hours(8)
    monitor = monitor_at(cast, start)
    assert reread(monitor).due_at == start.replace(tzinfo=BERLIN)

    with worker_of(settings, tmp_path / "worker", PYTHONTZPATH=other_rules(tmp_path / "zones")):
        moved = start.replace(tzinfo=ZoneInfo(NEW_RULES))
        until(lambda: reread(monitor).due_at == moved, "the ping is expected by the other rules")
        until(lambda: next_check(monitor) == moved, "the worker checks the monitor then")


@pytest.mark.slow
def test_a_worker_with_other_rules_of_time_zones_computes_the_next_handoff_again(
    cast: Cast, settings: Settings, tmp_path: Path
) -> None:
    start = in_hours(8)
    schedule = made(cast, start)
    assert due(schedule) == start.replace(tzinfo=BERLIN)

    with worker_of(settings, tmp_path / "worker", PYTHONTZPATH=other_rules(tmp_path / "zones")):
        moved = start.replace(tzinfo=ZoneInfo(NEW_RULES))
        until(lambda: due(schedule) == moved, "the handoff is that of the other rules")
