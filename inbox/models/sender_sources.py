"""The source of a key, as the ways in beside `POST /v1/events` need it before they read a body."""

from __future__ import annotations

from typing import NamedTuple
from uuid import UUID

from inbox.models.sql.base import db


class SenderSource(NamedTuple):
    """A source that may send events. `hash_hex` is the digest of the key in hex."""

    hash_hex: str
    source_id: UUID
    name: str
    allow_query_token: bool
    recovery_pattern: str | None
    recovery_preset: str | None


# The conditions are those of ingest, which looks the key up again in the transaction that stores the events.
_OF_KEY = """
    SELECT encode(k.hash, 'hex'), s.id, s.name, s.allow_query_token, s.recovery_pattern, s.recovery_preset
      FROM source_keys k JOIN sources s ON s.id = k.source_id JOIN workspaces w ON w.id = k.workspace_id
     WHERE k.hash = %s AND k.kind = %s
       AND k.revoked_at IS NULL AND (k.grace_ends_at IS NULL OR k.grace_ends_at > clock_timestamp())
       AND s.enabled AND s.deleted_at IS NULL AND w.deleted_at IS NULL
"""


def of_key(digest: bytes, kind: str) -> SenderSource | None:
    """The source of a live key of this kind."""
    row = db.execute_sql(_OF_KEY, (digest, kind)).fetchone()
    return None if row is None else SenderSource(*row)
