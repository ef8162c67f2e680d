"""Deliveries that wait for a digest: finds the due ones, and gathers them into one delivery."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal, ordered_by_index
from inbox.domain.deliveries.digests import MAX_GATHERED
from inbox.domain.incidents.state_machine import State
from inbox.domain.values.severity import Severity
from inbox.models.deliveries.deferred import GATHERING, LAST_NOTIFIED_SEQ
from inbox.models.deliveries.results import StatusChange

_NO_INCIDENT = UUID(int=0)


@dataclass(frozen=True, slots=True)
class GatheringDelivery:
    """A delivery that waits for a digest, with its notice and the present values of its incident.

    `has_message`: the destination has a message of the incident. `last_notified_seq` as in `deferred.DeferredDelivery`.
    """

    id: UUID
    destination_id: UUID
    incident_id: UUID | None
    seq: int
    created_at: datetime
    body: bytes
    state: State | None
    severity: Severity | None
    routing_profile_id: UUID | None
    destination_ids: tuple[UUID, ...]
    has_message: bool
    last_notified_seq: int


_COLUMNS = f"""d.id, d.destination_id, d.incident_id, d.seq, d.created_at,
        (SELECT n.body FROM notices n WHERE n.id = d.notice_id), i.state, i.severity, i.routing_profile_id,
        i.destination_ids, EXISTS (SELECT FROM destination_messages m
            WHERE m.destination_id = d.destination_id AND m.incident_id = d.incident_id), {LAST_NOTIFIED_SEQ}"""

# Each destination is read along the index `deliveries_gathering` (see `ordered_by_index`).
_DUE = f"""
    SELECT {_COLUMNS}
    FROM unnest(%s::uuid[]) AS chosen (id) CROSS JOIN LATERAL (
        SELECT * FROM deliveries WHERE destination_id = chosen.id AND {GATHERING} AND due_at <= %s
        ORDER BY due_at LIMIT {MAX_GATHERED} OFFSET 0
    ) d LEFT JOIN incidents i ON i.id = d.incident_id
"""


def due(destination_ids: Iterable[UUID], now: datetime) -> list[GatheringDelivery]:
    """Returns the due deliveries of these destinations by destination, incident and order, at most `MAX_GATHERED` for each.

    The caller has locked the destinations for a claim.
    """
    found = ordered_by_index(_DUE, (array_literal(destination_ids, unquoted=True), now))
    rows = [_gathering_delivery(row) for row in found]
    return sorted(rows, key=lambda one: (one.destination_id, one.incident_id or _NO_INCIDENT, one.seq, one.id))


def of_incident(incident_id: UUID) -> list[tuple[GatheringDelivery, datetime]]:
    """Returns the waiting deliveries of the incident with the times of their digests, by destination and order."""
    found = db.execute_sql(
        f"SELECT d.due_at, {_COLUMNS} FROM deliveries d LEFT JOIN incidents i ON i.id = d.incident_id"
        f" WHERE d.incident_id = %s AND d.{GATHERING.replace('AND ', 'AND d.')} ORDER BY d.destination_id, d.seq, d.id",
        (incident_id,),
    )
    return [(_gathering_delivery(row), due_at) for due_at, *row in found.fetchall()]


def _gathering_delivery(row: Sequence[Any]) -> GatheringDelivery:
    id, destination_id, incident_id, seq, created_at, body, state, severity, *rest = row
    profile_id, destination_ids, has_message, last_notified_seq = rest
    return GatheringDelivery(
        id=id,
        destination_id=destination_id,
        incident_id=incident_id,
        seq=seq,
        created_at=created_at,
        body=body.encode(),
        state=State(state) if state else None,
        severity=Severity(severity) if severity else None,
        routing_profile_id=profile_id,
        destination_ids=tuple(destination_ids or ()),
        has_message=has_message,
        last_notified_seq=last_notified_seq,
    )


def gather(delivery_ids: Sequence[UUID], digest_id: UUID, cause: str, now: datetime) -> list[StatusChange]:
    """Moves these deliveries into the digest with this delivery. They wait under the lock of their destination."""
    found = db.execute_sql(
        "UPDATE deliveries d SET status = 'gathered', cause = %s, digest_id = %s, due_at = NULL, settled_at = %s"
        " WHERE id = ANY(%s::uuid[]) AND status IN ('pending', 'held') RETURNING d.id, d.workspace_id, d.attempt, d.incident_id, d.destination_id",
        (cause, digest_id, now, array_literal(delivery_ids, unquoted=True)),
    )
    return [StatusChange(*row) for row in found.fetchall()]


def digests(delivery_ids: Collection[UUID]) -> dict[UUID, tuple[str, str | None, datetime, datetime | None]]:
    """Returns the status, cause, creation and end of these deliveries of digests. Purged ones are left out."""
    found = db.execute_sql(
        "SELECT id, status, cause, created_at, settled_at FROM deliveries WHERE id = ANY(%s::uuid[])",
        (array_literal(delivery_ids, unquoted=True),),
    )
    return {id: tuple(values) for id, *values in found.fetchall()} if delivery_ids else {}


def counts(delivery_ids: Collection[UUID]) -> dict[UUID, int]:
    """Returns the number of notices in each of these digests."""
    found = db.execute_sql(
        "SELECT digest_id, count(*) FROM deliveries WHERE digest_id = ANY(%s::uuid[]) GROUP BY digest_id",
        (array_literal(delivery_ids, unquoted=True),),
    )
    return dict(found.fetchall())
