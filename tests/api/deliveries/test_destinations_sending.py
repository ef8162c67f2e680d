"""Test sends, lists and replays of destinations over HTTP, with permissions (specification 9.3)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from inbox.config import settings as settings_module
from inbox.config.settings import Settings
from inbox.database.base import db, new_id
from inbox.domain.values import times
from inbox.flow.delivery.deliver import deliver
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from tests.api.deliveries.destinations_steps import (
    Browsers,
    new,
    path,
    workspace,  # noqa: F401
)
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.stand_ins.outgoing_posts import fresh, make_destination, owe
from tests.stand_ins.receivers import Answer, Receiver


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
    assert receipt["request"]["body"] == request.body.decode()
    assert (receipt["request"]["method"], receipt["request"]["url"]) == ("POST", receiver.url)
    assert receipt["request"]["headers"]["webhook-id"] == request.id
    assert receipt["request"]["headers"]["webhook-signature"] == "[REDACTED]"
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

    assert (first.status_code, first.get_json()) == (202, {"deliveries": 2, "more": False, "stale": 0})
    assert second.get_json() == {"deliveries": 0, "more": False, "stale": 0}
    assert len(receiver.requests) == 2
    repeated = Delivery.select().where(Delivery.replay_of.is_null(False)).order_by(Delivery.id)
    assert [row.replay_of for row in repeated] == [failed[1].id, failed[2].id]
    assert [row.status for row in repeated] == ["sent", "sent"]


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
def test_only_administrators_change_test_and_replay_destinations(
    browser: Browsers, destination: Destination, receiver: Receiver, name: str, method: str, act: str, body: Any
) -> None:
    answer = browser(name).call(method, path(destination, act), body)

    assert answer.status_code == 403
    assert answer.get_json()["requiredRole"] == "admin"
    assert browser(name).get(path(destination)).status_code == 200
    assert receiver.requests == []


@pytest.mark.parametrize(("method", "act", "body"), [("GET", "", None), *WRITES])
def test_eve_finds_no_record_of_another_workspace(
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


def test_changes_are_reported_on_the_stream(browser: Browsers, workspace: str, receiver: Receiver) -> None:
    adam = browser("adam")
    made = adam.post("/v1/destinations", new(workspace, receiver)).get_json()
    adam.patch(f"/v1/destinations/{made['id']}", {"name": "X"})
    adam.delete(f"/v1/destinations/{made['id']}")

    rows = db.execute_sql("SELECT jsonb_array_elements(refs) FROM change_feed ORDER BY seq").fetchall()
    reported = [row[0] for row in rows if row[0].get("id") == made["id"]]
    assert [(each["op"], each["rev"]) for each in reported] == [("created", 1), ("changed", 2), ("deleted", 3)]
