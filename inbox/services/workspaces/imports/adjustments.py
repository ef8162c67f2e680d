"""What a record of another instance must not keep: open work, secrets, and people without an account here.

A function changes the row of a record. It raises `LeftOut` for a record that is not stored, and `BadRecord`.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from inbox.destinations import KINDS, PHONE
from inbox.domain.heartbeats.monitor import HeartbeatStatus
from inbox.domain.incidents.last_step import LastStep
from inbox.domain.incidents.state_machine import State
from inbox.domain.senders import keys
from inbox.services.workspaces.imports.id_map import IdMap, numbered
from inbox.services.workspaces.imports.rows import BadRecord, LeftOut, Row

OLD = "older than the retention"
NO_ACCOUNT = "of people without an account here"
OF_PHONES = "phones of people"
NOT_SETTLED = "deliveries that had no result yet"
NOT_ROUTED = "events that were not routed yet"
NO_PARENT = "parts of records that are not here"

SETTLED = frozenset({"sent", "failed", "skipped", "expired", "gathered"})

ALL_STEPS = 1_000_000
"""The minutes of a step after which no step is due. The steps of an open incident count as taken."""

ALL_REMINDERS = 10_000
"""A number of reminders that is above each maximum."""


@dataclass(slots=True)
class Context:
    """What adjustments need: the workspace here, its configuration, and the beginning of the import."""

    workspace_id: UUID
    started_at: datetime
    id_map: IdMap
    retention: Mapping[str, int]
    sources: set[UUID] = field(default_factory=set)
    destinations: set[UUID] = field(default_factory=set)
    schedules: set[UUID] = field(default_factory=set)
    monitors: set[UUID] = field(default_factory=set)
    active_silences: set[UUID] = field(default_factory=set)

    def is_old(self, at: datetime | None, name: str) -> bool:
        """Returns whether a time is older than the retention of this name."""
        return at is not None and at < self.started_at - timedelta(days=self.retention[name])


Adjustment = Callable[[Row, int, Context], None]
"""Changes the row of a record with this number in its section."""


def needs_secret(kind: str) -> bool:
    """Returns whether destinations of a kind may have a secret, which no export has."""
    return any(each.secret for each in KINDS[kind].description.fields)


def destination(row: Row, number: int, context: Context) -> None:
    """Disables a destination that may have a secret."""
    kind = str(row["kind"])
    if kind not in KINDS:
        raise BadRecord(f"This instance has no destinations of the kind {kind[:100]}.")
    if kind == PHONE:
        raise LeftOut(OF_PHONES)
    row["enabled"] = row["enabled"] and not needs_secret(kind)


def schedule(row: Row, number: int, context: Context) -> None:
    """Lets a schedule follow no calendar, because the address of the calendar is a secret."""
    row["follows_calendar"] = False


def override(row: Row, number: int, context: Context) -> None:
    """Leaves out an override that would only add people without an account here."""
    _require(row["schedule_id"], context.schedules)
    if row["kind"] != "replace" and not row["user_ids"]:
        raise LeftOut(NO_ACCOUNT)


def forwarding(row: Row, number: int, context: Context) -> None:
    """Leaves out a forwarding of or to a person without an account here."""
    if row["user_id"] is None or row["to_user_id"] is None:
        raise LeftOut(NO_ACCOUNT)


def shift(row: Row, number: int, context: Context) -> None:
    """Ends a shift that had not ended. The log of this instance goes on from the import."""
    _require(row["schedule_id"], context.schedules)
    if row["user_id"] is None:
        raise LeftOut(NO_ACCOUNT)
    row["ends_at"] = row["ends_at"] or context.started_at
    _number(row, "oncall_log", row["starts_at"], number, context)


def monitor(row: Row, number: int, context: Context) -> None:
    """Pauses a monitor: its token is not exported, so no ping reaches it before it has a new one."""
    _require(row["source_id"], context.sources)
    row |= {
        "token_hash": rf"\x{keys.digest(secrets.token_urlsafe(32)).hex()}",
        "token_hint": "",
        "watched_since": row["created_at"],
        "throttle_at": context.started_at,
        "status": HeartbeatStatus.PAUSED,
        "paused_at": row["paused_at"] or context.started_at,
        **dict.fromkeys(("started_at", "down_since")),
        "failures": 0,
    }


def watcher(row: Row, number: int, context: Context) -> None:
    """Leaves out a watcher whose monitor is gone."""
    _require(row["monitor_id"], context.monitors)


def of_monitor(row: Row, number: int, context: Context) -> None:
    """Gives a ping or a change of status an id."""
    _require(row["monitor_id"], context.monitors)
    _number(row, "from_status" if "from_status" in row else "ping", row["at"], number, context)


def view(row: Row, number: int, context: Context) -> None:
    """Shares a view, because an export has shared ones only."""
    row["shared"] = True


def incident(row: Row, number: int, context: Context) -> None:
    """Ends what waits: the steps of an open incident, flapping, and pauses that ended meanwhile."""
    if row["source_id"] not in context.sources:
        raise BadRecord("sourceId is no source of the file.")
    if not all(isinstance(row[name], str | None) for name in ("title", "resource", "dedup_key")):
        raise BadRecord("title, resource and dedupKey are texts.")
    if row["state"] == State.RESOLVED:
        if context.is_old(row["resolved_at"], "incidentDays"):
            raise LeftOut(OLD)
        return
    if row["state"] == State.SNOOZED and (row["snoozed_until"] is None or row["snoozed_until"] <= context.started_at):
        row |= {"state": State.OPEN, "snoozed_until": None}
    if row["state"] == State.SILENCED and row["silenced_by"] not in context.active_silences:
        row |= {"state": row["state_before_silence"] or State.OPEN, "silenced_by": None, "state_before_silence": None}
    row |= {"flapping": False, "joined_count": 0, "joined_titles": []}
    if row["state"] == State.OPEN:
        taken = max(_whole(row, "steps_taken"), 1)
        row |= {"steps_taken": taken, "last_step": list(LastStep(taken, ALL_STEPS, 0)), "renotify_count": ALL_REMINDERS}


def alert(row: Row, number: int, context: Context) -> None:
    """Adds the text by which the alert is found."""
    row["search_text"] = f"{row['title']}\x01{row['key']}"


def entry(row: Row, number: int, context: Context) -> None:
    """Gives a timeline entry an id in the order of the file."""
    _number(row, "timeline", row["at"], number, context)


def page(row: Row, number: int, context: Context) -> None:
    """Gives a page an id. A file of version 1 does not say when the incident had opened."""
    row["opened_at"] = row["opened_at"] or row["created_at"]
    _number(row, "pages", row["created_at"], number, context)


def delivery(row: Row, number: int, context: Context) -> None:
    """Leaves out deliveries that would still be sent, and those whose destination is not here."""
    if str(row["status"]) not in SETTLED:
        raise LeftOut(NOT_SETTLED)
    if context.is_old(row["created_at"], "deliveryDays"):
        raise LeftOut(OLD)
    _require(row["destination_id"], context.destinations)


def event(row: Row, number: int, context: Context) -> None:
    """Leaves out events that are too old or have no result."""
    if row["disposition"] in (None, "pending"):
        raise LeftOut(NOT_ROUTED)
    if context.is_old(row["received_at"], "eventDays"):
        raise LeftOut(OLD)


ADJUSTMENTS: Mapping[str, Adjustment] = {
    "destinations": destination,
    "onCallSchedules": schedule,
    "onCallOverrides": override,
    "onCallForwardings": forwarding,
    "onCallLog": shift,
    "heartbeatMonitors": monitor,
    "watchers": watcher,
    "heartbeatPings": of_monitor,
    "heartbeatFlips": of_monitor,
    "savedViews": view,
    "incidents": incident,
    "alerts": alert,
    "timeline": entry,
    "pages": page,
    "deliveries": delivery,
    "events": event,
}


def _require(id: Any, known: set[UUID]) -> None:
    if id not in known:
        raise LeftOut(NO_PARENT)


def _number(row: Row, section: str, at: datetime | None, number: int, context: Context) -> None:
    if at is None:
        raise BadRecord("The time is missing.")
    row["id"] = numbered(context.workspace_id, section, int(at.timestamp() * 1000), number)


def _whole(row: Row, name: str) -> int:
    value = row[name]
    return value if isinstance(value, int) else 0
