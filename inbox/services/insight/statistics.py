"""Statistics of a period: figures by bucket, durations, a heat map, rankings, and rules without matches.

Specification 7.9.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from inbox.domain.values.refusals import Fault, ValidationFailed
from inbox.domain.values.time_buckets import Bucket, starts
from inbox.domain.values.wallclock import zone_of
from inbox.models.insight.statistics import configuration, incidents, volumes
from inbox.models.insight.statistics.scope import Scope
from inbox.models.workspaces.tables import Workspace
from inbox.services.insight import statistics_figures as figures

LONGEST = timedelta(days=366)
LONGEST_BY_HOUR = timedelta(days=31)
EARLIEST, LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(3000, 1, 1, tzinfo=UTC)
"""The range of valid times. Beyond it, local times at the ends of the calendar cannot be computed."""

USUAL = timedelta(days=7)
YOUNG = timedelta(days=7)
"""The age below which a rule may simply not have had a matching event yet."""


def of(workspace_ids: Sequence[UUID], query: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Compute the statistics of these workspaces. The default is the seven days until the end of this hour.

    Buckets use the time zone of the workspace, and UTC for several. Raises `ValidationFailed` for a period that is
    empty, out of range, or longer than 366 days. By the hour the maximum is 31 days.
    """
    bucket: Bucket = query["bucket"]
    since, until = _bounds(query.get("since"), query.get("until"), bucket, now)
    scope = Scope(workspace_ids, since, until, *(query.get(name, ()) for name in ("source_id", "severity", "tag")))
    zone = _zone(workspace_ids)
    begins = starts(since, until, bucket, zone)
    last_incident = incidents.counted_from(scope)
    last_event, last_delivery = volumes.counted_events_from(scope), volumes.counted_deliveries_from(scope)
    found = incidents.figures(scope, begins, last_incident, now)
    sent, notices, by_destination = volumes.deliveries(scope, begins, last_delivery)
    return {
        "since": since,
        "until": until,
        "bucket": bucket,
        "timezone": str(zone),
        "counted_from": {
            "incidents": last_incident or since,
            "events": figures.time_of(last_event) or since,
            "deliveries": figures.time_of(last_delivery) or since,
        },
        "buckets": figures.buckets(begins, found, volumes.events(scope, begins, last_event), sent, notices),
        **figures.total_durations(found["durations"]),
        "heat_map": _heat_map(found["times"], zone),
        "noisiest_sources": figures.noisiest_sources(found["sources"]),
        **figures.rankings(scope, found),
        "resolved_by": figures.resolved_by(found["resolvers"], found["people"]),
        "destinations": figures.destinations(by_destination),
        "unmatched_rules": [
            dict(zip(("rule_id", "workspace_id", "name", "enabled", "created_at"), row, strict=True))
            for row in configuration.unmatched_rules(workspace_ids, now - YOUNG)
        ],
    }


def _bounds(since: datetime | None, until: datetime | None, bucket: Bucket, now: datetime) -> tuple[datetime, datetime]:
    given = {"since": since, "until": until}
    far = [name for name, moment in given.items() if moment is not None and not EARLIEST <= moment <= LATEST]
    if far:
        raise ValidationFailed(errors=[Fault(f"/query/{name}", "Must be a year from 1970 to 2999.") for name in far])
    until = until or now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    since = since or until - USUAL
    if not since < until <= since + LONGEST:
        raise ValidationFailed(errors=[Fault("/query/since", "Must be before until, at most 366 days.")])
    if bucket is Bucket.HOUR and until > since + LONGEST_BY_HOUR:
        raise ValidationFailed(errors=[Fault("/query/bucket", "Buckets of an hour cover at most 31 days.")])
    return since, until


def _zone(workspace_ids: Sequence[UUID]) -> ZoneInfo:
    zones = {row.timezone for row in Workspace.select(Workspace.timezone).where(Workspace.id.in_(list(workspace_ids)))}
    return zone_of(zones.pop() if len(zones) == 1 else "UTC")


def _heat_map(times: Sequence[Mapping[str, int]], zone: ZoneInfo) -> list[list[int]]:
    """Count incidents by weekday, from Monday, and by hour. A quarter of an hour is whole in every time zone in use."""
    counted: Counter[tuple[int, int]] = Counter()
    for each in times:
        local = datetime.fromtimestamp(each["at"], zone)
        counted[local.weekday(), local.hour] += each["n"]
    return [[counted[day, hour] for hour in range(24)] for day in range(7)]
