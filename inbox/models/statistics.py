"""Statistics of incidents, deliveries and rules in a period: set-based, over one workspace or several.

Specification 7.9.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.domain import ids
from inbox.models.sql.base import db
from inbox.models.sql.bulk_sql import array_literal

NOISIEST = 10

_OPENED = "i.workspace_id = ANY(%(w)s::uuid[]) AND i.first_seen_at >= %(since)s AND i.first_seen_at < %(until)s"


@dataclass(frozen=True, slots=True)
class Scope:
    """The workspaces and the period, from `since` to before `until`."""

    workspace_ids: Sequence[UUID]
    since: datetime
    until: datetime

    def query(self, sql: str, **more: Any) -> list[Any]:
        """The rows of a query with `%(w)s`, `%(since)s`, `%(until)s` and further parameters."""
        values = {
            "w": array_literal(self.workspace_ids, unquoted=True),
            "since": self.since,
            "until": self.until,
            **more,
        }
        return list(db.execute_sql(sql, values).fetchall())


def opened_counts(scope: Scope, starts: Sequence[datetime]) -> list[tuple[datetime, str, int]]:
    """(start of the bucket, severity, incidents first seen in it), without empty buckets.

    `starts` are the starts of all buckets, in order; the first is not later than the start of the period. They are
    computed in Python, since the database may have other time zone rules.
    """
    found = scope.query(
        "SELECT width_bucket(i.first_seen_at, %(starts)s::timestamptz[]), i.severity::text, count(*)"
        f" FROM incidents i WHERE {_OPENED} GROUP BY 1, 2",
        starts=list(starts),
    )
    return [(starts[number - 1], severity, incidents) for number, severity, incidents in found]


def durations(scope: Scope, end_column: str) -> tuple[int, float | None, float | None, float | None]:
    """Number, mean, median and p90 in seconds of the time from opening to `acknowledged_at` or `resolved_at`.

    The incidents are those first seen in the period. For a reopened incident, the time starts at its last opening.
    """
    duration = f"extract(epoch FROM i.{end_column} - i.opened_at)"
    (row,) = scope.query(
        f"SELECT count(*), avg({duration})::float8, percentile_cont(0.5) WITHIN GROUP (ORDER BY {duration}),"
        f" percentile_cont(0.9) WITHIN GROUP (ORDER BY {duration}) FROM incidents i"
        f" WHERE {_OPENED} AND i.{end_column} >= i.opened_at"
    )
    return row[0], row[1], row[2], row[3]


def noisiest_sources(scope: Scope) -> list[tuple[UUID, str, int, int]]:
    """(source, name, incidents, events counted to them), most events first."""
    return scope.query(
        "SELECT n.source_id, s.name, n.incidents, n.events FROM (SELECT i.source_id, count(*) AS incidents,"
        f" sum(i.event_count)::bigint AS events FROM incidents i WHERE {_OPENED} GROUP BY i.source_id"
        " ORDER BY events DESC, i.source_id LIMIT %(most)s) n JOIN sources s ON s.id = n.source_id"
        " ORDER BY n.events DESC, n.source_id",
        most=NOISIEST,
    )


def noisiest_fingerprints(scope: Scope) -> list[tuple[str, UUID, UUID, str, int, int]]:
    """(fingerprint, source, its newest incident, that incident's title, incidents, events), most events first."""
    return scope.query(
        "SELECT n.fingerprint, n.source_id, l.id, l.title, n.incidents, n.events FROM (SELECT i.source_id, i.fingerprint,"
        f" count(*) AS incidents, sum(i.event_count)::bigint AS events FROM incidents i WHERE {_OPENED}"
        " GROUP BY i.source_id, i.fingerprint ORDER BY events DESC, i.fingerprint LIMIT %(most)s) n"
        " CROSS JOIN LATERAL (SELECT i.id, i.title FROM incidents i WHERE i.source_id = n.source_id"
        " AND i.fingerprint = n.fingerprint ORDER BY i.first_seen_at DESC, i.id DESC LIMIT 1) l"
        " ORDER BY n.events DESC, n.fingerprint",
        most=NOISIEST,
    )


def notice_counts(scope: Scope) -> list[tuple[UUID, str, int, int, int, int]]:
    """(destination, name, notices meant for it, sent, failed, other notices), most notices first."""
    return scope.query(
        "SELECT n.destination_id, d.name, n.total, n.sent, n.failed, n.total - n.sent - n.failed FROM ("
        " SELECT d.destination_id, count(*) AS total, count(*) FILTER (WHERE d.status = 'sent') AS sent,"
        " count(*) FILTER (WHERE d.status = 'failed') AS failed FROM deliveries d"
        " WHERE d.workspace_id = ANY(%(w)s::uuid[]) AND d.id >= %(first)s AND d.id < %(last)s AND d.replay_of IS NULL"
        " GROUP BY d.destination_id) n JOIN destinations d ON d.id = n.destination_id"
        " ORDER BY n.total DESC, d.name, d.id",
        first=_first_id(scope.since),
        last=_first_id(scope.until),
    )


def unmatched_rules(
    workspace_ids: Sequence[UUID], created_before: datetime
) -> list[tuple[UUID, UUID, str, bool, datetime]]:
    """(rule, workspace, name, enabled, creation time) of the rules created before a time that never matched an
    event."""
    found = db.execute_sql(
        "SELECT r.id, r.workspace_id, r.name, r.enabled, r.created_at FROM rules r"
        " WHERE r.workspace_id = ANY(%s::uuid[]) AND r.deleted_at IS NULL AND r.created_at < %s"
        " AND NOT EXISTS (SELECT FROM rule_matches m WHERE m.rule_id = r.id) ORDER BY r.created_at, r.id",
        (array_literal(workspace_ids, unquoted=True), created_before),
    )
    return list(found.fetchall())


def _first_id(moment: datetime) -> UUID:
    return ids.uuid7(max(0, int(moment.timestamp() * 1000)), bytes(10))
