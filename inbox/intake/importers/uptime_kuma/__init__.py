"""Reads Uptime Kuma: push monitors become heartbeat monitors (specification 22.7).

The others send by a webhook of one source. Maintenance becomes silences.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

from inbox.intake.base import Node
from inbox.intake.importers import plan
from inbox.intake.importers.import_kind import ImportForm, ImportKind, json_of
from inbox.intake.importers.plan import PING_URL, Item, ItemKind, Plan, Unreadable
from inbox.intake.importers.uptime_kuma import database as uptime_kuma_database
from inbox.intake.importers.uptime_kuma import maintenance as uptime_kuma_maintenance
from inbox.intake.importers.uptime_kuma.database import NoTable
from inbox.intake.importers.uptime_kuma.maintenance import Covered

SOURCE = "uptime_kuma"
HEADER = b"SQLite format 3\x00"
SECONDS = 1.0
"""The time limit for the queries of a file, because a crafted schema can make them slow."""

_MONITOR = ("id", "name", "type", "active", "interval", "maxretries", "retry_interval", "upside_down", "parent")
_MAINTENANCE = (
    *("id", "title", "active", "strategy", "timezone", "start_date", "end_date", "start_time", "end_time"),
    *("interval_day", "weekdays", "days_of_month"),
)
_COVERED = ("maintenance_id", "monitor_id")
_SNIPPET = f"Replace the push address by {PING_URL}. A script that sends status and msg needs /api/push/ in it instead of /v1/heartbeats/"
_FORMER = {"pushToken": "push_token", "retryInterval": "retry_interval", "upsideDown": "upside_down"}


def read_backup(document: Any) -> Plan:
    """Returns the plan of a JSON backup, which version 1 exports. Raises `Unreadable`."""
    backup = Node(document)
    if not isinstance(backup.at("monitorList").value, list):
        raise Unreadable("It has no array `monitorList`, which a backup of version 1 has.")
    rows = (each.value for each in backup.items("monitorList") if isinstance(each.value, Mapping))
    return _plan([{_FORMER.get(str(name), str(name)): value for name, value in row.items()} for row in rows])


def read_bytes(content: bytes, now: datetime | None = None) -> Plan:
    """Returns the plan of a database file. Raises `Unreadable`."""
    if not content.startswith(HEADER):
        raise Unreadable("It is no SQLite database.")
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.deserialize(content)
        except (sqlite3.Error, ValueError, OverflowError):
            raise Unreadable("It is no SQLite database that can be read.") from None
        return read_database(connection, now, seconds=SECONDS)


def read_database(connection: sqlite3.Connection, now: datetime | None = None, *, seconds: float) -> Plan:
    """Returns the plan of an open database, which is only read. Raises `Unreadable`."""
    try:
        uptime_kuma_database.prepare(connection, seconds)
        monitors = uptime_kuma_database.rows(connection, "monitor", _MONITOR)
    except NoTable:
        raise Unreadable("It has no readable table `monitor`. Close Uptime Kuma, or copy its -wal file too.") from None
    made = _plan(monitors)
    try:
        maintenance = uptime_kuma_database.rows(connection, "maintenance", _MAINTENANCE)
        covered = uptime_kuma_database.rows(connection, "monitor_maintenance", _COVERED)
    except NoTable:  # versions before 1.19 have none
        return made
    _add_maintenance(made, monitors, maintenance, covered, now or datetime.now(UTC))
    return made


def _plan(monitors: list[dict[str, Any]]) -> Plan:
    made = Plan()
    others = [row for row in monitors if row.get("type") not in ("push", "group")]
    made.add(
        plan.source(
            SOURCE,
            "Uptime Kuma",
            f"A source for its webhook, which reports {len(others)} monitors, and for push monitors.",
        )
    )
    if others:
        made.warn(f"{len(others)} monitors stay in Uptime Kuma. Add the webhook of the source as their notification.")
    made.warn("Notifications and status pages are not imported.")
    for row in made.reading(row for row in monitors if row.get("type") == "push"):
        _add(made, Node(row))
    return made


def _add_maintenance(
    made: Plan,
    monitors: list[dict[str, Any]],
    maintenance: list[dict[str, Any]],
    covered: list[dict[str, Any]],
    now: datetime,
) -> None:
    pushed = {
        item.reference.removeprefix(f"{SOURCE}:"): item.name for item in made.items if item.kind is ItemKind.MONITOR
    }
    others = {str(row.get("id")): str(row.get("name") or "") for row in monitors if row.get("type") != "push"}
    names: defaultdict[str, list[str]] = defaultdict(list)
    for row in covered:
        names[str(row.get("maintenance_id"))].append(str(row.get("monitor_id")))
    children: defaultdict[str, list[str]] = defaultdict(list)
    for row in monitors:
        children[str(row.get("parent"))].append(str(row.get("id")))
    counts = Counter(others.values())
    for row in made.reading(maintenance):
        ids = _with_children(names[str(row.get("id"))], children)
        found = Covered(
            [pushed[id] for id in ids if id in pushed],
            list(dict.fromkeys(others[id] for id in ids if others.get(id))),
        )
        shared = [name for name in found.others if counts[name] > 1]
        uptime_kuma_maintenance.add(made, row, found, SOURCE, now, shared)


def _with_children(ids: Iterable[str], children: Mapping[str, list[str]]) -> list[str]:
    """Returns the monitors and, of groups, the monitors in them at all depths."""
    found: dict[str, None] = {}
    waiting = list(ids)
    while waiting:
        id = waiting.pop(0)
        if id not in found:
            found[id] = None
            waiting.extend(children.get(id, ()))
    return list(found)


def _add(made: Plan, monitor: Node) -> None:
    name, mark = plan.line(monitor.text("name")) or "Push monitor", monitor.text("id")
    stored = plan.simple_schedule(monitor.at("interval").value)
    if not mark or stored is None:
        made.leave_out(name, "The push monitor has no interval of at least a minute.")
        return
    retries, interval = (monitor.at(each).value for each in ("maxretries", "retry_interval"))
    wait = retries * interval if isinstance(retries, int) and isinstance(interval, int) else 0
    seconds, name = plan.grace(wait or 60), made.unique(name)
    made.add(
        Item(
            ItemKind.MONITOR,
            plan.line(f"uptime_kuma:{mark}", plan.REFERENCE_LIMIT),
            name,
            f"{plan.words(stored)}, with {seconds:,} s of grace.",
            {"name": name, "schedule": stored, "grace_seconds": seconds},
            source=SOURCE,
            is_paused=monitor.text("active") in ("0", "false"),
            snippet=_SNIPPET,
            warnings=("It is upside down, which is not imported.",)
            if monitor.text("upside_down") in ("1", "true")
            else (),
        )
    )


IMPORT = ImportKind(
    "uptime_kuma",
    "Uptime Kuma",
    "Push monitors become heartbeat monitors. The others report to one source by a webhook. Maintenance becomes silences.",
    "The file kuma.db of the data directory, or the backup in JSON of version 1.",
    (ImportForm.FILE, ImportForm.DOCUMENT),
    lambda text, _: read_backup(json_of(text)),
    read_bytes,
    position=50,
)
