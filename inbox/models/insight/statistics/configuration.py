"""Finds rules without matches (specification 7.9)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal


def unmatched_rules(
    workspace_ids: Sequence[UUID], created_before: datetime
) -> list[tuple[UUID, UUID, str, bool, datetime]]:
    """Returns (rule, workspace, name, enabled, creation time) of the rules created before a time that never matched an
    event.
    """
    found = db.execute_sql(
        "SELECT r.id, r.workspace_id, r.name, r.enabled, r.created_at FROM rules r"
        " WHERE r.workspace_id = ANY(%s::uuid[]) AND r.deleted_at IS NULL AND r.created_at < %s"
        " AND NOT EXISTS (SELECT FROM rule_matches m WHERE m.rule_id = r.id) ORDER BY r.created_at, r.id",
        (array_literal(workspace_ids, unquoted=True), created_before),
    )
    return list(found.fetchall())
