"""The computation equals the definition at every moment of a year, in six zones and for random schedules.

All times of a drawn schedule are multiples of 15 minutes, and so are all changes of its clocks. When every shift
begins on this grid, as the test checks, equality on the grid is equality at every minute.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inbox.domain.oncall.schedule import Layer, OnCallSchedule, Override, OverrideKind, Unit
from inbox.domain.oncall.shifts import Shift, shifts, upcoming, who
from inbox.domain.values.windows import Window
from tests.domain.oncall import slow_schedule
from tests.domain.oncall.layers import ANA, BEN, CEM, DORA
from tests.runner.amounts import amount

ZONES = (
    *("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Havana", "Antarctica/Troll"),
    "Africa/Casablanca",
)
YEAR = (datetime(2023, 6, 1, tzinfo=UTC), datetime(2024, 6, 1, tzinfo=UTC))
"""A year with both changes of each of these zones. It is past: what zones will do is changed by every edition of their data."""

SCHEDULES = amount("TEST_SCHEDULES", usual=5, long=200)

QUARTERS = st.integers(0, 4 * 24 - 1)
_people = st.lists(st.sampled_from([ANA, BEN, CEM, DORA]), max_size=2, unique=True).map(tuple)
_clocks = QUARTERS.map(lambda quarter: (datetime.min + quarter * slow_schedule.GRID).time())
_windows = st.builds(Window, st.frozensets(st.integers(0, 6), min_size=1), _clocks, _clocks)
_instants = st.integers(0, 4 * 24 * 365).map(lambda quarters: YEAR[0] + quarters * slow_schedule.GRID)
_LENGTHS = (
    *((4, Unit.HOUR), (12, Unit.HOUR), (13, Unit.HOUR), (1, Unit.DAY), (5, Unit.DAY), (1, Unit.WEEK)),
    *((2, Unit.WEEK), (1, Unit.MONTH), (2, Unit.MONTH)),
)


@st.composite
def layers(draw: st.DrawFn, number: int) -> Layer:
    """A layer that begins some weeks before or after the beginning of the year."""
    every, unit = draw(st.sampled_from(_LENGTHS))
    start = datetime(2023, 5, 1) + draw(st.integers(0, 4 * 24 * 60)) * slow_schedule.GRID
    begins, ends = draw(st.none() | _instants), draw(st.none() | _instants)
    return Layer(
        *(UUID(int=number), "Layer", draw(st.integers(1, 3)), ZoneInfo(draw(st.sampled_from(ZONES))), start),
        *(unit, every, tuple(draw(st.lists(_people, min_size=1, max_size=4)))),
        *(tuple(draw(st.lists(_windows, max_size=2))), begins, ends),
    )


@st.composite
def overrides(draw: st.DrawFn, number: int) -> Override:
    """An override of up to some weeks."""
    starts = draw(_instants)
    return Override(
        *(UUID(int=number), starts, starts + draw(st.integers(1, 4 * 24 * 30)) * slow_schedule.GRID),
        *(draw(st.sampled_from(OverrideKind)), draw(_people), draw(st.none() | st.sampled_from([ANA, BEN]))),
        draw(st.frozensets(st.integers(100, 103).map(lambda id: UUID(int=id)), max_size=2)),
    )


@st.composite
def drawn_schedules(draw: st.DrawFn) -> OnCallSchedule:
    """A schedule of up to four layers and three overrides."""
    some_layers = [draw(layers(100 + number)) for number in range(draw(st.integers(1, 4)))]
    some_overrides = [draw(overrides(200 + number)) for number in range(draw(st.integers(0, 3)))]
    return OnCallSchedule.of_layers(some_layers, some_overrides)


@given(drawn_schedules())
@settings(max_examples=SCHEDULES, suppress_health_check=list(HealthCheck))
def test_the_computation_equals_the_definition_at_every_moment_of_a_year(schedule: OnCallSchedule) -> None:
    found = list(upcoming(schedule, *YEAR))
    pieces = iter(found)
    piece = next(pieces)

    assert all((shift.starts_at - YEAR[0]) % slow_schedule.GRID == timedelta() for shift in found)
    for moment, people in slow_schedule.people(schedule.versions[0].layers, schedule.overrides, *YEAR):
        while piece.ends_at <= moment:
            piece = next(pieces)
        assert (moment, _users(piece)) == (moment, people)


@given(drawn_schedules(), _instants, _instants)
@settings(max_examples=30)
def test_shifts_have_neither_holes_nor_overlaps_and_join_at_any_cut(
    schedule: OnCallSchedule, one: datetime, other: datetime
) -> None:
    start, cut = sorted((one, other))
    end = cut + timedelta(days=20)
    whole, parts = (
        list(upcoming(schedule, start, end)),
        [*upcoming(schedule, start, cut), *upcoming(schedule, cut, end)],
    )

    assert [shift.starts_at for shift in whole] == [start, *(shift.ends_at for shift in whole[:-1])]
    assert whole[-1].ends_at == end
    assert _joined(parts) == whole


@given(drawn_schedules(), _instants)
@settings(max_examples=30)
def test_who_is_on_call_is_the_shift_of_the_moment(schedule: OnCallSchedule, moment: datetime) -> None:
    [shift] = shifts(schedule, moment, moment + timedelta(seconds=1))

    assert who(schedule, moment) == shift.people


@pytest.mark.parametrize("zone", ZONES)
def test_the_grid_contains_the_changes_of_the_clocks(zone: str) -> None:
    quarters = ((YEAR[1] - YEAR[0]) // slow_schedule.GRID) + 1
    offsets = {
        (YEAR[0] + n * slow_schedule.GRID).astimezone(ZoneInfo(zone)).utcoffset() for n in range(0, quarters, 96)
    }

    assert len(offsets) > 1
    assert all(offset is not None and offset % slow_schedule.GRID == timedelta() for offset in offsets)


def _users(shift: Shift) -> frozenset[UUID]:
    return frozenset(each.user_id for each in shift.people)


def _joined(parts: list[Shift]) -> list[Shift]:
    result: list[Shift] = []
    for shift in parts:
        if result and result[-1].people == shift.people:
            result[-1] = Shift(result[-1].starts_at, shift.ends_at, shift.people)
        else:
            result.append(shift)
    return result
