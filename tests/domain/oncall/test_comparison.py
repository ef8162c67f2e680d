"""The periods in which an edit changes who is on call (specification 23.4)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.oncall.comparison import changed_periods
from inbox.domain.oncall.schedule import OnCallSchedule, Unit
from inbox.domain.oncall.shifts import shifts, who
from tests.domain.oncall.layers import ANA, BEN, CEM, at, layer, override, schedule

START, END = at("2026-01-05 09:00"), at("2026-01-19 09:00")


def changes(before: OnCallSchedule, after: OnCallSchedule) -> list[str]:
    periods = changed_periods(shifts(before, START, END), shifts(after, START, END))
    return [f"{begins:%m-%d %H} to {ends:%m-%d %H}" for begins, ends in periods]


def test_the_same_people_by_another_layer_are_no_change():
    other = layer(id=layer().id, name="Renamed")

    assert changes(schedule(layer()), schedule(other)) == []


def test_a_change_lasts_from_its_first_to_its_last_other_shift():
    daily = [layer("2026-01-05 09:00", 1, Unit.DAY, *members) for members in ((ANA, BEN), (CEM,))]

    assert changes(schedule(daily[0]), schedule(daily[1])) == ["01-05 09 to 01-19 09"]


def test_parts_of_shifts_that_change_are_periods_of_their_own():
    covered = [
        override(1, "2026-01-06 09:00", "2026-01-07 09:00", CEM),
        override(2, "2026-01-10 09:00", "2026-01-10 12:00"),
    ]

    found = changes(schedule(layer()), schedule(layer(), overrides=covered))

    assert found == ["01-06 09 to 01-07 09", "01-10 09 to 01-10 12"]


def test_people_in_another_order_are_no_change():
    one, other = (layer("2026-01-05 09:00", 1, Unit.WEEK, pair) for pair in ([ANA, BEN], [BEN, ANA]))

    assert changes(schedule(one), schedule(other)) == []


def test_a_new_schedule_changes_what_has_people():
    late = schedule(layer("2026-01-12 09:00"))

    periods = changed_periods([], shifts(late, START, END))

    assert [(begins, ends) for begins, ends in periods] == [(at("2026-01-12 09:00"), END)]


@given(st.lists(st.sampled_from([ANA, BEN, CEM]), min_size=1, max_size=4), st.integers(1, 5), st.integers(0, 335))
def test_each_hour_is_in_a_change_if_and_only_if_its_people_differ(members, every, hour):
    before, after = schedule(layer()), schedule(layer("2026-01-05 09:00", every, Unit.DAY, *members))
    moment = START + hour * (END - START) / 336
    periods = changed_periods(shifts(before, START, END), shifts(after, START, END))

    is_within = any(begins <= moment < ends for begins, ends in periods)

    assert is_within == (
        {each.user_id for each in who(before, moment)} != {each.user_id for each in who(after, moment)}
    )
