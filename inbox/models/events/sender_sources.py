"""Looks up the source of a key for the endpoints other than `POST /v1/events`, before they read a body."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from inbox.database.base import db
from inbox.models.events.tables import ReceivedEvent
from inbox.models.senders.sources import Source


class SenderSource(NamedTuple):
    """A source that may send events. `hash_hex` is the digest of the key in hex."""

    hash_hex: str
    source_id: UUID
    workspace_id: UUID
    name: str
    allow_query_token: bool
    recovery_pattern: str | None
    recovery_preset: str | None
    has_group_by: bool
    resolve_by: str


class SealedSecret(NamedTuple):
    """A valid signing secret, and its source."""

    source: SenderSource
    key_id: UUID
    sealed: bytes


class SentEvent(NamedTuple):
    """The fields of an event that a sender of its source may read."""

    dedup_key: str | None
    metadata: dict[str, Any]
    received_at: datetime


# Ingest has the same conditions, and looks the key up again in the transaction that stores the events.
_COLUMNS = """
    encode(k.hash, 'hex'), s.id, s.workspace_id, s.name, s.allow_query_token, s.recovery_pattern, s.recovery_preset,
    s.group_by <> '{}', s.resolve_by
"""
_WORKING = """
    FROM source_keys k JOIN sources s ON s.id = k.source_id JOIN workspaces w ON w.id = k.workspace_id
   WHERE k.revoked_at IS NULL AND (k.grace_ends_at IS NULL OR k.grace_ends_at > clock_timestamp())
     AND s.enabled AND s.deleted_at IS NULL AND w.deleted_at IS NULL
"""
_OF_KEY = f"SELECT {_COLUMNS} {_WORKING} AND k.hash = %s AND k.kind = %s"
_OF_SIGNATURES = f"""
    SELECT {_COLUMNS}, k.id, k.sealed {_WORKING}
       AND k.source_id = %s AND k.kind = 'signing_secret' AND k.tool = %s ORDER BY k.id DESC LIMIT %s
"""


def event_of(source: SenderSource, event_id: UUID) -> SentEvent | None:
    """Returns an event of this source; None when there is none."""
    row: ReceivedEvent | None = ReceivedEvent.get_or_none(
        ReceivedEvent.workspace_id == source.workspace_id,
        ReceivedEvent.id == event_id,
        ReceivedEvent.source_id == source.source_id,
    )
    return None if row is None else SentEvent(row.dedup_key, row.metadata or {}, row.received_at)


def of_key(digest: bytes, kind: str) -> SenderSource | None:
    """Returns the source of a live key of this kind."""
    row = db.execute_sql(_OF_KEY, (digest, kind)).fetchone()
    return None if row is None else SenderSource(*row)


def mapping_of(source_id: UUID) -> dict[str, Any] | None:
    """Returns the mapping of a source; None when it has none."""
    row: Source | None = Source.select(Source.mapping).where(Source.id == source_id).first()
    return None if row is None else row.mapping


def keeps_open_without_data(source_id: UUID) -> bool:
    """Returns whether an end for want of data leaves the incident of this source open."""
    row: Source | None = Source.select(Source.keep_open_on_missing_data).where(Source.id == source_id).first()
    return row is not None and row.keep_open_on_missing_data


def of_signatures(source_id: UUID, tool: str, most: int) -> list[SealedSecret]:
    """Returns the signing secrets of a source for a tool, the newest first."""
    rows = db.execute_sql(_OF_SIGNATURES, (source_id, tool, most)).fetchall()
    return [SealedSecret(SenderSource(*row[:-2]), row[-2], bytes(row[-1])) for row in rows]
