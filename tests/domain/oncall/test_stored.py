"""Layers as JSON: what is read is written again, and every fault has its place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings

from inbox.domain.oncall import stored
from inbox.domain.oncall.schedule import Counting, Layer, OnCallSchedule, Unit
from tests.domain.oncall.layers import ANA, BEN, at, layer, window
from tests.domain.oncall.test_shifts_oracle import drawn_schedules

BERLIN = ZoneInfo("Europe/Berlin")


@given(drawn_schedules())
@settings(max_examples=30)
def test_layers_stay_the_same_when_they_are_written_and_read(schedule: OnCallSchedule) -> None:
    layers = schedule.versions[0].layers

    assert stored.layers_of([stored.record(each) for each in layers], "UTC") == layers


def test_a_layer_without_a_time_zone_has_the_schedules() -> None:
    inherited = replace(layer(zone="Europe/Berlin"), inherits_zone=True)

    assert stored.record(inherited)["timezone"] is None
    assert stored.layers_of([stored.record(inherited)], "Asia/Tokyo")[0].zone.key == "Asia/Tokyo"


@pytest.mark.parametrize(
    "changes", [{"timezone": "Mars/Olympus"}, {"id": "lay_1"}, {"unit": "decade"}, {"start": "soon"}]
)
def test_what_this_version_cannot_read_is_an_error(changes: dict[str, Any]) -> None:
    with pytest.raises((LookupError, ValueError)):
        stored.layers_of([{**stored.record(layer()), **changes}], "UTC")


@pytest.mark.parametrize(
    ("changed", "pointer"),
    [
        ({"begins_at": at("2026-01-02"), "ends_at": at("2026-01-02")}, "/layers/1/until"),
        ({"members": ((ANA,), (BEN, BEN))}, "/layers/1/members/1"),
        ({"counts": Counting.COVERED}, "/layers/1/counts"),
        ({"counts": Counting.COVERED, "unit": Unit.DAY}, "/layers/1/counts"),
        ({"start": at("1969-12-31").replace(tzinfo=None)}, "/layers/1/start"),
        ({"start": at("2101-01-01").replace(tzinfo=None)}, "/layers/1/start"),
        ({"id": layer().id}, "/layers/1/id"),
    ],
)
def test_each_fault_has_its_place(changed: dict[str, Any], pointer: str) -> None:
    other: Layer = replace(layer(id=ANA), **changed)

    assert [fault.pointer for fault in stored.faults([layer(), other])] == [pointer]


def test_covered_turns_of_days_with_windows_are_right() -> None:
    counted = layer(
        "2026-01-05 09:00", 1, Unit.DAY, windows=(window("wed", "09:00", "17:00"),), counts=Counting.COVERED
    )

    assert stored.faults([counted]) == []


def test_a_start_that_clocks_skip_is_refused_with_both_readings() -> None:
    [detail] = stored.start_faults(at("2027-03-28 02:30").replace(tzinfo=None), BERLIN)

    assert detail == "Clocks in Europe/Berlin skip 02:30 on 2027-03-28. Choose 01:30 or 03:30."


def test_a_start_that_clocks_show_twice_is_refused_with_both_readings() -> None:
    [detail] = stored.start_faults(at("2026-10-25 02:30").replace(tzinfo=None), BERLIN)

    assert detail == (
        "Clocks in Europe/Berlin show 02:30 twice on 2026-10-25, at 2026-10-25T00:30:00.000Z and"
        " 2026-10-25T01:30:00.000Z. Choose another time."
    )
