"""Deliveries that quiet hours hold: finds the due ones, and releases, skips or postpones them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal, ordered_by_index, unnest_rows
from inbox.domain.deliveries.notices import UPDATES
from inbox.domain.incidents.state_machine import State
from inbox.domain.values.severity import Severity
from inbox.models.deliveries.results import StatusChange

MAX_INCIDENTS = 1_000
"""The maximum number of incidents, of all destinations together, in one pass."""

RECHECK = "workspace.quiet_recheck"
"""The kind of timer that rechecks held deliveries of a workspace; its subject is the workspace."""

SECOND_RECHECK = "workspace.quiet_recheck_late"
"""The kind of timer for a second recheck. By then, transactions are committed that created notices during the change of
quiet hours.
"""

_NO_INCIDENT = UUID(int=0)
DEFERRED = "status = 'held' AND cause = 'quiet_hours'"
GATHERING = "status = 'held' AND cause = 'digest'"
"""The same texts as in the partial indexes."""


@dataclass(frozen=True, slots=True)
class DeferredDelivery:
    """A held delivery with the current state of its incident, or None for a notice without an incident.

    `last_notified_seq` is the incident's last alarm or end that was neither deferred for this destination nor failed.
    """

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
                AND e.status NOT IN ('held', 'skipped', 'expired', 'failed')
                AND e.reason NOT IN ('acknowledged', 'snoozed', 'updated')), 0)"""
"""SQL for a delivery `d`: the last alarm or end of its incident that was neither deferred nor failed."""

# The deliveries of a destination and incident are read in the order of the index `deliveries_in_order` (see
# `ordered_by_index`).
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
    """Returns the due held deliveries of these destinations, with all held deliveries of the same incidents, in their order.

    The caller has locked the destinations for a claim. The result covers at most `MAX_INCIDENTS` incidents.
    """
    found = [
        _deferred_delivery(row) for row in ordered_by_index(_DUE, (array_literal(destination_ids, unquoted=True), now))
    ]
    return sorted(found, key=lambda one: (one.destination_id, one.incident_id or _NO_INCIDENT, one.seq, one.id))


def _deferred_delivery(row: tuple[Any, ...]) -> DeferredDelivery:
    """Returns a delivery from a row of `_DUE`."""
    id, destination_id, incident_id, seq, reason, state, severity, flapping, *route, last_notified_seq = row
    routing_profile_id, destination_ids = route
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


def release(
    delivery_ids: Sequence[UUID], now: datetime, *, gathering: Collection[UUID] = frozenset()
) -> list[StatusChange]:
    """Makes these deliveries due now. Deliveries without an attempt wait for a digest of the `gathering` destinations."""
    return _update(
        "SET status = CASE WHEN attempt > 0 THEN 'retrying' WHEN destination_id = ANY(%s::uuid[]) THEN 'held'"
        " ELSE 'pending' END, cause = CASE WHEN attempt = 0 AND destination_id = ANY(%s::uuid[]) THEN 'digest' END,"
        " due_at = %s WHERE id = ANY(%s::uuid[])",
        *(array_literal(gathering, unquoted=True),) * 2,
        now,
        array_literal(delivery_ids, unquoted=True),
    )


def skip(causes: Mapping[UUID, str], now: datetime) -> list[StatusChange]:
    """Skips these deliveries, each with its cause."""
    rows, values = unnest_rows({"delivery_id": "uuid", "why": "text"}, list(causes.items()))
    return _update(
        f"SET status = 'skipped', cause = x.why, due_at = NULL, settled_at = %s FROM {rows} WHERE d.id = x.delivery_id",
        now,
        *values,
    )


def skipped_under_silence(incident_ids: Collection[UUID]) -> set[UUID]:
    """Returns the incidents whose newest alert to a destination was skipped because a silence covered them."""
    if not incident_ids:
        return set()
    found = db.execute_sql(
        "SELECT DISTINCT d.incident_id FROM deliveries d WHERE d.incident_id = ANY(%s::uuid[]) AND d.status = 'skipped'"
        " AND d.cause = 'silenced' AND d.reason <> ALL(%s) AND NOT EXISTS (SELECT FROM deliveries e"
        " WHERE e.incident_id = d.incident_id AND e.destination_id = d.destination_id AND e.seq > d.seq"
        " AND e.status NOT IN ('skipped', 'expired') AND e.reason <> ALL(%s))",
        (array_literal(incident_ids, unquoted=True), *(array_literal(sorted(UPDATES)),) * 2),
    )
    return {row[0] for row in found.fetchall()}


def defer_until(until: Mapping[UUID, datetime]) -> None:
    """Postpones the recheck of these deliveries."""
    rows, values = unnest_rows({"delivery_id": "uuid", "until": "timestamptz"}, list(until.items()))
    _update(f"SET due_at = x.until FROM {rows} WHERE d.id = x.delivery_id", *values)


def mark_due(destination_ids: Iterable[UUID]) -> bool:
    """Makes all deliveries that wait for quiet hours or a digest due for a recheck; returns whether there are any.

    The caller has locked the destinations.
    """
    chosen = array_literal(destination_ids, unquoted=True)
    change = "UPDATE deliveries SET due_at = created_at WHERE destination_id = ANY(%s::uuid[])"
    found = [db.execute_sql(f"{change} AND {held} RETURNING id", (chosen,)) for held in (DEFERRED, GATHERING)]
    return any(rows.fetchone() is not None for rows in found)


def schedule_recheck(workspace_id: UUID) -> None:
    """Schedules a recheck of the held deliveries of the workspace, if it has any. Their times may have changed."""
    db.execute_sql(
        "INSERT INTO timers (kind, subject_id, workspace_id, due_at)"
        " SELECT %s, t.workspace_id, t.workspace_id, min(d.created_at) FROM destinations t JOIN LATERAL"
        f" ((SELECT created_at FROM deliveries WHERE destination_id = t.id AND {DEFERRED} LIMIT 1) UNION ALL"
        f" (SELECT created_at FROM deliveries WHERE destination_id = t.id AND {GATHERING} LIMIT 1)) d ON true"
        " WHERE t.workspace_id = %s GROUP BY t.workspace_id"
        " ON CONFLICT (kind, subject_id) DO UPDATE SET due_at = excluded.due_at",
        (RECHECK, workspace_id),
    )


def destinations_with_deferred(workspace_id: UUID) -> list[UUID]:
    """Returns the destinations of a workspace with deliveries that wait for quiet hours or a digest."""
    found = db.execute_sql(
        "SELECT t.id FROM destinations t WHERE t.workspace_id = %s"
        f" AND (EXISTS (SELECT FROM deliveries WHERE destination_id = t.id AND {DEFERRED})"
        f" OR EXISTS (SELECT FROM deliveries WHERE destination_id = t.id AND {GATHERING}))",
        (workspace_id,),
    )
    return [row[0] for row in found.fetchall()]


def _update(change: str, *values: object) -> list[StatusChange]:
    found = db.execute_sql(
        f"UPDATE deliveries d {change} RETURNING d.id, d.workspace_id, d.attempt, d.incident_id, d.destination_id",
        values,
    )
    return [StatusChange(*row) for row in found.fetchall()]
