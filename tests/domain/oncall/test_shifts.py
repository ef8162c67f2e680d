"""Who is on call: levels, overrides, forwarding, versions, and the limits of one computation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from inbox.domain.oncall.schedule import Forwarding, Layer, OnCallSchedule, OverrideKind, Unit, Version
from inbox.domain.oncall.shifts import MAX_SHIFTS, OriginKind, TooManyShifts, shifts, upcoming, who
from tests.database.call_counts import calls_of
from tests.domain.oncall.layers import ANA, BEN, CEM, DORA, at, layer, override, schedule, window, written

MONDAY, TUESDAY = "2026-01-05 00:00", "2026-01-06 00:00"
OFFICE = window("mon tue wed thu fri", "09:00", "17:00")
UPPER, LOWER = UUID(int=101), UUID(int=102)


def always(*people: UUID, **fields: object) -> Layer:
    """A layer in which the same people are always on call."""
    return layer("2026-01-01 00:00", 1, Unit.WEEK, people, **fields)


def of_a_day(*layers: Layer, overrides: Sequence[object] = (), day: str = MONDAY) -> list[str]:
    made = schedule(*layers, overrides=overrides)  # type: ignore[arg-type]
    return written(shifts(made, at(day), at(day) + timedelta(days=1)))


def test_a_lower_level_shows_through_outside_the_windows_of_a_higher_one() -> None:
    upper = layer("2026-01-05 09:00", 1, Unit.WEEK, ANA, BEN, level=2, windows=(OFFICE,))

    assert of_a_day(upper, always(CEM), day=TUESDAY) == ["01-06 00:00 C", "01-06 09:00 A", "01-06 17:00 C"]


def test_all_layers_of_a_level_are_on_call() -> None:
    assert of_a_day(always(ANA), always(BEN, id=LOWER)) == ["01-05 00:00 A+B"]


def test_a_person_of_two_layers_is_on_call_once_by_the_first() -> None:
    both = schedule(always(ANA, id=UPPER), always(ANA, BEN, id=LOWER))

    assert [(each.user_id, each.origin.id) for each in who(both, at(MONDAY))] == [(ANA, UPPER), (BEN, LOWER)]


def test_an_empty_turn_lets_the_lower_level_show_through() -> None:
    upper = layer("2026-01-05 00:00", 12, Unit.HOUR, ANA, [], level=2)

    assert of_a_day(upper, always(CEM)) == ["01-05 00:00 A", "01-05 12:00 C"]


def test_a_layer_counts_between_its_times() -> None:
    limited = always(ANA, begins_at=at("2026-01-05 06:00"), ends_at=at("2026-01-05 18:00"))

    assert of_a_day(limited) == ["01-05 00:00 -", "01-05 06:00 A", "01-05 18:00 -"]


def test_an_override_cuts_a_shift_into_three_pieces() -> None:
    daily = always(ANA, windows=(window("daily", "09:00", "17:00"),))
    cover = override(1, "2026-01-05 12:00", "2026-01-05 16:00", DORA)

    assert of_a_day(daily, overrides=[cover]) == [
        *("01-05 00:00 -", "01-05 09:00 A", "01-05 12:00 D", "01-05 16:00 A", "01-05 17:00 -"),
    ]


def test_the_override_that_was_created_last_counts() -> None:
    first = override(1, "2026-01-05 00:00", "2026-01-06 00:00", BEN)
    last = override(2, "2026-01-05 06:00", "2026-01-05 12:00", CEM)

    assert of_a_day(always(ANA), overrides=[first, last]) == ["01-05 00:00 B", "01-05 06:00 C", "01-05 12:00 B"]
    assert of_a_day(always(ANA), overrides=[last, first]) == ["01-05 00:00 B"]
    assert of_a_day(always(ANA), overrides=[first]) == ["01-05 00:00 B"]


def test_an_override_of_a_layer_leaves_other_levels_alone() -> None:
    upper = always(ANA, id=UPPER, level=2, windows=(OFFICE,))
    cover = override(1, "2026-01-05 00:00", "2026-01-06 00:00", DORA, layer_ids=frozenset({UPPER}))

    shown = of_a_day(upper, always(CEM, id=LOWER), overrides=[cover])

    assert shown == ["01-05 00:00 C", "01-05 09:00 D", "01-05 17:00 C"]


def test_a_layer_that_an_override_empties_lets_the_lower_level_show_through() -> None:
    gone = override(1, "2026-01-05 06:00", "2026-01-05 12:00", layer_ids=frozenset({UPPER}))

    shown = of_a_day(always(ANA, id=UPPER, level=2), always(CEM, id=LOWER), overrides=[gone])

    assert shown == ["01-05 00:00 A", "01-05 06:00 C", "01-05 12:00 A"]


@pytest.mark.parametrize(
    ("kind", "users", "instead_of", "shown"),
    [
        (OverrideKind.REPLACE, (DORA,), None, "D"),
        (OverrideKind.REPLACE, (), None, "-"),
        (OverrideKind.REPLACE, (DORA,), ANA, "B+D"),
        (OverrideKind.REPLACE, (BEN,), ANA, "B"),
        (OverrideKind.REPLACE, (DORA,), CEM, "A+B"),
        (OverrideKind.REPLACE, (), ANA, "B"),
        (OverrideKind.ADD, (DORA, ANA), None, "A+B+D"),
        (OverrideKind.REMOVE, (ANA, CEM), None, "B"),
        (OverrideKind.REMOVE, (ANA, BEN), None, "-"),
    ],
)
def test_each_kind_of_override_changes_the_people(
    kind: OverrideKind, users: tuple[UUID, ...], instead_of: UUID | None, shown: str
) -> None:
    cover = override(1, "2026-01-05 00:00", "2026-01-06 00:00", *users, kind=kind, instead_of=instead_of)

    assert of_a_day(always(ANA, BEN), overrides=[cover]) == [f"01-05 00:00 {shown}"]


def test_a_forwarding_replaces_a_person_once() -> None:
    def forwarding(number: int, user: UUID, to: UUID) -> Forwarding:
        return Forwarding(UUID(int=number), at("2026-01-05 06:00"), at("2026-01-05 12:00"), user, to)

    chain = replace(schedule(always(ANA)), forwardings=(forwarding(1, ANA, BEN), forwarding(2, BEN, CEM)))

    found = shifts(chain, at(MONDAY), at(TUESDAY))

    assert written(found) == ["01-05 00:00 A", "01-05 06:00 B", "01-05 12:00 A"]
    assert found[1].people[0].origin == (OriginKind.FORWARDING, UUID(int=1))


def test_each_time_has_the_version_of_its_time() -> None:
    versions = (
        Version(at("2026-01-05 06:00"), (always(ANA),)),
        Version(at("2026-01-05 12:00"), (always(ANA),)),
        Version(at("2026-01-05 18:00"), (always(BEN),)),
    )

    found = shifts(OnCallSchedule(versions), at(MONDAY), at(TUESDAY))

    assert written(found) == ["01-05 00:00 -", "01-05 06:00 A", "01-05 18:00 B"]


def test_a_change_of_the_zone_leaves_the_past_alone() -> None:
    berlin = layer("2026-01-05 00:00", 12, Unit.HOUR, ANA, BEN, zone="Europe/Berlin")
    versions = (Version(None, (berlin,)), Version(at("2026-01-05 18:00"), (replace(berlin, zone=ZoneInfo("UTC")),)))

    found = shifts(OnCallSchedule(versions), at(MONDAY), at(TUESDAY))

    assert written(found) == ["01-05 00:00 A", "01-05 11:00 B", "01-05 23:00 B"][:2]


def test_people_who_left_take_no_turn_from_then_on() -> None:
    cover = override(1, "2026-01-05 06:00", "2026-01-05 23:00", BEN)
    upper = layer("2026-01-05 00:00", 12, Unit.HOUR, ANA, BEN, level=2)
    made = schedule(upper, always(CEM), overrides=[cover]).without({BEN}, at("2026-01-05 18:00"))

    assert written(shifts(made, at(MONDAY), at(TUESDAY))) == ["01-05 00:00 A", "01-05 06:00 B", "01-05 18:00 C"]


def test_now_is_a_piece_of_the_shifts() -> None:
    made = schedule(layer("2026-01-05 00:00", 1, Unit.HOUR, ANA, BEN, CEM), overrides=[])

    for shift in shifts(made, at(MONDAY), at(TUESDAY)):
        assert who(made, shift.starts_at) == shift.people
        assert who(made, shift.ends_at - timedelta.resolution) == shift.people


def test_an_override_of_one_hour_changes_nothing_outside_it() -> None:
    base = layer("2026-01-05 00:00", 5, Unit.HOUR, ANA, BEN, CEM)
    cover = override(1, "2026-01-05 12:30", "2026-01-05 13:30", DORA)
    before, after = (schedule(base, overrides=overrides) for overrides in ([], [cover]))

    for start, end in ((MONDAY, "2026-01-05 12:30"), ("2026-01-05 13:30", TUESDAY)):
        assert shifts(before, at(start), at(end)) == shifts(after, at(start), at(end))


@pytest.mark.parametrize(("hours", "refused"), [(MAX_SHIFTS - 1, False), (MAX_SHIFTS, False), (MAX_SHIFTS + 1, True)])
def test_a_period_has_at_most_5000_shifts(hours: int, refused: bool) -> None:
    hourly, start = schedule(layer("2026-01-01 00:00", 1, Unit.HOUR)), at(MONDAY)

    if refused:
        with pytest.raises(TooManyShifts):
            shifts(hourly, start, start + timedelta(hours=hours))
    else:
        assert len(shifts(hourly, start, start + timedelta(hours=hours))) == hours


def test_work_is_bounded_when_no_shift_ends() -> None:
    """Overrides that all last a year are evaluated at each change, and 20 hourly layers are hidden by one above."""
    year = ("2026-01-01 00:00", "2027-01-01 00:00")
    hidden = [layer(f"2026-01-01 00:{n * 2:02}", 1, Unit.HOUR, id=UUID(int=n)) for n in range(20)]
    many = [override(n, *year, DORA, kind=OverrideKind.ADD) for n in range(1_000)]
    made = schedule(*hidden, always(CEM, level=20), overrides=many)

    def compute() -> None:
        with pytest.raises(TooManyShifts):
            shifts(made, at(year[0]), at(year[1]))

    assert calls_of(compute) < 2_500_000


def test_the_next_shift_is_found_without_computing_the_rest() -> None:
    hourly = schedule(layer("2026-01-01 00:00", 1, Unit.HOUR))

    following = upcoming(hourly, at(MONDAY), at("2090-01-01 00:00"), steps=10)

    assert written([next(following), next(following)]) == ["01-05 00:00 A", "01-05 01:00 B"]


def test_a_year_of_ten_layers_takes_few_steps() -> None:
    zones = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC", "Asia/Tokyo")
    people = (ANA, BEN, CEM, DORA)
    ten = [
        layer(
            *("2026-01-05 09:00", 1, Unit.WEEK, *people[: number % 4 + 1]),
            zone=zones[number % 5],
            level=number + 1,
            windows=(OFFICE,),
            id=UUID(int=number),
        )
        for number in range(10)
    ]

    assert calls_of(lambda: shifts(schedule(*ten), at("2026-06-01 00:00"), at("2027-06-02 00:00"))) < 300_000
