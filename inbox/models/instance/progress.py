"""Looks up whether a new instance has its first event, delivery and device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal


class Progress(NamedTuple):
    """Says which of these records exist at least once for the workspaces and a person."""

    has_event: bool
    has_sent_delivery: bool
    has_device: bool


# Each part is a few probes of an index: of a workspace's events, a destination's settled deliveries, a person's devices.
_PROGRESS = """
    SELECT
        EXISTS (SELECT FROM unnest(%(ids)s::uuid[]) AS w (id) CROSS JOIN LATERAL (
            SELECT FROM received_events WHERE workspace_id = w.id LIMIT 1) e),
        EXISTS (SELECT FROM destinations t CROSS JOIN LATERAL (
            SELECT FROM deliveries d WHERE d.destination_id = t.id AND d.status IN ('sent', 'failed')
                AND d.status = 'sent' ORDER BY d.settled_at DESC LIMIT 1) d WHERE t.workspace_id = ANY(%(ids)s::uuid[])),
        EXISTS (SELECT FROM devices WHERE user_id = %(person)s AND revoked_at IS NULL)
"""


def of(workspace_ids: Sequence[UUID], person: UUID) -> Progress:
    """Returns the progress of these workspaces and of a person."""
    values = {"ids": array_literal(workspace_ids, unquoted=True), "person": person}
    return Progress(*db.execute_sql(_PROGRESS, values).fetchone())
