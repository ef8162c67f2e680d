"""The heartbeat monitors of the sample workspace, with the pings of its history."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from inbox.domain.heartbeats.monitor import PingKind
from inbox.domain.values.severity import Severity
from inbox.flow.backdating import Backdating
from inbox.flow.heartbeats.ping import ReceivedPing
from inbox.models.heartbeats import monitors
from inbox.models.workspaces.tables import Workspace
from inbox.services.heartbeats import monitors as heartbeats
from ops.demo.company import DAYS
from ops.demo.script import SEED, Called

AGENT = "curl/8.14.1"
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


class Monitor(NamedTuple):
    """A monitor. `schedule` is a cron expression, or a period in seconds."""

    name: str
    source: str
    schedule: str | int
    grace: timedelta
    more: Mapping[str, Any] = {}


class Signal(NamedTuple):
    """A ping of a monitor, or with `kind` None the time at which no ping came."""

    at: datetime
    monitor: str
    kind: PingKind | None
    exit_code: int | None = None
    text: str = ""


BACKUP, EXPORT, INDEX = "Nightly database backup", "Invoice export", "Search index"
REPORT, STAGING, SYNC = "Weekly sales report", "Staging refresh", "Warehouse sync"

MONITORS = (
    Monitor(BACKUP, "Backups", "30 2 * * *", 30 * MINUTE, {"max_runtime_seconds": 7200, "tags": ["db", "nightly"]}),
    Monitor(EXPORT, "Payments", 6 * 3600, 30 * MINUTE, {"tags": ["money"], "severity": Severity.ERROR}),
    Monitor(INDEX, "Web shop", 86_400, 12 * HOUR, {"failures_before_incident": 2}),
    Monitor(REPORT, "Web shop", 7 * 86_400, 4 * HOUR),
    Monitor(STAGING, "Staging", "0 */4 * * *", 20 * MINUTE),
    Monitor(SYNC, "Web shop", 3600, 10 * MINUTE, {"tags": ["warehouse"]}),
)

FAILED_EXPORT = (
    "exporting invoices 20417 to 20538\nconnecting to files.example.com:22\n"
    "sftp: write failed: No space left on device\nexport stopped after 61 of 122 invoices"
)


class Heartbeats:
    """Creates the monitors of a workspace and plays their pings."""

    def __init__(self, workspace: Workspace, source_ids: Mapping[str, UUID]) -> None:
        self._workspace = workspace
        self._source_ids = source_ids
        self._monitor_ids: dict[str, UUID] = {}

    def create(self, now: datetime) -> None:
        """Creates the monitors."""
        for monitor in MONITORS:
            self._monitor_ids[monitor.name] = heartbeats.create(
                self._workspace.id,
                {
                    "source_id": self._source_ids[monitor.source], "name": monitor.name,
                    "schedule": self._schedule(monitor), "grace_seconds": round(monitor.grace.total_seconds()),
                    **monitor.more,
                },
                now=now,
            ).monitor.id  # fmt: skip

    def pings(self, backdating: Backdating, now: datetime) -> Iterator[Called]:
        """Yields the pings of the history that ends now, and a pause.

        The last entry hands the monitors to the workers.
        """
        chance = random.Random(SEED)
        zone = ZoneInfo(self._workspace.timezone)
        for signal in (*_backups(now, zone, chance), *_exports(now, chance), *_others(now, zone, chance)):
            if now - timedelta(days=DAYS) < signal.at <= now:
                yield Called(signal.at, partial(self._play, backdating, signal))
        yield Called(now - timedelta(days=1, hours=1), self._pause)
        yield Called(now, partial(self._watch, backdating))

    def _schedule(self, monitor: Monitor) -> dict[str, Any]:
        if isinstance(monitor.schedule, int):
            return {"kind": "simple", "periodSeconds": monitor.schedule}
        return {"kind": "cron", "expression": monitor.schedule, "timezone": self._workspace.timezone}

    def _play(self, backdating: Backdating, signal: Signal, at: datetime) -> None:
        monitor_id = self._monitor_ids[signal.monitor]
        if signal.kind is None:
            backdating.check_monitor(monitor_id, at)
        else:
            text = ReceivedPing(signal.kind, signal.exit_code, None, "POST", AGENT, signal.text)
            backdating.ping(monitor_id, text, at)

    def _pause(self, at: datetime) -> None:
        monitor = monitors.find(self._monitor_ids[STAGING])
        if monitor is not None:
            heartbeats.pause(monitor, expected_rev=None, now=at)

    def _watch(self, backdating: Backdating, at: datetime) -> None:
        for monitor_id in self._monitor_ids.values():
            backdating.watch_monitor(monitor_id)


def _backups(now: datetime, zone: ZoneInfo, chance: random.Random) -> Iterator[Signal]:
    """Yields a start and an end each night. One night the run did not begin; the next success ended that."""
    for ago, due in _days(now, zone, 2, 30):
        if ago == 5:
            yield Signal(due, BACKUP, None)
            yield Signal(due + 30 * MINUTE, BACKUP, None)
            yield Signal(due + 5 * HOUR, BACKUP, PingKind.SUCCESS, 0, "run by hand after the host was back")
            continue
        began = due + timedelta(seconds=chance.randint(1, 4))
        lasts = timedelta(seconds=chance.randint(640, 900))
        yield Signal(began, BACKUP, PingKind.START)
        size = chance.randint(402, 431) / 10
        yield Signal(began + lasts, BACKUP, PingKind.SUCCESS, 0, f"17 databases, {size} GB, checksum verified")


def _days(now: datetime, zone: ZoneInfo, hour: int, minute: int) -> Iterator[tuple[int, datetime]]:
    """Yields the days, each with this clock time."""
    for ago in range(DAYS, -1, -1):
        day = now.astimezone(zone) - timedelta(days=ago)
        yield ago, day.replace(hour=hour, minute=minute, second=0, microsecond=0)


def _exports(now: datetime, chance: random.Random) -> Iterator[Signal]:
    """Yields an export about every six hours. The last one failed."""
    at = now - timedelta(days=11)
    last = now - 3 * HOUR - 20 * MINUTE
    while at < last - 5 * HOUR:
        yield Signal(at, EXPORT, PingKind.SUCCESS, 0, f"exported {chance.randint(80, 140)} invoices")
        at += 6 * HOUR + timedelta(minutes=chance.randint(-4, 9))
    yield Signal(last, EXPORT, PingKind.FAIL, 1, FAILED_EXPORT)


def _others(now: datetime, zone: ZoneInfo, chance: random.Random) -> Iterator[Signal]:
    """Yields pings of the overdue index, the running report, and the refresh, which succeeded until its pause."""
    for ago in range(DAYS - 1, 0, -1):
        at = now - timedelta(days=ago, hours=2, minutes=chance.randint(0, 9))
        yield Signal(at, INDEX, PingKind.FAIL if ago == 8 else PingKind.SUCCESS)
        if ago == 1:
            yield Signal(at + timedelta(days=1), INDEX, None)
    for began in (now - timedelta(days=13, hours=23, minutes=41), now - timedelta(days=7, minutes=12)):
        yield Signal(began, REPORT, PingKind.START)
        yield Signal(began + timedelta(minutes=chance.randint(31, 44)), REPORT, PingKind.SUCCESS)
    yield Signal(now - 12 * MINUTE, REPORT, PingKind.START)
    for ago, due in _days(now, zone, 0, 0):
        for hour in range(0, 24, 4):
            at = due.replace(hour=hour) + timedelta(seconds=chance.randint(30, 90))
            if ago > 1 or at < now - timedelta(days=1, hours=2):
                yield Signal(at, STAGING, PingKind.SUCCESS)
