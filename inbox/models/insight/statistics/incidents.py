"""Incidents of a period: counts, durations and rankings from one bounded scan (specification 7.9).

The scan follows the index of the times of the first occurrence. Incidents before `counted_from` are not examined.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from inbox.models.insight.statistics.scope import Scope

MAX_EXAMINED = 100_000
"""The incidents that one request examines, the newest first. Several workspaces share them."""

RANKED = 10
"""The entries of a ranking."""

_BOUNDARY = """
SELECT max(b.first_seen_at) FROM unnest(%(workspaces)s::uuid[]) AS w (id) CROSS JOIN LATERAL (
    SELECT i.first_seen_at FROM incidents i
     WHERE i.workspace_id = w.id AND i.first_seen_at >= %(since)s AND i.first_seen_at < %(until)s
     ORDER BY i.first_seen_at DESC, i.id DESC OFFSET %(share)s LIMIT 1) b
"""

# One scan feeds all figures. The rankings name ids; titles are looked up for their few rows.
_FIGURES = """
WITH i AS MATERIALIZED (
    SELECT i.id, i.source_id, i.fingerprint, i.severity, i.first_seen_at, i.opened_at, i.resolved_at, i.event_count,
           i.reopen_count, i.resolved_by ->> 'type' AS resolver,
           CASE WHEN i.resolved_by ->> 'type' = 'user' THEN i.resolved_by ->> 'id' END AS person, width_bucket(i.first_seen_at, %(starts)s::timestamptz[]) AS bucket,
           CASE WHEN i.acknowledged_at >= i.opened_at THEN date_part('epoch', i.acknowledged_at - i.opened_at) END AS acknowledged,
           CASE WHEN i.resolved_at >= i.opened_at THEN date_part('epoch', i.resolved_at - i.opened_at) END AS resolved
      FROM incidents i
     WHERE i.workspace_id = ANY(%(workspaces)s::uuid[]) AND i.first_seen_at >= %(since)s AND i.first_seen_at < %(until)s
           AND (%(after)s::timestamptz IS NULL OR i.first_seen_at > %(after)s::timestamptz){filters}
), durations AS (
    SELECT bucket, count(acknowledged) AS na, avg(acknowledged) AS ma,
           percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY acknowledged) AS pa,
           count(resolved) AS nr, avg(resolved) AS mr,
           percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY resolved) AS pr
      FROM i WHERE acknowledged IS NOT NULL OR resolved IS NOT NULL GROUP BY GROUPING SETS ((), (bucket))
), by_fingerprint AS (
    SELECT source_id, fingerprint, count(*) AS incidents, sum(event_count)::bigint AS events,
           sum(1 + reopen_count)::bigint AS openings FROM i GROUP BY source_id, fingerprint
)
SELECT
    (SELECT jsonb_agg(x) FROM (SELECT bucket, severity, count(*) AS n FROM i GROUP BY bucket, severity) x),
    (SELECT jsonb_agg(x) FROM durations x),
    (SELECT jsonb_agg(x) FROM (
        SELECT date_part('epoch', quarter)::bigint AS at, n FROM (
            SELECT date_bin('15 minutes', first_seen_at, 'epoch') AS quarter, count(*) AS n FROM i GROUP BY 1) q) x),
    (SELECT jsonb_agg(x) FROM (
        SELECT source_id, count(*) AS incidents, sum(event_count)::bigint AS events FROM i GROUP BY source_id
         ORDER BY events DESC, source_id LIMIT %(ranked)s) x),
    (SELECT jsonb_agg(x) FROM (
        SELECT * FROM by_fingerprint ORDER BY events DESC, fingerprint LIMIT %(ranked)s) x),
    (SELECT jsonb_agg(x) FROM (
        SELECT * FROM by_fingerprint WHERE openings > 1 ORDER BY openings DESC, fingerprint LIMIT %(ranked)s) x),
    (SELECT jsonb_agg(x) FROM (
        SELECT id FROM i WHERE coalesce(resolved_at, %(now)s) >= opened_at
         ORDER BY coalesce(resolved_at, %(now)s) - opened_at DESC, id LIMIT %(ranked)s) x),
    (SELECT jsonb_agg(x) FROM (
        SELECT id, reopen_count AS reopenings FROM i WHERE reopen_count > 0
         ORDER BY reopen_count DESC, id LIMIT %(ranked)s) x),
    (SELECT jsonb_agg(x) FROM (
        SELECT resolver AS type, count(*) AS n FROM i WHERE resolved_at IS NOT NULL GROUP BY 1) x),
    (SELECT jsonb_agg(x) FROM (
        SELECT person AS id, count(*) AS n FROM i WHERE resolved_at IS NOT NULL AND person IS NOT NULL
         GROUP BY 1 ORDER BY n DESC, id LIMIT %(ranked)s) x)
"""
FIGURES = (
    "counts", "durations", "times", "sources", "fingerprints", "flapping", "longest", "reopened", "resolvers", "people"
)  # fmt: skip
"""The names of the figures, in the order of the statement."""

_NEWEST = """
SELECT x.place, l.id, l.title FROM unnest(%(in_sources)s::uuid[], %(fingerprints)s::text[])
     WITH ORDINALITY AS x (source_id, fingerprint, place)
 CROSS JOIN LATERAL (SELECT i.id, i.title FROM incidents i WHERE i.source_id = x.source_id
       AND i.fingerprint = x.fingerprint ORDER BY i.first_seen_at DESC, i.id DESC LIMIT 1) l
"""


def counted_from(scope: Scope, most: int = MAX_EXAMINED) -> datetime | None:
    """Returns the time of the newest incident beyond the first `most` ones; None if there are no more.

    The workspaces share `most`. Filters do not matter.
    """
    share = most // max(1, len(scope.workspace_ids))
    found: datetime | None = scope.rows(_BOUNDARY, share=share)[0][0]
    return found


def figures(scope: Scope, starts: Sequence[datetime], after: datetime | None, now: datetime) -> dict[str, list[Any]]:
    """Returns the rows of each of `FIGURES`, of incidents first seen after `after`.

    Buckets are numbers from 1 and begin at `starts`. Python computes the starts, because the database may have other
    time zone rules.
    """
    sql = _FIGURES.format(filters=scope.filter_sql("i"))
    (row,) = scope.rows(sql, starts=list(starts), after=after, now=now, ranked=RANKED)
    return {name: found or [] for name, found in zip(FIGURES, row, strict=True)}


def newest_of(scope: Scope, fingerprints: Sequence[tuple[str, str]]) -> list[tuple[Any, str]]:
    """Returns (id, title) of the newest incident of each (source, fingerprint), in this order."""
    pairs = {
        "in_sources": [source for source, _ in fingerprints],
        "fingerprints": [fingerprint for _, fingerprint in fingerprints],
    }
    return [(id, title) for _, id, title in sorted(scope.rows(_NEWEST, **pairs))]
