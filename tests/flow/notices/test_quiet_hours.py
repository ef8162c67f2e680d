"""Quiet hours: notices that are held until the end, and notices that are sent at once."""

from __future__ import annotations

import pytest

from inbox.domain.incidents.incident import Act, Actor
from inbox.domain.values.severity import Severity
from inbox.flow.delivery.deliver import deliver
from inbox.flow.people import incidents
from inbox.flow.unit_of_work import work
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from inbox.models.incidents.tables import Incident
from tests.cast import NOW, Cast
from tests.flow.notices.quiet_hours_steps import (
    deliver_at,
    pager,  # noqa: F401
    sent,
)
from tests.flow.plans import MINUTE, MORNING, NIGHT, follow, pass_to, step
from tests.flow.routing_fixtures import incident, notices, reported, routed, settle
from tests.stand_ins.receivers import Answer, Receiver

MIA = Actor("user", "", "Mia")


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


def test_a_notice_at_the_quiet_hours_threshold_is_sent_at_once(
    cast: Cast, pager: Destination, receiver: Receiver
) -> None:
    routed(cast.source, severity="ERROR")
    routed(cast.source, NOW + MINUTE, severity="CRITICAL")

    deliver_at(2)
    assert sent(receiver) == ["escalated"]
    deliver_at(180)
    assert sent(receiver) == ["escalated"]
    assert reported(pager) == [("opened", "skipped", "superseded"), ("escalated", "sent", None)]


def test_a_refused_notice_at_night_supersedes_no_held_notice(
    cast: Cast, pager: Destination, receiver: Receiver
) -> None:
    routed(cast.source, severity="ERROR")
    routed(cast.source, NOW + MINUTE, severity="CRITICAL")
    receiver.script(Answer(400))

    deliver_at(2)
    deliver_at(180)

    assert sent(receiver) == ["escalated", "opened"]
    assert reported(pager) == [("opened", "sent", None), ("escalated", "failed", "http_400")]


@pytest.mark.parametrize("threshold", ["ERROR", None])
def test_a_destination_without_a_threshold_is_notified_in_quiet_hours(
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


def test_each_unresolved_incident_sends_one_request_after_quiet_hours(
    cast: Cast, pager: Destination, receiver: Receiver
) -> None:
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


def test_an_incident_opened_and_resolved_in_quiet_hours_is_notified_once(
    cast: Cast, pager: Destination, receiver: Receiver
) -> None:
    routed(cast.source)
    routed(cast.source, NOW + MINUTE, action="resolve")

    deliver_at(180)

    assert sent(receiver) == ["resolved"]
    assert reported(pager) == [("opened", "skipped", "superseded"), ("resolved", "sent", None)]


def test_a_destination_without_updates_gets_no_resolved_incident_after_quiet_hours(
    cast: Cast, pager: Destination, receiver: Receiver
) -> None:
    Destination.update(send_updates=False).execute()
    routed(cast.source)
    routed(cast.source, NOW + MINUTE, action="resolve")

    deliver_at(180)

    assert sent(receiver) == []
    assert reported(pager) == [("opened", "skipped", "resolved_meanwhile")]


def test_an_acknowledgement_in_quiet_hours_is_sent_after_the_alarm(
    cast: Cast, pager: Destination, receiver: Receiver
) -> None:
    existing = incident(routed(cast.source).id)
    act(existing, Act.ACKNOWLEDGE, 5)

    deliver_at(180)

    assert sent(receiver) == ["opened", "acknowledged"]


def test_a_destination_notified_before_quiet_hours_gets_the_resolution_afterwards(
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


def test_an_incident_silenced_by_the_end_of_quiet_hours_is_not_notified(
    cast: Cast, pager: Destination, receiver: Receiver
) -> None:
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


def test_a_notice_after_quiet_hours_follows_held_notices(cast: Cast, pager: Destination, receiver: Receiver) -> None:
    existing = incident(routed(cast.source).id)
    act(existing, Act.ACKNOWLEDGE, 181)
    receiver.answer = lambda _: Answer(500 if len(receiver.requests) == 1 else 200)

    deliver_at(182)
    assert sent(receiver) == ["opened"]
    deliver_at(183)

    assert sent(receiver) == ["opened", "opened", "acknowledged"]


def test_an_escalation_after_quiet_hours_supersedes_the_held_alarm(
    cast: Cast, pager: Destination, receiver: Receiver
) -> None:
    routed(cast.source)
    routed(cast.source, NOW + 181 * MINUTE, severity="CRITICAL")

    deliver_at(182)

    assert sent(receiver) == ["escalated"]
    assert reported(pager) == [("opened", "skipped", "superseded"), ("escalated", "sent", None)]


def test_an_escalation_by_a_person_in_quiet_hours_supersedes_the_held_alarm(
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
