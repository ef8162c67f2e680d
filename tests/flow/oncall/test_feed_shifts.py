"""The shifts of a calendar feed: the past from the log, the future computed, within a budget (specification 23.14)."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from inbox.database.base import new_id
from inbox.domain.oncall.feed_memory import FeedShift
from inbox.flow.oncall import feed_shifts
from inbox.flow.oncall.feed_shifts import BEHIND, MAX_EVENTS, MAX_STEPS
from inbox.models.oncall.log import OnCallLog
from inbox.models.oncall.schedules import OnCallSchedule
from tests.cast import NOW, Cast, typeid
from tests.oncall import HOUR, a_layer, make_override, make_schedule

MONDAY = datetime.fromisoformat("2026-11-23T09:00:00+00:00")
"""The next handoff after `NOW`, from Mia to Olga."""

WEEK = timedelta(days=7)


@pytest.fixture
def schedule(cast: Cast) -> OnCallSchedule:
    """Olga and Mia take weekly turns; the log was written now."""
    return make_schedule(cast.workspace, cast.users["olga"], cast.users["mia"], name="Backend", logged_until=NOW)


def log(cast: Cast, schedule: OnCallSchedule, name: str, starts_at: datetime, ends_at: datetime | None = None) -> None:
    OnCallLog.create(
        id=new_id(), workspace_id=cast.workspace.id, schedule_id=schedule.id, user_id=cast.users[name].id,
        starts_at=starts_at, ends_at=ends_at,
    )  # fmt: skip


def hourly(cast: Cast, schedule: OnCallSchedule) -> None:
    """From now on people take turns of an hour."""
    layer = a_layer(cast.users["olga"], cast.users["mia"], unit="hour", start="2026-01-05T00:00")
    stored = {
        **schedule.layers[0],
        **layer,
        "members": [[typeid("usr", cast.users[each].id)] for each in ("olga", "mia")],
    }
    OnCallSchedule.update(layers=[stored]).where(OnCallSchedule.id == schedule.id).execute()
    schedule.layers = [stored]


def spans(found: list[FeedShift]) -> list[tuple[str, datetime, datetime]]:
    return [(each.user_name.lower(), each.starts_at, each.ends_at) for each in found]


def test_a_shift_that_lasts_began_when_the_log_says(cast: Cast, schedule: OnCallSchedule) -> None:
    log(cast, schedule, "olga", MONDAY - 2 * WEEK, MONDAY - WEEK)
    log(cast, schedule, "mia", MONDAY - WEEK)

    found = spans(feed_shifts.shifts([schedule], None, NOW))

    assert found[:3] == [
        ("olga", MONDAY - 2 * WEEK, MONDAY - WEEK),
        ("mia", MONDAY - WEEK, MONDAY),
        ("olga", MONDAY, MONDAY + WEEK),
    ]


def test_without_a_log_a_shift_began_when_the_log_was_written_last(cast: Cast, schedule: OnCallSchedule) -> None:
    found = spans(feed_shifts.shifts([schedule], None, NOW + HOUR))

    assert found[0] == ("mia", NOW, MONDAY)


def test_a_late_log_has_a_former_person_until_now(cast: Cast, schedule: OnCallSchedule) -> None:
    log(cast, schedule, "mia", MONDAY - WEEK)
    late = MONDAY + HOUR

    found = spans(feed_shifts.shifts([schedule], None, late))

    assert found[0] == ("mia", MONDAY - WEEK, late)
    assert found[1][0] == "olga"


@pytest.mark.parametrize(("ends", "shown"), [(-BEHIND, False), (HOUR - BEHIND, True)])
def test_a_feed_begins_fifteen_days_ago(cast: Cast, schedule: OnCallSchedule, ends: timedelta, shown: bool) -> None:
    log(cast, schedule, "adam", NOW - BEHIND - WEEK, NOW + ends)

    assert ("adam" in [name for name, _, _ in spans(feed_shifts.shifts([schedule], None, NOW))]) == shown


def test_adjoining_shifts_of_a_person_are_one_and_an_override_splits_them(cast: Cast, schedule: OnCallSchedule) -> None:
    begins = MONDAY + timedelta(days=1)
    make_override(schedule, cast.users["adam"], starts_at=begins, ends_at=begins + HOUR)

    found = spans(feed_shifts.shifts([schedule], None, NOW))

    assert found[1:4] == [
        ("olga", MONDAY, begins), ("adam", begins, begins + HOUR), ("olga", begins + HOUR, MONDAY + WEEK),
    ]  # fmt: skip


def test_a_person_has_the_shifts_of_all_schedules(cast: Cast, schedule: OnCallSchedule) -> None:
    other = make_schedule(cast.workspace, cast.users["olga"], name="Frontend", logged_until=NOW)

    found = feed_shifts.shifts([schedule, other], cast.users["olga"].id, NOW)

    assert [each.schedule_name for each in found[:2]] == ["Frontend", "Backend"]
    assert {each.user_id for each in found} == {cast.users["olga"].id}


def test_the_end_of_a_feed_moves_once_a_month(cast: Cast) -> None:
    alone = make_schedule(cast.workspace, cast.users["olga"], logged_until=NOW)
    first, tomorrow = (feed_shifts.shifts([alone], None, NOW + timedelta(days=days)) for days in (0, 1))

    assert first[0].ends_at == tomorrow[0].ends_at >= NOW + feed_shifts.AHEAD


@pytest.mark.parametrize("logged", [0, 1])
def test_a_feed_has_a_thousand_shifts(cast: Cast, schedule: OnCallSchedule, logged: int) -> None:
    hourly(cast, schedule)
    for _ in range(logged):
        log(cast, schedule, "adam", NOW - WEEK, NOW - WEEK + HOUR)

    found = feed_shifts.shifts([schedule], None, NOW)

    assert len(found) == MAX_EVENTS
    assert found[-1].starts_at == NOW.replace(minute=0, second=0, microsecond=0) + (MAX_EVENTS - 1 - logged) * HOUR


def test_fewer_shifts_than_the_maximum_are_all_shown(cast: Cast, schedule: OnCallSchedule) -> None:
    found = feed_shifts.shifts([schedule], None, NOW)

    assert len(found) < MAX_EVENTS
    assert found[-1].ends_at == datetime.fromisoformat("2027-06-01T00:00:00+00:00")


@pytest.mark.parametrize(("layers", "is_whole"), [(4, True), (5, False)])
def test_one_answer_evaluates_twenty_thousand_changes(
    cast: Cast, schedule: OnCallSchedule, layers: int, is_whole: bool
) -> None:
    both = [typeid("usr", cast.users[each].id) for each in ("olga", "mia")]
    fields = {"unit": "hour", "members": [both, both[::-1]]}
    stored = [
        {**schedule.layers[0], **fields, "id": typeid("lay", new_id()), "start": f"2026-01-05T00:{minute:02}"}
        for minute in range(layers)
    ]
    changing = make_schedule(cast.workspace, cast.users["olga"], layers=stored, logged_until=NOW)

    found = feed_shifts.shifts([changing], None, NOW)

    whole = datetime.fromisoformat("2027-06-01T00:00:00+00:00")
    ends = NOW + MAX_STEPS / layers * HOUR
    assert [each.user_name for each in found] == ["Mia", "Olga"]
    assert (found[0].ends_at == whole) == is_whole
    assert is_whole or ends - HOUR <= found[0].ends_at <= ends + HOUR


def test_schedules_share_the_changes(cast: Cast) -> None:
    alone = [make_schedule(cast.workspace, cast.users["olga"], cast.users["mia"], logged_until=NOW) for _ in range(3)]
    hourly(cast, alone[0])

    found = feed_shifts.shifts(alone, None, NOW)

    assert {each.schedule_id for each in found} == {each.id for each in alone}
