"""Reads events for display: single events, and rows of lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import peewee

from inbox.database.read_query import ReadQuery, Row
from inbox.domain.events.fields import EXCERPT_LENGTH
from inbox.models.events.tables import Event, RoutedEventView
from inbox.models.senders.sources import Source

SOURCE_NAME = peewee.fn.COALESCE(Source.name, "")

LARGE = frozenset({"body", "metadata", "idempotency_key"})
"""The columns that a row of a list omits, because they can be many kilobytes long."""


def with_source(workspace_ids: Sequence[UUID]) -> Any:
    """Returns events of these workspaces, each with the name of its source as `source_name`."""
    named = Event.select(Event, SOURCE_NAME.alias("source_name")).join(
        Source, peewee.JOIN.LEFT_OUTER, on=(Source.id == Event.source_id)
    )
    return named.where(Event.workspace_id.in_(list(workspace_ids))).objects()


def find(workspace_ids: Sequence[UUID], event_id: UUID) -> Any:
    """Returns one event of these workspaces, or None."""
    return with_source(workspace_ids).where(Event.id == event_id).first()


def by_ids(workspace_ids: Sequence[UUID], event_ids: Sequence[UUID]) -> list[Row]:
    """Returns the events among these that belong to these workspaces, as rows of a list."""
    return _ROWS(workspace_id=workspace_ids, id=event_ids)


def of_incident(workspace_id: UUID, incident_id: UUID) -> Any:
    """Returns the events that are counted on an incident of the workspace."""
    rows = _rows(RoutedEventView).where(RoutedEventView.workspace_id == workspace_id)
    return rows.where(RoutedEventView.incident_id == incident_id).objects()


def _rows(table: Any) -> Any:
    """Selects events as rows of a list: with an excerpt in place of the large columns."""
    columns = [field for field in table._meta.sorted_fields if field.name not in LARGE]
    excerpt = peewee.fn.LEFT(table.body, EXCERPT_LENGTH).alias("body_excerpt")
    has_metadata = table.metadata.is_null(False).alias("has_metadata")
    return table.select(*columns, excerpt, has_metadata, SOURCE_NAME.alias("source_name")).join(
        Source, peewee.JOIN.LEFT_OUTER, on=(Source.id == table.source_id)
    )


_ROWS = ReadQuery(lambda: _rows(Event))
