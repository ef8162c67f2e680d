"""Ranges of event ids for filters: ids are in order of receipt, and most indexes are sorted by id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from inbox.database.base import db
from inbox.domain.events.fields import MAX_AHEAD
from inbox.domain.events.time_meaning import MAX_BEGINNING_AGE
from inbox.domain.values import ids

IdRange = tuple[UUID | None, UUID | None]
"""The first id and the exclusive last id; None means an open end."""

EMPTY = (UUID(int=0), UUID(int=0))

_MAX_MILLISECONDS = 250_000_000_000_000  # # milliseconds; later than every event, and days can still be added

INDEXED = {
    "source_id": ("received_events", "id", "uuid"),
    "severity": ("received_events", "id", "severity"),
    "disposition": ("routed_events", "event_id", "text"),
}
"""Filters whose index is sorted by event id: the table, its id column, and the SQL type of the filter."""


def for_filters(
    workspace_ids: Sequence[UUID],
    values: Mapping[str, Sequence[Any]],
    *,
    since: datetime | None = None,
    until: datetime | None = None,
) -> IdRange:
    """Returns the range of the events of this period that match each filter by one of its values."""
    ranges = [
        _for_filter(name, [(id, value) for id in workspace_ids for value in indexed])
        for name, indexed in values.items()
    ]
    ranges.append(
        (None if since is None else ids.first_at(since, 0), None if until is None else ids.first_at(until, 1))
    )
    lows = [low for low, _ in ranges if low is not None]
    highs = [high for _, high in ranges if high is not None]
    return max(lows, default=None), min(highs, default=None)


def occurred_range(id_range: IdRange) -> tuple[datetime | None, datetime | None]:
    """Returns the range of `occurredAt` for an id range of received events (specification 4.3).

    It is bounded by the accepted age of a beginning and by the accepted lead, plus the clock skew.
    """
    low, high = (
        None if id is None else datetime.fromtimestamp(min(id.int >> 80, _MAX_MILLISECONDS) / 1000, UTC)
        for id in id_range
    )
    return low and low - MAX_BEGINNING_AGE - ids.CLOCK_SKEW, high and high + MAX_AHEAD + ids.CLOCK_SKEW


def since(moment: datetime, table: Any) -> Any:
    """Returns a condition: received at or after the moment. The ids repeat it, because the indexes are sorted by them."""
    return (table.received_at >= moment) & (table.id >= ids.first_at(moment, 0))


def until(moment: datetime, table: Any) -> Any:
    """Returns a condition: received before the moment."""
    return (table.received_at < moment) & (table.id < ids.first_at(moment, 1))


def _for_filter(name: str, rows: Sequence[tuple[UUID, Any]]) -> IdRange:
    if not rows:
        return EMPTY
    table, id, sql_type = INDEXED[name]
    bound_sql = (
        f"(SELECT e.{id} FROM {table} e WHERE e.workspace_id = b.w AND e.{name} = b.v ORDER BY e.{id} {{}} LIMIT 1)"
    )
    places = ", ".join([f"(%s::uuid, %s::{sql_type})"] * len(rows))
    found = db.execute_sql(
        f"SELECT {bound_sql.format('')}, {bound_sql.format('DESC')} FROM (VALUES {places}) b (w, v)",
        [each for row in rows for each in row],
    )
    nonempty = [row for row in found.fetchall() if row[0] is not None]
    if not nonempty:
        return EMPTY
    return min(first for first, _ in nonempty), UUID(int=max(last for _, last in nonempty).int + 1)
