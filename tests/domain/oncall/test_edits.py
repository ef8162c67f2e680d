"""Edits keep the people who are on call now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.oncall.edits import keep_present
from inbox.domain.oncall.schedule import Layer, Unit
from inbox.domain.oncall.shifts import upcoming, who
from tests.domain.oncall.layers import ANA, BEN, CEM, DORA, NAMES, at, layer, schedule

START = "2026-01-05 09:00"
FOUR = layer(START, 1, Unit.WEEK, ANA, BEN, CEM, DORA)
BY_NAME = {name: person for person, name in NAMES.items()}
SECOND_WEEK = at("2026-01-14 12:00")
"""Ben is on call in the second week of `FOUR`."""


def edited(members: str, before: Layer = FOUR, **fields: object) -> Layer:
    """The layer after an edit, with members such as `A BC -`."""
    turns = tuple(tuple(BY_NAME[name] for name in turn if name != "-") for turn in members.split())
    [result] = keep_present([before], [replace(before, members=turns, **fields)], SECOND_WEEK)  # type: ignore[arg-type]
    return result


def following(result: Layer, weeks: int) -> str:
    """The people of the present turn and of the next ones."""
    found = [who(schedule(result), SECOND_WEEK + timedelta(weeks=week)) for week in range(weeks)]
    return " ".join("".join(NAMES[each.user_id] for each in people) or "-" for people in found)


@pytest.mark.parametrize(
    ("members", "turns"),
    [
        ("D C B A", "B A D C"),
        ("A B D C", "B D C A"),
        ("B C D", "B C D B"),
        ("A B", "B A B A"),
        ("A B C D A", "B C D A"),
        ("A C D", "C D A C"),
        ("D A", "D A D A"),
        ("A", "A A A A"),
        ("A BC D", "BC D A BC"),
        ("A - C B", "B A - C"),
        ("B A B C", "B C B A"),
    ],
)
def test_an_edit_of_the_members_keeps_the_person_on_call(members: str, turns: str) -> None:
    """When that person is removed, the next one takes over."""
    assert following(edited(members), 4) == turns


def test_members_without_anybody_of_before_begin_as_written() -> None:
    before = replace(FOUR, members=((ANA,), (BEN,)))

    assert edited("C D", before).members == ((CEM,), (DORA,))


def test_another_length_or_zone_keeps_the_person_on_call() -> None:
    two_weeks, tokyo = edited("A B C D", every=2), edited("A B C D", zone=ZoneInfo("Asia/Tokyo"))

    assert [following(two_weeks, 1), following(tokyo, 1)] == ["B", "B"]


def test_another_start_begins_with_the_first_member() -> None:
    result = edited("D C B A", start=at("2026-01-12 10:00").replace(tzinfo=None))

    assert following(result, 3) == "D C B"


def test_a_new_layer_and_one_that_has_not_begun_stay_as_written() -> None:
    later = layer("2026-03-02 09:00", 1, Unit.WEEK, ANA, BEN)
    reordered, new = replace(later, members=((BEN,), (ANA,))), replace(FOUR, id=UUID(int=9))

    assert keep_present([later], [reordered, new], SECOND_WEEK) == (reordered, new)


people = st.permutations([ANA, BEN, CEM, DORA]).flatmap(lambda order: st.integers(1, 4).map(lambda n: order[:n]))


@given(
    people,
    people,
    st.integers(0, 400),
    st.sampled_from([(1, Unit.DAY), (8, Unit.HOUR), (5, Unit.HOUR), (1, Unit.MONTH)]),
)
def test_who_is_on_call_stays_after_any_edit_that_keeps_them(
    before: Sequence[UUID], after: Sequence[UUID], hours: int, length: tuple[int, Unit]
) -> None:
    former = layer(START, *length, *before, zone="Europe/Berlin")
    now = at(START) + timedelta(hours=hours)
    [result] = keep_present([former], [replace(former, members=tuple((each,) for each in after))], now)

    [present], [kept] = who(schedule(former), now), who(schedule(result), now)

    assert sorted(result.members) == sorted((each,) for each in after)
    if present.user_id in after:
        ends = [next(upcoming(schedule(each), now, now + timedelta(days=40))).ends_at for each in (former, result)]
        assert kept == present
        assert ends[0] == ends[1] or 1 in (len(before), len(after))
