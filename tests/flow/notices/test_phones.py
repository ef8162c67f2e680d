"""Phones of members get alerts besides the route: one notification for each incident, replaced as it changes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.deliveries.push import PhoneAlerts, PhoneChoice
from inbox.domain.explaining.forecast import NO_DESTINATION
from inbox.flow.delivery.deliver import deliver
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from inbox.models.people.accounts import User
from inbox.models.people.devices import Device
from inbox.models.people.members import Member
from inbox.models.workspaces.tables import Workspace
from inbox.services.explaining.forecasts import forecast
from inbox.services.people import push
from inbox.services.people.push import PushSubscription
from tests.cast import NOW, Cast, present
from tests.flow.fallback_steps import last  # noqa: F401
from tests.flow.plans import pass_to
from tests.flow.routing_fixtures import decisions, incident, listen, notices, reasons, reported, routed
from tests.proving import App
from tests.stand_ins.phone import pair
from tests.stand_ins.push_service import (
    Subscription,
    service,  # noqa: F401
)
from tests.stand_ins.receivers import Receiver


def phone_of(
    user: User,
    cast: Cast,
    subscription: Subscription,
    least: Any = None,
    alerts: PhoneAlerts | None = PhoneAlerts.ALL,
) -> Destination:
    """A paired phone of this person that wants the notices of the workspace."""
    device = Device.get_by_id(pair(user).device_id)
    keys = subscription.keys
    requested = PushSubscription(
        subscription.endpoint,
        keys["p256dh"],
        keys["auth"],
        hide_content=False,
        workspaces={cast.workspace.id: PhoneChoice(least, alerts)},
    )
    push.subscribe(device, requested, present())
    found: Destination = Destination.get(Destination.device_id == device.id)
    return found


def test_an_alert_reaches_phones_without_any_route(cast: Cast, service: Receiver) -> None:
    own = Subscription(service)
    phone = phone_of(cast.users["mia"], cast, own)

    opened = incident(routed(cast.source).id)
    deliver(present)

    assert reported(phone) == [("opened", "sent", None)]
    assert [each["title"] for each in own.notifications] == ["ERROR · Disk full"]
    assert decisions(notices(opened.id)[0]) == {"Phone": "notify"}


def test_an_incident_that_a_phone_is_notified_of_is_not_said_to_notify_nobody(cast: Cast, service: Receiver) -> None:
    opened = incident(routed(cast.source).id)
    assert NO_DESTINATION in forecast(opened, NOW)["text"]
    phone_of(cast.users["mia"], cast, Subscription(service))
    assert NO_DESTINATION not in forecast(opened, NOW)["text"]


def test_the_notification_of_an_incident_is_replaced_when_it_changes(cast: Cast, service: Receiver) -> None:
    own = Subscription(service)
    phone_of(cast.users["mia"], cast, own)
    opened = incident(routed(cast.source).id)
    routed(cast.source, action="resolve")
    deliver(present)

    assert reasons(opened.id) == ["opened", "resolved"]
    assert [(each["data"]["reason"], each["silent"]) for each in own.notifications] == [
        ("opened", False),
        ("resolved", True),
    ]
    assert len({each["tag"] for each in own.notifications}) == 1


def test_a_phone_gets_only_its_minimum_severity_and_above(cast: Cast, service: Receiver) -> None:
    phone = phone_of(cast.users["mia"], cast, Subscription(service), "CRITICAL")
    routed(cast.source, severity="ERROR")
    routed(cast.source, severity="CRITICAL", key="other")

    assert reported(phone) == [("opened", "pending", None)]


def test_the_phone_of_a_person_who_is_no_member_is_not_notified(cast: Cast, service: Receiver) -> None:
    phone = phone_of(cast.users["mia"], cast, Subscription(service))
    Member.delete().where(Member.user == cast.users["mia"].id).execute()
    routed(cast.source)

    assert reported(phone) == []


def test_a_phone_gets_nothing_of_a_workspace_that_it_did_not_choose(cast: Cast, service: Receiver) -> None:
    phone = phone_of(cast.users["mia"], cast, Subscription(service))
    Destination.update(workspace=cast.foreign).where(Destination.id == phone.id).execute()
    routed(cast.source)

    assert reported(phone) == []


def test_a_phone_replaces_no_destination_for_the_fallback(cast: Cast, service: Receiver) -> None:
    phone_of(cast.users["mia"], cast, Subscription(service))
    listen(cast.workspace, stopped_at=NOW, stopped_reason="http_401")
    opened = incident(routed(cast.source).id)

    assert decisions(notices(opened.id)[0]) == {"Pager": "stopped", "Phone": "notify"}


@pytest.mark.parametrize("answer", [401, 410])
def test_a_phone_that_is_stopped_is_not_watched_for_the_fallback(
    cast: Cast, last: Destination, service: Receiver, answer: int
) -> None:
    phone = phone_of(cast.users["mia"], cast, Subscription(service))
    listen(cast.workspace, min_severity="CRITICAL")
    service.script(answer)
    for key in ("a", "b"):
        existing = incident(routed(cast.source, key=key, severity="WARNING").id)
        deliver(lambda: NOW)
        pass_to(1)
        assert reasons(existing.id) == ["opened"]

    assert reported(phone) == [("opened", "held", "stopped")] * 2
    assert reported(last) == []


def test_a_call_to_a_phone_is_no_attempt_for_the_fallback(cast: Cast, last: Destination, service: Receiver) -> None:
    phone = phone_of(cast.users["mia"], cast, Subscription(service))
    pager = listen(cast.workspace, next_call_at=NOW + timedelta(seconds=1))
    existing = incident(routed(cast.source, severity="CRITICAL").id)
    deliver(lambda: NOW)
    assert (reported(phone), reported(pager)) == ([("opened", "sent", None)], [("opened", "pending", None)])

    pass_to(2)

    assert reasons(existing.id) == ["opened"]


def test_a_phone_that_goes_with_a_waiting_notice_is_not_watched_either(
    cast: Cast, last: Destination, service: Receiver
) -> None:
    phone = phone_of(cast.users["mia"], cast, Subscription(service))
    listen(cast.workspace, min_severity="CRITICAL")
    existing = incident(routed(cast.source, severity="WARNING").id)
    Destination.update(deleted_at=NOW).where(Destination.id == phone.id).execute()

    deliver(lambda: NOW)
    pass_to(1)

    assert (reported(phone), reasons(existing.id)) == ([("opened", "skipped", "deleted")], ["opened"])


def test_a_subscription_that_has_ended_is_deleted_and_the_phone_is_lost(cast: Cast, service: Receiver) -> None:
    phone = phone_of(cast.users["mia"], cast, Subscription(service))
    service.script(410)
    routed(cast.source, present())
    deliver(present)

    found = Destination.get_by_id(phone.id)
    assert (found.stopped_reason, found.sealed) == ("http_410", None)
    assert reported(phone) == [("opened", "held", "stopped")]


def test_a_notice_held_for_a_lost_phone_is_sent_when_it_subscribes_again(cast: Cast, service: Receiver) -> None:
    user = cast.users["mia"]
    phone = phone_of(user, cast, Subscription(service))
    service.script(410)
    routed(cast.source, present())
    deliver(present)
    second, device = Subscription(service, "/push/again"), Device.get(Device.user == user)
    keys = second.keys
    push.subscribe(
        device,
        PushSubscription(
            second.endpoint,
            keys["p256dh"],
            keys["auth"],
            hide_content=False,
            workspaces={cast.workspace.id: PhoneChoice()},
        ),
        present(),
    )
    deliver(present)

    assert reported(phone) == [("opened", "sent", None)]
    assert len(second.notifications) == 1


def test_a_push_service_that_fails_is_tried_again(cast: Cast, service: Receiver) -> None:
    phone = phone_of(cast.users["mia"], cast, Subscription(service))
    service.script(503)
    routed(cast.source)
    deliver(present)

    assert reported(phone) == [("opened", "retrying", "http_503")]
    assert Delivery.get(Delivery.destination_id == phone.id).attempt == 1


def _require_mfa(cast: Cast) -> None:
    Workspace.update(settings={"requireMfa": True}).where(Workspace.id == cast.workspace.id).execute()


def test_a_workspace_that_requires_a_factor_alerts_only_phones_of_members_who_have_one(
    cast: Cast, service: Receiver
) -> None:
    without = phone_of(cast.users["mia"], cast, Subscription(service))
    with_app = phone_of(cast.users["olga"], cast, Subscription(service, "/push/olga"))
    App.of(cast.users["olga"])
    _require_mfa(cast)
    routed(cast.source)

    assert (reported(without), reported(with_app)) == ([], [("opened", "pending", None)])


def test_updates_end_for_phones_of_members_without_the_factor_that_became_required(
    cast: Cast, service: Receiver
) -> None:
    without = phone_of(cast.users["mia"], cast, Subscription(service))
    with_app = phone_of(cast.users["olga"], cast, Subscription(service, "/push/olga"))
    pager = listen(cast.workspace)
    App.of(cast.users["olga"])
    routed(cast.source)
    _require_mfa(cast)
    routed(cast.source, action="resolve")

    assert [each[0] for each in reported(without)] == ["opened"]
    assert [each[0] for each in reported(with_app)] == ["opened", "resolved"]
    assert [each[0] for each in reported(pager)] == ["opened", "resolved"]
