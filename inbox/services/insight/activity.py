"""Events of incidents and of sources by the hour or the day, for small charts (specification 7.12)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from inbox.models.incidents import read as incident_read
from inbox.models.insight import activity
from inbox.models.senders.sources import Source
from inbox.services.senders import sources

MAX_INCIDENTS, MAX_SOURCES = 100, 50
"""The most records of one request."""

MAX_PERIODS = 48


class Period(StrEnum):
    """The length of the periods. They begin at full hours or days of UTC."""

    HOUR = "hour"
    DAY = "day"


_LENGTHS = {Period.HOUR: timedelta(hours=1), Period.DAY: timedelta(days=1)}


def of_incidents(
    workspace_ids: Sequence[UUID], incident_ids: Sequence[UUID], period: Period, number: int, now: datetime
) -> dict[str, Any]:
    """Return the events of these incidents in the last periods. Incidents of other workspaces are left out."""
    visible = {row.id for row in incident_read.by_ids(workspace_ids, incident_ids)}
    return _activity(activity.of_incidents, [id for id in incident_ids if id in visible], period, number, now)


def of_sources(
    workspace_ids: Sequence[UUID], source_ids: Sequence[UUID], period: Period, number: int, now: datetime
) -> dict[str, Any]:
    """Return the events of these sources in the last periods. Deleted and foreign sources are left out."""
    visible = {row.id for row in sources.existing(workspace_ids).where(Source.id.in_(list(source_ids)))}
    return _activity(activity.of_sources, [id for id in source_ids if id in visible], period, number, now)


Count = Callable[[Sequence[UUID], Sequence[datetime]], Mapping[UUID, list[int]]]


def _activity(count: Count, record_ids: Sequence[UUID], period: Period, number: int, now: datetime) -> dict[str, Any]:
    length = _LENGTHS[period]
    current = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    end = (current.replace(hour=0) if period is Period.DAY else current) + length
    times = [end - place * length for place in range(number, -1, -1)]
    found = count(record_ids, times)
    return {
        "since": times[0],
        "bucket": period,
        "items": [{"id": id, "counts": found[id]} for id in dict.fromkeys(record_ids)],
    }
