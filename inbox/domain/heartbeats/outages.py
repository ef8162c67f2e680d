"""The effect of a time in which the service received no pings on a heartbeat monitor (specification 18.6)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from inbox.domain.heartbeats import monitor as rules
from inbox.domain.heartbeats.monitor import MonitorSettings, MonitorState


def after_outage(state: MonitorState, settings: MonitorSettings, began: datetime, ended: datetime) -> MonitorState:
    """Returns the state after a time in which the service received no pings.

    If a run's ping may have been lost, the next run is expected instead. Deadlines that passed before the outage are
    kept, and so are expected times after it.
    """
    last = rules.deadline(state, settings)
    if last is None or last < began:
        return state
    if state.started_at is not None and state.started_at < ended:
        state = replace(state, started_at=None, run_id=None)  # its end may have been lost
        if settings.max_runtime is not None:
            return replace(state, due_at=settings.schedule.next_after(ended), late_since=None)
    if state.due_at is None:
        return replace(state, watched_since=state.watched_since + (ended - began))
    if state.due_at <= ended:
        return replace(state, due_at=settings.schedule.next_after(ended), late_since=None)
    return state
