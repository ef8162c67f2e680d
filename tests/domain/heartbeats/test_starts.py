"""A start in time is a sign of life: the monitor waits for the end of the run at least one further period (specification 18.4)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.heartbeats import monitor as rules
from inbox.domain.heartbeats import outages
from inbox.domain.heartbeats.monitor import Cause, MonitorSettings, MonitorState
from inbox.domain.heartbeats.schedule import CronSchedule, SimpleSchedule
from tests.domain.heartbeats.test_monitor import (
    BEGIN,
    FAIL,
    HOURLY,
    MINUTE,
    NEW,
    START,
    SUCCESS,
    UP,
    after,
    status,
)


@pytest.mark.parametrize(("minutes", "deadline"), [(10, 125), (60, 125), (64.9, 64.9 + 65)])
def test_the_end_of_a_run_that_began_in_time_is_expected_a_period_later(minutes: float, deadline: float) -> None:
    running = after(UP, BEGIN, minutes)

    assert status(running, deadline - 0.1) == "running"
    missed = rules.apply_time(running, HOURLY, START + deadline * MINUTE)
    assert missed is not None
    assert (missed.alert, missed.cause) == (True, Cause.MISSED)


def test_a_weekly_job_that_takes_hours_is_not_missed_while_it_runs() -> None:
    weekly = MonitorSettings(CronSchedule("0 3 * * 0", "UTC"), 60 * MINUTE)
    sunday = datetime(2026, 3, 8, 3, tzinfo=UTC)
    up = rules.apply_ping(NEW, weekly, SUCCESS, sunday - timedelta(days=6)).state

    running = rules.apply_ping(up, weekly, BEGIN, sunday + MINUTE).state

    assert rules.apply_time(running, weekly, sunday + timedelta(hours=8)) is None
    ended = rules.apply_ping(running, weekly, SUCCESS, sunday + timedelta(hours=8))
    assert (ended.outcome, ended.state.due_at) == ("on_time", sunday + timedelta(days=7))


def test_a_start_within_the_grace_ends_being_late() -> None:
    late = rules.apply_time(UP, HOURLY, START + 60 * MINUTE)
    assert late is not None

    begun = rules.apply_ping(late.state, HOURLY, BEGIN, START + 62 * MINUTE)

    assert (begun.cause, begun.recovery, begun.state.late_since) == (Cause.RECOVERED, False, None)


def test_a_start_after_the_deadline_moves_nothing() -> None:
    assert rules.deadline(after(UP, BEGIN, 66), HOURLY) == START + 65 * MINUTE


def test_a_job_that_starts_each_time_and_never_ends_is_found() -> None:
    first = after(UP, BEGIN, 60)
    second = after(first, BEGIN, 120)

    assert rules.deadline(first, HOURLY) == rules.deadline(second, HOURLY) == START + 125 * MINUTE


def test_a_start_while_the_monitor_is_down_resolves_nothing() -> None:
    down = after(UP, FAIL, 10)

    begun = rules.apply_ping(down, HOURLY, BEGIN, START + 20 * MINUTE)

    assert (begun.recovery, begun.state.down_since) == (False, START + 10 * MINUTE)


def test_a_maximum_run_time_decides_where_there_is_one() -> None:
    bounded = replace(HOURLY, max_runtime=30 * MINUTE)

    assert rules.deadline(after(UP, BEGIN, 60, bounded), bounded) == START + 90 * MINUTE


def test_the_end_of_a_run_that_an_outage_swallowed_is_not_awaited() -> None:
    running = after(UP, BEGIN, 60)

    excused = outages.after_outage(running, HOURLY, START + 70 * MINUTE, START + 80 * MINUTE)

    assert (excused.started_at, status(excused, 90)) == (None, "up")


SCHEDULES = st.sampled_from(
    [SimpleSchedule(timedelta(minutes=minutes)) for minutes in (1, 7, 60, 1440)]
    + [CronSchedule(text, "Europe/Berlin") for text in ("*/5 * * * *", "0 * * * *", "30 2 * * *", "0 3 * * 1")]
)


def expected_deadline(settings: MonitorSettings, begun: list[datetime]) -> datetime:
    """A model apart from the rules: of starts after a success at `START`, the first in time decides, all later ones do not."""
    due = settings.schedule.next_after(START)
    in_time = [at for at in begun if at <= due + settings.grace]
    return (settings.schedule.next_after(max(in_time[0], due)) if in_time else due) + settings.grace


@given(SCHEDULES, st.integers(1, 90), st.lists(st.integers(1, 200_000), max_size=4))
def test_the_first_start_in_time_decides_until_the_run_ends(
    schedule: SimpleSchedule | CronSchedule, grace: int, starts: list[int]
) -> None:
    settings = MonitorSettings(schedule, grace * MINUTE)
    state: MonitorState = after(NEW, SUCCESS, 0, settings)
    moments = [START + timedelta(seconds=each) for each in sorted(starts)]
    for moment in moments:
        state = rules.apply_ping(state, settings, BEGIN, moment).state

    assert rules.deadline(state, settings) == expected_deadline(settings, moments[:1])
