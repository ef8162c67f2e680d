"""The expected time of a monitor under other rules of time zones (specification 18.2)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from inbox.domain.heartbeats.monitor import MonitorSettings, MonitorState
from inbox.domain.heartbeats.schedule import CronSchedule, SimpleSchedule
from inbox.domain.heartbeats.zone_rules import by_zone_rules

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
HOURLY = MonitorSettings(SimpleSchedule(60 * MINUTE), 5 * MINUTE)
DAILY = MonitorSettings(CronSchedule("0 3 * * *", "Europe/Berlin"), 5 * MINUTE)
RUN = datetime(2026, 3, 2, 2, tzinfo=UTC)
"""The run of `DAILY` after `START`."""


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (MonitorState(START, START, due_at=RUN), RUN),
        (MonitorState(START, START, due_at=RUN + timedelta(days=1)), RUN + timedelta(days=1)),
        (MonitorState(START, START, due_at=RUN + 60 * MINUTE), RUN),
        (MonitorState(START, START, started_at=START, due_at=RUN - 60 * MINUTE), RUN),
        (MonitorState(START, START, due_at=START - MINUTE), START - MINUTE),
        (MonitorState(START, START, due_at=RUN + MINUTE, down_since=START), RUN + MINUTE),
        (MonitorState(START, START, due_at=RUN + MINUTE, paused_at=START), RUN + MINUTE),
        (MonitorState(START), None),
    ],
    ids=["a run", "a later run", "no run", "no run, running", "passed", "down", "paused", "new"],
)
def test_an_expected_time_that_is_no_run_by_the_rules_of_the_zone_becomes_the_next_run(
    state: MonitorState, expected: datetime | None
) -> None:
    assert by_zone_rules(state, DAILY, START) == replace(state, due_at=expected)


def test_a_fixed_period_has_no_rules_of_a_zone() -> None:
    state = MonitorState(START, START, due_at=START + 17 * MINUTE)

    assert by_zone_rules(state, HOURLY, START) == state
