"""Reports on deliveries: attempts, and the last delivery of each destination."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from inbox.database.base import db
from inbox.models.deliveries.tables import DeliveryAttempt


@dataclass(frozen=True, slots=True)
class LastDelivery:
    """The last message that was sent or finally failed (specification 9.3); `reason` is set when it failed."""

    status: str = "none"
    at: datetime | None = None
    reason: str | None = None
    delivery_id: UUID | None = None


def last_deliveries(destination_ids: Sequence[UUID]) -> dict[UUID, LastDelivery]:
    """Returns the last settled delivery of each of these destinations, read in one statement."""
    rows = db.execute_sql(
        """
        SELECT x.id, l.status, l.settled_at, CASE WHEN l.status = 'failed' THEN l.cause END, l.id
        FROM unnest(%s::uuid[]) AS x (id) CROSS JOIN LATERAL (
            SELECT * FROM deliveries d WHERE d.destination_id = x.id AND d.status IN ('sent', 'failed')
            ORDER BY d.settled_at DESC LIMIT 1) l
        """,
        (list(destination_ids),),
    ).fetchall()
    found = {row[0]: LastDelivery(*row[1:]) for row in rows}
    return {id: found.get(id, LastDelivery()) for id in destination_ids}


def attempts(delivery_ids: Sequence[UUID], *, with_requests: bool = False) -> dict[UUID, list[DeliveryAttempt]]:
    """Returns the attempts of each of these deliveries, oldest first, read in one statement.

    `requests` is read only on demand, because it is longer than all other columns together.
    """
    found: dict[UUID, list[DeliveryAttempt]] = {id: [] for id in delivery_ids}
    columns = [field for field in DeliveryAttempt._meta.sorted_fields if with_requests or field.name != "requests"]
    made = DeliveryAttempt.select(*columns).where(DeliveryAttempt.delivery.in_(list(delivery_ids)))
    for attempt in made.order_by(DeliveryAttempt.delivery, DeliveryAttempt.number) if delivery_ids else ():
        found[attempt.delivery_id].append(attempt)
    return found
