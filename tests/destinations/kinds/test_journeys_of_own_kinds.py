"""A journey from event to end for kinds without a chat: webhook, phone and Apprise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from flask import Flask
from standardwebhooks import WebhookVerificationError

from inbox.config import settings as in_force
from inbox.config.settings import Settings
from inbox.destinations import outbound_policy
from inbox.models.deliveries.tables import Delivery
from inbox.models.incidents.tables import Incident
from tests.cast import Cast, typeid
from tests.destinations.kinds.stand_in import OWN_ADDRESS
from tests.destinations.kinds.test_whole_journeys import Journey, journey_in
from tests.stand_ins.phone import Phone, pair
from tests.stand_ins.push_service import (
    Subscription,
    service,  # noqa: F401
)
from tests.stand_ins.receivers import SECRET, Receiver

REASONS = ["opened", "acknowledged", "resolved"]


@pytest.fixture
def journey(app: Flask, cast: Cast) -> Journey:
    return journey_in(app, cast, outbound_policy.client())


def test_an_incident_at_a_webhook_from_its_event_to_its_end(journey: Journey, receiver: Receiver) -> None:
    journey.listen("webhook", {"url": receiver.url, "secret": SECRET})

    journey.event()
    assert journey.acknowledge(receiver.requests[0].body.decode()) == "dashboard"
    assert journey.state == "acknowledged"
    journey.event(severity="SUCCESS", action="resolve")
    assert journey.state == "resolved"

    notices = [request.verified() for request in receiver.requests]
    assert [notice["type"] for notice in notices] == [f"incident.{reason}" for reason in REASONS]
    assert [notice["data"]["state"] for notice in notices] == ["open", "acknowledged", "resolved"]
    assert {notice["data"]["incidentId"] for notice in notices} == {typeid("inc", Incident.get().id)}
    assert len({request.id for request in receiver.requests}) == 3
    assert {each.status for each in Delivery.select()} == {"sent"}


def test_a_webhook_with_a_byte_flipped_is_not_verified(journey: Journey, receiver: Receiver) -> None:
    journey.listen("webhook", {"url": receiver.url, "secret": SECRET})
    journey.event()
    (request,) = receiver.requests

    for place in range(len(request.body)):
        changed = bytearray(request.body)
        changed[place] ^= 1
        with pytest.raises(WebhookVerificationError):
            replace(request, body=bytes(changed)).verified()


def test_an_incident_at_a_phone_from_its_event_to_its_end(
    journey: Journey, app: Flask, cast: Cast, service: Receiver
) -> None:
    phone = Phone(app, OWN_ADDRESS, pair(cast.users["mia"]).access_token)
    browser = Subscription(service)
    assert phone.put("/v1/devices/current/push-subscription", browser.body()).status_code == 200

    journey.event()
    (opened,) = browser.notifications
    assert opened["title"] == "ERROR · Disk full"
    assert opened["navigate"].startswith(f"{OWN_ADDRESS}/")

    assert phone.post(f"/v1/incidents/{opened['data']['incidentId']}/acknowledge", {}).status_code == 200
    journey.work()
    assert journey.state == "acknowledged"
    assert Incident.get().acknowledged_by == cast.users["mia"].id
    journey.event(severity="SUCCESS", action="resolve")

    assert [each["data"]["reason"] for each in browser.notifications] == REASONS
    assert [each["silent"] for each in browser.notifications] == [False, True, True]
    assert {each["tag"] for each in browser.notifications} == {opened["tag"]}
    assert {each.status for each in Delivery.select()} == {"sent"}


@pytest.fixture
def apprise(settings: Settings) -> Iterator[None]:
    in_force.use(replace(settings, edition="self_hosted", delivery_timeout_seconds=60))
    yield
    in_force.use(settings)


def test_an_incident_through_apprise_from_its_event_to_its_end(
    journey: Journey, receiver: Receiver, apprise: None
) -> None:
    journey.listen("apprise", {"url": f"json://127.0.0.1:{receiver.port}/room"})

    journey.event()
    assert journey.acknowledge(receiver.requests[0].body.decode()) == "dashboard"
    assert journey.state == "acknowledged"
    journey.event(severity="SUCCESS", action="resolve")
    assert journey.state == "resolved"

    sent = [request.json for request in receiver.requests]
    heads = ["ERROR · Disk full", "ACKNOWLEDGED · Disk full", "RESOLVED · Disk full"]
    assert all(each["title"].endswith(head) for each, head in zip(sent, heads, strict=True)), sent
    assert [each["type"] for each in sent] == ["failure", "failure", "success"]
    assert {each.status for each in Delivery.select()} == {"sent"}
