"""Quiet hours: what is held until they end, what leaves at once, and what is told when they are over or changed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.incident import Act, Actor
from inbox.domain.severity import Severity
from inbox.flow.delivery.deliver import deliver
from inbox.flow.people import incidents
from inbox.flow.unit_of_work import work
from inbox.models.tables.destinations import Destination
from inbox.models.tables.incidents import Incident, Timer
from inbox.models.tables.notices import Delivery
from inbox.services import destinations, workspaces
from tests.cast import NOW, Cast
from tests.flow.plans import MINUTE, MORNING, NIGHT, be_quiet, follow, pass_to, step
from tests.flow.routing_fixtures import decisions, incident, listen, notices, reported, route_to, routed, settle
from tests.outgoing_posts import make_destination, owe
from tests.receivers import Answer, Receiver
from tests.workers import workers

MIA = Actor("user", "", "Mia")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def pager(cast: Cast, receiver: Receiver) -> Destination:
    """A webhook at the end of the default route, on a Saturday on which it is quiet from eight to twelve."""
    destination = make_destination(cast.workspace, receiver, created_at=NOW)
    be_quiet(cast.workspace)
    route_to(cast.workspace, [destination])
    return destination


def sent(receiver: Receiver) -> list[str]:
    return [request.json["type"].removeprefix("incident.") for request in receiver.requests]


def deliver_at(minutes: float) -> None:
    deliver(lambda: NOW + minutes * MINUTE)


def act(existing: Incident, what: Act, after: float) -> None:
    with work() as done:
        incidents.act(existing.id, incidents.ActRequest(what, by=MIA), NOW + after * MINUTE, done)


def test_a_notice_is_held_until_the_quiet_hours_end(cast: Cast, pager: Destination, receiver: Receiver) -> None:
    opening = routed(cast.source)

    assert reported(pager) == [("opened", "held", "quiet_hours")]
    assert Delivery.get().due_at == MORNING
    (decision,) = notices(opening.incident_id)[0].decisions
    assert (decision["decision"], decision["until"]) == ("quiet_hours", "2026-11-21T12:00:00.000Z")
    deliver_at(179)
    assert sent(receiver) == []

    deliver_at(180)
    assert sent(receiver) == ["opened"]
    assert reported(pager) == [("opened", "sent", None)]


def test_what_reaches_the_threshold_leaves_at_once_and_waits_for_nothing_held(
    cast: Cast, pager: Destination, receiver: Receiver
) -> None:
    routed(cast.source, severity="ERROR")
    routed(cast.source, NOW + MINUTE, severity="CRITICAL")

    deliver_at(2)
    assert sent(receiver) == ["escalated"]
    deliver_at(180)
    assert sent(receiver) == ["escalated"]
    assert reported(pager) == [("opened", "skipped", "superseded"), ("escalated", "sent", None)]


@pytest.mark.parametrize("threshold", ["ERROR", None])
def test_a_destination_says_what_it_gets_at_night(
    cast: Cast, pager: Destination, receiver: Receiver, threshold: str | None
) -> None:
    Destination.update(quiet_hours_threshold=threshold).execute()
    routed(cast.source, severity="ERROR")
    deliver_at(1)
    assert sent(receiver) == ["opened"]


def test_a_profile_may_ignore_quiet_hours(cast: Cast, pager: Destination, receiver: Receiver) -> None:
    follow(cast.workspace, step(0, pager), quiet_hours="ignore")
    routed(cast.source)
    deliver_at(1)
    assert sent(receiver) == ["opened"]


def test_of_each_unresolved_incident_one_request_leaves(cast: Cast, pager: Destination, receiver: Receiver) -> None:
    settle(cast.workspace, quietHours=NIGHT, renotifyMinutes={"ERROR": 30})
    for key in ("a", "b"):
        routed(cast.source, key=key, severity="WARNING")
        routed(cast.source, NOW + MINUTE, key=key, severity="ERROR")
    pass_to(31)
    pass_to(61)

    deliver_at(180)

    assert sent(receiver) == ["renotify", "renotify"]
    assert {request.json["data"]["severity"] for request in receiver.requests} == {"ERROR"}
    assert [(status, cause) for _, status, cause in reported(pager)].count(("skipped", "superseded")) == 6


def test_what_opened_and_closed_inside_is_notified_once(cast: Cast, pager: Destination, receiver: Receiver) -> None:
    routed(cast.source)
    routed(cast.source, NOW + MINUTE, action="resolve")

    deliver_at(180)

    assert sent(receiver) == ["resolved"]
    assert reported(pager) == [("opened", "skipped", "superseded"), ("resolved", "sent", None)]


def test_who_wants_no_updates_gets_nothing_of_what_is_over(cast: Cast, pager: Destination, receiver: Receiver) -> None:
    Destination.update(send_updates=False).execute()
    routed(cast.source)
    routed(cast.source, NOW + MINUTE, action="resolve")

    deliver_at(180)

    assert sent(receiver) == []
    assert reported(pager) == [("opened", "skipped", "resolved_meanwhile")]


def test_that_somebody_took_it_meanwhile_is_notified_behind_the_alarm(
    cast: Cast, pager: Destination, receiver: Receiver
) -> None:
    existing = incident(routed(cast.source).id)
    act(existing, Act.ACKNOWLEDGE, 5)

    deliver_at(180)

    assert sent(receiver) == ["opened", "acknowledged"]


def test_whoever_got_before_gets_the_end_when_the_night_is_over(
    cast: Cast, pager: Destination, receiver: Receiver
) -> None:
    early = NOW - 90 * MINUTE
    routed(cast.source, early)
    deliver(lambda: early)
    routed(cast.source, NOW, action="resolve")

    deliver_at(1)
    assert sent(receiver) == ["opened"]
    deliver_at(180)
    assert sent(receiver) == ["opened", "resolved"]


def test_what_a_silence_covers_by_then_is_not_notified(cast: Cast, pager: Destination, receiver: Receiver) -> None:
    existing = incident(routed(cast.source).id)
    Incident.update(state="silenced", state_before_silence="open").where(Incident.id == existing.id).execute()

    deliver_at(180)

    assert (sent(receiver), reported(pager)) == ([], [("opened", "skipped", "silenced")])


@pytest.mark.parametrize("update", ["acknowledged", "snoozed", "updated"])
def test_an_update_that_leaves_at_once_does_not_swallow_the_held_alarm(
    cast: Cast, pager: Destination, receiver: Receiver, update: str
) -> None:
    existing = incident(routed(cast.source).id)
    settle(cast.workspace)  # quiet hours are off: updates leave at once, the held alarm at the next timer
    _make(update, existing)
    deliver_at(1)
    assert sent(receiver) == [update]
    assert reported(pager) == [("opened", "held", "quiet_hours"), (update, "sent", None)]

    pass_to(2)
    deliver_at(2)

    assert sent(receiver) == [update, "opened"]


def _make(update: str, existing: Incident) -> None:
    at = NOW + MINUTE / 2
    with work() as done:
        if update == "updated":
            incidents.edit(existing.id, incidents.Edit(title="Disk is full"), at, done, by=MIA, expected_rev=None)
        elif update == "snoozed":
            incidents.act(existing.id, incidents.ActRequest(Act.SNOOZE, by=MIA, until=NOW + 60 * MINUTE), at, done)
        else:
            incidents.act(existing.id, incidents.ActRequest(Act.ACKNOWLEDGE, by=MIA), at, done)


def test_a_notice_of_the_morning_comes_after_what_was_held(cast: Cast, pager: Destination, receiver: Receiver) -> None:
    existing = incident(routed(cast.source).id)
    act(existing, Act.ACKNOWLEDGE, 181)
    receiver.answer = lambda _: Answer(500 if len(receiver.requests) == 1 else 200)

    deliver_at(182)
    assert sent(receiver) == ["opened"]
    deliver_at(183)

    assert sent(receiver) == ["opened", "opened", "acknowledged"]


def test_an_alarm_of_the_morning_says_what_the_held_one_would(
    cast: Cast, pager: Destination, receiver: Receiver
) -> None:
    routed(cast.source)
    routed(cast.source, NOW + 181 * MINUTE, severity="CRITICAL")

    deliver_at(182)

    assert sent(receiver) == ["escalated"]
    assert reported(pager) == [("opened", "skipped", "superseded"), ("escalated", "sent", None)]


def test_a_severity_raised_at_night_says_what_the_held_alarm_would(
    cast: Cast, pager: Destination, receiver: Receiver
) -> None:
    existing = incident(routed(cast.source).id)
    with work() as done:
        required = incidents.Edit(severity=Severity.CRITICAL)
        incidents.edit(existing.id, required, NOW + MINUTE, done, by=MIA, expected_rev=None)

    deliver_at(2)
    deliver_at(180)

    assert sent(receiver) == ["escalated"]
    assert reported(pager) == [("opened", "skipped", "superseded"), ("escalated", "sent", None)]


def test_for_a_destination_that_is_stopped_by_then_it_goes_on_waiting(
    cast: Cast, pager: Destination, receiver: Receiver
) -> None:
    routed(cast.source)
    Destination.update(stopped_at=NOW, stopped_reason="http_401").execute()

    deliver_at(180)

    assert (sent(receiver), reported(pager)) == ([], [("opened", "held", "stopped")])


def test_for_a_destination_that_is_disabled_by_then_it_is_skipped(
    cast: Cast, pager: Destination, receiver: Receiver
) -> None:
    routed(cast.source)
    Destination.update(enabled=False).execute()

    deliver_at(180)

    assert (sent(receiver), reported(pager)) == ([], [("opened", "skipped", "disabled")])


def test_what_is_stopped_and_quiet_waits_for_the_night_first(
    cast: Cast, pager: Destination, receiver: Receiver
) -> None:
    Destination.update(stopped_at=NOW, stopped_reason="http_401").execute()
    routed(cast.source)
    destinations.edit(Destination.get(), {"name": "Pager"}, expected_rev=None, now=NOW + MINUTE)

    deliver_at(2)
    assert (sent(receiver), reported(pager)) == ([], [("opened", "held", "quiet_hours")])
    deliver_at(180)
    assert sent(receiver) == ["opened"]


def test_quiet_hours_that_are_switched_off_let_everything_go(
    cast: Cast, pager: Destination, receiver: Receiver
) -> None:
    routed(cast.source)
    settle(cast.workspace)
    assert [timer.kind for timer in Timer.select().where(Timer.subject_id == cast.workspace.id)] == [
        "workspace.quiet_recheck"
    ]

    pass_to(1)
    deliver_at(1)

    assert sent(receiver) == ["opened"]
    assert not Timer.select().where(Timer.subject_id == cast.workspace.id).exists()


@pytest.mark.parametrize("changes", [{"settings": {"quietHours": {"enabled": False}}}, {"timezone": "Asia/Tokyo"}])
def test_what_was_just_being_held_when_they_changed_is_looked_at_again(
    cast: Cast, pager: Destination, receiver: Receiver, changes: dict[str, Any]
) -> None:
    routed(cast.source)
    settle(cast.workspace, quietHours={**NIGHT, "timezone": None})
    workspaces.change(cast.workspace.id, changes, expected_rev=None, now=NOW)
    pass_to(0)
    deliver_at(0)
    assert sent(receiver) == ["opened"]
    Delivery.update(
        status="held", cause="quiet_hours", due_at=MORNING
    ).execute()  # as a slow routing would commit it now

    pass_to(1)
    deliver_at(1)

    assert sent(receiver) == ["opened", "opened"]


def test_quiet_hours_that_last_longer_now_keep_what_they_hold(
    cast: Cast, pager: Destination, receiver: Receiver
) -> None:
    routed(cast.source)
    longer = {**NIGHT, "windows": [{"days": ["sat"], "start": "08:00", "end": "13:00"}]}
    settle(cast.workspace, quietHours=longer)

    pass_to(1)
    deliver_at(180)
    assert (sent(receiver), Delivery.get().due_at) == ([], NOW + 240 * MINUTE)
    deliver_at(240)
    assert sent(receiver) == ["opened"]


def test_a_threshold_that_is_lowered_lets_go_what_it_held(cast: Cast, pager: Destination, receiver: Receiver) -> None:
    routed(cast.source, severity="ERROR")
    routed(cast.source, NOW + timedelta(seconds=1), key="other", severity="WARNING")

    destinations.edit(pager, {"quiet_hours_threshold": "ERROR"}, expected_rev=None, now=NOW + MINUTE)
    deliver_at(1)

    assert [request.json["data"]["severity"] for request in receiver.requests] == ["ERROR"]
    assert [status for _, status, _ in reported(pager)] == ["sent", "held"]
    assert Delivery.get(Delivery.status == "held").due_at == MORNING


def test_a_change_of_the_workspace_is_no_work_where_nothing_is_held(cast: Cast, pager: Destination) -> None:
    settle(cast.workspace)
    assert Timer.select().count() == 0


def test_the_explanation_of_each_destination_is_its_own(cast: Cast, pager: Destination) -> None:
    loud = listen(cast.workspace, "Loud", quiet_hours_threshold=None)
    opening = routed(cast.source)

    assert decisions(notices(opening.incident_id)[0]) == {"Receiver": "quiet_hours", "Loud": "notify"}
    assert reported(loud) == [("opened", "pending", None)]


def test_what_has_no_incident_is_let_go_with_the_rest(cast: Cast, pager: Destination, receiver: Receiver) -> None:
    routed(cast.source)
    for _ in range(2):
        owe(pager, status="held", cause="quiet_hours", due_at=MORNING, created_at=NOW, reason="informational")

    deliver_at(179)
    assert receiver.requests == []
    deliver_at(180)
    assert len(receiver.requests) == 3
    assert [row[1] for row in reported(pager)] == ["sent"] * 3


def test_many_incidents_are_let_go_together(cast: Cast, pager: Destination, receiver: Receiver) -> None:
    for number in range(60):
        routed(cast.source, NOW + timedelta(seconds=number), key=f"key-{number}")
        if number % 2:
            routed(cast.source, NOW + timedelta(seconds=number, minutes=2), key=f"key-{number}", action="resolve")

    deliver_at(180)

    assert sorted(sent(receiver)) == ["opened"] * 30 + ["resolved"] * 30


def test_four_workers_let_each_incident_go_once(cast: Cast, pager: Destination, receiver: Receiver) -> None:
    for number in range(30):
        routed(cast.source, key=f"key-{number}", severity="WARNING")
        routed(cast.source, NOW + MINUTE, key=f"key-{number}", severity="ERROR")

    with workers(4, lambda: deliver(lambda: MORNING)):
        pass

    assert sent(receiver) == ["escalated"] * 30
    assert len({request.json["data"]["incidentId"] for request in receiver.requests}) == 30
