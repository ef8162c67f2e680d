"""An open incident without any notice gets one when its last suppression ends."""

from __future__ import annotations

from datetime import datetime

import pytest

from inbox.domain.incidents.incident import Act, Actor
from inbox.flow.people import incidents
from inbox.flow.unit_of_work import work
from inbox.models.incidents.tables import Incident
from tests.cast import NOW, Cast
from tests.flow.plans import MINUTE, follow, pass_to, step
from tests.flow.routing_fixtures import incident, listen, reported, routed, settle
from tests.flow.rulemaking import clause, rule

MIA = Actor("user", "", "Mia")


def act(existing: Incident, what: Act, after: float, until: datetime | None = None) -> None:
    with work() as done:
        incidents.act(existing.id, incidents.ActRequest(what, by=MIA, until=until), NOW + after * MINUTE, done)


def test_an_incident_snoozed_by_a_rule_sends_opened_when_a_person_ends_the_snooze(cast: Cast) -> None:
    pager = listen(cast.workspace)
    rule(cast.workspace, clause("severity", "eq", "ERROR"), snooze=30 * MINUTE)
    existing = incident(routed(cast.source).id)
    assert (existing.state, reported(pager)) == ("snoozed", [])

    act(existing, Act.UNSNOOZE, 5)

    assert reported(pager) == [("opened", "pending", None)]


def test_a_reopened_incident_snoozed_by_a_rule_is_notified_when_a_person_ends_the_snooze(cast: Cast) -> None:
    pager, chat = listen(cast.workspace), listen(cast.workspace, "Chat", send_updates=False)
    existing = incident(routed(cast.source).id)
    routed(cast.source, NOW + MINUTE, action="resolve")
    rule(cast.workspace, clause("severity", "eq", "ERROR"), snooze=30 * MINUTE)
    routed(cast.source, NOW + 2 * MINUTE)
    assert Incident.get_by_id(existing.id).state == "snoozed"

    act(existing, Act.UNSNOOZE, 5)
    assert [reason for reason, _, _ in reported(pager)] == ["opened", "resolved", "reopened"]
    assert [reason for reason, _, _ in reported(chat)] == ["opened", "reopened"]

    act(existing, Act.SNOOZE, 6, NOW + 60 * MINUTE)
    act(existing, Act.UNSNOOZE, 7)
    assert [reason for reason, _, _ in reported(pager)][3:] == ["snoozed", "updated"]


@pytest.mark.parametrize("flapping", [False, True])
def test_a_flapping_incident_sends_an_update_when_a_person_ends_its_snooze(cast: Cast, *, flapping: bool) -> None:
    pager = listen(cast.workspace)
    existing = incident(routed(cast.source).id)
    for minute in range(1, 9 if flapping else 3):
        routed(cast.source, NOW + minute * MINUTE, action="resolve" if minute % 2 else "trigger")
    act(existing, Act.SNOOZE, 10, NOW + 60 * MINUTE)

    act(existing, Act.UNSNOOZE, 11)

    assert Incident.get_by_id(existing.id).flapping is flapping
    assert [reason for reason, _, _ in reported(pager)][-2:] == ["snoozed", "updated"]


def test_an_incident_snoozed_during_its_delay_sends_opened_when_the_snooze_ends(cast: Cast) -> None:
    pager = listen(cast.workspace, routed=False)
    follow(cast.workspace, step(0, pager), delay_seconds=300)
    existing = incident(routed(cast.source).id)
    act(existing, Act.SNOOZE, 1, NOW + 60 * MINUTE)

    act(existing, Act.UNSNOOZE, 10)
    assert reported(pager) == [("opened", "pending", None)]

    act(existing, Act.SNOOZE, 11, NOW + 60 * MINUTE)
    act(existing, Act.UNSNOOZE, 12)
    assert [reason for reason, _, _ in reported(pager)] == ["opened", "snoozed", "updated"]


def test_a_delay_continues_when_a_snooze_ends_before_it(cast: Cast) -> None:
    pager = listen(cast.workspace, routed=False)
    follow(cast.workspace, step(0, pager), delay_seconds=300)
    existing = incident(routed(cast.source).id)
    act(existing, Act.SNOOZE, 1, NOW + 60 * MINUTE)
    act(existing, Act.UNSNOOZE, 2)
    assert reported(pager) == []

    pass_to(5)
    assert reported(pager) == [("opened", "pending", None)]


def test_a_snoozed_successor_of_a_flapping_incident_is_notified_when_flapping_ends(cast: Cast) -> None:
    settle(cast.workspace, reopenWindowMinutes=0, renotifyMinutes={"ERROR": 0})
    pager = listen(cast.workspace)
    for minute in range(7):
        routed(cast.source, NOW + minute * MINUTE, action="resolve" if minute % 2 else "trigger")
    existing = Incident.select().order_by(Incident.number.desc()).get()
    assert (existing.state, existing.flapping, existing.notified_at) == ("open", True, None)
    act(existing, Act.SNOOZE, 7, NOW + 60 * MINUTE)
    act(existing, Act.UNSNOOZE, 8)
    assert [reason for reason, _, _ in reported(pager)][-1] == "flapping"

    pass_to(36)

    assert [reason for reason, _, _ in reported(pager)][-1] == "opened"
