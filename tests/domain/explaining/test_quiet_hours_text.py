"""The status of quiet hours at a time (specification 8.5)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from inbox.domain.explaining.quiet_hours_text import QuietHoursStatus, status
from inbox.domain.values.windows import DAYS, QuietHours

NIGHTS = {"windows": [{"days": list(DAYS), "start": "22:00", "end": "07:00"}]}


def at(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 11, day, hour, minute, tzinfo=UTC)


def of(stored: dict[str, Any], moment: datetime, timezone: str = "Europe/Berlin") -> QuietHoursStatus:
    return status(QuietHours.of({"enabled": True, **stored}, timezone), moment)


@pytest.mark.parametrize("stored", [{"enabled": False}, {"enabled": False, **NIGHTS}])
def test_disabled_quiet_hours_have_no_times(stored: dict[str, Any]) -> None:
    assert of(stored, at(23, 2)) == QuietHoursStatus(False, None, None, "Quiet hours are off.")


def test_active_quiet_hours_state_their_end_and_next_start() -> None:
    found = of(NIGHTS, at(23, 21))

    assert found == QuietHoursStatus(True, at(24, 6), at(24, 21), "Quiet hours until 2026-11-24T06:00:00Z.")


def test_the_end_of_a_window_is_no_longer_quiet() -> None:
    found = of(NIGHTS, at(24, 6))

    assert (found.now, found.until, found.next_at) == (False, None, at(24, 21))
    assert found.text == "The next quiet hours begin at 2026-11-24T21:00:00Z."


def test_a_start_on_another_day_is_an_instant() -> None:
    weekend = {"windows": [{"days": ["sat"], "start": "00:00", "end": "00:00"}]}

    assert of(weekend, at(23, 9), "UTC").text == "The next quiet hours begin at 2026-11-28T00:00:00Z."


def test_adjacent_windows_end_together() -> None:
    two_parts = {"windows": [*NIGHTS["windows"], {"days": list(DAYS), "start": "07:00", "end": "09:00"}]}

    assert of(two_parts, at(23, 2), "UTC").until == at(23, 9)


def test_the_time_zone_of_the_quiet_hours_precedes_that_of_the_workspace() -> None:
    found = of({**NIGHTS, "timezone": "Asia/Tokyo"}, at(23, 14))

    assert (found.until, found.text) == (at(23, 22), "Quiet hours until 2026-11-23T22:00:00Z.")


def test_enabled_quiet_hours_without_a_window_are_never() -> None:
    assert of({"windows": []}, at(23, 2)) == QuietHoursStatus(False, None, None, "No quiet hours are planned.")


def test_a_time_zone_that_this_machine_does_not_have_makes_no_time_quiet() -> None:
    found = of(NIGHTS, at(23, 2), "Mars/Olympus")

    assert (found.now, found.until, found.next_at) == (False, None, None)
    assert found.text == "Quiet hours are off, because their settings cannot be read here."
