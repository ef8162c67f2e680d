"""Schedules by arithmetic equal their definition day by day, at every change of clocks, with bounded work."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inbox.domain.values.wallclock import latest_local, to_local, to_utc
from inbox.domain.values.windows import DAYS, QuietHours, Schedule, Window
from tests.database.call_counts import calls_of
from tests.domain.values import slow_windows

ZONES = (
    *("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Antarctica/Troll", "America/Havana"),
    *("Asia/Beirut", "Africa/Casablanca", "Pacific/Kiritimati", "Pacific/Pago_Pago", "America/Sao_Paulo"),
)
CHANGES = (
    *("2026-03-29 01:00", "2026-10-25 01:00", "2026-03-08 07:00", "2026-11-01 06:00", "2026-04-04 15:00"),
    *("2026-10-03 15:30", "2026-03-08 05:00", "2026-11-01 05:00", "2026-03-28 22:00", "2026-10-24 21:00"),
    *("2026-02-15 02:00", "2026-03-22 02:00", "2018-11-04 03:00", "2018-02-18 02:00"),
)
"""The instants at which clocks of these zones change. São Paulo's changed at midnight until 2019."""

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)

clocks = st.one_of(
    st.sampled_from([time(), time(0, 30), time(1), time(1, 45), time(2), time(2, 30), time(3), time(23, 59)]),
    st.builds(time, st.integers(0, 23), st.integers(0, 59)),
)
windows = st.builds(Window, st.frozensets(st.integers(0, 6), min_size=1), clocks, clocks)
moments = st.one_of(
    st.builds(
        lambda change, away: datetime.fromisoformat(change).replace(tzinfo=UTC) + away,
        st.sampled_from(CHANGES),
        st.timedeltas(timedelta(hours=-30), timedelta(hours=30)),
    ),
    st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31), timezones=st.just(UTC)),
)


@st.composite
def schedules_at(draw: st.DrawFn) -> tuple[Schedule, datetime]:
    """A schedule, and a moment with holidays around it."""
    at = draw(moments)
    holidays = draw(st.frozensets(st.integers(-3, 20).map(lambda day: at.date() + timedelta(days=day)), max_size=12))
    few_windows = draw(st.lists(windows, max_size=4))
    return Schedule(ZoneInfo(draw(st.sampled_from(ZONES))), tuple(few_windows), holidays), at


@given(schedules_at())
@example((Schedule(ZoneInfo("UTC"), (Window(frozenset(range(7)), time(6), time(6)),)), NOON))
@example((Schedule(ZoneInfo("UTC"), (), frozenset({date(9999, 12, 31), date(2027, 6, 2)})), NOON))
@example((Schedule(ZoneInfo("UTC"), (), frozenset({date(2027, 6, 3)})), NOON))
def test_a_schedule_by_arithmetic_equals_its_definition(drawn: tuple[Schedule, datetime]) -> None:
    schedule, at = drawn

    assert schedule.covers(at) == slow_windows.covers(schedule, at)
    assert schedule.until(at) == slow_windows.until(schedule, at)
    assert schedule.next_start(at) == slow_windows.next_start(schedule, at)


@given(moments, st.sampled_from(ZONES), st.timedeltas(timedelta(hours=-5), timedelta(hours=5)))
def test_a_local_time_was_shown_when_its_first_instant_has_come(at: datetime, name: str, away: timedelta) -> None:
    zone = ZoneInfo(name)
    wall = to_local(at, zone) + away

    assert (to_utc(wall, zone) <= at) == (wall <= latest_local(at, zone))


@pytest.mark.parametrize("name", ["Europe/Berlin", "UTC"])
def test_the_costliest_quiet_hours_take_few_steps(name: str) -> None:
    """All but one minute of the week, with a holiday on each Sunday, are one period of a year."""
    most = [
        {"days": list(DAYS[:6]), "start": "00:00", "end": "00:00"},
        {"days": ["sun"], "start": "00:00", "end": "23:59"},
    ]
    more = [{"days": list(DAYS), "start": f"{hour:02}:00", "end": f"{hour:02}:30"} for hour in range(18)]
    sundays = [(date(2026, 6, 7) + timedelta(weeks=week)).isoformat() for week in range(56)]
    quiet = QuietHours.of({"enabled": True, "windows": [*most, *more], "holidays": sundays}, name)

    calls = calls_of(lambda: (quiet.until(NOON), quiet.schedule.next_start(NOON)))

    assert quiet.until(NOON) == slow_windows.until(quiet.schedule, NOON)
    assert calls < 10_000
