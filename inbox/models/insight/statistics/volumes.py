"""Events, notices and deliveries of a period, from bounded parts of their indexes (specification 7.9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.database.bulk_sql import array_literal
from inbox.models.insight.statistics.scope import Scope, first_id

MAX_EVENTS = 200_000
"""The events that one request examines, the newest first. Several workspaces, sources or severities share them."""

MAX_EVENT_ROWS = 20_000
"""The events of a request with a filter for which the row itself is read, not only an index."""

MAX_DELIVERIES = 100_000
"""The deliveries that one request examines, the newest first."""

_BOUNDARY = """
SELECT b.id FROM {branches} CROSS JOIN LATERAL (
    SELECT x.id FROM {table} x WHERE {branch} AND x.id >= %(first)s AND x.id < %(last)s
     ORDER BY x.id DESC OFFSET %(share)s LIMIT 1) b ORDER BY b.id DESC LIMIT 1
"""
_EVENTS = """
SELECT width_bucket(x.id, %(lows)s::uuid[]) AS bucket, count(*) FROM {branches}
  JOIN received_events x ON {branch} AND x.id >= %(first)s AND x.id < %(last)s
 WHERE (%(after)s::uuid IS NULL OR x.id > %(after)s::uuid){filters} GROUP BY 1
"""
_DELIVERIES = """
WITH d AS MATERIALIZED (
    SELECT d.destination_id, d.notice_id, d.reason, d.status,
           width_bucket(d.created_at, %(starts)s::timestamptz[]) AS bucket FROM deliveries d{join}
     WHERE d.workspace_id = ANY(%(workspaces)s::uuid[]) AND d.id >= %(first)s AND d.id < %(last)s
           AND (%(after)s::uuid IS NULL OR d.id > %(after)s::uuid) AND d.replay_of IS NULL AND d.reason <> 'test'{filters}
)
SELECT
    (SELECT jsonb_agg(x) FROM (SELECT bucket, status, count(*) AS n FROM d GROUP BY bucket, status) x),
    (SELECT jsonb_agg(x) FROM (
        SELECT bucket, reason, count(DISTINCT notice_id) AS n FROM d WHERE reason <> 'digest' GROUP BY bucket, reason) x),
    (SELECT jsonb_agg(x) FROM (
        SELECT c.*, t.name FROM (SELECT destination_id, status, count(*) AS n FROM d WHERE reason <> 'digest'
                                  GROUP BY destination_id, status) c
          JOIN destinations t ON t.id = c.destination_id) x)
"""
_WORKSPACES = ("unnest(%(workspaces)s::uuid[]) AS w (id)", "x.workspace_id = w.id")


def counted_deliveries_from(scope: Scope, most: int = MAX_DELIVERIES) -> UUID | None:
    """Returns the id of the newest delivery beyond the first `most` ones; None if there are no more."""
    return _boundary(scope, "deliveries", *_WORKSPACES, most // max(1, len(scope.workspace_ids)))


def deliveries(scope: Scope, starts: Sequence[datetime], after: UUID | None) -> tuple[list[Any], list[Any], list[Any]]:
    """Returns deliveries by bucket and status, notices by bucket and reason, and deliveries by destination and status.

    Replays and tests are left out. A digest is not counted as a notice, but its notices are. A filter excludes notices
    of events without an incident.
    """
    join = " JOIN incidents i ON i.id = d.incident_id" if scope.is_filtered else ""
    sql = _DELIVERIES.format(join=join, filters=scope.filter_sql("i"))
    (row,) = scope.rows(sql, starts=list(starts), after=after)
    return row[0] or [], row[1] or [], row[2] or []


def counted_events_from(scope: Scope, most: int = MAX_EVENTS) -> UUID | None:
    """Returns the id of the newest event beyond the first `most` ones; None if there are no more."""
    branches, branch, parts, residual = _event_branches(scope)
    most = min(most, MAX_EVENT_ROWS) if residual else most
    return _boundary(scope, "received_events", branches, branch, most // max(1, parts * len(scope.workspace_ids)))


def events(scope: Scope, starts: Sequence[datetime], after: UUID | None) -> list[tuple[int, int]]:
    """Returns (bucket, number of its events), without empty buckets."""
    branches, branch, _, residual = _event_branches(scope)
    sql = _EVENTS.format(branches=branches, branch=branch, filters=residual)
    return scope.rows(sql, lows=array_literal([first_id(start) for start in starts], unquoted=True), after=after)


def _event_branches(scope: Scope) -> tuple[str, str, int, str]:
    """Returns the ranges of an index that hold the events: rows, their condition, their number, and the other filters.

    There is an index by source, one by severity, and one by workspace alone.
    """
    rows, branch = _WORKSPACES
    if scope.source_ids:
        narrowed = replace(scope, source_ids=())
        return (
            f"{rows} CROSS JOIN unnest(%(sources)s::uuid[]) AS s (id)",
            f"{branch} AND x.source_id = s.id",
            len(scope.source_ids),
            narrowed.filter_sql("x"),
        )
    if scope.severities:
        narrowed = replace(scope, severities=())
        return (
            f"{rows} CROSS JOIN unnest(%(severities)s::severity[]) AS s (severity)",
            f"{branch} AND x.severity = s.severity",
            len(scope.severities),
            narrowed.filter_sql("x"),
        )
    return rows, branch, 1, scope.filter_sql("x")


def _boundary(scope: Scope, table: str, branches: str, branch: str, share: int) -> UUID | None:
    found = scope.rows(_BOUNDARY.format(table=table, branches=branches, branch=branch), share=share)
    return found[0][0] if found else None
