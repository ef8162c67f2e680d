"""The cached quiet-hours state of a preview equals a fresh computation at each moment, in any order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.domain.routing.preview.night_hours import Night
from inbox.domain.values.windows import QuietHours, Schedule

BERLIN = ZoneInfo("Europe/Berlin")
CLOCKS_GO_BACK = datetime(2026, 10, 25, tzinfo=UTC)
WEEKEND = {"timezone": "Europe/Berlin", "windows": [{"days": ["sat", "sun"], "start": "09:30", "end": "22:00"}]}
NONE = {"timezone": "Europe/Berlin", "windows": []}
LUNCH = {"timezone": "Asia/Kolkata", "windows": [{"days": ["mon", "thu"], "start": "12:00", "end": "12:45"}]}


def quiet(stored: dict[str, object], *, enabled: bool = True) -> QuietHours:
    return QuietHours(enabled, Schedule.of(stored, "UTC"))


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from([WEEKEND, NONE, LUNCH]),
    st.booleans(),
    st.lists(st.integers(0, 9 * 24 * 60 * 60), min_size=1, max_size=60),
)
def test_the_default_night_is_from_ten_to_seven_and_during_quiet_hours(
    stored: dict[str, object], enabled: bool, seconds: list[int]
) -> None:
    hours = quiet(stored, enabled=enabled)
    since = CLOCKS_GO_BACK - timedelta(days=4)
    night = Night("Europe/Berlin", hours)

    for at in (since + timedelta(seconds=each) for each in seconds):
        hour = at.astimezone(BERLIN).hour
        assert night.covers(at) is (hour >= 22 or hour < 7 or hours.until(at) is not None)


@pytest.mark.parametrize(("hour", "minute", "second", "dark"), [
    (21, 59, 59, False), (22, 0, 0, True), (23, 0, 0, True), (6, 59, 59, True), (7, 0, 0, False),
])  # fmt: skip
def test_night_begins_and_ends_to_the_second(hour: int, minute: int, second: int, dark: bool) -> None:
    night = Night("UTC", quiet(NONE, enabled=False))
    day = datetime(2026, 5, 4, tzinfo=UTC) + timedelta(days=hour < 12)
    night.covers(datetime(2026, 5, 4, 20, tzinfo=UTC))

    assert night.covers(day.replace(hour=hour, minute=minute, second=second)) is dark


def test_quiet_hours_without_end_are_one_night() -> None:
    always = {
        "windows": [{"days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], "start": "00:00", "end": "00:00"}]
    }
    night = Night("UTC", quiet(always))

    assert all(night.covers(CLOCKS_GO_BACK + timedelta(days=days, hours=12)) for days in range(0, 800, 100))
