"""Buckets of time across daylight saving."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from inbox.domain.values.time_buckets import Bucket, starts

BERLIN = ZoneInfo("Europe/Berlin")


def starts_of(since: str, until: str, bucket: Bucket, zone: ZoneInfo = BERLIN) -> list[str]:
    first, end = (datetime.fromisoformat(each).replace(tzinfo=UTC) for each in (since, until))
    return [start.strftime("%m-%d %H:%M") for start in starts(first, end, bucket, zone)]


def test_a_day_has_twenty_five_hours_when_the_clock_goes_back():
    assert starts_of("2026-10-24T22:00", "2026-10-25T23:00", Bucket.DAY) == ["10-24 22:00"]
    assert len(starts_of("2026-10-24T22:00", "2026-10-25T23:00", Bucket.HOUR)) == 25


def test_a_day_has_twenty_three_hours_when_the_clock_goes_forward():
    assert starts_of("2026-03-28T23:00", "2026-03-29T22:30", Bucket.DAY) == ["03-28 23:00", "03-29 22:00"]
    assert len(starts_of("2026-03-28T23:00", "2026-03-29T22:00", Bucket.HOUR)) == 23


def test_a_week_begins_on_monday():
    assert starts_of("2026-11-19T12:00", "2026-11-30T00:00", Bucket.WEEK) == [
        "11-15 23:00",
        "11-22 23:00",
        "11-29 23:00",
    ]


@pytest.mark.parametrize("bucket", list(Bucket))
def test_a_bucket_starting_at_the_end_is_left_out(bucket: Bucket):
    monday = datetime(2026, 11, 16, tzinfo=UTC)

    assert starts(monday, monday + timedelta(hours=1), bucket, ZoneInfo("UTC")) == [monday]
