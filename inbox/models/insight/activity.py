"""Counts the events of incidents and of sources in short periods, from bounded parts of indexes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal
from inbox.domain.values import ids

MAX_OF_INCIDENT = 200
MAX_OF_SOURCE = 1_000
"""Events of one period are counted up to this number."""

# Event ids are in the order of receipt. OFFSET 0 keeps one index scan for each record and period.
_COUNTS = """
    SELECT x.id, b.place, c.events
      FROM unnest(%s::uuid[]) AS x (id)
     CROSS JOIN unnest(%s::uuid[], %s::uuid[]) WITH ORDINALITY AS b (low, high, place)
     CROSS JOIN LATERAL (SELECT count(*) AS events FROM ({rows} LIMIT %s) e OFFSET 0) c
     WHERE c.events > 0
"""
OF_INCIDENTS = _COUNTS.format(
    rows="SELECT FROM routed_events r WHERE r.incident_id = x.id AND r.event_id >= b.low AND r.event_id < b.high"
)
OF_SOURCES = _COUNTS.format(
    rows=(
        "SELECT FROM received_events r WHERE r.workspace_id = (SELECT s.workspace_id FROM sources s WHERE s.id = x.id)"
        " AND r.source_id = x.id AND r.id >= b.low AND r.id < b.high"
    )
)


def of_incidents(incident_ids: Sequence[UUID], times: Sequence[datetime]) -> dict[UUID, list[int]]:
    """Returns the number of events of each of these incidents from each time to the next, at most `MAX_OF_INCIDENT` each."""
    return _counts(OF_INCIDENTS, incident_ids, times, MAX_OF_INCIDENT)


def of_sources(source_ids: Sequence[UUID], times: Sequence[datetime]) -> dict[UUID, list[int]]:
    """Returns the number of events of each of these sources from each time to the next, at most `MAX_OF_SOURCE` each."""
    return _counts(OF_SOURCES, source_ids, times, MAX_OF_SOURCE)


def values(record_ids: Sequence[UUID], times: Sequence[datetime], most: int) -> tuple[str, str, str, int]:
    """Returns the parameters of both statements."""
    bounds = list(pairwise(_first_id(each) for each in times))
    lows, highs = [low for low, _ in bounds], [high for _, high in bounds]
    id_lists = [array_literal(each, unquoted=True) for each in (record_ids, lows, highs)]
    return id_lists[0], id_lists[1], id_lists[2], most


def _counts(sql: str, record_ids: Sequence[UUID], times: Sequence[datetime], most: int) -> dict[UUID, list[int]]:
    found = {id: [0] * (len(times) - 1) for id in record_ids}
    for id, place, events in db.execute_sql(sql, values(list(found), times, most)).fetchall() if found else ():
        found[id][place - 1] = events
    return found


def _first_id(moment: datetime) -> UUID:
    return ids.uuid7(max(0, int(moment.timestamp() * 1000)), bytes(10))
