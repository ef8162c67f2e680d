"""Versions of rules, profiles and schedules: each saved version is kept and can be saved again (specification 6.11)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import NotFound
from inbox.models.deliveries.destinations import Destination
from inbox.models.routing import versions
from inbox.services.records import audit

RULE_FIELDS = (
    *("name", "enabled", "source_ids", "match", "active_during", "open_after", "actions", "continue_matching"),
)
PROFILE_FIELDS = (
    *("name", "delay_seconds", "steps", "repeat", "renotify_minutes", "renotify_max", "ack_timeout_minutes"),
    *("auto_resolve_minutes", "reopen_window_minutes", "quiet_hours", "fallback_destination_id"),
)

SCHEDULE_FIELDS = ("name", "description", "timezone", "layers")

SCHEDULE_RECORDED = (*SCHEDULE_FIELDS, "follows_calendar")
"""The columns of a schedule that a version keeps: while it followed a calendar, its layers did not count."""


def record(row: Any, fields: Sequence[str], now: datetime) -> None:
    """Keep the saved row as a version, in the caller's unit of work."""
    values = {name: _json(getattr(row, name)) for name in fields}
    versions.add(row.id, row.rev, row.workspace_id, values, audit.current_actor().record(), now)


def find(record_id: UUID, rev: int) -> Mapping[str, Any]:
    """Return the fields of one version. Raises `NotFound`."""
    found = versions.find(record_id, rev)
    if found is None:
        raise NotFound
    fields: Mapping[str, Any] = found.fields
    return fields


def existing_ids(table: Any, workspace_id: UUID, requested: Iterable[UUID]) -> frozenset[UUID]:
    """Return the ids of these records of the workspace that are not deleted."""
    rows = table.select(table.id).where(
        table.id.in_(list(requested)), table.workspace_id == workspace_id, table.deleted_at.is_null()
    )
    return frozenset(row.id for row in rows)


def existing_destinations(workspace_id: UUID, destination_ids: Iterable[str]) -> list[str]:
    """Return the destinations in this list of API ids that are not deleted, in their order."""
    decoded = {text: ids.decode(Prefix.DESTINATION, text) for text in destination_ids}
    found = existing_ids(Destination, workspace_id, [each for each in decoded.values() if each is not None])
    return [text for text, id in decoded.items() if id in found]


def _json(value: Any) -> Any:
    if isinstance(value, UUID):
        return str(value)
    return [_json(each) for each in value] if isinstance(value, list) else value
