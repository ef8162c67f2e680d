"""The number of events that matched each rule, by the hour of receipt (specification 6.2)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from inbox.models.sql.bulk_sql import unnest_rows, write


class Hour(NamedTuple):
    """The key of a count: a rule and an hour."""

    workspace_id: UUID
    rule_id: UUID
    hour: datetime


class Count(NamedTuple):
    """The number of events, and the last time of receipt."""

    events: int
    last_at: datetime


def add(shard: int, counts: Mapping[Hour, Count]) -> None:
    """Add the events of a shard. Each shard has its own rows, so that routers never wait for each other."""
    if not counts:
        return
    columns = {"workspace_id": "uuid", "rule_id": "uuid", "hour": "timestamptz", "events": "bigint"}
    rows, values = unnest_rows(
        {**columns, "last_at": "timestamptz"}, [(*hour, *count) for hour, count in counts.items()]
    )
    write(
        "INSERT INTO rule_matches AS m (workspace_id, rule_id, hour, shard, events, last_at)"
        f" SELECT x.workspace_id, x.rule_id, x.hour, %s, x.events, x.last_at FROM {rows}"
        " ON CONFLICT (rule_id, hour, shard) DO UPDATE"
        " SET events = m.events + excluded.events, last_at = greatest(m.last_at, excluded.last_at)",
        [shard, *values],
    )
