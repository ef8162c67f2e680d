"""A locked monitor for pings and deadlines. It costs a fraction of a Peewee object (decision 0006)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Protocol
from uuid import UUID

import orjson

from inbox.database.base import db
from inbox.domain.heartbeats import schedule
from inbox.domain.heartbeats.monitor import MonitorSettings, MonitorState

Bar = Sequence[Mapping[str, Any]]


class AnyMonitor(Protocol):
    """The part of a monitor that pings and deadlines use: a `LockedMonitor`, or the row of the table."""

    id: Any
    workspace_id: Any
    source_id: Any
    name: Any
    tags: Any
    severity: Any
    rev: Any
    status: Any
    last_duration_ms: Any
    check_at: Any
    throttle_at: Any
    methods: Any
    bar: Any

    @property
    def settings(self) -> MonitorSettings:
        """The settings that people choose."""

    @property
    def state(self) -> MonitorState:
        """The state that pings and deadlines change."""

    def take(self, state: MonitorState) -> None:
        """Sets the state."""


@dataclass(slots=True)
class LockedMonitor:
    """A locked row. `bar` has changed only if it is another object than `stored_bar`."""

    id: UUID
    workspace_id: UUID
    source_id: UUID
    name: str
    tags: Sequence[str]
    severity: str
    rev: int
    token_hash: bytes
    status: str
    last_duration_ms: int | None
    check_at: datetime | None
    throttle_at: datetime
    bar: Bar
    stored_bar: Bar
    settings: MonitorSettings
    state: MonitorState
    methods: Sequence[str]

    def take(self, state: MonitorState) -> None:
        """Sets the state. The caller saves the row."""
        self.state = state


_SELECT = """
    SELECT m.id, m.workspace_id, m.source_id, m.name, m.tags, m.severity, m.rev, m.token_hash, m.status,
        m.last_duration_ms, m.check_at, m.throttle_at, m.bar, m.schedule::text, m.grace_seconds, m.max_runtime_seconds,
        m.failures_before_incident, m.never_seen_seconds, m.watched_since, m.last_ping_at, m.started_at, m.run_id::text,
        m.due_at, m.failures, m.late_since, m.down_since, m.paused_at, m.methods
    FROM heartbeat_monitors m
    WHERE m.deleted_at IS NULL AND EXISTS (SELECT FROM workspaces w WHERE w.id = m.workspace_id AND w.deleted_at IS NULL)
        AND """


def lock_where(condition: str, values: Mapping[str, Any], *, lock: str = "FOR NO KEY UPDATE") -> list[LockedMonitor]:
    """Locks the live monitors `m` of this condition, which may end with an order and a limit."""
    rows = db.execute_sql(f"{_SELECT} {condition} {lock}", values).fetchall()
    return [_monitor(row) for row in rows]


def _monitor(row: Sequence[Any]) -> LockedMonitor:
    token_hash, bar = bytes(row[7]), row[12]
    values = [*row[:7], token_hash, *row[8:12], bar, bar, _settings(*row[13:18]), MonitorState(*row[18:27]), row[27]]
    return LockedMonitor(*values)


@lru_cache(maxsize=4_096)
def _settings(
    stored: str, grace: int, max_runtime: int | None, failures_before_incident: int, never_seen: int | None
) -> MonitorSettings:
    return MonitorSettings(
        schedule.of_stored(orjson.loads(stored)),
        timedelta(seconds=grace),
        None if max_runtime is None else timedelta(seconds=max_runtime),
        failures_before_incident,
        None if never_seen is None else timedelta(seconds=never_seen),
    )
