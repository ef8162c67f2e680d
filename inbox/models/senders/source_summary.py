"""The numbers shown for a source: its working keys and its open incidents. Each is read from a bounded part of an index."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal

MAX_OPEN = 1_000
"""Open incidents of a source are counted up to this number."""


class KeyCounts(NamedTuple):
    """The working keys of a source: `ending` are in the grace of a rotation, `active` are the others."""

    active: int
    ending: int
    oldest_created_at: datetime | None


# The condition on resolved incidents names the partial index of unresolved incidents.
_OPEN = """
    SELECT s.id, (SELECT count(*) FROM (
        SELECT FROM incidents i WHERE i.source_id = s.id AND i.state <> 'resolved' AND i.state = 'open' LIMIT %s) o)
      FROM unnest(%s::uuid[]) AS s (id)
"""
_KEYS = """
    SELECT source_id, count(*) FILTER (WHERE grace_ends_at IS NULL), count(grace_ends_at), min(created_at)
      FROM source_keys
     WHERE source_id = ANY(%s::uuid[]) AND revoked_at IS NULL AND (grace_ends_at IS NULL OR grace_ends_at > %s)
     GROUP BY source_id
"""


def open_incidents(source_ids: Sequence[UUID]) -> dict[UUID, int]:
    """Returns the number of open incidents of each of these sources, at most `MAX_OPEN`."""
    found = db.execute_sql(_OPEN, (MAX_OPEN, array_literal(source_ids, unquoted=True)))
    return dict(found.fetchall())


def working_keys(source_ids: Sequence[UUID], now: datetime) -> dict[UUID, KeyCounts]:
    """Returns the keys of each of these sources that work at `now`."""
    found = db.execute_sql(_KEYS, (array_literal(source_ids, unquoted=True), now)).fetchall()
    none = KeyCounts(0, 0, None)
    return dict.fromkeys(source_ids, none) | {source_id: KeyCounts(*counts) for source_id, *counts in found}
