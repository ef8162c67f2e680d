"""Departed members keep none of their unresolved incidents (specification 3.9, decision 0016)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from structlog.testing import capture_logs

from inbox.domain.incidents.incident import Act, Actor
from inbox.flow.people import incidents
from inbox.flow.people.incidents import Edit
from inbox.flow.routing.route import route
from inbox.flow.timers import departures
from inbox.flow.timers.departures import DEPARTED_LATE
from inbox.flow.timers.incident_schedule import DEPARTED
from inbox.flow.timers.run import run_due
from inbox.flow.unit_of_work import work
from inbox.models.incidents import read as incident_read
from inbox.models.incidents.tables import Incident, TimelineEntry, Timer
from inbox.models.people.accounts import User
from inbox.models.routing.silences import IN_FLIGHT_GRACE
from inbox.services.instance import administration
from inbox.services.workspaces import deletion, members
from tests.cast import NOW, Cast, typeid
from tests.flow.plans import MINUTE, fire_first
from tests.flow.routing_fixtures import accept, bodies, listen, reasons, reported, routed, timeline
from tests.flow.rulemaking import silence

LEFT_AT = NOW + 5 * MINUTE


@pytest.fixture
def mia(cast: Cast) -> User:
    return cast.users["mia"]


def taken(cast: Cast, by: User, key: str = "disk") -> UUID:
    """An incident that a person acknowledged, and which is assigned to them."""
    existing: UUID = routed(cast.source, key=key).incident_id
    actor = Actor("user", typeid("usr", by.id), by.name)
    with work() as done:
        incidents.act(existing, incidents.ActRequest(Act.ACKNOWLEDGE, by=actor, person=by.id), NOW + MINUTE, done)
        required = Edit(assigns=True, assignee_id=by.id)
        incidents.edit(existing, required, NOW + MINUTE, done, by=actor, expected_rev=None)
    return existing


def leave(cast: Cast, user: User) -> None:
    members.leave(cast.workspace.id, user.id, now=LEFT_AT)


def holders(existing: UUID) -> tuple[str, UUID | None, UUID | None]:
    one = Incident.get_by_id(existing)
    return one.state, one.assignee_id, one.acknowledged_by


@pytest.mark.parametrize("by_event", [True, False])
def test_an_incident_that_reopens_later_is_released_then(cast: Cast, mia: User, *, by_event: bool) -> None:
    existing, olga = taken(cast, mia), cast.users["olga"]
    routed(cast.source, NOW + 2 * MINUTE, action="resolve")
    leave(cast, mia)
    run_due(lambda: LEFT_AT + IN_FLIGHT_GRACE)
    assert holders(existing)[:2] == ("resolved", mia.id)

    if by_event:
        assert routed(cast.source, LEFT_AT + 2 * MINUTE).incident_id == existing
    else:
        with work() as done:
            request = incidents.ActRequest(Act.REOPEN, by=Actor("user", "", "Olga"), person=olga.id)
            incidents.act(existing, request, LEFT_AT + 2 * MINUTE, done)
    run_due(lambda: LEFT_AT + 2 * MINUTE)
    assert holders(existing) == ("open", None, None)


def test_incidents_that_reopen_together_are_routed_in_one_batch(cast: Cast, mia: User) -> None:
    existing = [taken(cast, mia, key=key) for key in ("a", "b")]
    for key in ("a", "b"):
        routed(cast.source, NOW + 2 * MINUTE, key=key, action="resolve")
    leave(cast, mia)
    run_due(lambda: LEFT_AT + IN_FLIGHT_GRACE)
    for key in ("a", "b"):
        accept(cast.source, LEFT_AT + 2 * MINUTE, key=key)

    with capture_logs() as lines:
        route(lambda: LEFT_AT + 2 * MINUTE)
    run_due(lambda: LEFT_AT + 2 * MINUTE)

    assert [line for line in lines if line["log_level"] != "debug"] == []
    assert {holders(one) for one in existing} == {("open", None, None)}


def remove(cast: Cast, user: User) -> None:
    members.remove(cast.workspace.id, user.id, by=cast.users["olga"].id, now=LEFT_AT)


def disable(cast: Cast, user: User) -> None:
    administration.edit(user.id, disabled=True, now=LEFT_AT)


def close(cast: Cast, user: User) -> None:
    deletion.close_account(user.id, expected_rev=None, now=LEFT_AT)


@pytest.mark.parametrize(
    ("go", "name", "reason"),
    [
        (leave, "{} left the workspace", "left"),
        (remove, "{} left the workspace", "left"),
        (disable, "The account of {} was disabled", "account_disabled"),
        (close, "The account of {} was closed", "account_closed"),
    ],
)
def test_an_incident_of_a_departed_member_is_opened_unassigned_and_notified_again(
    cast: Cast, mia: User, go: Any, name: str, reason: str
) -> None:
    pager = listen(cast.workspace)
    existing = taken(cast, mia)
    go(cast, mia)

    run_due(lambda: LEFT_AT)

    assert holders(existing) == ("open", None, None)
    assert timeline(existing)[-2:] == ["updated", "unacknowledged"]
    assert [reason for reason, _, _ in reported(pager)] == ["opened", "acknowledged", "updated", "renotify"]
    actor = {"type": "system", "id": "", "name": name.format(mia.name)}
    assert bodies(existing)[-1]["data"]["actor"] == actor
    entries = list(TimelineEntry.select().where(TimelineEntry.at >= LEFT_AT).order_by(TimelineEntry.id))
    assert [(each.actor, each.details["reason"]) for each in entries] == [(actor, reason)] * 2
    assert entries[0].details["changed"] == {"assigneeId": [typeid("usr", mia.id), None]}
    run_due(lambda: LEFT_AT + IN_FLIGHT_GRACE)
    assert not {DEPARTED, DEPARTED_LATE} & {timer.kind for timer in Timer.select()}


def test_an_incident_only_assigned_to_a_departed_member_is_unassigned_without_a_notice(cast: Cast, mia: User) -> None:
    listen(cast.workspace)
    existing: UUID = routed(cast.source).incident_id
    Incident.update(assignee_id=mia.id).where(Incident.id == existing).execute()
    leave(cast, mia)

    run_due(lambda: LEFT_AT)

    assert holders(existing) == ("open", None, None)
    assert reasons(existing) == ["opened"]


def test_a_resolved_incident_keeps_its_departed_assignee(cast: Cast, mia: User) -> None:
    existing = taken(cast, mia)
    with work() as done:
        incidents.act(existing, incidents.ActRequest(Act.RESOLVE, by=Actor("user", "", "Mia")), NOW + 2 * MINUTE, done)
    leave(cast, mia)

    run_due(lambda: LEFT_AT)

    assert holders(existing) == ("resolved", mia.id, mia.id)


def test_incidents_of_other_members_and_workspaces_are_unchanged_by_a_departure(cast: Cast, mia: User) -> None:
    adam = cast.users["adam"]
    ours = taken(cast, adam)
    foreign_one: UUID = routed(cast.foreign_source).incident_id
    Incident.update(assignee_id=mia.id).where(Incident.id == foreign_one).execute()
    leave(cast, mia)

    run_due(lambda: LEFT_AT)

    assert holders(ours) == ("acknowledged", adam.id, adam.id)
    assert Incident.get_by_id(foreign_one).assignee_id == mia.id


def test_a_silenced_incident_of_a_departed_member_is_open_when_the_silence_ends(cast: Cast, mia: User) -> None:
    listen(cast.workspace)
    existing = taken(cast, mia)
    made = silence(cast.workspace)
    Incident.update(state="silenced", state_before_silence="acknowledged", silenced_by=made.id).execute()
    leave(cast, mia)

    run_due(lambda: LEFT_AT)

    after = Incident.get_by_id(existing)
    assert (after.state, after.state_before_silence, after.acknowledged_by) == ("silenced", "open", None)
    assert "renotify" not in reasons(existing)


def test_a_snoozed_incident_of_a_departed_member_stays_snoozed(cast: Cast, mia: User) -> None:
    existing = taken(cast, mia)
    with work() as done:
        until = NOW + 60 * MINUTE
        incidents.act(
            existing, incidents.ActRequest(Act.SNOOZE, by=Actor("user", "", "Mia"), until=until), NOW + 2 * MINUTE, done
        )
    leave(cast, mia)

    run_due(lambda: LEFT_AT)

    after = Incident.get_by_id(existing)
    assert (after.state, after.snoozed_until, after.acknowledged_by) == ("snoozed", until, None)


def test_a_member_enabled_again_before_the_timer_keeps_the_incidents(cast: Cast, mia: User) -> None:
    existing = taken(cast, mia)
    disable(cast, mia)
    administration.edit(mia.id, disabled=False, now=LEFT_AT)

    run_due(lambda: LEFT_AT + IN_FLIGHT_GRACE)

    assert holders(existing) == ("acknowledged", mia.id, mia.id)


def test_an_incident_assigned_during_a_departure_is_found_by_the_second_pass(cast: Cast, mia: User) -> None:
    existing: UUID = routed(cast.source).incident_id
    leave(cast, mia)
    run_due(lambda: LEFT_AT)
    Incident.update(assignee_id=mia.id).where(Incident.id == existing).execute()

    run_due(lambda: LEFT_AT + IN_FLIGHT_GRACE)

    assert Incident.get_by_id(existing).assignee_id is None


def test_an_incident_cannot_be_assigned_to_a_disabled_account(cast: Cast, mia: User) -> None:
    assert incident_read.is_member(cast.workspace.id, mia.id)
    disable(cast, mia)
    assert not incident_read.is_member(cast.workspace.id, mia.id)


def test_many_incidents_change_in_batches_once_each_despite_a_killed_worker(
    cast: Cast, mia: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(departures, "BATCH", 2)
    existing = [taken(cast, mia, key=f"key-{number}") for number in range(5)]
    leave(cast, mia)

    fire_first(LEFT_AT)
    assert sum(holders(one)[0] == "open" for one in existing) == 2
    run_due(lambda: LEFT_AT)

    assert {holders(one) for one in existing} == {("open", None, None)}
    assert all(timeline(one).count("unacknowledged") == 1 for one in existing)
