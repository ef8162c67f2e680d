"""Similar incidents: incidents with the same fingerprint, the same resource, or the same normalised title."""

from __future__ import annotations

from uuid import UUID

from inbox.database.base import db
from inbox.models.incidents.tables import Incident

LIMIT = 20
CRITERIA = ("fingerprint", "resource", "title")


def find_similar(incident: Incident) -> list[tuple[UUID, list[str]]]:
    """Returns (incident, the criteria that match), last seen first, at most 20. An index serves each criterion."""
    found = db.execute_sql(
        """
        WITH alike AS (
            (SELECT i.id, i.last_seen_at, 1 AS why FROM incidents i
              WHERE i.source_id = %(source)s AND i.fingerprint = %(fingerprint)s AND i.id <> %(id)s
              ORDER BY i.resolved_at DESC NULLS FIRST LIMIT %(most)s)
            UNION ALL
            (SELECT i.id, i.last_seen_at, 2 FROM incidents i
              WHERE i.workspace_id = %(workspace)s AND i.resource = %(resource)s AND i.id <> %(id)s
              ORDER BY i.last_seen_at DESC, i.id DESC LIMIT %(most)s)
            UNION ALL
            (SELECT i.id, i.last_seen_at, 3 FROM (
                SELECT w.incident_id FROM incident_search w
                 WHERE w.workspace_id = %(workspace)s AND w.incident_id <> %(id)s
                   AND w.title_key = (SELECT o.title_key FROM incident_search o WHERE o.incident_id = %(id)s)
                 ORDER BY w.incident_id DESC LIMIT %(most)s) w JOIN incidents i ON i.id = w.incident_id)
        )
        SELECT id, array_agg(why ORDER BY why) FROM alike GROUP BY id, last_seen_at
         ORDER BY last_seen_at DESC, id DESC LIMIT %(most)s
        """,
        {
            "id": incident.id,
            "source": incident.source_id,
            "fingerprint": incident.fingerprint,
            "workspace": incident.workspace_id,
            "resource": incident.resource,
            "most": LIMIT,
        },
    )
    return [(id, [CRITERIA[each - 1] for each in why]) for id, why in found.fetchall()]
