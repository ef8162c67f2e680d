"""Replays of deliveries: failed deliveries that can be replayed, and stale ones, which would set an incident back.

Services such as PagerDuty keep one alert for an incident. A notice that is not the newest would reopen or end it there
(specification 9.10).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import peewee

from inbox.database.base import db
from inbox.database.bulk_sql import unnest_rows
from inbox.domain.deliveries.quiet_hours import SkipCause
from inbox.domain.incidents.state_machine import Reason, State
from inbox.models.deliveries.results import StatusChange
from inbox.models.deliveries.tables import Delivery
from inbox.models.incidents.tables import Incident

_SKIP = """
    UPDATE deliveries d SET status = 'skipped', cause = x.cause, due_at = NULL, lease_until = NULL, settled_at = %s,
        attempt = attempt - 1
    FROM {} WHERE d.id = x.id
    RETURNING d.id, d.workspace_id, d.attempt, d.incident_id, d.destination_id
"""


def make_due(destination_id: UUID, most_attempts: int, now: datetime) -> list[StatusChange]:
    """Makes the deliveries due that wait for their next attempt after at most so many. The caller has locked the destination.

    Deliveries behind them become due when these are settled.
    """
    rows = db.execute_sql(
        "UPDATE deliveries SET due_at = %(now)s WHERE destination_id = %(id)s AND status = 'retrying' AND due_at > %(now)s"
        " AND attempt <= %(most)s RETURNING id, workspace_id, attempt, incident_id, destination_id",
        {"id": destination_id, "most": most_attempts, "now": now},
    )
    return [StatusChange(*row) for row in rows.fetchall()]


def failed(
    destination_id: UUID, since: datetime, until: datetime, limit: int, *, keeps_state: bool = False
) -> tuple[list[Delivery], int]:
    """Returns the finally failed deliveries from `since` to before `until`, oldest first, and the number of stale ones.

    The result excludes tests, replays, and deliveries with a later replay that did not fail. With `keeps_state` it
    excludes stale deliveries, which are counted up to `limit`.
    """
    replay = Delivery.alias()
    replayed = replay.select().where(replay.replay_of == Delivery.id, replay.status != "failed")
    found = Delivery.select().where(
        Delivery.destination_id == destination_id,
        Delivery.status == "failed",
        Delivery.settled_at >= since,
        Delivery.settled_at < until,
        Delivery.replay_of.is_null(),
        Delivery.reason != "test",
        ~peewee.fn.EXISTS(replayed),
    )
    stale = 0
    if keeps_state:
        is_stale = _has_newer() | _is_contrary()
        stale, found = found.where(is_stale).limit(limit).count(), found.where(~is_stale)
    return list(found.order_by(Delivery.id).limit(limit)), stale


def stale(delivery_ids: Sequence[UUID]) -> dict[UUID, str]:
    """Returns the deliveries that would set the state of their incident back, each with its cause to be skipped."""
    rows = Delivery.select(Delivery.id, Delivery.reason, _has_newer().alias("has_newer")).where(
        Delivery.id.in_(list(delivery_ids)), _has_newer() | _is_contrary()
    )
    return {
        row.id: str(
            SkipCause.SUPERSEDED if row.has_newer or row.reason == Reason.RESOLVED else SkipCause.RESOLVED_MEANWHILE
        )
        for row in rows
    }


def skip(causes: dict[UUID, str], *, now: datetime) -> list[StatusChange]:
    """Skips these claimed replays."""
    rows, values = unnest_rows({"id": "uuid", "cause": "text"}, list(causes.items()), "x")
    return [StatusChange(*row) for row in db.execute_sql(_SKIP.format(rows), [now, *values]).fetchall()]


def _has_newer() -> Any:
    """Returns a condition: the destination had a newer notice of the incident. Replays have their original's number."""
    newer = Delivery.alias()
    return peewee.fn.EXISTS(
        newer.select(peewee.SQL("1")).where(
            newer.incident_id == Delivery.incident_id,
            newer.destination_id == Delivery.destination_id,
            newer.seq > Delivery.seq,
            newer.status.not_in(["skipped", "expired"]),
        )
    )


def _is_contrary() -> Any:
    """Returns a condition: the notice opens a resolved incident, or ends one that is not resolved."""
    resolved = peewee.fn.EXISTS(
        Incident.select(peewee.SQL("1")).where(Incident.id == Delivery.incident_id, Incident.state == State.RESOLVED)
    )
    ends = Delivery.reason == Reason.RESOLVED
    return Delivery.incident_id.is_null(False) & ((resolved & ~ends) | (ends & ~resolved))
