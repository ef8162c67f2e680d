"""The newest note of each incident (specification 7.8)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal
from inbox.domain.incidents.timeline import EntryKind

NOTE_EXCERPT = 300
"""The number of characters of a note that the API returns."""

_LAST = """
SELECT i.id, n.at, n.actor, left(n.text, %s) FROM unnest(%s::uuid[]) i (id) CROSS JOIN LATERAL (
    SELECT t.at, t.actor, t.details ->> 'text' AS text FROM timeline t
     WHERE t.incident_id = i.id AND t.kind = %s ORDER BY t.id DESC LIMIT 1) n
"""


class LastNote(NamedTuple):
    """A note: its time, its actor `{type, id, name}`, and the beginning of its text."""

    at: datetime
    actor: dict[str, Any]
    text: str


def last_notes(incident_ids: Iterable[UUID]) -> dict[UUID, LastNote]:
    """Returns the newest note of each of these incidents that has one."""
    values = [NOTE_EXCERPT, array_literal(incident_ids, unquoted=True), str(EntryKind.NOTE)]
    return {id: LastNote(*note) for id, *note in db.execute_sql(_LAST, values).fetchall()}
