"""Weekly windows and quiet hours: inclusive starts, exclusive ends, across midnight and both changes of the clocks."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from inbox.domain.values.windows import DAYS, SEARCH_LIMIT, QuietHours, Schedule
from inbox.domain.workspaces.settings import SHIPPED

BERLIN, NEW_YORK, LORD_HOWE = "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"
MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)


def schedule(*windows: tuple[str, str, str], zone: str = "UTC", holidays: tuple[str, ...] = ()) -> Schedule:
    """Windows as (days, start, end), days by name or `daily`."""
    stored = [
        {"days": list(DAYS) if days == "daily" else days.split(), "start": start, "end": end}
        for days, start, end in windows
    ]
    return Schedule.of({"timezone": None, "windows": stored, "holidays": list(holidays)}, zone)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("moment", "covered"),
    [
        ("2026-06-03 08:59:59.999999", False),
        ("2026-06-03 09:00", True),
        ("2026-06-03 16:59:59.999999", True),
        ("2026-06-03 17:00", False),
        ("2026-06-04 12:00", False),
    ],
)
def test_a_start_is_covered_and_an_end_is_not(moment: str, covered: bool) -> None:
    assert schedule(("wed", "09:00", "17:00")).covers(at(moment)) is covered


@pytest.mark.parametrize(
    ("moment", "covered"),
    [
        ("2026-06-05 21:59", False),  # a Friday
        ("2026-06-05 22:00", True),
        ("2026-06-06 06:59", True),
        ("2026-06-06 07:00", False),
        ("2026-06-06 22:00", False),
        ("2026-06-05 03:00", False),
    ],
)
def test_a_window_across_midnight_belongs_to_the_day_on_which_it_starts(moment: str, covered: bool) -> None:
    assert schedule(("fri", "22:00", "07:00")).covers(at(moment)) is covered


def test_a_window_with_equal_times_lasts_a_whole_day() -> None:
    whole = schedule(("sat", "08:00", "08:00"))

    assert [whole.covers(at(f"2026-06-{day} {hour}")) for day, hour in
            (("06", "07:59"), ("06", "08:00"), ("07", "07:59"), ("07", "08:00"))] == [False, True, True, False]  # fmt: skip


def test_adjacent_windows_end_once() -> None:
    joined = schedule(("fri", "18:00", "00:00"), ("sat", "00:00", "00:00"), ("sun", "00:00", "07:30"))

    assert joined.until(at("2026-06-05 20:00")) == at("2026-06-07 07:30")
    assert joined.until(at("2026-06-05 17:59")) is None
    assert joined.until(at("2026-06-07 07:30")) is None


def test_the_longest_of_windows_that_overlap_decides() -> None:
    assert schedule(("mon", "08:00", "12:00"), ("mon", "09:00", "10:00")).until(at("2026-06-01 09:30")) == at(
        "2026-06-01 12:00"
    )


def test_the_next_start_is_after_the_window_that_covers_now() -> None:
    nightly = schedule(("daily", "22:00", "07:00"))

    assert nightly.next_start(at("2026-06-01 12:00")) == at("2026-06-01 22:00")
    assert nightly.next_start(at("2026-06-01 22:00")) == at("2026-06-02 22:00")
    assert nightly.next_start(at("2026-06-02 03:00")) == at("2026-06-02 22:00")
    assert schedule(("mon", "08:00", "09:00")).next_start(at("2026-06-01 09:00")) == at("2026-06-08 08:00")


def test_a_schedule_without_windows_never_covers() -> None:
    nothing = schedule()

    assert not nothing.covers(at("2026-06-01 12:00"))
    assert (nothing.until(at("2026-06-01 12:00")), nothing.next_start(at("2026-06-01 12:00"))) == (None, None)


def test_a_schedule_that_never_ends_is_endless_and_searched_for_a_year() -> None:
    endless = schedule(("daily", "06:00", "06:00"), zone=BERLIN)
    now = at("2026-06-01 12:00")

    assert endless.is_endless()
    end = endless.until(now)
    assert end is not None
    assert now + SEARCH_LIMIT <= end <= now + SEARCH_LIMIT + timedelta(days=2)
    assert endless.next_start(now) is None


@pytest.mark.parametrize(
    "windows",
    [
        [("daily", "06:00", "05:59")],
        [("mon tue wed thu fri sat", "00:00", "00:00"), ("sun", "00:00", "23:59")],
        [],
    ],
)
def test_a_week_with_a_free_minute_is_not_endless(windows: list[tuple[str, str, str]]) -> None:
    assert not schedule(*windows, holidays=("2026-01-05",)).is_endless()


@pytest.mark.parametrize(
    ("zone", "start", "end", "night", "begins", "ends"),
    [
        # the night in which clocks go forward
        (BERLIN, "22:00", "07:00", "2026-03-28", "2026-03-28 21:00", "2026-03-29 05:00"),
        (BERLIN, "01:00", "02:30", "2026-03-29", "2026-03-29 00:00", "2026-03-29 01:00"),
        (BERLIN, "02:30", "04:00", "2026-03-29", "2026-03-29 01:00", "2026-03-29 02:00"),
        (BERLIN, "02:00", "03:00", "2026-03-29", None, None),
        (NEW_YORK, "22:00", "07:00", "2026-03-07", "2026-03-08 03:00", "2026-03-08 11:00"),
        (NEW_YORK, "02:30", "04:00", "2026-03-08", "2026-03-08 07:00", "2026-03-08 08:00"),
        (NEW_YORK, "02:00", "03:00", "2026-03-08", None, None),
        (LORD_HOWE, "22:00", "07:00", "2026-10-03", "2026-10-03 11:30", "2026-10-03 20:00"),
        (LORD_HOWE, "01:00", "02:15", "2026-10-04", "2026-10-03 14:30", "2026-10-03 15:30"),
        (LORD_HOWE, "02:00", "02:30", "2026-10-04", None, None),
        # the night in which clocks go back
        (BERLIN, "22:00", "07:00", "2026-10-24", "2026-10-24 20:00", "2026-10-25 06:00"),
        (BERLIN, "02:00", "03:00", "2026-10-25", "2026-10-25 00:00", "2026-10-25 02:00"),
        (BERLIN, "01:00", "02:30", "2026-10-25", "2026-10-24 23:00", "2026-10-25 00:30"),
        (BERLIN, "02:30", "05:00", "2026-10-25", "2026-10-25 00:30", "2026-10-25 04:00"),
        (NEW_YORK, "22:00", "07:00", "2026-10-31", "2026-11-01 02:00", "2026-11-01 12:00"),
        (NEW_YORK, "01:00", "02:00", "2026-11-01", "2026-11-01 05:00", "2026-11-01 07:00"),
        (LORD_HOWE, "22:00", "07:00", "2026-04-04", "2026-04-04 11:00", "2026-04-04 20:30"),
        (LORD_HOWE, "01:30", "02:00", "2026-04-05", "2026-04-04 14:30", "2026-04-04 15:30"),
        (LORD_HOWE, "01:00", "01:45", "2026-04-05", "2026-04-04 14:00", "2026-04-04 14:45"),
        # a night in which they stay
        (BERLIN, "22:00", "07:00", "2026-06-01", "2026-06-01 20:00", "2026-06-02 05:00"),
        (NEW_YORK, "22:00", "07:00", "2026-06-01", "2026-06-02 02:00", "2026-06-02 11:00"),
        (LORD_HOWE, "22:00", "07:00", "2026-06-01", "2026-06-01 11:30", "2026-06-01 20:30"),
    ],
)
def test_windows_follow_the_clock_on_the_wall_across_its_changes(
    zone: str, start: str, end: str, night: str, begins: str | None, ends: str | None
) -> None:
    day = date.fromisoformat(night)
    one = schedule((DAYS[day.weekday()], start, end), zone=zone)
    noon = datetime.combine(day, time(12), ZoneInfo(zone)).astimezone(UTC) - timedelta(days=1)

    if begins is None or ends is None:
        assert one.next_start(noon) == one.next_start(noon + timedelta(days=2))
        return
    assert one.next_start(noon) == at(begins)
    assert one.until(at(begins)) == at(ends)
    assert (one.covers(at(begins) - SECOND), one.covers(at(begins))) == (False, True)
    assert (one.covers(at(ends) - SECOND), one.covers(at(ends))) == (True, False)


@pytest.mark.parametrize("zone", [BERLIN, NEW_YORK, LORD_HOWE])
def test_a_window_is_one_piece_in_every_night_of_the_year(zone: str) -> None:
    nightly = schedule(("daily", "22:00", "02:15"), zone=zone)
    now, nights = at("2026-01-01 12:00"), 0
    while now < at("2027-01-01 12:00"):
        begins = nightly.next_start(now)
        assert begins is not None
        ends = nightly.until(begins)
        assert ends is not None
        assert timedelta(hours=4) <= ends - begins <= timedelta(hours=5, minutes=15)
        now, nights = ends, nights + 1
    assert nights in (365, 366)


def quiet(zone: str = "UTC", **changes: Any) -> QuietHours:
    shipped: dict[str, Any] = {
        "enabled": True,
        "timezone": None,
        "windows": [{"days": ["fri"], "start": "22:00", "end": "00:00"}],
        "holidays": ["2026-06-06"],
    }
    return QuietHours.of(shipped | changes, zone)


def test_a_holiday_is_quiet_from_midnight_to_midnight_and_joins_adjacent_windows() -> None:
    assert quiet().until(at("2026-06-05 23:00")) == at("2026-06-07 00:00")
    assert quiet().until(at("2026-06-06 00:00")) == at("2026-06-07 00:00")
    assert quiet().until(at("2026-06-07 00:00")) is None
    assert quiet(holidays=[]).until(at("2026-06-05 23:00")) == at("2026-06-06 00:00")


def test_a_holiday_is_quiet_at_noon_also_where_its_day_has_a_nightly_window() -> None:
    nightly = [{"days": ["mon", "tue", "wed", "thu", "fri"], "start": "22:00", "end": "06:00"}]
    working_week = quiet(windows=nightly, holidays=["2026-06-05"])  # a Friday

    assert working_week.until(at("2026-06-05 12:00")) == at("2026-06-06 06:00")
    assert working_week.until(at("2026-06-04 12:00")) is None
    assert working_week.until(at("2026-06-04 23:00")) == at("2026-06-06 06:00")


def test_a_holiday_on_which_clocks_change_has_the_hours_that_it_has() -> None:
    long = quiet(BERLIN, windows=[], holidays=["2026-10-25"])

    assert long.until(at("2026-10-24 22:00")) == at("2026-10-25 23:00")
    assert long.until(at("2026-10-24 21:59")) is None


def test_quiet_hours_are_in_the_workspaces_time_zone_unless_they_name_one() -> None:
    assert quiet(BERLIN, holidays=[]).until(at("2026-06-05 20:30")) == at("2026-06-05 22:00")
    assert quiet(BERLIN, holidays=[], timezone=NEW_YORK).until(at("2026-06-05 20:30")) is None


def test_disabled_quiet_hours_are_never_active() -> None:
    assert quiet(enabled=False).until(at("2026-06-05 23:00")) is None
    assert QuietHours.of(SHIPPED["quietHours"], BERLIN).until(at("2026-06-05 23:00")) is None
