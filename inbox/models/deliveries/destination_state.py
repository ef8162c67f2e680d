"""A destination as the delivery worker reads it, with the settings and secrets that it sends by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True)
class DestinationState:
    """A destination as read under its lock. `deleted` is also true when its workspace is deleted.

    A contact of a person has the settings and secrets of its `provider_id`, if it has one.
    """

    id: UUID
    workspace_id: UUID
    kind: str
    config: Mapping[str, Any]
    sealed: bytes | None
    enabled: bool
    deleted: bool
    stopped_reason: str | None
    stopped_at: datetime | None
    refusals: int
    generation: int
    rev: int
    next_call_at: datetime | None = None
    template: Mapping[str, Any] | None = None
    include_details: bool = True
    summarised_at: datetime | None = None
    provider_id: UUID | None = None
    owner_id: UUID | None = None


_OF_PROVIDER = "(SELECT {} FROM destinations p WHERE p.id = d.provider_id)"

DESTINATION_COLUMNS = f"""
    d.id, d.workspace_id, d.kind,
    CASE WHEN d.provider_id IS NULL THEN d.config ELSE {_OF_PROVIDER.format("p.config || d.config")} END,
    CASE WHEN d.provider_id IS NULL THEN d.sealed ELSE {_OF_PROVIDER.format("p.sealed")} END,
    d.enabled AND (d.provider_id IS NULL OR {_OF_PROVIDER.format("p.enabled AND p.deleted_at IS NULL")}),
    d.deleted_at IS NOT NULL OR EXISTS (
        SELECT FROM workspaces w WHERE w.id = d.workspace_id AND w.deleted_at IS NOT NULL) AS deleted,
    d.stopped_reason, d.stopped_at, d.rejections_in_a_row, d.generation, d.rev, d.next_call_at, d.template,
    d.include_details, d.summarised_at, d.provider_id, d.owner_id
"""
