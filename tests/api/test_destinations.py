"""Destinations over HTTP: what may be set, what is shown, who may; tests and replays (specification 9.3)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from inbox import settings as settings_module
from inbox.domain import times
from inbox.domain.addresses import Deny
from inbox.flow.delivery.deliver import deliver
from inbox.models.sql.base import db, new_id
from inbox.models.tables.destinations import Destination
from inbox.models.tables.notices import Delivery
from inbox.settings import Settings
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.outgoing_posts import fresh, make_destination, owe
from tests.receivers import SECRET, Answer, Receiver

Browsers = Callable[[str], Browser]
NEW_SECRET = "whsec_bmV3LXNlY3JldC1uZXctc2VjcmV0LW5ldy1zZWNyZXQ="


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def workspace(cast: Cast) -> str:
    return typeid("wsp", cast.workspace.id)


@pytest.fixture
def destination(cast: Cast, receiver: Receiver) -> Destination:
    return make_destination(cast.workspace, receiver)


def path(destination: Destination, act: str = "") -> str:
    return f"/v1/destinations/{typeid('dst', destination.id)}{act}"


def new(workspace: str, receiver: Receiver, **changes: Any) -> dict[str, Any]:
    config = {"url": receiver.url, "secret": SECRET}
    return {"workspaceId": workspace, "name": "On-call", "kind": "webhook", "config": config, **changes}


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
        "minSeverity": None,
        "quietHoursThreshold": "CRITICAL",
        "stopped": None,
        "usedBy": {
            "defaultRoute": False,
            "rules": [],
            "rulesTotal": 0,
            "routingProfiles": [],
            "routingProfilesTotal": 0,
        },
        "lastDelivery": {"status": "none", "at": None, "reason": None, "deliveryId": None},
        "createdAt": made["createdAt"],
        "rev": 1,
    }
    assert browser("vic").get(f"/v1/destinations/{made['id']}").get_json() == made


def test_the_secret_is_sealed_at_rest_and_in_no_answer_or_log(
    browser: Browsers, workspace: str, receiver: Receiver, capfd: pytest.CaptureFixture[str]
) -> None:
    adam = browser("adam")
    made = adam.post("/v1/destinations", new(workspace, receiver)).get_json()
    at = f"/v1/destinations/{made['id']}"
    receiver.script(Answer(422, f"wrong secret {SECRET} sent".encode()))
    adam.post(f"{at}/test")
    adam.patch(at, {"config": {"secret": NEW_SECRET}})
    answers = [adam.get(address).text for address in (at, "/v1/destinations", "/v1/deliveries")]
    rows = [json.dumps(db.execute_sql(f"SELECT coalesce(jsonb_agg(t), '[]') FROM {table} t").fetchone()[0])
            for table in ("destinations", "notices", "deliveries", "delivery_attempts", "changes")]  # fmt: skip

    for secret in (SECRET, NEW_SECRET):
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
        ({"config": "https://example.org"}, ["/config"]),
        ({"minSeverity": "LOUD"}, ["/minSeverity"]),
        ({"enabled": "yes"}, ["/enabled"]),
        ({"stopped": None}, ["/stopped"]),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_pointer_and_stores_nothing(
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


def test_an_edit_changes_what_is_given_and_keeps_the_rest(browser: Browsers, destination: Destination) -> None:
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


def test_a_test_sends_one_signed_request_of_type_test_and_answers_its_receipt(
    browser: Browsers, destination: Destination, receiver: Receiver, cast: Cast
) -> None:
    receiver.script(Answer(202, b"taken"))

    answer = browser("adam").post(path(destination, "/test"))

    receipt = answer.get_json()
    (request,) = receiver.requests
    assert answer.status_code == 200
    assert (receipt["status"], receipt["statusCode"], receipt["error"]) == ("sent", 202, None)
    assert receipt["responseExcerpt"] == ""  # the receiver is at a loopback address
    assert request.id == receipt["deliveryId"]
    body = request.verified()
    assert body["type"] == "test"
    assert times.parse(body["timestamp"])
    assert set(body["data"]) == {
        "v", "title", "severity", "state", "sourceName", "resource", "workspaceName", "incidentId", "firstSeenAt",
        "url", "reason",
    }  # fmt: skip
    assert body["data"]["workspaceName"] == cast.workspace.name
    delivery = browser("vic").get(f"/v1/deliveries/{receipt['deliveryId']}").get_json()
    assert (delivery["reason"], delivery["status"], len(delivery["attempts"])) == ("test", "sent", 1)


def test_a_refused_test_says_why_and_shows_as_the_last_delivery(
    browser: Browsers, destination: Destination, receiver: Receiver
) -> None:
    receiver.script(404)

    receipt = browser("adam").post(path(destination, "/test")).get_json()

    assert (receipt["status"], receipt["statusCode"], receipt["error"]) == ("failed", 404, "http_404")
    shown = browser("vic").get(path(destination)).get_json()
    assert shown["stopped"]["reason"] == "http_404"
    assert shown["lastDelivery"] == {
        "status": "failed",
        "at": shown["lastDelivery"]["at"],
        "reason": "http_404",
        "deliveryId": receipt["deliveryId"],
    }


def test_tests_of_a_destination_are_limited_to_ten_a_minute(
    browser: Browsers, destination: Destination, receiver: Receiver, settings: Settings
) -> None:
    settings_module.use(replace(settings, rate_limits=True))
    adam = browser("adam")

    answers = [adam.post(path(destination, "/test")) for _ in range(11)]

    assert [answer.status_code for answer in answers] == [200] * 10 + [429]
    assert answers[-1].get_json()["code"] == "rate_limited"
    assert int(answers[-1].headers["Retry-After"]) >= 1
    assert len(receiver.requests) == 10


def test_the_list_is_computed_at_once_for_all_its_destinations(
    browser: Browsers, cast: Cast, receiver: Receiver
) -> None:
    made = [make_destination(cast.workspace, receiver, name=f"D{number}") for number in range(4)]
    owe(made[1], status="sent", due_at=None, settled_at=present())
    owe(made[2], status="failed", due_at=None, settled_at=present() - timedelta(hours=1), cause="http_500")
    owe(made[2], status="sent", due_at=None, settled_at=present() - timedelta(hours=2))
    owe(made[3], status="skipped", due_at=None, settled_at=present(), cause="disabled")
    statements: list[str] = []
    hook = lambda event, *_: statements.append(event)
    del hook

    items = browser("vic").get("/v1/destinations?sort=name&order=asc").get_json()["items"]

    assert [item["name"] for item in items] == ["D0", "D1", "D2", "D3"]
    last = [(item["lastDelivery"]["status"], item["lastDelivery"]["reason"]) for item in items]
    assert last == [("none", None), ("sent", None), ("failed", "http_500"), ("none", None)]


def counted(browser: Browser, address: str) -> tuple[list[dict[str, Any]], int]:
    """The items of a list, and how many statements they took."""
    statements: list[object] = []
    db.query_hooks.append(statements.append)
    try:
        return browser.get(address).get_json()["items"], len(statements)
    finally:
        db.query_hooks.remove(statements.append)


def test_the_list_is_paged_and_narrowed_to_a_workspace(browser: Browsers, cast: Cast, workspace: str) -> None:
    for number in range(3):
        make_destination(cast.workspace, "http://127.0.0.1:9/", name=f"D{number}")
    vic = browser("vic")

    first = vic.get(f"/v1/destinations?workspaceId={workspace}&sort=name&order=asc&limit=2").get_json()
    rest = vic.get(
        f"/v1/destinations?workspaceId={workspace}&sort=name&order=asc&limit=2&cursor={first['nextCursor']}"
    ).get_json()

    assert [item["name"] for item in first["items"] + rest["items"]] == ["D0", "D1", "D2"]
    assert rest["nextCursor"] is None
    assert vic.get("/v1/destinations?offset=0").get_json()["total"] == 3


def test_failed_deliveries_of_a_time_are_sent_again_once_in_their_order(
    browser: Browsers, destination: Destination, receiver: Receiver
) -> None:
    adam, now = browser("adam"), present()
    failed = [
        owe(destination, status="failed", due_at=None, settled_at=now - timedelta(hours=hours), created_at=now - timedelta(hours=hours))
        for hours in (30, 20, 10)
    ]  # fmt: skip
    owe(destination, status="sent", due_at=None, settled_at=now - timedelta(hours=20))
    owe(destination, status="failed", reason="test", due_at=None, settled_at=now - timedelta(hours=20))
    order = {"since": times.rfc3339(now - timedelta(hours=25))}

    first = adam.post(path(destination, "/replay"), order)
    second = adam.post(path(destination, "/replay"), order)
    deliver(present)

    assert (first.status_code, first.get_json()) == (202, {"deliveries": 2, "more": False})
    assert second.get_json() == {"deliveries": 0, "more": False}
    assert len(receiver.requests) == 2
    again = Delivery.select().where(Delivery.replay_of.is_null(False)).order_by(Delivery.id)
    assert [row.replay_of for row in again] == [failed[1].id, failed[2].id]
    assert [row.status for row in again] == ["sent", "sent"]


@pytest.mark.parametrize(("since", "until", "pointer"), [(15 * 24, 0, "/since"), (1, 2, "/until")])
def test_a_replay_reaches_back_fourteen_days_and_not_backwards(
    browser: Browsers, destination: Destination, since: int, until: int, pointer: str
) -> None:
    order = {
        "since": times.rfc3339(present() - timedelta(hours=since)),
        "until": times.rfc3339(present() - timedelta(hours=until)),
    }

    answer = browser("adam").post(path(destination, "/replay"), order)

    assert answer.status_code == 422
    assert [error["pointer"] for error in answer.get_json()["errors"]] == [pointer]


WRITES = [("PATCH", "", {"name": "X"}), ("DELETE", "", None), ("POST", "/test", None),
          ("POST", "/replay", {"since": "2026-11-21T00:00:00Z"})]  # fmt: skip


@pytest.mark.parametrize(("method", "act", "body"), WRITES)
@pytest.mark.parametrize("name", ["mia", "vic"])
def test_who_is_no_administrator_reads_only(
    browser: Browsers, destination: Destination, receiver: Receiver, name: str, method: str, act: str, body: Any
) -> None:
    answer = browser(name).call(method, path(destination, act), body)

    assert answer.status_code == 403
    assert answer.get_json()["requiredRole"] == "admin"
    assert browser(name).get(path(destination)).status_code == 200
    assert receiver.requests == []


@pytest.mark.parametrize(("method", "act", "body"), [("GET", "", None), *WRITES])
def test_eve_finds_nothing(
    browser: Browsers, destination: Destination, receiver: Receiver, method: str, act: str, body: Any
) -> None:
    eve = browser("eve")

    assert eve.call(method, path(destination, act), body).status_code == 404
    assert eve.call(method, f"/v1/destinations/{typeid('dst', new_id())}{act}", body).status_code == 404
    assert receiver.requests == []
    assert fresh(destination).rev == 1


def test_eve_neither_sees_nor_makes_destinations_of_others(
    browser: Browsers, workspace: str, destination: Destination, receiver: Receiver
) -> None:
    eve = browser("eve")

    assert eve.get("/v1/destinations").get_json()["items"] == []
    foreign = eve.post("/v1/destinations", new(workspace, receiver))
    unknown = eve.post("/v1/destinations", new(typeid("wsp", new_id()), receiver))
    assert (foreign.status_code, unknown.status_code) == (422, 422)
    assert foreign.get_json()["errors"] == unknown.get_json()["errors"]
    assert browser("mia").post("/v1/destinations", new(workspace, receiver)).status_code == 403


def test_changes_are_told_on_the_stream(browser: Browsers, workspace: str, receiver: Receiver) -> None:
    adam = browser("adam")
    made = adam.post("/v1/destinations", new(workspace, receiver)).get_json()
    adam.patch(f"/v1/destinations/{made['id']}", {"name": "X"})
    adam.delete(f"/v1/destinations/{made['id']}")

    rows = db.execute_sql("SELECT jsonb_array_elements(refs) FROM change_feed ORDER BY seq").fetchall()
    told = [row[0] for row in rows if row[0].get("id") == made["id"]]
    assert [(each["op"], each["rev"]) for each in told] == [("created", 1), ("changed", 2), ("deleted", 3)]
