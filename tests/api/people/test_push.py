"""Push over HTTP: only the device subscribes, tests and unsubscribes, and no secret is returned."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.database.base import new_id
from inbox.domain.deliveries.push import PushHosts
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.push_keys import PushKey
from inbox.models.people.members import Member
from inbox.models.records.audit import AuditEntry
from inbox.services.workspaces import members
from tests.api.people.devices_steps import (
    REFUSED,
    Browsers,
    Phones,
    outcome,
    phone,  # noqa: F401
)
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.stand_ins.outgoing_posts import fresh, owe
from tests.stand_ins.phone import Phone
from tests.stand_ins.push_service import (
    Subscription,
    service,  # noqa: F401
)
from tests.stand_ins.receivers import Receiver

CURRENT = "/v1/devices/current/push-subscription"


def own(device: Phone) -> dict[str, Any]:
    """The device as it sees itself."""
    [found] = [each for each in device.get("/v1/devices").json["items"] if each["current"]]
    return dict(found)


def test_the_key_is_made_once_and_its_private_part_is_sealed(phone: Phones, browser: Browsers) -> None:
    first, second = phone("mia").get("/v1/devices/push-key").json, browser("olga").get("/v1/devices/push-key").json

    assert first == second
    stored = PushKey.get()
    assert stored.public_key == first["publicKey"]
    assert len(bytes(stored.sealed)) > 60


def test_a_device_subscribes_for_all_workspaces_of_its_person(phone: Phones, cast: Cast, service: Receiver) -> None:
    device = phone("mia")
    assert own(device)["push"]["state"] == "none"

    answer = device.put(CURRENT, Subscription(service).body())

    assert answer.status_code == 200
    assert answer.json["push"] == {
        "state": "active", "hideContent": False, "lastDeliveredAt": None, "lastError": None,
        "workspaces": [{"workspaceId": typeid("wsp", cast.workspace.id), "minSeverity": None, "alerts": "all"}],
    }  # fmt: skip
    assert own(device) == answer.json


def test_fields_left_out_of_a_renewed_subscription_stay(phone: Phones, cast: Cast, service: Receiver) -> None:
    device = phone("mia")
    requested = [{"workspaceId": typeid("wsp", cast.workspace.id), "minSeverity": "ERROR", "alerts": "on_call"}]
    device.put(CURRENT, Subscription(service).body(hideContent=True, workspaces=requested))

    renewed = device.put(CURRENT, Subscription(service, "/push/new").body()).json["push"]

    assert (renewed["hideContent"], renewed["workspaces"]) == (True, requested)
    assert Destination.select().where(Destination.device_id.is_null(False)).count() == 1


def test_a_lost_subscription_is_shown_and_renewed(phone: Phones, service: Receiver) -> None:
    device = phone("mia")
    device.put(CURRENT, Subscription(service).body())
    service.script(410)

    receipt = device.post(f"/v1/devices/{own(device)['id']}/test-push")

    assert (receipt.json["status"], receipt.json["error"]) == ("failed", "http_410")
    assert (own(device)["push"]["state"], own(device)["push"]["lastError"]) == ("lost", "http_410")
    assert Destination.get(Destination.device_id.is_null(False)).sealed is None
    assert outcome(device.post(f"/v1/devices/{own(device)['id']}/test-push")) == (409, "conflict")
    assert device.put(CURRENT, Subscription(service).body()).json["push"]["state"] == "active"


def test_a_refusal_of_our_key_keeps_the_subscription(phone: Phones, service: Receiver) -> None:
    device = phone("mia")
    device.put(CURRENT, Subscription(service).body())
    service.script(403)
    device.post(f"/v1/devices/{own(device)['id']}/test-push")

    assert own(device)["push"]["state"] == "refused"
    assert Destination.get(Destination.device_id.is_null(False)).sealed is not None


def test_a_test_push_reaches_the_phone(phone: Phones, browser: Browsers, service: Receiver) -> None:
    device, subscription = phone("mia"), Subscription(service)
    device.put(CURRENT, subscription.body())

    receipt = browser("mia").post(f"/v1/devices/{own(device)['id']}/test-push")

    assert (receipt.status_code, receipt.json["status"], receipt.json["statusCode"]) == (200, "sent", 201)
    assert [each["body"].startswith("This is a test.") for each in subscription.notifications] == [True]
    assert own(device)["push"]["lastDeliveredAt"] is not None


def test_a_test_that_arrives_resumes_the_device_in_all_its_workspaces(
    phone: Phones, cast: Cast, service: Receiver
) -> None:
    device = phone("mia")
    Member.create(id=new_id(), workspace=cast.foreign, user=cast.users["mia"], role="member", joined_at=present())
    device.put(CURRENT, Subscription(service).body())
    own_ones = list(Destination.select().where(Destination.device_id.is_null(False)).order_by(Destination.id))
    assert len(own_ones) == 2
    held = [owe(each, status="held", cause="stopped") for each in own_ones]
    stopped = {"stopped_at": present(), "stopped_reason": "http_403", "rejections_in_a_row": 5}
    Destination.update(**stopped).where(Destination.device_id.is_null(False)).execute()

    assert device.post(f"/v1/devices/{own(device)['id']}/test-push").json["status"] == "sent"

    assert [(fresh(each).stopped_at, fresh(each).rejections_in_a_row) for each in own_ones] == [(None, 0)] * 2
    assert [fresh(each).status for each in held] == ["pending"] * 2


def test_a_test_that_fails_resumes_nothing(phone: Phones, service: Receiver) -> None:
    device = phone("mia")
    device.put(CURRENT, Subscription(service).body())
    Destination.update(stopped_at=present(), stopped_reason="http_403").execute()
    service.script(403)

    device.post(f"/v1/devices/{own(device)['id']}/test-push")

    assert Destination.get(Destination.device_id.is_null(False)).stopped_reason == "http_403"


def test_a_new_subscription_ends_the_pause(phone: Phones, service: Receiver) -> None:
    device = phone("mia")
    device.put(CURRENT, Subscription(service).body())
    Destination.update(next_call_at=present() + timedelta(hours=1)).execute()

    device.put(CURRENT, Subscription(service, "/push/new").body())

    assert Destination.get(Destination.device_id.is_null(False)).next_call_at is None


def test_a_device_unsubscribes(phone: Phones, service: Receiver) -> None:
    device = phone("mia")
    device.put(CURRENT, Subscription(service).body())

    assert device.delete(CURRENT).status_code == 204
    assert own(device)["push"]["state"] == "none"
    assert device.delete(CURRENT).status_code == 204
    assert Destination.get(Destination.device_id.is_null(False)).sealed is None


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"endpoint": "https://example.org/push"}, "/endpoint"),
        ({"endpoint": "https://169.254.169.254/"}, "/endpoint"),
        ({"endpoint": "x" * 2_049}, "/endpoint"),
        ({"keys": {"p256dh": "AAAA", "auth": "A" * 22}}, "/keys/p256dh"),
        ({"workspaces": []}, "/workspaces"),
        ({"workspaces": [{"workspaceId": "wsp_x"}]}, "/workspaces/0/workspaceId"),
        ({"color": "red"}, "/color"),
    ],
)
def test_a_subscription_that_cannot_be_used_is_refused(
    phone: Phones, service: Receiver, change: dict[str, Any], pointer: str
) -> None:
    answer = phone("mia").put(CURRENT, {**Subscription(service).body(), **change})

    assert outcome(answer) == (422, "validation_failed")
    assert [fault["pointer"] for fault in answer.json["errors"]] == [pointer]
    assert Destination.select().where(Destination.device_id.is_null(False)).count() == 0


def test_a_session_has_no_subscription(browser: Browsers, service: Receiver) -> None:
    assert outcome(browser("mia").put(CURRENT, Subscription(service).body())) == REFUSED
    assert outcome(browser("mia").delete(CURRENT)) == REFUSED


def test_eve_subscribes_for_no_workspace_of_others_and_tests_no_phone_of_others(
    phone: Phones, browser: Browsers, cast: Cast, service: Receiver
) -> None:
    requested = [{"workspaceId": typeid("wsp", cast.workspace.id)}]
    answer = phone("eve").put(CURRENT, Subscription(service).body(workspaces=requested))
    assert outcome(answer) == (422, "validation_failed")
    device = phone("mia")
    device.put(CURRENT, Subscription(service).body())

    for other in (browser("eve"), phone("eve"), browser("olga")):
        assert outcome(other.post(f"/v1/devices/{own(device)['id']}/test-push")) == (404, "not_found")
    assert outcome(phone("mia").post(f"/v1/devices/{own(device)['id']}/test-push")) == (403, "forbidden")


def test_a_phone_is_no_destination_that_administrators_list_edit_or_route(
    phone: Phones, browser: Browsers, cast: Cast, service: Receiver
) -> None:
    phone("mia").put(CURRENT, Subscription(service).body())
    olga, made = browser("olga"), Destination.get(Destination.device_id.is_null(False))
    path = f"/v1/destinations/{typeid('dst', made.id)}"

    assert made.id not in [each["id"] for each in olga.get("/v1/destinations").json["items"]]
    assert [outcome(act(path)) for act in (olga.get, olga.delete)] == [(404, "not_found")] * 2
    route = {"destinationIds": [typeid("dst", made.id)]}
    workspace = typeid("wsp", cast.workspace.id)
    assert olga.put(f"/v1/workspaces/{workspace}/default-route", route).status_code == 422
    created = {"workspaceId": workspace, "name": "x", "kind": "web_push", "config": {}}
    assert outcome(olga.post("/v1/destinations", created)) == (422, "validation_failed")


def test_the_subscription_is_never_answered_exported_or_written_to_the_audit_log(
    phone: Phones, service: Receiver, cast: Cast
) -> None:
    device, subscription = phone("mia"), Subscription(service, "/push/secret-of-the-phone")
    answers = [device.put(CURRENT, subscription.body()), device.get("/v1/devices"), device.get("/v1/deliveries")]
    answers.append(device.post(f"/v1/devices/{own(device)['id']}/test-push"))
    entries = json.dumps([entry.details for entry in AuditEntry.select()])
    rows = json.dumps([each.config for each in Destination.select()])

    for text in (*(answer.text for answer in answers), entries, rows):
        assert not [secret for secret in ("secret-of-the-phone", *subscription.keys.values()) if secret in text]


def test_turning_notifications_on_is_audited_once(phone: Phones, service: Receiver) -> None:
    device = phone("mia")
    for _ in range(3):
        device.put(CURRENT, Subscription(service).body())
    device.delete(CURRENT)

    assert AuditEntry.select().where(AuditEntry.action == "device.push_changed").count() == 2


def test_revoking_a_device_or_leaving_the_workspace_ends_its_notifications(
    phone: Phones, browser: Browsers, cast: Cast, service: Receiver
) -> None:
    first, second = phone("mia"), phone("adam")
    for device in (first, second):
        device.put(CURRENT, Subscription(service).body())
    browser("mia").delete(f"/v1/devices/{own(first)['id']}")
    members.leave(cast.workspace.id, cast.users["adam"].id, now=present())

    left = Destination.select().where(Destination.device_id.is_null(False))
    assert [(each.deleted_at is not None, each.sealed) for each in left] == [(True, None)] * 2


def test_a_person_has_at_most_ten_phones_that_are_notified(phone: Phones, service: Receiver) -> None:
    answers = [phone("mia").put(CURRENT, Subscription(service).body()).status_code for _ in range(11)]

    assert answers == [200] * 10 + [409]


def test_tests_of_a_device_are_limited(
    phone: Phones, service: Receiver, in_settings: Callable[..., Settings], app: Flask, anonymous: Browser
) -> None:
    in_settings(push_hosts=PushHosts(("127.0.0.1",)), rate_limits=True, test_sends_per_minute=2)
    device = phone("mia")
    device.put(CURRENT, Subscription(service).body())
    path = f"/v1/devices/{own(device)['id']}/test-push"

    assert [device.post(path).status_code for _ in range(3)] == [200, 200, 429]
