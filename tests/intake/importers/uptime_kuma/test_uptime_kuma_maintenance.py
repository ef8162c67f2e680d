"""Maintenance of Uptime Kuma as silences: windows, monitors, and skipped maintenance (specification 22.7)."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.domain.routing.active_periods import ActivePeriods
from inbox.intake.importers import uptime_kuma
from inbox.intake.importers.plan import Item, ItemKind, Plan
from inbox.intake.importers.uptime_kuma.maintenance import LONGEST, Covered, add

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)  # a Saturday
COVERED = Covered(push=["Backup"], others=["Site"])
SINGLE = {
    "id": 1, "title": "Patches", "strategy": "single", "active": 1, "timezone": "Europe/Berlin",
    "start_date": "2026-11-22 10:00:00", "end_date": "2026-11-22 12:00:00",
}  # fmt: skip
RECURRING = {
    "id": 2,
    "title": "Nights",
    "active": 1,
    "timezone": "Europe/Berlin",
    "start_time": "22:00",
    "end_time": "02:00",
}
WEEKLY = {**RECURRING, "strategy": "recurring-weekday", "weekdays": "[1, 0]"}
DAILY = {**RECURRING, "strategy": "recurring-interval", "interval_day": 3, "start_date": "2026-11-01 00:00:00"}
MONTHLY = {**RECURRING, "strategy": "recurring-day-of-month", "days_of_month": '[1, "lastDay1"]'}


def plan_of(row: dict[str, Any], covered: Covered = COVERED) -> Plan:
    made = Plan()
    add(made, row, covered, uptime_kuma.SOURCE, NOW)
    return made


def silence(row: dict[str, Any], covered: Covered = COVERED) -> Item:
    (item,) = plan_of(row, covered).items
    return item


def periods(row: dict[str, Any], count: int = 3) -> list[tuple[str, str]]:
    """The first periods of the silence, in the time of UTC."""
    fields = silence(row).fields
    found = ActivePeriods.of(fields["starts_at"], fields["ends_at"], fields["recurrence"])
    return [
        (start.strftime("%m-%d %H:%M"), end.strftime("%m-%d %H:%M"))
        for start, end in found.within(NOW, NOW + LONGEST, count)
    ]


def test_a_single_window_is_a_silence_of_its_monitors() -> None:
    item = silence(SINGLE)

    assert (item.kind, item.name, item.source) == (ItemKind.SILENCE, "Patches", "uptime_kuma")
    assert item.reference == "uptime_kuma:maintenance:1"
    assert item.fields["match"] == {
        "any": [
            {"field": "resource", "op": "in", "value": ["monitor:Site"]},
            {"field": "metadata.monitor", "op": "in", "value": ["Backup"]},
        ]
    }
    assert (item.fields["comment"], item.fields["recurrence"]) == ("Patches", None)
    assert periods(SINGLE) == [("11-22 09:00", "11-22 11:00")]


def test_a_window_that_runs_begins_now() -> None:
    assert periods({**SINGLE, "start_date": "2026-11-20 10:00:00"}) == [("11-21 09:00", "11-22 11:00")]


def test_windows_recur_on_days_of_the_week_in_the_time_zone() -> None:
    assert periods(WEEKLY) == [
        ("11-22 21:00", "11-23 01:00"),
        ("11-23 21:00", "11-24 01:00"),
        ("11-29 21:00", "11-30 01:00"),
    ]
    assert silence({**WEEKLY, "weekdays": "[7, 0, 7]"}).fields["recurrence"]["rrule"] == "FREQ=WEEKLY;BYDAY=SU"


def test_windows_recur_every_so_many_days_from_the_first_one() -> None:
    assert periods(DAILY) == [
        ("11-22 21:00", "11-23 01:00"),
        ("11-25 21:00", "11-26 01:00"),
        ("11-28 21:00", "11-29 01:00"),
    ]
    assert periods({**DAILY, "start_date": "2026-11-23 00:00:00"})[0] == ("11-23 21:00", "11-24 01:00")
    assert periods({**DAILY, "start_date": None})[0] == ("11-21 21:00", "11-22 01:00")


def test_windows_recur_on_days_of_the_month_and_on_its_last_ones() -> None:
    assert periods(MONTHLY) == [
        ("11-30 21:00", "12-01 01:00"),
        ("12-01 21:00", "12-02 01:00"),
        ("12-31 21:00", "01-01 01:00"),
    ]
    assert silence({**MONTHLY, "days_of_month": '["lastDay4"]'}).fields["recurrence"]["rrule"].endswith("=-4")


def test_a_silence_ends_with_the_maintenance_and_after_a_year_at_the_latest() -> None:
    assert silence({**WEEKLY, "end_date": "2026-12-24 00:00:00"}).fields["ends_at"] == datetime(
        2026, 12, 23, 23, tzinfo=UTC
    )
    assert silence(WEEKLY).fields["ends_at"] == NOW + timedelta(days=365)


def test_a_maintenance_without_a_zone_is_in_utc() -> None:
    for zone in (None, "", "SAME_AS_SERVER", "UTC"):
        assert periods({**SINGLE, "timezone": zone}) == [("11-22 10:00", "11-22 12:00")]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({**SINGLE, "active": 0}, "not active"),
        ({**SINGLE, "end_date": "2026-11-21 10:00:00", "start_date": None}, "ended"),
        ({**SINGLE, "end_date": None}, "cannot be read"),
        ({**SINGLE, "timezone": "Mars/Base"}, "time zone"),
        ({**SINGLE, "start_date": "soon"}, "cannot be read"),
        ({**SINGLE, "start_date": "9999-12-31 00:00:00"}, "cannot be read"),
        ({**SINGLE, "strategy": "manual"}, "no end"),
        ({**SINGLE, "strategy": "cron"}, "cron"),
        ({**SINGLE, "strategy": "other"}, "cannot be read"),
        ({**SINGLE, "id": None}, "cannot be read"),
        ({**WEEKLY, "weekdays": "[]"}, "cannot be read"),
        ({**WEEKLY, "weekdays": "[8]"}, "cannot be read"),
        ({**WEEKLY, "weekdays": "{"}, "cannot be read"),
        ({**WEEKLY, "start_time": "late"}, "cannot be read"),
        ({**WEEKLY, "end_time": "22:00"}, "cannot be read"),
        ({**WEEKLY, "end_date": "2026-11-22 00:00:00"}, "no time before its end"),
        ({**DAILY, "interval_day": 0}, "cannot be read"),
        ({**DAILY, "interval_day": 1000}, "cannot be read"),
        ({**MONTHLY, "days_of_month": "[32]"}, "cannot be read"),
        ({**MONTHLY, "days_of_month": '["lastDay5"]'}, "cannot be read"),
    ],
)
def test_a_maintenance_that_no_silence_can_be_is_left_out(row: dict[str, Any], reason: str) -> None:
    made = plan_of(row)

    assert made.items == []
    assert reason in made.left_out[0].reason


@pytest.mark.parametrize(("count", "is_silence"), [(99, True), (100, True), (101, False)])
def test_a_silence_names_so_many_monitors(count: int, *, is_silence: bool) -> None:
    names = [f"Site {number}" for number in range(count)]

    assert bool(plan_of(SINGLE, Covered(others=names)).items) is is_silence
    assert bool(plan_of(SINGLE, Covered(push=names)).items) is is_silence


def test_a_maintenance_without_monitors_is_left_out() -> None:
    assert "no monitor" in plan_of(SINGLE, Covered()).left_out[0].reason


VALUES = (
    st.none()
    | st.integers()
    | st.text(max_size=20)
    | st.sampled_from([*SINGLE.values(), *WEEKLY.values(), "[1]", "00:00"])
)


@given(row=st.fixed_dictionaries(dict.fromkeys([*SINGLE, *WEEKLY, *DAILY, *MONTHLY], VALUES)))
@settings(max_examples=300)
def test_any_row_becomes_a_silence_or_is_left_out(row: dict[str, Any]) -> None:
    made = plan_of(row)

    assert len(made.items) + len(made.left_out) == 1


MONITOR = (
    "CREATE TABLE monitor (id INTEGER, name TEXT, type TEXT, interval INTEGER, maxretries INTEGER, retry_interval INTEGER,"
    " active INTEGER, upside_down INTEGER)"
)


def test_a_database_names_the_monitors_of_a_maintenance() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute(MONITOR)
    rows = [(1, "Backup", "push", 3600), (2, "Site", "http", 60), (3, "Quick", "push", 20), (4, "Other", "http", 60)]
    connection.executemany("INSERT INTO monitor VALUES (?, ?, ?, ?, 0, 60, 1, 0)", rows)
    connection.execute(f"CREATE TABLE maintenance ({', '.join(f'{name}' for name in SINGLE)})")
    connection.execute(f"INSERT INTO maintenance VALUES ({', '.join('?' * len(SINGLE))})", tuple(SINGLE.values()))
    connection.execute("CREATE TABLE monitor_maintenance (id INTEGER, monitor_id INTEGER, maintenance_id INTEGER)")
    connection.executemany("INSERT INTO monitor_maintenance VALUES (?, ?, 1)", [(each, each) for each in (1, 2, 3, 9)])
    connection.commit()

    items = uptime_kuma.read_bytes(connection.serialize(), NOW).items

    assert [(item.kind, item.name) for item in items] == [
        (ItemKind.SOURCE, "Uptime Kuma"), (ItemKind.MONITOR, "Backup"), (ItemKind.SILENCE, "Patches"),
    ]  # fmt: skip
    assert items[2].fields["match"] == silence(SINGLE).fields["match"]
