"""Turns keep the local time over every kind of change of the clocks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.oncall.schedule import Counting, Unit
from inbox.domain.oncall.turns import start_of, turn_at
from inbox.domain.values.windows import Schedule
from tests.domain.oncall.layers import ANA, BEN, CEM, at, layer, window
from tests.domain.values.test_windows_oracle import CHANGES, ZONES

BERLIN, NEW_YORK, LORD_HOWE = "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"

VECTORS = [
    ("2026-10-19 09:00", 1, Unit.WEEK, BERLIN, "2026-10-19T07 2026-10-26T08 2026-11-02T08"),
    ("2026-10-23 02:30", 1, Unit.DAY, BERLIN, "2026-10-23T00:30 2026-10-24T00:30 2026-10-25T00:30 2026-10-26T01:30"),
    ("2027-03-26 02:30", 1, Unit.DAY, BERLIN, "2027-03-26T01:30 2027-03-27T01:30 2027-03-28T01:00 2027-03-29T00:30"),
    (
        *("2027-03-28 00:30", 1, Unit.HOUR, BERLIN),
        "2027-03-27T23:30 2027-03-28T00:30 2027-03-28T01:00 2027-03-28T01:30 2027-03-28T02:30",
    ),
    (
        *("2027-03-28 00:00", 1, Unit.HOUR, BERLIN),
        "2027-03-27T23 2027-03-28T00 2027-03-28T01 2027-03-28T01 2027-03-28T02",
    ),
    (
        *("2026-10-25 00:00", 1, Unit.HOUR, BERLIN),
        "2026-10-24T22 2026-10-24T23 2026-10-25T00 2026-10-25T02 2026-10-25T03",
    ),
    ("2026-10-24 08:00", 12, Unit.HOUR, BERLIN, "2026-10-24T06 2026-10-24T18 2026-10-25T07 2026-10-25T19"),
    ("2026-10-31 16:00", 8, Unit.HOUR, NEW_YORK, "2026-10-31T20 2026-11-01T04 2026-11-01T13 2026-11-01T21"),
    (
        *("2027-01-31 09:00", 1, Unit.MONTH, BERLIN),
        "2027-01-31T08 2027-02-28T08 2027-03-31T07 2027-04-30T07 2027-05-31T07",
    ),
    ("2027-04-04 00:30", 1, Unit.HOUR, LORD_HOWE, "2027-04-03T13:30 2027-04-03T14:30 2027-04-03T16 2027-04-03T17"),
    ("2026-10-03 02:15", 1, Unit.DAY, LORD_HOWE, "2026-10-02T15:45 2026-10-03T15:30 2026-10-04T15:15"),
    # Cuba and Morocco change their rules often, so these days are past
    ("2024-03-09 00:00", 1, Unit.DAY, "America/Havana", "2024-03-09T05 2024-03-10T05 2024-03-11T04"),
    ("2011-12-28 09:00", 1, Unit.DAY, "Pacific/Apia", "2011-12-28T19 2011-12-29T19 2011-12-30T10 2011-12-30T19"),
    ("2024-03-09 02:30", 1, Unit.DAY, "Africa/Casablanca", "2024-03-09T01:30 2024-03-10T01:30 2024-03-11T02:30"),
    ("2027-03-27 02:00", 1, Unit.DAY, "Antarctica/Troll", "2027-03-27T02 2027-03-28T01 2027-03-29T00"),
    # Vectors of GoAlert, in Chicago
    ("2020-10-31 01:30", 1, Unit.DAY, "America/Chicago", "2020-10-31T06:30 2020-11-01T06:30 2020-11-02T07:30"),
    ("2020-03-07 02:30", 1, Unit.DAY, "America/Chicago", "2020-03-07T08:30 2020-03-08T08:00 2020-03-09T07:30"),
    (
        *("2020-03-08 00:30", 1, Unit.HOUR, "America/Chicago"),
        "2020-03-08T06:30 2020-03-08T07:30 2020-03-08T08:00 2020-03-08T08:30 2020-03-08T09:30",
    ),
    ("2020-11-01 00:30", 1, Unit.HOUR, "America/Chicago", "2020-11-01T05:30 2020-11-01T06:30 2020-11-01T08:30"),
    # Lengths that do not divide a day are elapsed hours
    ("2026-10-24 08:00", 7, Unit.HOUR, BERLIN, "2026-10-24T06 2026-10-24T13 2026-10-24T20 2026-10-25T03"),
]

WINDOWS = [
    ("22:00", "06:00", BERLIN, "2026-10-24", "2026-10-24T20:00 2026-10-25T05:00"),
    ("22:00", "06:00", BERLIN, "2027-03-27", "2027-03-27T21:00 2027-03-28T04:00"),
    ("01:00", "02:30", NEW_YORK, "2026-11-01", "2026-11-01T05:00 2026-11-01T07:30"),
    ("00:30", "01:30", NEW_YORK, "2026-11-01", "2026-11-01T04:30 2026-11-01T05:30"),
    ("02:15", "02:45", NEW_YORK, "2027-03-14", ""),
    ("02:15", "04:00", NEW_YORK, "2027-03-14", "2027-03-14T07:00 2027-03-14T08:00"),
    ("00:00", "00:00", NEW_YORK, "2026-11-01", "2026-11-01T04:00 2026-11-02T05:00"),
]


@pytest.mark.parametrize(("start", "every", "unit", "zone", "expected"), VECTORS, ids=lambda value: str(value)[:18])
def test_turns_begin_at_the_local_time_of_the_start(
    start: str, every: int, unit: Unit, zone: str, expected: str
) -> None:
    turns = layer(start, every, unit, zone=zone)

    begun = [start_of(turns, turn) for turn in range(len(expected.split()))]

    assert begun == [at(each) for each in expected.split()]


@pytest.mark.parametrize(("start", "end", "zone", "day", "expected"), WINDOWS)
def test_a_window_covers_the_instants_between_its_local_times(
    start: str, end: str, zone: str, day: str, expected: str
) -> None:
    weekday = datetime.fromisoformat(day).weekday()
    name = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")[weekday]
    weekly = Schedule(ZoneInfo(zone), (window(name, start, end),))

    found = list(weekly.periods(at(day) - timedelta(days=1), at(day) + timedelta(days=3)))

    assert [moment for period in found for moment in period] == [at(each) for each in expected.split()]


def test_a_turn_of_length_zero_belongs_to_no_instant() -> None:
    turns = layer("2027-03-28 00:00", 1, Unit.HOUR, zone=BERLIN)

    assert [turn_at(turns, at("2027-03-28T00:59")), turn_at(turns, at("2027-03-28T01:00"))] == [1, 3]


def test_a_layer_has_no_turn_before_its_start() -> None:
    turns = layer("2026-10-19 09:00", zone=BERLIN)

    assert turn_at(turns, at("2026-10-19T06:59:59")) is None
    assert turn_at(turns, at("2026-10-19T07:00")) == 0


def test_covered_turns_alone_move_the_rotation_on() -> None:
    """Three groups on Wednesday and Friday take Wednesday, Friday, Wednesday, Friday."""
    two_days = (window("wed fri", "09:00", "17:00"),)
    groups = (ANA, BEN, CEM)
    turns = layer("2026-01-05 00:00", 1, Unit.DAY, *groups, windows=two_days, counts=Counting.COVERED)

    taken = [turns.people(turn)[0] for turn in range(28) if turn % 7 in (2, 4)]

    assert taken == [ANA, BEN, CEM, ANA, BEN, CEM, ANA, BEN]


def test_all_turns_move_the_rotation_on_by_default() -> None:
    turns = layer("2026-01-05 00:00", 1, Unit.DAY, ANA, BEN, CEM, windows=(window("wed fri", "09:00", "17:00"),))

    assert [turns.people(turn)[0] for turn in range(14) if turn % 7 in (2, 4)] == [CEM, BEN, ANA, CEM]


units = st.sampled_from(
    [(1, Unit.HOUR), (5, Unit.HOUR), (8, Unit.HOUR), (1, Unit.DAY), (3, Unit.DAY), (2, Unit.WEEK), (1, Unit.MONTH)]
)
instants = st.one_of(
    st.datetimes(datetime(1970, 1, 2), datetime(2100, 12, 30), timezones=st.just(UTC)),
    st.builds(
        lambda change, away: at(change) + away,
        st.sampled_from(CHANGES),
        st.timedeltas(timedelta(hours=-3), timedelta(hours=3)),
    ),
)


@given(units, st.sampled_from(ZONES), instants, st.datetimes(datetime(1970, 1, 1), datetime(2030, 1, 1)))
def test_every_instant_lies_between_the_start_of_its_turn_and_the_next(
    length: tuple[int, Unit], zone: str, moment: datetime, start: datetime
) -> None:
    turns = layer(start.isoformat(), *length, zone=zone)

    turn = turn_at(turns, moment)

    if turn is None:
        assert moment < start_of(turns, 0)
    else:
        assert start_of(turns, turn) <= moment < start_of(turns, turn + 1)


def test_two_people_who_take_turns_each_day_share_ten_years_evenly() -> None:
    turns = layer("2026-01-05 09:00", 1, Unit.DAY, zone=BERLIN)
    last = turn_at(turns, at("2036-01-05T12:00"))

    assert last is not None
    shares = [sum(turns.people(turn) == (person,) for turn in range(last)) for person in (ANA, BEN)]
    assert abs(shares[0] - shares[1]) <= 1
