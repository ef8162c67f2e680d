"""The pings and the status changes of monitors, and their removal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import orjson
import peewee

from inbox.database.base import db
from inbox.database.bulk_sql import unnest_rows
from inbox.models.heartbeats.tables import HeartbeatFlip, HeartbeatPing

KEPT_PINGS = 1_000
"""The number of pings of a monitor that `trim` keeps."""

_COLUMNS = {
    "id": "uuid",
    "workspace_id": "uuid",
    "monitor_id": "uuid",
    "at": "timestamptz",
    "kind": "text",
    "exit_code": "smallint",
    "run_id": "uuid",
    "duration_ms": "bigint",
    "method": "text",
    "user_agent": "text",
    "body": "text",
}

_INSERT = f"""
    INSERT INTO heartbeat_pings ({", ".join(_COLUMNS)})
    SELECT * FROM json_to_recordset(%s) AS x ({", ".join(f"{name} {kind}" for name, kind in _COLUMNS.items())})"""

_FLIP_COLUMNS = {
    "id": "uuid",
    "workspace_id": "uuid",
    "monitor_id": "uuid",
    "at": "timestamptz",
    "from_status": "text",
    "to_status": "text",
    "cause": "text",
}


def insert(pings: Sequence[Mapping[str, Any]]) -> None:
    """Inserts pings in one statement."""
    if not pings:
        return
    db.execute_sql(_INSERT, (orjson.dumps(pings).decode(),))


def insert_flips(flips: Sequence[Sequence[Any]]) -> None:
    """Inserts changes of status in one statement, each with its values in the order of the columns."""
    if not flips:
        return
    rows, values = unnest_rows(_FLIP_COLUMNS, flips)
    db.execute_sql(f"INSERT INTO heartbeat_flips ({', '.join(_FLIP_COLUMNS)}) SELECT x.* FROM {rows}", values)


def pings(monitor_id: UUID) -> peewee.ModelSelect[HeartbeatPing]:
    """Selects the stored pings of a monitor."""
    return HeartbeatPing.select().where(HeartbeatPing.monitor_id == monitor_id)


def flips(monitor_id: UUID) -> peewee.ModelSelect[HeartbeatFlip]:
    """Selects the changes of status of a monitor."""
    return HeartbeatFlip.select().where(HeartbeatFlip.monitor_id == monitor_id)


def start_of_run(monitor_id: UUID, run_id: UUID) -> HeartbeatPing | None:
    """Returns the latest start ping of a run; None when it has none."""
    of_run = (HeartbeatPing.run_id == run_id) & (HeartbeatPing.kind == "start")
    found: HeartbeatPing | None = pings(monitor_id).where(of_run).order_by(HeartbeatPing.id.desc()).first()
    return found


def has_failed(monitor_id: UUID, run_id: UUID) -> bool:
    """Returns whether the latest ping of a run is a failure. Ignores log pings."""
    of_run = (HeartbeatPing.run_id == run_id) & (HeartbeatPing.kind != "log")
    latest: HeartbeatPing | None = pings(monitor_id).where(of_run).order_by(HeartbeatPing.id.desc()).first()
    return latest is not None and latest.kind == "fail"


def trim(monitor_id: UUID) -> int:
    """Removes the pings of a monitor beyond the newest `KEPT_PINGS`; returns their number."""
    removed = db.execute_sql(
        "DELETE FROM heartbeat_pings WHERE monitor_id = %(monitor)s AND id <= (SELECT id FROM heartbeat_pings"
        " WHERE monitor_id = %(monitor)s ORDER BY id DESC OFFSET %(kept)s LIMIT 1)",
        {"monitor": monitor_id, "kept": KEPT_PINGS},
    )
    return int(removed.rowcount)
