"""The access check for all streams of a process, in one set-based query."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from inbox.database.base import db
from inbox.domain.people.session import ABSOLUTE, IDLE
from inbox.models.people.factors import HAS_REQUIRED_FACTOR

WORKSPACES_OF_CREDENTIALS = f"""
WITH credentials AS (
    SELECT s.id, s.user_id FROM sessions s
    WHERE s.id = ANY(%(sessions)s::uuid[]) AND s.revoked_at IS NULL
      AND s.last_seen_at > %(idle)s AND s.created_at > %(absolute)s
    UNION ALL
    SELECT d.id, d.user_id FROM devices d
    WHERE d.id = ANY(%(devices)s::uuid[]) AND d.revoked_at IS NULL
      AND EXISTS (SELECT FROM device_tokens t
                   WHERE t.device_id = d.id AND t.generation = d.generation AND t.expires_at > %(now)s)
)
SELECT c.id, array_agg(w.id) FILTER (WHERE w.id IS NOT NULL)
FROM credentials c
JOIN users u ON u.id = c.user_id
LEFT JOIN members m ON m.user_id = c.user_id
LEFT JOIN workspaces w ON w.id = m.workspace_id AND w.deleted_at IS NULL
  AND {HAS_REQUIRED_FACTOR}
WHERE u.disabled_at IS NULL AND u.deleted_at IS NULL
GROUP BY c.id
"""


def current_workspaces(
    session_ids: Sequence[UUID], device_ids: Sequence[UUID], now: datetime
) -> dict[UUID, frozenset[UUID]]:
    """Return the workspaces of each valid session and device. An absent id has ended.

    A device is valid while a token of its newest pair is valid. So its stream outlives the access token that opened it.
    """
    values = {"sessions": list(session_ids), "devices": list(device_ids), "now": now}
    values |= {"idle": now - IDLE, "absolute": now - ABSOLUTE}
    rows = db.execute_sql(WORKSPACES_OF_CREDENTIALS, values).fetchall()
    return {credential_id: frozenset(workspace_ids or ()) for credential_id, workspace_ids in rows}
