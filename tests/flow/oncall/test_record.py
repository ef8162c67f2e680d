"""The log of who was on call: handoffs at their times, however late the worker is (specification 23.10)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from inbox.domain.values import ids
from inbox.domain.workspaces.roles import Role
from inbox.flow.oncall import record
from inbox.flow.timers.run import run_due
from inbox.flow.unit_of_work import work
from inbox.models.incidents.tables import Timer
from inbox.models.oncall.forwardings import OnCallForwarding
from inbox.models.oncall.log import OnCallLog
from inbox.models.oncall.schedules import OnCallOverride, OnCallSchedule
from inbox.models.people.members import Member
from inbox.services.oncall import forwardings, overrides, schedules
from inbox.services.oncall.editors import Editor
from inbox.services.workspaces import members
from tests.cast import NOW, Cast
from tests.oncall import HOUR, make_schedule

MONDAY = datetime.fromisoformat("2026-11-23T09:00:00+00:00")
"""The next handoff after `NOW`, from Mia to Olga."""


@pytest.fixture
def schedule(cast: Cast) -> OnCallSchedule:
    """Olga and Mia take weekly turns. Mia is on call, and the log has her since `NOW`."""
    made = make_schedule(cast.workspace, cast.users["olga"], cast.users["mia"], logged_until=NOW)
    with work() as done:
        record.set_due(cast.workspace.id, [made.id], NOW, done)
    run_due(lambda: NOW)
    return made


@pytest.fixture
def adam(cast: Cast) -> Editor:
    return Editor(cast.users["adam"].id, Role.ADMIN)


def logged(cast: Cast) -> list[str]:
    """The rows as `olga 23 09:00 to 23 12:00`, in order."""
    names = {user.id: name for name, user in cast.users.items()}
    rows = OnCallLog.select().order_by(OnCallLog.starts_at, OnCallLog.ends_at)
    return [
        f"{names[row.user_id]} {row.starts_at:%d %H:%M} to {row.ends_at.strftime('%d %H:%M') if row.ends_at else 'now'}"
        for row in rows
    ]


def due(schedule: OnCallSchedule) -> datetime:
    found: datetime = Timer.get(Timer.kind == record.CHANGE, Timer.subject_id == schedule.id).due_at
    return found


def covered(schedule: OnCallSchedule, by: Editor, at: datetime, person: Any, **fields: Any) -> OnCallOverride:
    """An override by a person for three hours from this time on."""
    values = {"kind": "replace", "user_ids": [person.id], "ends_at": at + 3 * HOUR, "instead_of": None, **fields}
    return overrides.create(schedule, values, by=by, now=at)


def test_the_log_begins_with_the_present_people(cast: Cast, schedule: OnCallSchedule) -> None:
    assert logged(cast) == ["mia 21 09:00 to now"]


def test_the_log_of_a_new_schedule_begins_when_it_was_created(cast: Cast) -> None:
    made = make_schedule(cast.workspace, cast.users["mia"], at=NOW)
    with work() as done:
        record.set_due(cast.workspace.id, [made.id], NOW, done)

    run_due(lambda: NOW + HOUR)

    assert logged(cast) == ["mia 21 09:00 to now"]


def test_without_a_handoff_the_schedule_is_computed_again_after_a_day(schedule: OnCallSchedule) -> None:
    assert due(schedule) == NOW + timedelta(days=1)


def test_a_handoff_ends_one_row_and_begins_another(cast: Cast, schedule: OnCallSchedule) -> None:
    run_due(lambda: NOW + timedelta(days=1))
    assert due(schedule) == MONDAY
    run_due(lambda: MONDAY - timedelta(seconds=1))
    assert logged(cast) == ["mia 21 09:00 to now"]

    run_due(lambda: MONDAY)

    assert logged(cast) == ["mia 21 09:00 to 23 09:00", "olga 23 09:00 to now"]


def test_a_late_worker_writes_the_times_of_all_handoffs(cast: Cast, schedule: OnCallSchedule) -> None:
    run_due(lambda: MONDAY + timedelta(days=7, hours=2))

    assert logged(cast) == ["mia 21 09:00 to 23 09:00", "olga 23 09:00 to 30 09:00", "mia 30 09:00 to now"]


def test_a_second_run_changes_nothing(cast: Cast, schedule: OnCallSchedule) -> None:
    for _ in range(2):
        with work() as done:
            record.set_due(cast.workspace.id, [schedule.id], MONDAY, done)
        run_due(lambda: MONDAY)

    assert logged(cast) == ["mia 21 09:00 to 23 09:00", "olga 23 09:00 to now"]


def test_an_override_is_logged_when_it_begins_and_ends(cast: Cast, schedule: OnCallSchedule, adam: Editor) -> None:
    covered(schedule, adam, NOW + HOUR, cast.users["vic"])

    run_due(lambda: NOW + HOUR)
    assert due(schedule) == NOW + 4 * HOUR
    run_due(lambda: NOW + 4 * HOUR)

    assert logged(cast) == ["mia 21 09:00 to 21 10:00", "vic 21 10:00 to 21 13:00", "mia 21 13:00 to now"]


def test_a_person_who_stays_by_an_override_keeps_the_row(cast: Cast, schedule: OnCallSchedule, adam: Editor) -> None:
    covered(schedule, adam, NOW + HOUR, cast.users["mia"])

    run_due(lambda: NOW + 5 * HOUR)

    assert logged(cast) == ["mia 21 09:00 to now"]


def test_a_removed_override_ends_at_once(cast: Cast, schedule: OnCallSchedule, adam: Editor) -> None:
    made = covered(schedule, adam, NOW + HOUR, cast.users["vic"])
    run_due(lambda: NOW + HOUR)
    overrides.remove(schedule, made.id, by=adam, expected_rev=None, now=NOW + 2 * HOUR)

    run_due(lambda: NOW + 2 * HOUR)

    assert logged(cast)[1:] == ["vic 21 10:00 to 21 11:00", "mia 21 11:00 to now"]


def test_a_changed_end_of_an_override_is_logged(cast: Cast, schedule: OnCallSchedule, adam: Editor) -> None:
    made = covered(schedule, adam, NOW + HOUR, cast.users["vic"])
    run_due(lambda: NOW + HOUR)
    later = {"ends_at": NOW + 5 * HOUR}
    overrides.edit(schedule, made.id, later, by=adam, expected_rev=None, now=NOW + 2 * HOUR)

    run_due(lambda: NOW + 2 * HOUR)

    assert due(schedule) == NOW + 5 * HOUR


def edited(schedule: OnCallSchedule, at: datetime, *people: Any) -> OnCallSchedule:
    """The schedule with these people in its layer."""
    layer = {
        "id": ids.decode("lay", schedule.layers[0]["id"]), "name": "Weeks", "level": 1, "timezone": None,
        "start": datetime.fromisoformat(schedule.layers[0]["start"]), "unit": "week", "every": 1, "windows": [],
        "members": [[person.id] for person in people], "from_": None, "until": None, "counts": "all",
    }  # fmt: skip
    return schedules.edit(schedule, {"layers": [layer]}, expected_rev=None, now=at)


def test_an_edit_is_logged_when_it_was_made(cast: Cast, schedule: OnCallSchedule) -> None:
    edited(schedule, NOW + HOUR, cast.users["vic"])

    run_due(lambda: NOW + 2 * HOUR)

    assert logged(cast) == ["mia 21 09:00 to 21 10:00", "vic 21 10:00 to now"]


def test_a_forwarding_is_logged_in_each_schedule(cast: Cast, schedule: OnCallSchedule, adam: Editor) -> None:
    values = {"user_id": cast.users["mia"].id, "to_user_id": cast.users["vic"].id, "ends_at": NOW + 3 * HOUR}
    forwardings.create(cast.workspace.id, values, by=adam, now=NOW + HOUR)
    run_due(lambda: NOW + HOUR)
    forwardings.remove(OnCallForwarding.get(), by=adam, now=NOW + 2 * HOUR)

    run_due(lambda: NOW + 2 * HOUR)

    assert logged(cast)[1:] == ["vic 21 10:00 to 21 11:00", "mia 21 11:00 to now"]


def test_a_member_who_is_removed_ends_and_returns(cast: Cast, schedule: OnCallSchedule) -> None:
    mia, olga = cast.users["mia"], cast.users["olga"]
    members.remove(cast.workspace.id, mia.id, by=olga.id, leave_gaps=True, now=NOW + HOUR)
    run_due(lambda: NOW + HOUR)
    with work() as done:
        members.join(cast.workspace, mia, Role.MEMBER, NOW + 2 * HOUR, done)

    run_due(lambda: NOW + 2 * HOUR)

    assert logged(cast) == ["mia 21 09:00 to 21 10:00", "mia 21 11:00 to now"]
    assert Member.select().where(Member.user == mia).exists()


def test_a_removed_member_keeps_what_was_logged_of_an_override(
    cast: Cast, schedule: OnCallSchedule, adam: Editor
) -> None:
    vic, olga = cast.users["vic"], cast.users["olga"]
    covered(schedule, adam, NOW + HOUR, vic)
    run_due(lambda: NOW + HOUR)
    members.remove(cast.workspace.id, vic.id, by=olga.id, leave_gaps=True, now=NOW + 2 * HOUR)

    run_due(lambda: NOW + 2 * HOUR)

    assert logged(cast) == ["mia 21 09:00 to 21 10:00", "vic 21 10:00 to 21 11:00", "mia 21 11:00 to now"]


def test_the_log_of_a_deleted_schedule_ends_when_it_was_deleted(cast: Cast, schedule: OnCallSchedule) -> None:
    schedules.remove(schedule, expected_rev=None, now=MONDAY + HOUR)

    run_due(lambda: MONDAY + 2 * HOUR)

    assert logged(cast) == ["mia 21 09:00 to 23 09:00", "olga 23 09:00 to 23 10:00"]
    assert Timer.select().where(Timer.subject_id == schedule.id).count() == 0


def test_a_restored_schedule_is_logged_again(cast: Cast, schedule: OnCallSchedule) -> None:
    schedules.remove(schedule, expected_rev=None, now=NOW + HOUR)
    run_due(lambda: NOW + HOUR)
    schedules.restore(schedule, now=NOW + 2 * HOUR)

    run_due(lambda: NOW + 2 * HOUR)

    assert logged(cast) == ["mia 21 09:00 to 21 10:00", "mia 21 11:00 to now"]


def test_a_schedule_that_was_purged_has_no_timer(cast: Cast, schedule: OnCallSchedule) -> None:
    OnCallSchedule.delete().execute()

    run_due(lambda: MONDAY)

    assert (OnCallLog.select().count(), Timer.select().where(Timer.subject_id == schedule.id).count()) == (0, 0)
