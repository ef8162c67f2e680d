"""The pings and the status changes of monitors, and their removal."""

from __future__ import annotations

from uuid import UUID

import peewee

from inbox.models.tables.heartbeats import HeartbeatFlip, HeartbeatPing

KEPT_PINGS = 1_000
"""The number of pings of a monitor that `trim` keeps."""


def pings(monitor_id: UUID) -> peewee.ModelSelect[HeartbeatPing]:
    """Select the stored pings of a monitor."""
    return HeartbeatPing.select().where(HeartbeatPing.monitor_id == monitor_id)


def flips(monitor_id: UUID) -> peewee.ModelSelect[HeartbeatFlip]:
    """Select the changes of status of a monitor."""
    return HeartbeatFlip.select().where(HeartbeatFlip.monitor_id == monitor_id)


def start_of_run(monitor_id: UUID, run_id: UUID) -> HeartbeatPing | None:
    """The latest start ping of a run; None when it has none."""
    of_run = (HeartbeatPing.run_id == run_id) & (HeartbeatPing.kind == "start")
    found: HeartbeatPing | None = pings(monitor_id).where(of_run).order_by(HeartbeatPing.id.desc()).first()
    return found


def trim(monitor_id: UUID) -> int:
    """Remove the pings of a monitor beyond the newest `KEPT_PINGS`; return their number."""
    newest = pings(monitor_id).order_by(HeartbeatPing.id.desc()).offset(KEPT_PINGS).first()
    if newest is None:
        return 0
    older = (HeartbeatPing.monitor_id == monitor_id) & (HeartbeatPing.id <= newest.id)
    return int(HeartbeatPing.delete().where(older).execute())
