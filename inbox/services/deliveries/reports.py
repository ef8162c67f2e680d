"""Deliveries with the data that people read beside the row: attempts, destination and incident (specification 9.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from inbox.domain.deliveries.delivery import ATTEMPTS, Status
from inbox.domain.explaining.notice_content import DIGEST
from inbox.models.deliveries import gathering, reports
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from inbox.models.incidents.tables import Incident

RETRIED = frozenset({Status.PENDING, Status.RETRYING})
"""The statuses in which a delivery has a next attempt."""


class DestinationName(NamedTuple):
    """The name of a destination in records, also after its deletion. `kind` is None once the row is purged."""

    id: UUID
    name: str
    kind: str | None
    deleted: bool


class DigestDelivery(NamedTuple):
    """The digest delivery that contains a notice."""

    delivery_id: UUID
    status: str
    at: datetime


def with_details(rows: Sequence[Delivery], *, with_requests: bool = False) -> list[Delivery]:
    """Return the rows with the further attributes of an answer: attempts, next attempt, destination and incident."""
    attempts = reports.attempts([row.id for row in rows], with_requests=with_requests)
    destinations = destination_names({row.destination_id for row in rows})
    incidents = _incidents({row.incident_id for row in rows})
    digests = gathering.digests({row.digest_id for row in rows if row.digest_id is not None})
    counts = gathering.counts({row.replay_of or row.id for row in rows if row.reason == DIGEST})
    for row in rows:
        row.attempts_made = attempts[row.id]
        row.attempts_max = ATTEMPTS
        row.next_attempt_at = row.due_at if row.status in RETRIED else None
        row.destination = destinations[row.destination_id]
        row.incident = incidents.get(row.incident_id)
        row.digest = _digest(row, digests)
        row.gathered = counts.get(row.replay_of or row.id, 0) if row.reason == DIGEST else None
    return list(rows)


def _digest(row: Delivery, digests: Mapping[UUID, tuple[Any, ...]]) -> DigestDelivery | None:
    found = digests.get(row.digest_id) if row.digest_id is not None else None
    return None if found is None else DigestDelivery(row.digest_id, found[0], found[2])


def destination_names(requested_ids: set[UUID]) -> dict[UUID, DestinationName]:
    """Return destinations by id, also deleted ones until they are purged."""
    columns = (Destination.id, Destination.name, Destination.kind, Destination.deleted_at)
    rows = Destination.select(*columns).where(Destination.id.in_(list(requested_ids))).tuples() if requested_ids else ()
    return {id: DestinationName(id, name, kind, deleted_at is not None) for id, name, kind, deleted_at in rows}


def _incidents(requested_ids: set[UUID | None]) -> dict[UUID | None, dict[str, Any]]:
    named = [id for id in requested_ids if id is not None]
    columns = (Incident.id, Incident.number, Incident.title)
    rows = Incident.select(*columns).where(Incident.id.in_(named)).dicts() if named else ()
    return {row["id"]: row for row in rows}
