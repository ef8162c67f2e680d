"""Deliveries that quiet hours hold: found when these are over or have changed, let go, passed over, or kept on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from inbox.domain.severity import Severity
from inbox.domain.state_machine import State
from inbox.models.deliveries.results import StatusChange
from inbox.models.sql.base import db, ordered_by_index
from inbox.models.sql.bulk_sql import array_literal, unnest_rows

MAX_INCIDENTS = 1_000
"""How many incidents of all destinations together are looked at at once."""

CHANGED = "workspace.quiet_recheck"
"""The kind of timer that looks again at what is held; its subject is the workspace."""

AGAIN = "workspace.quiet_recheck_late"
"""The kind that looks once more, when what was being told while quiet hours changed is committed."""

_NONE = UUID(int=0)
DEFERRED = "status = 'held' AND cause = 'quiet_hours'"
"""Spelled as in the partial index."""


@dataclass(frozen=True, slots=True)
class DeferredDelivery:
    """A held delivery with its incident as it stands, None for one of no incident; `last_notified_seq` is the last alarm or end of it
    that the destination did not have to wait for."""

    id: UUID
    destination_id: UUID
    incident_id: UUID | None
    seq: int
    reason: str
    state: State | None
    severity: Severity | None
    flapping: bool
    routing_profile_id: UUID | None
    destination_ids: tuple[UUID, ...]
    last_notified_seq: int


LAST_NOTIFIED_SEQ = """coalesce((
            SELECT max(e.seq) FROM deliveries e WHERE e.incident_id = d.incident_id
                AND e.destination_id = d.destination_id AND e.replay_of IS NULL
                AND e.status NOT IN ('held', 'skipped', 'expired')
                AND e.reason NOT IN ('acknowledged', 'snoozed', 'updated')), 0)"""
"""Of a delivery `d`: the last alarm or end of its incident that the destination did not have to wait for."""

# A line is read in the order of `deliveries_in_order` (see `ordered_by_index`).
_DUE = f"""
    WITH lines AS MATERIALIZED (
        SELECT DISTINCT destination_id, incident_id FROM deliveries
        WHERE destination_id = ANY(%s::uuid[]) AND {DEFERRED} AND due_at <= %s LIMIT {MAX_INCIDENTS}
    ), held AS (
        SELECT d.* FROM lines CROSS JOIN LATERAL (
            SELECT id, destination_id, incident_id, seq, reason FROM deliveries
            WHERE destination_id = lines.destination_id AND incident_id = lines.incident_id AND {DEFERRED}
            ORDER BY seq OFFSET 0
        ) d
        UNION ALL
        SELECT d.id, d.destination_id, d.incident_id, d.seq, d.reason FROM lines JOIN deliveries d
            ON d.destination_id = lines.destination_id AND d.incident_id IS NULL AND d.status = 'held'
            AND d.cause = 'quiet_hours'
        WHERE lines.incident_id IS NULL
    )
    SELECT d.id, d.destination_id, d.incident_id, d.seq, d.reason, i.state, i.severity, coalesce(i.flapping, false),
        i.routing_profile_id, i.destination_ids, {LAST_NOTIFIED_SEQ}
    FROM held d LEFT JOIN incidents i ON i.id = d.incident_id
"""


def due(destination_ids: Iterable[UUID], now: datetime) -> list[DeferredDelivery]:
    """What is to be looked at of these destinations, which the caller has locked for a claim, with all that is held of the
    same incidents, in its order; of a thousand incidents at most."""
    found = [
        _deferred_delivery(*row) for row in ordered_by_index(_DUE, (array_literal(destination_ids, unquoted=True), now))
    ]
    return sorted(found, key=lambda one: (one.destination_id, one.incident_id or _NONE, one.seq, one.id))


def _deferred_delivery(
    id: UUID,
    destination_id: UUID,
    incident_id: UUID | None,
    seq: int,
    reason: str,
    state: str | None,
    severity: str | None,
    flapping: bool,
    routing_profile_id: UUID | None,
    destination_ids: Sequence[UUID] | None,
    last_notified_seq: int,
) -> DeferredDelivery:
    return DeferredDelivery(
        id,
        destination_id,
        incident_id,
        seq,
        reason,
        State(state) if state else None,
        Severity(severity) if severity else None,
        flapping,
        routing_profile_id,
        tuple(destination_ids or ()),
        last_notified_seq,
    )


def release(delivery_ids: Sequence[UUID], now: datetime) -> list[StatusChange]:
    """These are due now, in their order."""
    return _update(
        "SET status = CASE WHEN attempt > 0 THEN 'retrying' ELSE 'pending' END, cause = NULL, due_at = %s"
        " WHERE id = ANY(%s::uuid[])",
        now,
        array_literal(delivery_ids, unquoted=True),
    )


def skip(causes: Mapping[UUID, str], now: datetime) -> list[StatusChange]:
    """These are not sent, each for its cause."""
    rows, values = unnest_rows({"delivery_id": "uuid", "why": "text"}, list(causes.items()))
    return _update(
        f"SET status = 'skipped', cause = x.why, due_at = NULL, settled_at = %s FROM {rows} WHERE d.id = x.delivery_id",
        now,
        *values,
    )


def defer_until(until: Mapping[UUID, datetime]) -> None:
    """These are looked at again at another time."""
    rows, values = unnest_rows({"delivery_id": "uuid", "until": "timestamptz"}, list(until.items()))
    _update(f"SET due_at = x.until FROM {rows} WHERE d.id = x.delivery_id", *values)


def mark_due(destination_ids: Iterable[UUID]) -> bool:
    """What is held for these destinations, which the caller has locked, is to be looked at now; whether anything is."""
    found = db.execute_sql(
        f"UPDATE deliveries SET due_at = created_at WHERE destination_id = ANY(%s::uuid[]) AND {DEFERRED} RETURNING id",
        (array_literal(destination_ids, unquoted=True),),
    )
    return found.fetchone() is not None


def schedule_recheck(workspace_id: UUID) -> None:
    """What is held in the workspace is to be looked at soon, if anything is: what holds it may have changed."""
    db.execute_sql(
        "INSERT INTO timers (kind, subject_id, workspace_id, due_at)"
        " SELECT %s, t.workspace_id, t.workspace_id, min(d.created_at) FROM destinations t JOIN LATERAL"
        f" (SELECT created_at FROM deliveries WHERE destination_id = t.id AND {DEFERRED} LIMIT 1) d ON true"
        " WHERE t.workspace_id = %s GROUP BY t.workspace_id"
        " ON CONFLICT (kind, subject_id) DO UPDATE SET due_at = excluded.due_at",
        (CHANGED, workspace_id),
    )


def destinations_with_deferred(workspace_id: UUID) -> list[UUID]:
    """The destinations of a workspace for which something is held."""
    found = db.execute_sql(
        "SELECT t.id FROM destinations t WHERE t.workspace_id = %s AND EXISTS"
        f" (SELECT FROM deliveries WHERE destination_id = t.id AND {DEFERRED})",
        (workspace_id,),
    )
    return [row[0] for row in found.fetchall()]


def _update(change: str, *values: object) -> list[StatusChange]:
    found = db.execute_sql(f"UPDATE deliveries d {change} RETURNING d.id, d.workspace_id, d.attempt", values)
    return [StatusChange(*row) for row in found.fetchall()]
