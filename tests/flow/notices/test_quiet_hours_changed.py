"""Quiet hours that change while they hold notices, and destinations that change meanwhile."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inbox.flow.delivery.deliver import deliver
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from inbox.models.incidents.tables import Timer
from inbox.services.deliveries import destinations
from inbox.services.workspaces import workspaces
from tests.cast import NOW, Cast
from tests.flow.notices.quiet_hours_steps import (
    deliver_at,
    pager,  # noqa: F401
    sent,
)
from tests.flow.plans import MINUTE, MORNING, NIGHT, pass_to
from tests.flow.routing_fixtures import decisions, incident, listen, notices, reasons, reported, routed, settle
from tests.stand_ins.outgoing_posts import owe
from tests.stand_ins.receivers import Receiver
from tests.workers import workers


def test_a_held_notice_for_a_stopped_destination_stays_held(cast: Cast, pager: Destination, receiver: Receiver) -> None:
    routed(cast.source)
    Destination.update(stopped_at=NOW, stopped_reason="http_401").execute()

    deliver_at(180)

    assert (sent(receiver), reported(pager)) == ([], [("opened", "held", "stopped")])


def test_notices_of_a_stopped_destination_follow_a_change_of_quiet_hours(
    cast: Cast, pager: Destination, receiver: Receiver
) -> None:
    existing = incident(routed(cast.source).id)
    Destination.update(stopped_at=NOW, stopped_reason="http_401").execute()
    settle(cast.workspace, quietHours=NIGHT)
    pass_to(1)

    deliver_at(1)

    assert (reported(pager), Delivery.get().due_at) == ([("opened", "held", "quiet_hours")], MORNING)
    pass_to(2)
    assert reasons(existing.id) == ["opened"]


def test_a_notice_held_by_quiet_hours_is_held_another_day_for_a_stopped_destination(
    cast: Cast, pager: Destination, receiver: Receiver
) -> None:
    routed(cast.source)
    Delivery.update(created_at=NOW - timedelta(days=2)).execute()
    Destination.update(stopped_at=NOW, stopped_reason="http_401").execute()

    deliver_at(180)

    assert (reported(pager), Delivery.get().due_at) == ([("opened", "held", "stopped")], MORNING + timedelta(hours=24))
    destinations.edit(Destination.get(), {"name": "Pager"}, expected_rev=None, now=MORNING + timedelta(hours=23))
    deliver(lambda: MORNING + timedelta(hours=23))
    assert sent(receiver) == ["opened"]


def test_a_held_notice_for_a_disabled_destination_is_skipped(
    cast: Cast, pager: Destination, receiver: Receiver
) -> None:
    routed(cast.source)
    Destination.update(enabled=False).execute()

    deliver_at(180)

    assert (sent(receiver), reported(pager)) == ([], [("opened", "skipped", "disabled")])


def test_a_notice_for_a_stopped_destination_waits_for_the_end_of_quiet_hours_first(
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
def test_a_notice_held_while_quiet_hours_changed_is_checked_again(
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


def test_extended_quiet_hours_keep_held_notices(cast: Cast, pager: Destination, receiver: Receiver) -> None:
    routed(cast.source)
    longer = {**NIGHT, "windows": [{"days": ["sat"], "start": "08:00", "end": "13:00"}]}
    settle(cast.workspace, quietHours=longer)

    pass_to(1)
    deliver_at(180)
    assert (sent(receiver), Delivery.get().due_at) == ([], NOW + 240 * MINUTE)
    deliver_at(240)
    assert sent(receiver) == ["opened"]


def test_a_lowered_threshold_releases_held_notices(cast: Cast, pager: Destination, receiver: Receiver) -> None:
    routed(cast.source, severity="ERROR")
    routed(cast.source, NOW + timedelta(seconds=1), key="other", severity="WARNING")

    destinations.edit(pager, {"quiet_hours_threshold": "ERROR"}, expected_rev=None, now=NOW + MINUTE)
    deliver_at(1)

    assert [request.json["data"]["severity"] for request in receiver.requests] == ["ERROR"]
    assert [status for _, status, _ in reported(pager)] == ["sent", "held"]
    assert Delivery.get(Delivery.status == "held").due_at == MORNING


def test_a_workspace_change_sets_no_timer_when_no_notice_is_held(cast: Cast, pager: Destination) -> None:
    settle(cast.workspace)
    assert Timer.select().count() == 0


def test_each_destination_has_a_separate_explanation(cast: Cast, pager: Destination) -> None:
    loud = listen(cast.workspace, "Loud", quiet_hours_threshold=None)
    opening = routed(cast.source)

    assert decisions(notices(opening.incident_id)[0]) == {"Receiver": "quiet_hours", "Loud": "notify"}
    assert reported(loud) == [("opened", "pending", None)]


def test_informational_notices_are_released_with_the_others(cast: Cast, pager: Destination, receiver: Receiver) -> None:
    routed(cast.source)
    for _ in range(2):
        owe(pager, status="held", cause="quiet_hours", due_at=MORNING, created_at=NOW, reason="informational")

    deliver_at(179)
    assert receiver.requests == []
    deliver_at(180)
    assert len(receiver.requests) == 3
    assert [row[1] for row in reported(pager)] == ["sent"] * 3


def test_many_incidents_are_released_together(cast: Cast, pager: Destination, receiver: Receiver) -> None:
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
