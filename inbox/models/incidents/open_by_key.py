"""Finds the unresolved incidents of dedup keys, for records that name their incident."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal

SourceAndKey = tuple[UUID, str]


def open_by_key(pairs: Iterable[SourceAndKey]) -> dict[SourceAndKey, UUID]:
    """Returns the unresolved incident of each of these (source, dedup key) that has one."""
    requested = set(pairs)
    if not requested:
        return {}
    found = db.execute_sql(
        "SELECT i.source_id, i.dedup_key, i.id FROM incidents i WHERE i.state <> 'resolved' AND i.dedup_key IS NOT NULL"
        " AND i.source_id = ANY(%s::uuid[]) AND i.dedup_key = ANY(%s)",
        (array_literal({source_id for source_id, _ in requested}, unquoted=True), [key for _, key in requested]),
    ).fetchall()
    return {(source_id, key): incident_id for source_id, key, incident_id in found if (source_id, key) in requested}
