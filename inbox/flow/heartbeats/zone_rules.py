"""Moves the expected times of monitors that other rules of time zones gave (specification 18.2)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from inbox.domain.heartbeats.monitor import Change
from inbox.domain.heartbeats.zone_rules import by_zone_rules
from inbox.flow.heartbeats import transitions
from inbox.flow.heartbeats.transitions import MonitorWrites
from inbox.flow.unit_of_work import work
from inbox.models.heartbeats import monitors
from inbox.models.heartbeats.locked import lock_where


def apply(now: datetime) -> int:
    """Expects the next run where the expected time is none; returns the number of these monitors.

    A worker calls it once, because a running process never reads other rules. Monitors are compared without a lock.
    """
    moved = 0
    for batch in monitors.expected_by_cron(now):
        others = [each.id for each in batch if by_zone_rules(each.state, each.settings, now) != each.state]
        if others:
            moved += _move(others, now)
    return moved


def _move(monitor_ids: Sequence[UUID], now: datetime) -> int:
    moved, writes = 0, MonitorWrites()
    with work() as done:
        for monitor in lock_where("m.id = ANY(%(ids)s) ORDER BY m.id", {"ids": list(monitor_ids)}):
            state = by_zone_rules(monitor.state, monitor.settings, now)
            if state != monitor.state:
                transitions.apply(monitor, Change(state), now, done, writes=writes)
                done.publish_change("monitor", monitor.id, monitor.workspace_id, rev=monitor.rev)
                moved += 1
        writes.flush(done)
    return moved
