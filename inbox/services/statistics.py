"""Statistics of a period: incidents, durations, the noisiest sources, and rules without matches.

Specification 7.9.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from inbox.domain.refusals import Fault, ValidationFailed
from inbox.domain.severity import Severity
from inbox.domain.time_buckets import Bucket, starts
from inbox.domain.wallclock import zone_of
from inbox.models import statistics
from inbox.models.statistics import Scope
from inbox.models.tables.workspaces import Workspace

LONGEST = timedelta(days=366)
EARLIEST, LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(3000, 1, 1, tzinfo=UTC)
"""The range of valid times. Beyond it, local times at the ends of the calendar cannot be computed."""

USUAL = timedelta(days=7)
YOUNG = timedelta(days=7)
"""The age below which a rule may simply not have had a matching event yet."""


def of(
    workspace_ids: Sequence[UUID], since: datetime | None, until: datetime | None, bucket: Bucket, now: datetime
) -> dict[str, Any]:
    """Compute the statistics of these workspaces. The default is the seven days until the end of this hour.

    Buckets use the time zone of the workspace, and UTC for several. Raises `ValidationFailed` for a period that is
    empty, longer than 366 days, or out of range.
    """
    since, until = _bounds(since, until, now)
    span, zone = Scope(workspace_ids, since, until), _zone(workspace_ids)
    return {
        "since": since,
        "until": until,
        "bucket": str(bucket),
        "timezone": str(zone),
        "buckets": _buckets(span, bucket, zone),
        "time_to_acknowledge": _waits(span, "acknowledged_at"),
        "time_to_resolve": _waits(span, "resolved_at"),
        "noisiest_sources": [
            dict(zip(("source_id", "name", "incidents", "events"), row, strict=True))
            for row in statistics.noisiest_sources(span)
        ],
        "noisiest_fingerprints": [
            dict(zip(("fingerprint", "source_id", "incident_id", "title", "incidents", "events"), row, strict=True))
            for row in statistics.noisiest_fingerprints(span)
        ],
        "destinations": [
            dict(zip(("destination_id", "name", "notices", "sent", "failed", "other"), row, strict=True))
            for row in statistics.notice_counts(span)
        ],
        "unmatched_rules": [
            dict(zip(("rule_id", "workspace_id", "name", "enabled", "created_at"), row, strict=True))
            for row in statistics.unmatched_rules(workspace_ids, now - YOUNG)
        ],
    }


def _bounds(since: datetime | None, until: datetime | None, now: datetime) -> tuple[datetime, datetime]:
    given = {"since": since, "until": until}
    far = [name for name, moment in given.items() if moment is not None and not EARLIEST <= moment <= LATEST]
    if far:
        raise ValidationFailed(errors=[Fault(f"/query/{name}", "Must be a year from 1970 to 2999.") for name in far])
    until = until or now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    since = since or until - USUAL
    if not since < until <= since + LONGEST:
        raise ValidationFailed(errors=[Fault("/query/since", "Must be before until, at most 366 days.")])
    return since, until


def _zone(workspace_ids: Sequence[UUID]) -> ZoneInfo:
    zones = {row.timezone for row in Workspace.select(Workspace.timezone).where(Workspace.id.in_(list(workspace_ids)))}
    return zone_of(zones.pop() if len(zones) == 1 else "UTC")


def _buckets(span: Scope, bucket: Bucket, zone: ZoneInfo) -> list[dict[str, Any]]:
    empty: dict[str, int] = {str(severity): 0 for severity in reversed(Severity)}
    found = {start: dict(empty) for start in starts(span.since, span.until, bucket, zone)}
    for start, severity, incidents in statistics.opened_counts(span, list(found)):
        found[start][severity] = incidents
    return [
        {"start": start, "incidents": sum(counted.values()), "by_severity": counted} for start, counted in found.items()
    ]


def _waits(span: Scope, upto: str) -> dict[str, Any]:
    n, mean, median, p90 = statistics.durations(span, upto)
    return {"n": n, "mean_seconds": mean, "median_seconds": median, "p90_seconds": p90}
