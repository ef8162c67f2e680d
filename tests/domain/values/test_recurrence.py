"""Recurrence rules: local times, and bounded work for every rule."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from inbox.domain.values.recurrence import MAX_OCCURRENCES, MAX_RULE_LENGTH, BadRule, occurrences
from tests.database.call_counts import calls_of

BERLIN, NEW_YORK, LORD_HOWE = "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"
YEAR = timedelta(days=366)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def of(rule: str, start: str, *, zone: str = "UTC", lasts: timedelta = YEAR) -> list[str]:
    found = occurrences(rule, ZoneInfo(zone), at(start), at(start) + lasts)
    return [f"{each:%Y-%m-%d %H:%M}" for each in found]


@pytest.mark.parametrize(
    ("zone", "start", "days"),
    [
        (BERLIN, "2026-03-28 01:30", ["2026-03-28 01:30", "2026-03-29 01:00", "2026-03-30 00:30"]),
        (BERLIN, "2026-10-24 00:30", ["2026-10-24 00:30", "2026-10-25 00:30", "2026-10-26 01:30"]),
        (NEW_YORK, "2026-03-07 07:30", ["2026-03-07 07:30", "2026-03-08 07:00", "2026-03-09 06:30"]),
        (NEW_YORK, "2026-10-31 05:30", ["2026-10-31 05:30", "2026-11-01 05:30", "2026-11-02 06:30"]),
        (LORD_HOWE, "2026-10-02 15:45", ["2026-10-02 15:45", "2026-10-03 15:30", "2026-10-04 15:15"]),
        (LORD_HOWE, "2026-04-03 14:45", ["2026-04-03 14:45", "2026-04-04 14:45", "2026-04-05 15:15"]),
    ],
)
def test_the_time_of_day_is_kept_across_the_changes_of_the_clocks(zone: str, start: str, days: list[str]) -> None:
    assert of("FREQ=DAILY", start, zone=zone)[:3] == days


@pytest.mark.parametrize(
    ("rule", "first"),
    [
        ("FREQ=WEEKLY", ["2026-03-04 03:00", "2026-03-11 03:00"]),
        ("freq=weekly;byday=sa,su", ["2026-03-07 03:00", "2026-03-08 03:00"]),
        ("FREQ=WEEKLY;INTERVAL=2;WKST=SU", ["2026-03-04 03:00", "2026-03-18 03:00"]),
        ("FREQ=MONTHLY;BYDAY=2TU", ["2026-03-10 03:00", "2026-04-14 03:00"]),
        ("FREQ=MONTHLY;BYDAY=-1FR", ["2026-03-27 03:00", "2026-04-24 03:00"]),
        ("FREQ=MONTHLY;BYMONTHDAY=31", ["2026-03-31 03:00", "2026-05-31 03:00"]),
        ("FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24,31", ["2026-12-24 03:00", "2026-12-31 03:00"]),
        ("FREQ=DAILY;BYMONTH=4;COUNT=2", ["2026-04-01 03:00", "2026-04-02 03:00"]),
    ],
)
def test_recurrence_rules_have_the_meaning_of_calendars(rule: str, first: list[str]) -> None:
    assert of(rule, "2026-03-04 03:00")[:2] == first


def test_occurrences_at_or_after_the_end_do_not_count() -> None:
    assert of("FREQ=DAILY", "2026-03-04 03:00", lasts=timedelta(days=2)) == ["2026-03-04 03:00", "2026-03-05 03:00"]


@pytest.mark.parametrize(
    ("rule", "complaint"),
    [
        ("", "FREQ"),
        ("BYDAY=MO", "FREQ is missing"),
        ("FREQ=SECONDLY", "DAILY, WEEKLY"),
        ("FREQ=MINUTELY;INTERVAL=1", "DAILY, WEEKLY"),
        ("FREQ=HOURLY", "DAILY, WEEKLY"),
        ("FREQ=DAILY;FREQ=DAILY", "twice"),
        ("FREQ=DAILY;BYSECOND=0,1,2", "time of day"),
        ("FREQ=DAILY;BYHOUR=1", "time of day"),
        ("FREQ=DAILY;UNTIL=20260401T000000Z", "endsAt"),
        ("DTSTART:19000101T000000\nRRULE:FREQ=DAILY", "such as"),
        ("RRULE:FREQ=DAILY\nEXRULE:FREQ=DAILY", "such as"),
        ("FREQ=DAILY;INTERVAL=0", "INTERVAL"),
        ("FREQ=DAILY;INTERVAL=-1", "INTERVAL"),
        ("FREQ=DAILY;INTERVAL=1000", "INTERVAL"),
        ("FREQ=DAILY;COUNT=1000000000", "COUNT"),
        ("FREQ=DAILY;COUNT=0", "COUNT"),
        ("FREQ=DAILY;BYMONTH=13", "BYMONTH"),
        ("FREQ=DAILY;BYMONTH=-1", "BYMONTH"),
        ("FREQ=MONTHLY;BYMONTHDAY=32", "BYMONTHDAY"),
        ("FREQ=MONTHLY;BYMONTHDAY=0", "BYMONTHDAY"),
        ("FREQ=MONTHLY;BYDAY=6MO", "BYDAY"),
        ("FREQ=WEEKLY;BYDAY=1MO", "numbers"),
        ("FREQ=DAILY;BYMONTHDAY=30;BYMONTH=2", "cannot be combined with"),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "BYSETPOS is not supported: use BYDAY"),
        ("FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO", "BYWEEKNO is not supported: use BYDAY"),
        ("FREQ=YEARLY;BYYEARDAY=100", "BYYEARDAY is not supported: use BYDAY"),
        ("FREQ=DAILY;BYEASTER=0", "such as"),
        ("FREQ=DAILY;", "such as"),
        ("FREQ=DAILY;BYMONTH=" + ",".join(["1"] * MAX_RULE_LENGTH), "characters"),
    ],
)
def test_an_unsupported_recurrence_rule_is_refused_with_a_reason(rule: str, complaint: str) -> None:
    with pytest.raises(BadRule, match=complaint):
        of(rule, "2026-03-04 03:00")


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=DAILY;INTERVAL=7;BYDAY=MO",
        "FREQ=WEEKLY;INTERVAL=999;BYMONTH=2",
        "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=YEARLY;INTERVAL=7;BYMONTH=1;BYMONTHDAY=1",
    ],
)
def test_a_rule_without_occurrences_in_the_period_ends_the_search(rule: str) -> None:
    assert of(rule, "2026-03-04 03:00") == []


@pytest.mark.parametrize(
    "more",
    [";BYMONTH=2;BYMONTHDAY=30", ";INTERVAL=12;BYMONTH=2,4;BYMONTHDAY=31", ";BYMONTH=2;BYMONTHDAY=31;COUNT=999"],
)
@pytest.mark.parametrize("freq", ["MONTHLY", "YEARLY"])
def test_a_rule_without_occurrences_takes_few_steps(freq: str, more: str) -> None:
    assert calls_of(lambda: of(f"FREQ={freq}{more}", "2026-03-04 03:00")) < 1_000


@pytest.mark.parametrize("start", ["1900-01-01 00:00", "9998-12-30 00:00"])
def test_a_start_long_ago_or_far_ahead_is_bounded_too(start: str) -> None:
    assert len(occurrences("FREQ=DAILY", ZoneInfo(BERLIN), at(start), at("9999-12-30 00:00"))) <= MAX_OCCURRENCES


def test_the_29th_occurs_in_a_february_of_a_leap_year() -> None:
    leap = of("FREQ=MONTHLY;BYMONTHDAY=29", "2028-01-04 03:00")
    assert "2028-02-29 03:00" in leap
