"""Finds monitors by their slug and their source's ping key (specification 18.11)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from inbox.database.base import db
from inbox.models.heartbeats.tables import HeartbeatMonitor


class SlugAddress(NamedTuple):
    """The address of a ping by slug: the digest of a ping key, and the slug of a monitor."""

    key_digest: bytes
    slug: str


class FoundKey(NamedTuple):
    """A live ping key, and the token digest of the monitor with the slug; None when no monitor has it."""

    key_id: UUID
    last_used_at: datetime | None
    token_hash: bytes | None


class PingKeySource(NamedTuple):
    """The source of a live ping key."""

    source_id: UUID
    workspace_id: UUID
    name: str
    enabled: bool


# A disabled source keeps its ping keys, as its monitors keep their tokens (specification 18.1).
_LIVE_KEY = """
    k.kind = 'ping_key' AND k.revoked_at IS NULL AND (k.grace_ends_at IS NULL OR k.grace_ends_at > clock_timestamp())
"""
_LIVE_SOURCE = """
    JOIN sources s ON s.id = k.source_id AND s.deleted_at IS NULL
    JOIN workspaces w ON w.id = k.workspace_id AND w.deleted_at IS NULL
"""
_FIND = f"""
    SELECT x.hash, x.slug, k.id, k.last_used_at, m.token_hash
      FROM unnest(%s::bytea[], %s::text[]) AS x (hash, slug)
      JOIN source_keys k ON k.hash = x.hash AND {_LIVE_KEY} {_LIVE_SOURCE}
      LEFT JOIN heartbeat_monitors m ON m.source_id = k.source_id AND m.slug = x.slug AND m.deleted_at IS NULL
"""
_SOURCE = f"""
    SELECT s.id, s.workspace_id, s.name, s.enabled FROM source_keys k {_LIVE_SOURCE} WHERE k.hash = %s AND {_LIVE_KEY}
"""


def find(addresses: Collection[SlugAddress]) -> dict[SlugAddress, FoundKey]:
    """Returns the key and the monitor of each address. Omits addresses whose key is not live."""
    columns = [each.key_digest for each in addresses], [each.slug for each in addresses]
    rows = db.execute_sql(_FIND, columns).fetchall()
    return {
        SlugAddress(bytes(digest), slug): FoundKey(key_id, used_at, None if token is None else bytes(token))
        for digest, slug, key_id, used_at, token in rows
    }


def source_of(key_digest: bytes) -> PingKeySource | None:
    """Returns the source of a live ping key; None when there is none."""
    row = db.execute_sql(_SOURCE, (key_digest,)).fetchone()
    return None if row is None else PingKeySource(*row)


def of_source(source_id: UUID) -> list[str | None]:
    """Returns the slug of each monitor of a source; None for a monitor without one."""
    rows = HeartbeatMonitor.select(HeartbeatMonitor.slug).where(
        HeartbeatMonitor.source_id == source_id, HeartbeatMonitor.deleted_at.is_null()
    )
    return [slug for (slug,) in rows.tuples()]
