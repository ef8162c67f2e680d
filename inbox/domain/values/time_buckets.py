"""Time buckets in a time zone: hours, days and weeks (from Monday), with daylight saving."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo


class Bucket(StrEnum):
    """The width of a bucket."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"


_STEPS = {Bucket.HOUR: timedelta(hours=1), Bucket.DAY: timedelta(days=1), Bucket.WEEK: timedelta(weeks=1)}


def starts(since: datetime, until: datetime, bucket: Bucket, zone: ZoneInfo) -> list[datetime]:
    """Returns the starts, in UTC, of all buckets that overlap the time from `since` until before `until`."""
    found, step = [], _STEPS[bucket]
    local = since.astimezone(zone).replace(minute=0, second=0, microsecond=0)
    if bucket is not Bucket.HOUR:
        local = local.replace(hour=0, fold=0)
    if bucket is Bucket.WEEK:
        local -= timedelta(days=local.weekday())
    while (start := local.astimezone(UTC)) < until:
        found.append(start)
        # An hour is elapsed time. A day and a week follow the local calendar.
        local = (start + step).astimezone(zone) if bucket is Bucket.HOUR else local + step
    return found
