"""The counters of rules and silences that cost too much for an event, by the hour (decision 0088)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

import peewee

from inbox.models.rule_counters import MatchCount, MatchHour
from inbox.models.sql.base import Table, TimestampField, db
from inbox.models.sql.bulk_sql import array_literal, unnest_rows, write

PERIOD = timedelta(hours=24)
"""The period of the shown counts."""


class CostlyMatch(Table):
    """The number of events of a shard within an hour for which a rule or silence was left out."""

    workspace_id = peewee.UUIDField()
    match_id = peewee.UUIDField()
    hour = TimestampField()
    shard = peewee.SmallIntegerField()
    events = peewee.BigIntegerField()
    last_at = TimestampField()

    class Meta:
        table_name = "costly_matches"
        primary_key = peewee.CompositeKey("match_id", "hour", "shard")


class CostlyStats(NamedTuple):
    """The number of events of the last 24 hours, to the hour, for which a rule or silence was left out, and the last."""

    last_24h: int = 0
    last_at: datetime | None = None


def add(shard: int, counts: Mapping[MatchHour, MatchCount]) -> None:
    """Add the events of a shard. Each shard has its own rows, so that routers never wait for each other."""
    if not counts:
        return
    columns = {"workspace_id": "uuid", "match_id": "uuid", "hour": "timestamptz", "events": "bigint"}
    rows, values = unnest_rows(
        {**columns, "last_at": "timestamptz"}, [(*hour, *count) for hour, count in counts.items()]
    )
    write(
        "INSERT INTO costly_matches AS m (workspace_id, match_id, hour, shard, events, last_at)"
        f" SELECT x.workspace_id, x.match_id, x.hour, %s, x.events, x.last_at FROM {rows}"
        " ON CONFLICT (match_id, hour, shard) DO UPDATE"
        " SET events = m.events + excluded.events, last_at = greatest(m.last_at, excluded.last_at)",
        [shard, *values],
    )


def stats(match_ids: Sequence[UUID], now: datetime) -> dict[UUID, CostlyStats]:
    """The statistics of each of these rules or silences that was left out lately."""
    rows = db.execute_sql(
        "SELECT match_id, sum(events), max(last_at) FROM costly_matches WHERE match_id = ANY(%s::uuid[]) AND hour > %s"
        " GROUP BY match_id",
        (array_literal(match_ids, unquoted=True), now - PERIOD),
    ).fetchall()
    return {id: CostlyStats(int(events), last_at) for id, events, last_at in rows}
