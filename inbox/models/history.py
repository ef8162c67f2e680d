"""Events as people look for them: by workspace, source, severity, time and text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import peewee

from inbox.domain import ids, severity
from inbox.domain.severity import Severity
from inbox.models.events import Event
from inbox.models.sources import Source

SOURCE_NAME = peewee.fn.COALESCE(Source.name, "")

_FIRST, _LAST = bytes(10), bytes([255]) * 10


def told(workspace_ids: Sequence[UUID]) -> Any:
    """Events of these workspaces, each with the name of its source as `source_name`."""
    return (
        Event.select(Event, SOURCE_NAME.alias("source_name"))
        .join(Source, peewee.JOIN.LEFT_OUTER, on=(Source.id == Event.source_id))
        .where(Event.workspace_id.in_(list(workspace_ids)))
        .objects()
    )


def find(workspace_ids: Sequence[UUID], event_id: UUID) -> Any:
    """One event of these workspaces, or None."""
    return told(workspace_ids).where(Event.id == event_id).first()


def at_least(lowest: Severity) -> Any:
    """Of this severity or above; INFO and SUCCESS are equal (spec 2.2)."""
    return Event.severity.in_([str(each) for each in Severity if severity.rank(each) >= severity.rank(lowest)])


def containing(text: str) -> Any:
    """With this text in the title, the resource or the dedup key, in any case."""
    pattern = "%" + text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    return Event.title**pattern | Event.resource**pattern | Event.dedup_key**pattern


def since(moment: datetime) -> Any:
    """Received at or after; the ids say it too, and they are what the primary key is sorted by."""
    return (Event.received_at >= moment) & (Event.id >= ids.uuid7(_milliseconds(moment), _FIRST))


def until(moment: datetime) -> Any:
    """Received before."""
    return (Event.received_at < moment) & (Event.id <= ids.uuid7(_milliseconds(moment), _LAST))


def _milliseconds(moment: datetime) -> int:
    return max(0, int(moment.timestamp() * 1000))
