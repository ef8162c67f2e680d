"""Statistics of people on call, from the log (specification 23.15)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from inbox.domain.oncall.statistics import Figures, Responses, Served, figures, responses
from inbox.domain.values.refusals import TooCostly
from inbox.models.deliveries import page_responses
from inbox.models.deliveries.page_responses import Paged
from inbox.models.oncall import log

MAX_ROWS = 20_000
"""The most rows of the log, and the most pages, that one answer reads."""

TOO_MANY = f"More than {MAX_ROWS:,} times of people. Ask for a shorter period, or for one schedule."
TOO_MANY_PAGES = f"More than {MAX_ROWS:,} pages. Ask for a shorter period, or for one schedule."


def of_people(
    workspace_ids: Sequence[UUID], schedule_id: UUID | None, start: datetime, end: datetime, now: datetime
) -> list[Figures]:
    """Return how much each person was on call in a period, until now. Raises `TooCostly`."""
    end, left, served = min(end, now), MAX_ROWS, list[Served]()
    for workspace_id in workspace_ids:
        rows = log.of_workspace(workspace_id, schedule_id, start, end, left + 1)
        if len(rows) > left:
            raise TooCostly(TOO_MANY)
        left -= len(rows)
        served += [Served(user_id, _zone(zone), starts, ends or end) for user_id, zone, starts, ends in rows]
    return figures(served, start, end) if start < end else []


def responses_of(
    workspace_ids: Sequence[UUID], schedule_id: UUID | None, start: datetime, end: datetime
) -> dict[UUID, Responses]:
    """Return the pages of each member in a period, and how fast they acknowledged. Raises `TooCostly`."""
    found = list[Paged]()
    for workspace_id in workspace_ids:
        left = MAX_ROWS - len(found)
        found += page_responses.of_workspace(workspace_id, schedule_id, start, end, left + 1)
        if len(found) > MAX_ROWS:
            raise TooCostly(TOO_MANY_PAGES)
    return responses(found)


def _zone(name: str) -> ZoneInfo:
    """Return the time zone. One that this machine does not know has the nights of UTC."""
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError):
        return ZoneInfo("UTC")
