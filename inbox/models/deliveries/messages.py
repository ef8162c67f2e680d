"""The message of an incident at a destination, which a later notice changes or replies to (specification 9.14)."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import unnest_rows

Place = tuple[UUID, UUID]
"""A destination and an incident."""


def read(places: Collection[Place]) -> dict[Place, Mapping[str, Any]]:
    """Returns the stored references of these places. `places` must not be empty."""
    rows, values = unnest_rows({"destination_id": "uuid", "incident_id": "uuid"}, list(places), "place")
    found = db.execute_sql(
        f"SELECT m.destination_id, m.incident_id, m.reference FROM destination_messages m JOIN {rows}"
        " ON m.destination_id = place.destination_id AND m.incident_id = place.incident_id",
        values,
    )
    return {(destination_id, incident_id): reference for destination_id, incident_id, reference in found.fetchall()}


def keep(references: Mapping[Place, Mapping[str, Any]], now: datetime) -> None:
    """Stores these references in place of earlier ones. Skips purged incidents. `references` must not be empty."""
    columns = {"destination_id": "uuid", "incident_id": "uuid", "reference": "jsonb"}
    values_of = [(*place, json.dumps(reference)) for place, reference in references.items()]
    rows, values = unnest_rows(columns, values_of, "kept")
    # The key share lock waits for a purge of the incident. The insert then skips it and does not violate the foreign key.
    db.execute_sql(
        f"""
        INSERT INTO destination_messages (destination_id, incident_id, reference, updated_at)
        SELECT kept.destination_id, kept.incident_id, kept.reference, %s
        FROM {rows} JOIN incidents i ON i.id = kept.incident_id FOR KEY SHARE OF i
        ON CONFLICT (destination_id, incident_id)
            DO UPDATE SET reference = EXCLUDED.reference, updated_at = EXCLUDED.updated_at
        """,
        [now, *values],
    )


def forget(destination_id: UUID) -> None:
    """Deletes the references of a destination, because its new settings may lead to another place."""
    db.execute_sql("DELETE FROM destination_messages WHERE destination_id = %s", (destination_id,))
