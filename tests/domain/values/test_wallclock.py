"""Local times as instants, across both changes of 2026 in three time zones, one of which changes by half an hour."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from inbox.domain.values.wallclock import merge_periods, to_local, to_utc

BERLIN, NEW_YORK, LORD_HOWE = "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"


@pytest.mark.parametrize(
    ("zone", "wall", "instant"),
    [
        (BERLIN, "2026-03-29 01:59", "2026-03-29 00:59"),
        (BERLIN, "2026-03-29 02:00", "2026-03-29 01:00"),
        (BERLIN, "2026-03-29 02:30", "2026-03-29 01:00"),
        (BERLIN, "2026-03-29 03:00", "2026-03-29 01:00"),
        (BERLIN, "2026-03-29 03:01", "2026-03-29 01:01"),
        (BERLIN, "2026-10-25 01:59", "2026-10-24 23:59"),
        (BERLIN, "2026-10-25 02:00", "2026-10-25 00:00"),
        (BERLIN, "2026-10-25 02:30", "2026-10-25 00:30"),
        (BERLIN, "2026-10-25 03:00", "2026-10-25 02:00"),
        (NEW_YORK, "2026-03-08 02:30", "2026-03-08 07:00"),
        (NEW_YORK, "2026-03-08 03:00", "2026-03-08 07:00"),
        (NEW_YORK, "2026-11-01 01:30", "2026-11-01 05:30"),
        (NEW_YORK, "2026-11-01 02:00", "2026-11-01 07:00"),
        (LORD_HOWE, "2026-10-04 02:00", "2026-10-03 15:30"),
        (LORD_HOWE, "2026-10-04 02:15", "2026-10-03 15:30"),
        (LORD_HOWE, "2026-10-04 02:30", "2026-10-03 15:30"),
        (LORD_HOWE, "2026-10-04 02:45", "2026-10-03 15:45"),
        (LORD_HOWE, "2026-04-05 01:30", "2026-04-04 14:30"),
        (LORD_HOWE, "2026-04-05 01:45", "2026-04-04 14:45"),
        (LORD_HOWE, "2026-04-05 02:00", "2026-04-04 15:30"),
    ],
)
def test_a_local_time_is_the_first_instant_at_which_the_clock_shows_it_or_a_later_one(
    zone: str, wall: str, instant: str
) -> None:
    assert to_utc(datetime.fromisoformat(wall), ZoneInfo(zone)) == datetime.fromisoformat(instant).replace(tzinfo=UTC)


@pytest.mark.parametrize("zone", [BERLIN, NEW_YORK, LORD_HOWE, "Pacific/Apia", "UTC"])
def test_a_local_time_becomes_its_first_instant_around_every_change_of_the_clock(zone: str) -> None:
    here = ZoneInfo(zone)
    for day in ("2026-03-08", "2026-03-29", "2026-04-05", "2026-10-04", "2026-10-25", "2026-11-01", "2011-12-30"):
        wall = datetime.fromisoformat(day)
        for minutes in range(0, 24 * 60, 7):
            required = wall + timedelta(minutes=minutes)
            at = to_utc(required, here)
            assert to_local(at, here) >= required
            assert to_local(at - timedelta(seconds=1), here) < required


def test_a_day_that_a_country_skipped_begins_when_the_next_one_does() -> None:
    apia = ZoneInfo("Pacific/Apia")
    assert to_utc(datetime(2011, 12, 30, 12), apia) == to_utc(datetime(2011, 12, 31), apia)


def test_microseconds_are_kept() -> None:
    assert to_utc(datetime(2026, 3, 1, 12, 0, 0, 5), ZoneInfo(BERLIN)) == datetime(2026, 3, 1, 11, 0, 0, 5, tzinfo=UTC)


def test_overlapping_and_adjacent_pieces_are_merged() -> None:
    def at(hour: int) -> datetime:
        return datetime(2026, 3, 1, hour, tzinfo=UTC)

    pieces = [(at(5), at(6)), (at(1), at(2)), (at(2), at(3)), (at(1), at(1)), (at(8), at(7)), (at(5), at(9))]

    assert merge_periods(pieces) == ((at(1), at(3)), (at(5), at(9)))
