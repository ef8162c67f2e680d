"""Deliveries over HTTP: filters, attempts, replays and permissions (specification 9.5)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from inbox.database.base import new_id
from inbox.domain.values import times
from inbox.flow.delivery.deliver import deliver
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery, DeliveryAttempt
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.stand_ins.outgoing_posts import fresh, make_destination, make_due, make_incident, owe
from tests.stand_ins.receivers import Answer, Receiver

Browsers = Callable[[str], Browser]


def path(delivery: Delivery, act: str = "") -> str:
    return f"/v1/deliveries/{typeid('dlv', delivery.id)}{act}"


def failed_attempt(shown: dict[str, Any]) -> dict[str, Any]:
    """An attempt that was answered 503, at the time and with the duration of the shown one."""
    times_of = {name: shown[name] for name in ("at", "durationMs")}
    return {**times_of, "statusCode": 503, "error": "http_503", "responseExcerpt": "", "note": None}


def test_a_delivery_is_shown_with_each_attempt(
    browser: Browsers, cast: Cast, destination: Destination, receiver: Receiver
) -> None:
    receiver.script(Answer(503, b"later"))
    delivery = owe(destination, make_incident(cast), 1)
    deliver(present)

    shown = browser("vic").get(path(delivery)).get_json()

    assert shown == {
        "id": typeid("dlv", delivery.id),
        "workspaceId": typeid("wsp", cast.workspace.id),
        "noticeId": typeid("ntc", delivery.notice_id),
        "incidentId": typeid("inc", delivery.incident_id),
        "incident": {**shown["incident"], "id": typeid("inc", delivery.incident_id), "title": "Disk full"},
        "destinationId": typeid("dst", destination.id),
        "destination": {"id": typeid("dst", destination.id), "name": "Receiver", "kind": "webhook", "deleted": False},
        "reason": "opened",
        "status": "retrying",
        "attempts": [failed_attempt(shown["attempts"][0])],
        "attemptsMax": 10,
        "nextAttemptAt": times.rfc3339(fresh(delivery).due_at),
        "cause": "http_503",
        "replayOf": None,
        "digest": None,
        "gathered": None,
        "createdAt": times.rfc3339(delivery.created_at),
        "settledAt": None,
    }
    make_due(delivery)
    deliver(present)
    settled = browser("vic").get(path(delivery)).get_json()
    assert [attempt["statusCode"] for attempt in settled["attempts"]] == [503, 200]
    assert (settled["status"], settled["nextAttemptAt"], settled["cause"]) == ("sent", None, None)


def test_the_excerpt_that_was_kept_of_an_answer_is_shown(browser: Browsers, destination: Destination) -> None:
    delivery = owe(destination)
    deliver(present)
    DeliveryAttempt.update(excerpt="no such channel").where(DeliveryAttempt.delivery == delivery.id).execute()

    (attempt,) = browser("vic").get(path(delivery)).get_json()["attempts"]

    assert attempt["responseExcerpt"] == "no such channel"


def test_a_call_that_is_open_has_no_next_attempt_yet(browser: Browsers, destination: Destination) -> None:
    delivery = owe(destination, status="sending", attempt=1, due_at=present() + timedelta(seconds=45))

    assert browser("vic").get(path(delivery)).get_json()["nextAttemptAt"] is None


def test_the_list_is_newest_first_and_takes_filters(
    browser: Browsers, cast: Cast, destination: Destination, receiver: Receiver
) -> None:
    now, incident = present(), make_incident(cast)
    other = make_destination(cast.workspace, receiver)
    old = owe(destination, created_at=now - timedelta(hours=2), status="failed", due_at=None, settled_at=now)
    reported = owe(other, incident, 1, created_at=now - timedelta(hours=1))
    new = owe(destination, incident, 2, created_at=now, reason="resolved")
    vic = browser("vic")

    def found(query: str) -> list[str]:
        return [item["id"] for item in vic.get(f"/v1/deliveries?{query}").get_json()["items"]]

    def named(*deliveries: Delivery) -> list[str]:
        return [typeid("dlv", delivery.id) for delivery in deliveries]

    assert found("") == named(new, reported, old)
    assert found("order=asc") == named(old, reported, new)
    assert found(f"destinationId={typeid('dst', destination.id)}") == named(new, old)
    assert found(f"incidentId={typeid('inc', incident.id)}") == named(new, reported)
    assert found("status=failed") == named(old)
    assert found("status=failed&status=pending") == named(new, reported, old)
    assert found("reason=resolved") == named(new)
    assert found("reason=resolved&reason=opened&status=pending") == named(new, reported)
    both = "&".join(f"destinationId={typeid('dst', each.id)}" for each in (other, destination, other))
    assert found(both) == named(new, reported, old)
    assert found(f"{both}&order=asc&limit=2") == named(old, reported)
    assert found(f"{both}&status=failed&status=sent") == named(old)
    assert found(f"since={times.rfc3339(now - timedelta(minutes=90))}") == named(new, reported)
    assert found(f"until={times.rfc3339(now - timedelta(minutes=90))}") == named(old)
    assert found(f"workspaceId={typeid('wsp', cast.workspace.id)}&limit=1") == named(new)
    assert found(f"workspaceId={typeid('wsp', cast.foreign.id)}") == []


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("of", ["", "destinationId={destination}", "incidentId={incident}&destinationId={destination}"])
@pytest.mark.parametrize(
    "query", ["", "status=failed", "reason=resolved&since={since}", "until={since}&status=pending"]
)
def test_pages_of_a_long_list_together_equal_the_list(
    browser: Browsers, cast: Cast, destination: Destination, receiver: Receiver, of: str, query: str, order: str
) -> None:
    now, incident, other = present(), make_incident(cast), make_destination(cast.workspace, receiver)
    for place in range(24):
        about: dict[str, Any] = {
            "created_at": now - timedelta(hours=place),
            "reason": ("opened", "resolved")[place % 2],
        }
        if place % 5 == 4:
            about |= {"status": "failed", "due_at": None, "settled_at": now}
        owe((destination, other)[place % 3 % 2], *([incident, place + 1] if place % 4 else []), **about)
    names = {"destination": typeid("dst", destination.id), "incident": typeid("inc", incident.id)}
    requested = f"{of}&{query}".format(**names, since=times.rfc3339(now - timedelta(hours=9))).strip("&")
    requested = f"/v1/deliveries?order={order}&limit=2&{requested}".rstrip("&")
    found, cursor, vic = [], "", browser("vic")
    while cursor is not None:
        page = vic.get(requested + (f"&cursor={cursor}" if cursor else "")).get_json()
        found, cursor = found + page["items"], page["nextCursor"]

    whole = vic.get(requested.replace("limit=2", "limit=200&offset=0")).get_json()

    assert [item["id"] for item in found] == [item["id"] for item in whole["items"]] != []


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ("status=lost", "status/0"),
        ("status=sent&status=lost", "status/1"),
        ("destinationId=inc_x", "destinationId/0"),
        ("since=yesterday", "since"),
        ("sort=status", "sort"),
        ("x=1", "x"),
    ],
)
def test_a_filter_that_cannot_be_is_refused(browser: Browsers, query: str, wrong: str) -> None:
    answer = browser("vic").get(f"/v1/deliveries?{query}")

    assert answer.status_code == 422
    assert answer.get_json()["errors"][0]["pointer"] == f"/query/{wrong}"


@pytest.mark.parametrize("status", ["sent", "failed", "skipped", "expired"])
def test_a_settled_delivery_is_sent_again_under_a_new_id(
    browser: Browsers, destination: Destination, receiver: Receiver, status: str
) -> None:
    delivery = owe(destination, status=status, due_at=None, settled_at=present())

    answer = browser("adam").post(path(delivery, "/replay"))
    deliver(present)

    repeated = answer.get_json()
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/v1/deliveries/{repeated['id']}"
    assert (repeated["replayOf"], repeated["status"]) == (typeid("dlv", delivery.id), "pending")
    (request,) = receiver.requests
    assert request.id == repeated["id"] != typeid("dlv", delivery.id)
    assert request.verified()
    assert fresh(delivery).status == status


@pytest.mark.parametrize("status", ["pending", "sending", "retrying", "held"])
def test_a_delivery_on_its_way_is_not_sent_again(browser: Browsers, destination: Destination, status: str) -> None:
    answer = browser("adam").post(path(owe(destination, status=status), "/replay"))

    assert (answer.status_code, answer.get_json()["code"]) == (409, "conflict")
    assert Delivery.select().count() == 1


@pytest.mark.parametrize("change", [{"enabled": False}, {"deleted_at": present()}])
def test_a_delivery_is_not_replayed_to_a_disabled_or_deleted_destination(
    browser: Browsers, destination: Destination, change: dict[str, Any]
) -> None:
    delivery = owe(destination, status="failed", due_at=None, settled_at=present())
    Destination.update(**change).execute()

    assert browser("adam").post(path(delivery, "/replay")).status_code == 409


def test_a_delivery_replayed_to_a_stopped_destination_is_held(
    browser: Browsers, destination: Destination, receiver: Receiver
) -> None:
    delivery = owe(destination, status="failed", due_at=None, settled_at=present())
    Destination.update(stopped_at=present(), stopped_reason="http_401").execute()

    repeated = browser("adam").post(path(delivery, "/replay")).get_json()
    deliver(present)

    assert (repeated["status"], repeated["cause"]) == ("held", "stopped")
    assert receiver.requests == []


def test_a_replay_delays_no_notice_of_today(
    browser: Browsers, cast: Cast, destination: Destination, receiver: Receiver
) -> None:
    incident = make_incident(cast)
    old = owe(destination, incident, 1, status="failed", due_at=None, settled_at=present())
    receiver.script(500)
    browser("adam").post(path(old, "/replay"))
    deliver(present)
    today = owe(destination, incident, 2)

    deliver(present)

    assert fresh(today).status == "sent"


@pytest.mark.parametrize("name", ["mia", "vic"])
def test_only_administrators_replay_deliveries(browser: Browsers, destination: Destination, name: str) -> None:
    delivery = owe(destination, status="failed", due_at=None, settled_at=present())

    answer = browser(name).post(path(delivery, "/replay"))

    assert (answer.status_code, answer.get_json()["requiredRole"]) == (403, "admin")


def test_eve_finds_no_record_of_another_workspace(browser: Browsers, destination: Destination) -> None:
    delivery = owe(destination, status="failed", due_at=None, settled_at=present())
    eve = browser("eve")

    for address in (path(delivery), f"/v1/deliveries/{typeid('dlv', new_id())}"):
        assert eve.get(address).status_code == 404
        assert eve.post(f"{address}/replay").status_code == 404
    assert eve.get("/v1/deliveries").get_json()["items"] == []
    assert eve.get(f"/v1/deliveries?destinationId={typeid('dst', destination.id)}").get_json()["items"] == []
