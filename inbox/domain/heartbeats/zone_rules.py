"""The expected time of a heartbeat monitor under other rules of time zones (specification 18.2)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from inbox.domain.heartbeats import monitor
from inbox.domain.heartbeats.monitor import MonitorSettings, MonitorState


def by_zone_rules(state: MonitorState, settings: MonitorSettings, now: datetime) -> MonitorState:
    """Returns the state with a next ping that is a run by the present rules of time zones; the same state if it is one."""
    if monitor.deadline(state, settings) is None or state.due_at is None or state.due_at <= now:
        return state
    if settings.schedule.is_run(state.due_at):
        return state
    return replace(state, due_at=settings.schedule.next_after(now))
