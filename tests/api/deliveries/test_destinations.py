"""Destinations over HTTP: settings, visible fields, permissions, tests and replays (specification 9.3)."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from inbox.config import settings as settings_module
from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.domain.values.addresses import Deny
from inbox.models.deliveries.destinations import Destination
from tests.api.deliveries.destinations_steps import (
    Browsers,
    new,
    path,
    workspace,  # noqa: F401
)
from tests.cast import Cast, present, typeid
from tests.stand_ins.outgoing_posts import fresh, make_destination
from tests.stand_ins.receivers import SECRET, Answer, Receiver

HEADER_VALUE = "key-of-the-receiver-0123456789"
NEW_SECRET = "whsec_bmV3LXNlY3JldC1uZXctc2VjcmV0LW5ldy1zZWNyZXQ="


UNUSED = {"defaultRoute": False, "rules": [], "rulesTotal": 0, "routingProfiles": [], "routingProfilesTotal": 0}


def test_an_administrator_makes_a_destination_whose_secret_is_never_shown(
    browser: Browsers, workspace: str, receiver: Receiver
) -> None:
    answer = browser("adam").post("/v1/destinations", new(workspace, receiver))

    assert answer.status_code == 201
    made = answer.get_json()
    assert answer.headers["Location"] == f"/v1/destinations/{made['id']}"
    assert answer.headers["ETag"] == '"1"'
    assert made == {
        "id": made["id"],
        "workspaceId": workspace,
        "name": "On-call",
        "kind": "webhook",
        "config": {"url": receiver.url, "secretHint": "…GKYo"},
        "enabled": True,
        "sendUpdates": True,
        "sendNotes": True,
        "includeDetails": True,
        "forContactMethods": False,
        "minSeverity": None,
        "quietHoursThreshold": "CRITICAL",
        "digest": None,
        "template": None,
        "health": {
            "state": "never_used",
            "text": "Nothing was sent yet.",
            "since": None,
            "rejectionsInARow": 0,
            "rejectionsAllowed": 5,
        },
        "stopped": None,
        "usedBy": UNUSED,
        "lastDelivery": {"status": "none", "at": None, "reason": None, "deliveryId": None},
        "createdAt": made["createdAt"],
        "deletedAt": None,
        "rev": 1,
    }
    assert browser("vic").get(f"/v1/destinations/{made['id']}").get_json() == made


def test_the_secret_is_sealed_at_rest_and_in_no_answer_or_log(
    browser: Browsers, workspace: str, receiver: Receiver, capfd: pytest.CaptureFixture[str]
) -> None:
    adam = browser("adam")
    config = {"url": receiver.url, "secret": SECRET, "headers": {"Authorization": f"Bearer {HEADER_VALUE}"}}
    made = adam.post("/v1/destinations", new(workspace, receiver, config=config)).get_json()
    at = f"/v1/destinations/{made['id']}"
    receiver.script(Answer(422, f"wrong secret {SECRET} sent with {HEADER_VALUE}".encode()))
    adam.post(f"{at}/test")
    adam.patch(at, {"config": {"secret": NEW_SECRET}})
    answers = [adam.get(address).text for address in (at, "/v1/destinations", "/v1/deliveries")]
    rows = [json.dumps(db.execute_sql(f"SELECT coalesce(jsonb_agg(t), '[]') FROM {table} t").fetchone()[0])
            for table in ("destinations", "notices", "deliveries", "delivery_attempts", "change_feed")]  # fmt: skip

    for secret in (SECRET, NEW_SECRET, HEADER_VALUE):
        for text in [*answers, *rows, *capfd.readouterr()]:
            assert secret not in text
            assert secret.removeprefix("whsec_") not in text
    assert "wrong secret" not in "".join(answers)


@pytest.mark.parametrize(
    ("changes", "pointers"),
    [
        ({"kind": "pigeon"}, ["/kind"]),
        ({"name": " "}, ["/name"]),
        ({"config": {}}, ["/config/url", "/config/secret"]),
        ({"config": {"url": 7, "secret": []}}, ["/config/url", "/config/secret"]),
        ({"config": {"url": "http://8.8.8.8/", "secret": SECRET}}, ["/config/url"]),
        ({"config": {"url": "https://169.254.169.254/", "secret": SECRET}}, ["/config/url"]),
        ({"config": {"url": "https://user:pw@example.org/", "secret": SECRET}}, ["/config/url"]),
        ({"config": {"url": "http://127.0.0.1:8080/v1/events", "secret": SECRET}}, ["/config/url"]),
        ({"config": {"url": "http://127.0.0.1:9/", "secret": "whsec_dG9vIHNob3J0"}}, ["/config/secret"]),
        ({"config": {"url": "http://127.0.0.1:9/", "secret": SECRET[6:]}}, ["/config/secret"]),
        ({"config": {"url": "http://127.0.0.1:9/", "secret": SECRET, "x": 1}}, ["/config/x"]),
        ({"config": {"url": "http://127.0.0.1:9/", "secret": SECRET, "headers": {"Host": "x"}}}, ["/config/headers"]),
        ({"config": "https://example.org"}, ["/config"]),
        ({"minSeverity": "LOUD"}, ["/minSeverity"]),
        ({"enabled": "yes"}, ["/enabled"]),
        ({"stopped": None}, ["/stopped"]),
    ],
)
def test_invalid_destinations_are_refused_with_pointers_and_not_stored(
    browser: Browsers, workspace: str, receiver: Receiver, changes: dict[str, Any], pointers: list[str]
) -> None:
    answer = browser("adam").post("/v1/destinations", new(workspace, receiver, **changes))

    assert answer.status_code == 422
    assert sorted(error["pointer"] for error in answer.get_json()["errors"]) == sorted(pointers)
    assert SECRET not in answer.text
    assert Destination.select().count() == 0


def test_our_own_database_and_redis_are_no_destinations(
    browser: Browsers, workspace: str, receiver: Receiver, settings: Settings
) -> None:
    taken = replace(settings, database_url="postgresql://127.0.0.1:5999/x", redis_url="redis://127.0.0.1:6999/0")
    settings_module.use(taken)

    for port in (settings.port, 5999, 6999):
        config = {"url": f"http://127.0.0.1:{port}/", "secret": SECRET}
        answer = browser("adam").post("/v1/destinations", new(workspace, receiver, config=config))

        assert answer.status_code == 422, port


@pytest.mark.parametrize(
    "forbidden", [{"allow_loopback_destinations": False}, {"destination_deny": Deny.parse("127.0.0.0/8")}]
)
def test_an_address_that_is_not_allowed_is_refused_when_saved_and_when_sent(
    browser: Browsers,
    workspace: str,
    receiver: Receiver,
    destination: Destination,
    settings: Settings,
    forbidden: dict[str, Any],
) -> None:
    settings_module.use(replace(settings, **forbidden))

    saved = browser("adam").post("/v1/destinations", new(workspace, receiver))
    sent = browser("adam").post(path(destination, "/test"))

    assert saved.status_code == 422
    assert (sent.get_json()["status"], sent.get_json()["error"]) == ("failed", "address_refused")
    assert receiver.requests == []


def test_an_edit_of_a_destination_changes_only_the_given_fields(browser: Browsers, destination: Destination) -> None:
    answer = browser("adam").patch(
        path(destination),
        {"name": "Night", "minSeverity": "crit", "quietHoursThreshold": None, "sendUpdates": False}
        | {"sendNotes": False},
    )

    changed = answer.get_json()
    assert answer.status_code == 200
    assert answer.headers["ETag"] == '"2"'
    assert (changed["name"], changed["minSeverity"], changed["quietHoursThreshold"]) == ("Night", "CRITICAL", None)
    assert (changed["sendUpdates"], changed["sendNotes"]) == (False, False)
    assert (changed["enabled"], changed["rev"]) == (True, 2)
    assert changed["config"] == destination.config


def test_an_edit_of_the_address_alone_keeps_the_secret(
    browser: Browsers, destination: Destination, receiver: Receiver
) -> None:
    with Receiver() as other:
        answer = browser("adam").patch(path(destination), {"config": {"url": other.url}})
        browser("adam").post(path(destination, "/test"))

        assert answer.get_json()["config"] == {"url": other.url, "secretHint": "…GKYo"}
        assert other.requests[0].verified(SECRET)
    assert receiver.requests == []


def test_a_stale_revision_changes_and_deletes_nothing(browser: Browsers, destination: Destination) -> None:
    adam = browser("adam")
    adam.patch(path(destination), {"name": "First"})

    edited = adam.patch(path(destination), {"name": "Second"}, headers={"If-Match": '"1"'})
    removed = adam.delete(path(destination), headers={"If-Match": '"1"'})

    assert (edited.status_code, edited.get_json()["code"]) == (412, "rev_mismatch")
    assert (removed.status_code, removed.get_json()["code"]) == (412, "rev_mismatch")
    assert fresh(destination).name == "First"
    assert adam.delete(path(destination), headers={"If-Match": '"2"'}).status_code == 204


def test_a_deleted_destination_is_gone_and_off_the_default_route(
    browser: Browsers, cast: Cast, workspace: str, destination: Destination
) -> None:
    adam = browser("adam")
    other = make_destination(cast.workspace, "http://127.0.0.1:9/")
    route = {"destinationIds": [typeid("dst", each.id) for each in (destination, other)]}
    assert adam.put(f"/v1/workspaces/{workspace}/default-route", route).status_code == 200
    assert adam.get(path(destination)).get_json()["usedBy"]["defaultRoute"] is True

    assert adam.delete(path(destination)).status_code == 204

    assert adam.get(path(destination)).status_code == 404
    assert adam.patch(path(destination), {"name": "X"}).status_code == 404
    assert adam.post(path(destination, "/test")).status_code == 404
    assert [item["id"] for item in adam.get("/v1/destinations").get_json()["items"]] == [typeid("dst", other.id)]
    left = adam.get(f"/v1/workspaces/{workspace}/default-route").get_json()["destinationIds"]
    assert left == [typeid("dst", other.id)]


def test_a_rate_limited_destination_shows_until_when(browser: Browsers, destination: Destination) -> None:
    next_call_at = present().replace(second=0, microsecond=0) + timedelta(minutes=10)
    Destination.update(next_call_at=next_call_at).where(Destination.id == destination.id).execute()

    health = browser("vic").get(f"/v1/destinations/{typeid('dst', destination.id)}").json["health"]

    assert health["state"] == "rate_limited"
    assert health["text"] == f"The service limits calls. Messages wait until {next_call_at:%Y-%m-%dT%H:%M:%SZ}."
