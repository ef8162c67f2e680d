"""What the newest event says is in messages: at every attempt the same, unless the destination leaves it out."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask

from inbox.domain.values.times import rfc3339
from inbox.flow.delivery.deliver import claim_due, deliver
from inbox.flow.routing.route import route
from inbox.models.deliveries.destinations import Destination
from inbox.models.events.tables import ReceivedEvent
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.flow.routing_fixtures import incident, route_to, routed
from tests.flow.rulemaking import rule
from tests.stand_ins.outgoing_posts import make_destination
from tests.stand_ins.post_office import statements
from tests.stand_ins.receivers import Receiver

SAID: dict[str, Any] = {
    "body": "/var has 3 % left.",
    "tags": ["data"],
    "type": "disk.full",
    "url": "https://prometheus.example.org/graph",
    "metadata": {"labels": {"instance": "db-1"}, "annotations": {"runbook_url": "https://wiki.example.org/disk"}},
}
MEMBERS = {
    "body": SAID["body"],
    "tags": SAID["tags"],
    "type": SAID["type"],
    "dedupKey": "disk",
    "sourceUrl": SAID["url"],
    "runbookUrl": "https://wiki.example.org/disk",
    "metadata": SAID["metadata"],
}


def members(data: dict[str, Any]) -> dict[str, Any]:
    return {name: data[name] for name in MEMBERS if name in data}


@pytest.fixture
def destination(cast: Cast, receiver: Receiver) -> Destination:
    made = make_destination(cast.workspace, receiver)
    route_to(cast.workspace, [made])
    return made


def test_a_webhook_has_what_the_event_says_at_every_attempt(
    cast: Cast, destination: Destination, receiver: Receiver
) -> None:
    receiver.script(500)
    routed(cast.source, present(), **SAID)
    deliver(present)
    routed(cast.source, present(), **{**SAID, "body": "A later event."})
    deliver(lambda: present() + timedelta(seconds=10))

    first, second = receiver.requests
    assert members(first.verified()["data"]) == MEMBERS
    assert (second.body, second.json["data"]["v"]) == (first.body, 1)


def test_a_message_about_an_act_has_what_the_newest_event_said(
    cast: Cast, destination: Destination, receiver: Receiver, browser: Callable[[str], Browser]
) -> None:
    routed(cast.source, present(), **SAID)
    newest = routed(cast.source, present(), **{**SAID, "body": "/var has 1 % left."})
    deliver(present)
    path = f"/v1/incidents/{typeid('inc', incident(newest.id).id)}/acknowledge"

    assert browser("adam").post(path, {}).status_code == 200
    deliver(present)

    opened, acknowledged = (request.json["data"] for request in receiver.requests)
    assert (opened["body"], acknowledged["body"]) == ("/var has 3 % left.", "/var has 1 % left.")


def test_a_destination_can_leave_the_details_out(cast: Cast, destination: Destination, receiver: Receiver) -> None:
    Destination.update(include_details=False).execute()
    routed(cast.source, present(), **SAID)
    deliver(present)

    assert members(receiver.requests[0].json["data"]) == {}


def test_a_message_is_sent_without_an_event_that_is_gone(
    cast: Cast, destination: Destination, receiver: Receiver
) -> None:
    routed(cast.source, present(), **SAID)
    ReceivedEvent.delete().execute()
    deliver(present)

    assert members(receiver.requests[0].json["data"]) == {}


def test_a_claim_reads_what_events_say_with_one_statement(cast: Cast, destination: Destination) -> None:
    for number in range(5):
        routed(cast.source, present(), key=f"disk {number}", **SAID)

    calls = []
    sent = statements(lambda: calls.extend(claim_due(present(), 10).calls))

    assert len(calls) == 5
    assert sum("received_events" in each for each in sent) == 1
    assert all(members(json.loads(claimed.body)["data"])["body"] == SAID["body"] for claimed, _ in calls)


def test_a_notice_shows_the_bodies_that_were_sent(
    cast: Cast, destination: Destination, receiver: Receiver, browser: Callable[[str], Browser]
) -> None:
    event = routed(cast.source, present(), **SAID)
    deliver(present)
    Destination.update(include_details=False).execute()
    deliver(present)
    viewer = browser("vic")
    (listed,) = viewer.get(f"/v1/incidents/{typeid('inc', incident(event.id).id)}/notices").get_json()["items"]
    shown = viewer.get(f"/v1/notices/{listed['id']}").get_json()
    ((attempt,),) = (delivery["attempts"] for delivery in shown["decisions"][0]["deliveries"])

    assert shown["body"].encode() == receiver.requests[0].body
    assert attempt["requests"][0]["body"].encode() == receiver.requests[0].body
    assert members(json.loads(listed["body"])["data"]) == {}


def test_the_runbook_of_a_rule_goes_first_and_stays_without_details(
    cast: Cast, destination: Destination, receiver: Receiver
) -> None:
    rule(cast.workspace, destination_ids=(destination.id,), runbook_url="https://rule.example/disk")
    routed(cast.source, present(), **SAID)
    deliver(present)
    Destination.update(include_details=False).execute()
    routed(cast.source, present(), **{**SAID, "action": "resolve"})
    deliver(present)

    opened, resolved = (request.json["data"] for request in receiver.requests)
    assert (opened["runbookUrl"], opened["body"]) == ("https://rule.example/disk", SAID["body"])
    assert members(resolved) == {"runbookUrl": "https://rule.example/disk"}


def test_what_an_event_lost_to_redaction_is_in_no_message(
    app: Flask, cast: Cast, destination: Destination, receiver: Receiver
) -> None:
    secret, link = cast.key, f"https://u:pass-word@wiki.example.org/{cast.key}"
    event = {
        "title": "Disk full",
        "severity": "ERROR",
        "body": f"Key {secret}",
        "tags": [secret],
        "url": link,
        "metadata": {"annotations": {"runbook_url": link}, "labels": {secret: secret}},
    }
    sent = app.test_client().post("/v1/events", json=event, headers={"Authorization": f"Bearer {cast.key}"})
    assert sent.status_code < 300
    route(present)
    deliver(present)

    body = receiver.requests[0].body.decode()
    assert (secret in body, "pass-word" in body) == (False, False)
    assert json.loads(body)["data"]["body"] == "Key svc_[REDACTED]"


def test_messages_say_when_a_problem_began_that_was_old_when_it_was_reported(
    cast: Cast, destination: Destination, receiver: Receiver
) -> None:
    began = present() - timedelta(days=9)
    routed(cast.source, present(), key="old", occurred_at=began)
    routed(cast.source, present(), key="new", occurred_at=present() - timedelta(minutes=4))
    routed(cast.source, present(), key="old", occurred_at=present() - timedelta(minutes=1), action="resolve")
    deliver(present)

    data = [each.json["data"] for each in receiver.requests]
    assert sorted((each["dedupKey"], each["reason"], each.get("beganAt")) for each in data) == [
        ("new", "opened", None),
        ("old", "opened", rfc3339(began)),
        ("old", "resolved", None),
    ]


def test_messages_count_the_alerts_of_an_incident_that_fire(
    cast: Cast, destination: Destination, receiver: Receiver
) -> None:
    for key, act in (("disk 1", "trigger"), ("disk 2", "trigger"), ("disk 1", "resolve"), ("disk 2", "resolve")):
        routed(cast.source, present(), key=key, by="disks", action=act)
    deliver(present)

    counts = [(each.json["data"]["reason"], each.json["data"]["alerts"]) for each in receiver.requests]
    assert counts[0] == ("opened", {"total": 1, "firing": 1})
    assert counts[-1] == ("resolved", {"total": 2, "firing": 0})
