"""The states of a monitor: late, down once, up again, and no alarm for outages of the service.

Specification 18.4, 18.6.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.heartbeats import monitor as rules
from inbox.domain.heartbeats import outages
from inbox.domain.heartbeats.monitor import (
    Cause,
    HeartbeatStatus,
    MonitorSettings,
    MonitorState,
    Outcome,
    Ping,
    PingKind,
)
from inbox.domain.heartbeats.schedule import CronSchedule, SimpleSchedule

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
HOURLY = MonitorSettings(SimpleSchedule(60 * MINUTE), 5 * MINUTE)
NEW = MonitorState(START)
SUCCESS, BEGIN, FAIL, LOG = (Ping(kind) for kind in (PingKind.SUCCESS, PingKind.START, PingKind.FAIL, PingKind.LOG))


def after(state: MonitorState, ping: Ping, minutes: float, settings: MonitorSettings = HOURLY) -> MonitorState:
    return rules.apply_ping(state, settings, ping, START + minutes * MINUTE).state


UP = after(NEW, SUCCESS, 0)


def status(state: MonitorState, minutes: float, settings: MonitorSettings = HOURLY) -> str:
    return str(rules.status(state, settings, START + minutes * MINUTE))


def test_the_status_follows_the_clock_from_up_to_late_to_down() -> None:
    assert [status(UP, minutes) for minutes in (0, 59.9, 60, 64.9, 65, 600)] == [
        "up",
        "up",
        "late",
        "late",
        "down",
        "down",
    ]


def test_a_new_monitor_waits_for_its_first_ping_unless_set_otherwise() -> None:
    impatient = replace(HOURLY, never_seen_after=30 * MINUTE)

    assert status(NEW, 10_000) == "new"
    assert rules.deadline(NEW, HOURLY) is None
    change = rules.apply_time(NEW, impatient, START + 30 * MINUTE)
    assert change is not None
    assert (change.cause, change.alert) == (Cause.NEVER_SEEN, True)


def test_a_missed_deadline_alerts_once() -> None:
    late = rules.apply_time(UP, HOURLY, START + 60 * MINUTE)
    assert late is not None
    assert (late.alert, late.outcome) == (False, None)
    assert rules.apply_time(late.state, HOURLY, START + 61 * MINUTE) is None
    down = rules.apply_time(late.state, HOURLY, START + 65 * MINUTE)
    assert down is not None
    assert (down.alert, down.cause, down.outcome) == (True, Cause.MISSED, Outcome.MISSED)
    assert rules.apply_time(down.state, HOURLY, START + 66 * MINUTE) is None
    assert rules.next_check(down.state, HOURLY) is None


def test_a_success_recovers_a_monitor_once() -> None:
    down = rules.apply_time(UP, HOURLY, START + 65 * MINUTE)
    assert down is not None
    back = rules.apply_ping(down.state, HOURLY, SUCCESS, START + 70 * MINUTE)
    second = rules.apply_ping(back.state, HOURLY, SUCCESS, START + 71 * MINUTE)

    assert (back.recovery, back.cause, back.outcome) == (True, Cause.RECOVERED, Outcome.LATE)
    assert (second.recovery, second.cause, second.outcome) == (False, None, Outcome.ON_TIME)
    assert second.state.due_at == START + 131 * MINUTE


@pytest.mark.parametrize(("minutes", "outcome"), [(60, "on_time"), (65, "on_time"), (65.1, "late")])
def test_a_success_within_the_grace_is_on_time(minutes: float, outcome: str) -> None:
    assert rules.apply_ping(UP, HOURLY, SUCCESS, START + minutes * MINUTE).outcome == outcome


@pytest.mark.parametrize(("minutes", "outcome"), [(90, "on_time"), (121, "late")])
def test_a_run_within_its_maximum_run_time_is_on_time(minutes: float, outcome: str) -> None:
    limited = replace(HOURLY, max_runtime=60 * MINUTE)
    running = after(UP, BEGIN, 60, limited)

    assert rules.apply_ping(running, limited, SUCCESS, START + minutes * MINUTE).outcome == outcome


def test_a_failure_alerts_at_once_and_repeated_failures_do_not() -> None:
    first = rules.apply_ping(UP, HOURLY, FAIL, START + 10 * MINUTE)
    second = rules.apply_ping(first.state, HOURLY, FAIL, START + 20 * MINUTE)

    assert (first.alert, first.cause, first.outcome) == (True, Cause.FAILED, Outcome.FAILED)
    assert (second.alert, second.outcome, second.state.failures) == (False, Outcome.FAILED, 2)
    assert second.state.down_since == START + 10 * MINUTE


def test_failures_below_the_threshold_alert_nobody_and_a_success_resets_the_count() -> None:
    patient = replace(HOURLY, failures_before_incident=3)
    state = UP
    alerts = []
    for minutes, ping in ((1, FAIL), (2, FAIL), (3, SUCCESS), (4, FAIL), (5, FAIL), (6, FAIL)):
        change = rules.apply_ping(state, patient, ping, START + minutes * MINUTE)
        alerts.append(change.alert)
        state = change.state

    assert alerts == [False, False, False, False, False, True]
    assert status(after(UP, FAIL, 1, patient), 1, patient) == "late"


def test_each_missed_period_counts_towards_the_threshold() -> None:
    patient = replace(HOURLY, failures_before_incident=2)
    first = rules.apply_time(UP, patient, START + 65 * MINUTE)
    assert first is not None
    assert (first.alert, first.state.due_at) == (False, START + 120 * MINUTE)
    assert rules.apply_time(first.state, patient, START + 119 * MINUTE) is None
    second = rules.apply_time(first.state, patient, START + 125 * MINUTE)
    assert second is not None
    assert second.alert


def test_a_run_beyond_its_maximum_run_time_alerts() -> None:
    bounded = replace(HOURLY, max_runtime=90 * MINUTE)
    running = after(UP, BEGIN, 59, bounded)

    assert [status(running, minutes, bounded) for minutes in (59, 100, 148.9, 149)] == ["running"] * 3 + ["down"]
    change = rules.apply_time(running, bounded, START + 149 * MINUTE)
    assert change is not None
    assert (change.alert, change.cause) == (True, Cause.TIMED_OUT)


def test_a_start_does_not_move_the_deadline_of_a_run_that_has_not_ended() -> None:
    bounded = replace(HOURLY, max_runtime=120 * MINUTE)
    dead = after(UP, BEGIN, 60, bounded)
    second = after(dead, BEGIN, 120, bounded)

    assert rules.deadline(second, bounded) == START + 180 * MINUTE
    assert rules.deadline(after(second, SUCCESS, 130, bounded), bounded) == START + 195 * MINUTE


def test_a_start_while_the_monitor_is_down_begins_a_separate_run() -> None:
    bounded = replace(HOURLY, max_runtime=30 * MINUTE)
    down = after(UP, FAIL, 0, bounded)
    dead = after(down, Ping(PingKind.START, "5"), 60, bounded)
    second = after(dead, Ping(PingKind.START, "6"), 180, bounded)

    back = after(second, Ping(PingKind.SUCCESS, "6"), 185, bounded)

    assert (back.started_at, status(back, 186, bounded)) == (None, "up")


def test_a_duration_needs_a_start_of_the_same_run() -> None:
    running = after(UP, Ping(PingKind.START, "a"), 10)

    same = rules.apply_ping(running, HOURLY, Ping(PingKind.SUCCESS, "a"), START + 12 * MINUTE)
    other = rules.apply_ping(running, HOURLY, Ping(PingKind.SUCCESS, "b"), START + 12 * MINUTE)
    none = rules.apply_ping(running, HOURLY, SUCCESS, START + 12 * MINUTE)

    assert (same.duration, same.state.started_at) == (2 * MINUTE, None)
    assert (other.duration, other.state.started_at) == (None, START + 10 * MINUTE)
    assert (none.duration, none.state.started_at) == (None, None)


def test_a_paused_monitor_expects_nothing_and_resumes_from_now_on() -> None:
    down = rules.apply_ping(UP, HOURLY, FAIL, START + MINUTE).state
    paused = rules.pause(down, START + 2 * MINUTE)

    assert (paused.recovery, status(paused.state, 10_000)) == (True, "paused")
    assert rules.apply_ping(paused.state, HOURLY, FAIL, START + 3 * MINUTE).state == paused.state
    resumed = rules.resume(paused.state, HOURLY, START + 500 * MINUTE)
    assert resumed.state.due_at == START + 560 * MINUTE
    assert (resumed.state.failures, status(resumed.state, 501)) == (0, "up")


@pytest.mark.parametrize("minutes", [10, 70])
def test_a_monitor_that_has_had_only_a_start_expects_its_run_after_pause_and_resume(minutes: int) -> None:
    bounded = replace(HOURLY, max_runtime=30 * MINUTE)
    for settings in (HOURLY, bounded):
        begun = after(NEW, BEGIN, 0, settings)
        passed = rules.apply_time(begun, settings, START + minutes * MINUTE)  # it is down after 70 minutes
        paused = rules.pause(passed.state if passed else begun, START + minutes * MINUTE)
        resumed = rules.resume(paused.state, settings, START + 500 * MINUTE).state

        assert rules.deadline(paused.state, settings) is None
        assert (resumed.due_at, rules.deadline(resumed, settings)) == (START + 560 * MINUTE, START + 565 * MINUTE)
        assert status(resumed, 501, settings) == "up"


def test_a_monitor_that_has_had_no_ping_expects_none_after_pause_and_resume() -> None:
    resumed = rules.resume(rules.pause(NEW, START).state, HOURLY, START + MINUTE).state

    assert (rules.deadline(resumed, HOURLY), status(resumed, 10_000)) == (None, "new")


def test_a_log_ping_changes_nothing() -> None:
    change = rules.apply_ping(UP, HOURLY, LOG, START + 64 * MINUTE)

    assert (change.state, change.outcome, change.cause) == (UP, None, None)


SCHEDULES = st.sampled_from(
    [SimpleSchedule(timedelta(minutes=minutes)) for minutes in (1, 7, 60, 1440)]
    + [CronSchedule(text, "Europe/Berlin") for text in ("*/5 * * * *", "0 * * * *", "30 2 * * *", "0 3 * * 1")]
)


@given(
    SCHEDULES,
    st.integers(1, 90),
    st.integers(1, 2_000),
    st.integers(1, 3_000),
    st.floats(0, 0.9),
    st.none() | st.integers(1, 40),
    st.booleans(),
)
def test_a_punctual_sender_causes_no_alarm_after_a_service_outage(
    schedule: SimpleSchedule | CronSchedule,
    grace: int,
    began: int,
    lasted: int,
    part: float,
    runtime: int | None,
    starts: bool,
) -> None:
    settings = MonitorSettings(schedule, grace * MINUTE, max_runtime=None if runtime is None else runtime * MINUTE)
    gap = START + began * MINUTE, START + (began + lasted) * MINUTE
    takes = part * min(settings.grace, settings.max_runtime or settings.grace)
    if isinstance(schedule, SimpleSchedule):
        takes = min(takes, schedule.period / 2)
    state, recovered = after(NEW, SUCCESS, 0, settings), False
    for run, _ in zip(schedule.runs(START), range(40), strict=False):
        pings = [(run, BEGIN), (run + takes, SUCCESS)] if starts and runtime else [(run + takes, SUCCESS)]
        for moment, ping in pings:
            if gap[0] <= moment < gap[1]:
                continue
            if moment >= gap[1] and not recovered:
                state, recovered = outages.after_outage(state, settings, *gap), True
            last = rules.deadline(state, settings)
            assert last is None or last > moment, "an alarm for a sender that was punctual"
            state = rules.apply_ping(state, settings, ping, moment).state


@given(SCHEDULES, st.integers(1, 90), st.integers(1, 500), st.integers(1, 500))
def test_a_sender_that_stays_silent_after_our_outage_is_found(
    schedule: SimpleSchedule | CronSchedule, grace: int, began: int, lasted: int
) -> None:
    settings = MonitorSettings(schedule, grace * MINUTE)
    state = after(NEW, SUCCESS, 0, settings)
    ended = START + (began + lasted) * MINUTE

    excused = outages.after_outage(state, settings, START + began * MINUTE, ended)

    last = rules.deadline(excused, settings)
    assert last is not None
    assert last <= max(ended, START) + (schedule.next_after(ended) - ended) + settings.grace + timedelta(days=8)
    change = rules.apply_time(excused, settings, last)
    assert change is not None
    assert change.alert


def test_a_deadline_that_passed_before_the_outage_still_alerts() -> None:
    excused = outages.after_outage(UP, HOURLY, START + 70 * MINUTE, START + 100 * MINUTE)

    assert excused == UP
    assert status(excused, 100) == "down"


@pytest.mark.parametrize("status_name", list(HeartbeatStatus))
def test_every_status_can_be_shown(status_name: HeartbeatStatus) -> None:
    shown = {
        HeartbeatStatus.NEW: NEW,
        HeartbeatStatus.UP: UP,
        HeartbeatStatus.LATE: replace(UP, due_at=START),
        HeartbeatStatus.DOWN: replace(UP, down_since=START),
        HeartbeatStatus.PAUSED: replace(UP, paused_at=START),
        HeartbeatStatus.RUNNING: replace(UP, started_at=START),
    }[status_name]

    assert status(shown, 1) == str(status_name)
