"""Schedules: the next expected ping, words, faults with their places, and previews across changes of clocks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inbox.domain.heartbeats.preview import clock_changes, local_text, next_runs
from inbox.domain.heartbeats.schedule import (
    BadExpression,
    CronSchedule,
    SimpleSchedule,
    normalized,
    of_stored,
)

ZONES = st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"])
FIELD = st.text("0123456789*/,-#LWJANMO ", max_size=14)
MOMENTS = st.datetimes(datetime(2024, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))
EXPRESSIONS = st.sampled_from(
    ["0 3 * * *", "30 2 * * *", "*/30 * * * *", "0 * * * *", "15 2-3 * * 0", "0 0 29 2 *", "59 23 L * *", "0 2 * * 1-5"]
)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_a_simple_schedule_expects_the_next_ping_one_period_after_the_last() -> None:
    schedule = of_stored({"kind": "simple", "periodSeconds": 5400})

    assert schedule.next_after(at("2026-03-01 12:00")) == at("2026-03-01 13:30")
    assert schedule.words == "Every 90 minutes"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(60, "Every minute"), (3600, "Every hour"), (7200, "Every 2 hours"), (86_400, "Every day"), (61, "Every 61 seconds")],
)  # fmt: skip
def test_a_period_is_written_in_its_largest_whole_unit(seconds: int, words: str) -> None:
    assert SimpleSchedule(timedelta(seconds=seconds)).words == words


def test_a_ping_up_to_half_a_minute_early_belongs_to_the_coming_run() -> None:
    schedule = CronSchedule("0 3 * * *", "UTC")

    assert schedule.next_after(at("2026-03-01 02:59:31")) == at("2026-03-02 03:00")
    assert schedule.next_after(at("2026-03-01 02:59:29")) == at("2026-03-01 03:00")


@given(MOMENTS, ZONES, EXPRESSIONS)
@example(at("2026-10-25 00:59:59"), "Europe/Berlin", "30 2 * * *")
@example(at("2026-10-25 01:15"), "Europe/Berlin", "30 2 * * *")
def test_runs_of_a_schedule_increase_and_follow_the_given_time(moment: datetime, zone: str, expression: str) -> None:
    schedule = CronSchedule(expression, zone)

    found = next_runs(schedule, moment)

    assert len(found) == 5
    assert moment < found[0]
    assert sorted(set(found)) == found
    assert schedule.next_after(moment) > moment


@given(st.lists(FIELD, min_size=4, max_size=6).map(" ".join) | st.text(max_size=40))
@example("61 * * * *")
@example("* * 30 2 *")
@example("* * * * 7L/2")
def test_every_text_gives_a_schedule_in_words_or_a_fault_with_a_position(text: str) -> None:
    try:
        expression = normalized(text)
    except BadExpression as fault:
        assert 0 <= fault.start < fault.end <= max(len(text), 1)
        return
    schedule = CronSchedule(expression, "Europe/Berlin")
    assert next_runs(schedule, at("2026-01-01 00:00"), 1)
    assert schedule.words.endswith("(Europe/Berlin)")


@pytest.mark.parametrize(
    ("text", "bad"),
    [("61 * * * *", "61"), ("0 3 * * MO", "MO"), ("0  25 * * *", "25"), ("0 3 * 13 *", "13"), ("0 3 x * *", "x")],
)  # fmt: skip
def test_a_fault_names_the_field_and_its_place(text: str, bad: str) -> None:
    with pytest.raises(BadExpression) as raised:
        normalized(text)

    assert text[raised.value.start : raised.value.end] == bad


def test_a_run_in_the_skipped_hour_happens_at_the_change() -> None:
    schedule = CronSchedule("30 2 * * *", "Europe/Berlin")

    changes = clock_changes(schedule, at("2026-01-01 00:00"))

    assert [(change.kind, change.affects) for change in changes] == [("skipped", True), ("doubled", True)]
    assert changes[0].text == "On 2026-03-29 clocks skip 02:00 to 03:00. The run at 02:30 happens at 03:00."
    assert changes[1].text == "On 2026-10-25 the time from 02:00 to 03:00 occurs twice. Runs in this time happen once."
    runs = next_runs(schedule, at("2026-03-28 12:00"), 2)
    assert [local_text(run, "Europe/Berlin") for run in runs] == ["2026-03-29 03:00", "2026-03-30 02:30"]


def test_runs_of_every_hour_are_left_out_or_doubled() -> None:
    texts = [
        change.text for change in clock_changes(CronSchedule("0 * * * *", "Europe/Berlin"), at("2026-01-01 00:00"))
    ]

    assert texts == [
        "On 2026-03-29 clocks skip 02:00 to 03:00. Runs in this time do not happen.",
        "On 2026-10-25 the time from 02:00 to 03:00 occurs twice. Runs in this time happen twice.",
    ]


def test_a_schedule_outside_of_the_changed_hour_is_not_affected() -> None:
    changes = clock_changes(CronSchedule("0 12 * * *", "Europe/Berlin"), at("2026-01-01 00:00"))

    assert [change.affects for change in changes] == [False, False]
    assert changes[0].text.endswith("No run is planned then.")
    assert clock_changes(CronSchedule("0 12 * * *", "UTC"), at("2026-01-01 00:00")) == []
    assert clock_changes(SimpleSchedule(timedelta(hours=1)), at("2026-01-01 00:00")) == []


@given(MOMENTS, ZONES, EXPRESSIONS)
def test_a_preview_of_clock_changes_never_fails(moment: datetime, zone: str, expression: str) -> None:
    for change in clock_changes(CronSchedule(expression, zone), moment):
        assert moment < change.at <= moment + timedelta(days=367)
        assert change.first < change.last
