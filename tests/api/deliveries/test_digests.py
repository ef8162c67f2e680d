"""Digests over HTTP: the setting, the deliveries, and what explanations say (specification 9.16)."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.flow.delivery.deliver import deliver
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from inbox.models.incidents.tables import Timer
from inbox.models.workspaces.tables import Workspace
from tests.api.deliveries.destinations_steps import Browsers, path
from tests.cast import NOW, Cast, present, typeid
from tests.flow.notices.digest_steps import FULL_HOUR, HOURLY, make_gotify
from tests.flow.routing_fixtures import incident, route_to, routed
from tests.stand_ins.outgoing_posts import fresh, make_destination
from tests.stand_ins.receivers import Receiver


@pytest.fixture
def chat(cast: Cast, receiver: Receiver) -> Destination:
    destination = make_gotify(cast.workspace, receiver, digest=HOURLY)
    route_to(cast.workspace, [destination])
    return destination


@pytest.mark.parametrize("setting", [None, {"every": "15_minutes"}, {"every": "hour"}, {"every": "day", "at": "18:00"}])
def test_an_administrator_chooses_digests(browser: Browsers, chat: Destination, setting: dict[str, str] | None) -> None:
    answer = browser("adam").patch(path(chat), {"digest": setting})
    assert (answer.status_code, answer.get_json()["digest"]) == (200, setting)
    assert fresh(chat).digest == setting


@pytest.mark.parametrize(
    ("setting", "pointer"),
    [
        ({"every": "week"}, "/digest/every"),
        ({"every": "day"}, "/digest/at"),
        ({"every": "hour", "at": "18:00"}, "/digest/at"),
        ({"every": "day", "at": "24:00"}, "/digest/at"),
        ({"every": "day", "at": "18:00\n"}, "/digest/at"),
        ({"at": "18:00"}, "/digest/every"),
        ("hour", "/digest"),
    ],
)
def test_a_wrong_setting_is_refused_by_its_pointer(
    browser: Browsers, chat: Destination, setting: Any, pointer: str
) -> None:
    answer = browser("adam").patch(path(chat), {"digest": setting})
    assert answer.status_code == 422
    assert pointer in [each["pointer"] for each in answer.get_json()["errors"]]


def test_a_webhook_has_no_digests(browser: Browsers, cast: Cast, receiver: Receiver) -> None:
    pager = make_destination(cast.workspace, receiver)
    answer = browser("adam").patch(path(pager), {"digest": HOURLY})
    assert answer.status_code == 422
    assert [each["pointer"] for each in answer.get_json()["errors"]] == ["/digest"]
    assert browser("adam").patch(path(pager), {"digest": None}).status_code == 200


def test_a_member_and_a_stranger_do_not_choose(browser: Browsers, chat: Destination) -> None:
    assert browser("mia").patch(path(chat), {"digest": None}).status_code == 403
    assert browser("eve").patch(path(chat), {"digest": None}).status_code == 404
    assert fresh(chat).digest == HOURLY


def test_turning_digests_off_sends_waiting_notices_and_checks_again_later(
    browser: Browsers, cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    for key in ("a", "b"):
        routed(cast.source, key=key)

    browser("adam").patch(path(chat), {"digest": None})
    deliver(lambda: NOW)

    assert len(receiver.requests) == 1
    assert "2 notices about 2 incidents" in receiver.requests[0].json["title"]
    assert Timer.select().where(Timer.kind == "workspace.quiet_recheck_late").count() == 1


def test_a_new_time_zone_moves_waiting_digests(browser: Browsers, cast: Cast, chat: Destination) -> None:
    routed(cast.source)
    Destination.update(digest={"every": "day", "at": "12:00"}).execute()
    workspace = f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}"
    browser("olga").patch(workspace, {"timezone": "Europe/Berlin"})
    assert Workspace.get_by_id(cast.workspace.id).timezone == "Europe/Berlin"
    assert Timer.select().where(Timer.kind == "workspace.quiet_recheck").count() == 1


def test_a_gathered_delivery_names_its_digest_and_the_digest_its_deliveries(
    browser: Browsers, cast: Cast, chat: Destination
) -> None:
    for key in ("a", "b"):
        routed(cast.source, key=key)
    deliver(lambda: FULL_HOUR)
    digest = Delivery.get(Delivery.reason == "digest")
    id = typeid("dlv", digest.id)

    read = browser("vic").get(f"/v1/deliveries/{id}").get_json()
    listed = browser("vic").get(f"/v1/deliveries?digestId={id}").get_json()["items"]

    assert (read["reason"], read["status"], read["gathered"], read["digest"]) == ("digest", "sent", 2, None)
    assert [(each["status"], each["cause"], each["gathered"]) for each in listed] == [("gathered", "digest", None)] * 2
    assert {each["digest"]["deliveryId"] for each in listed} == {id}
    assert {each["digest"]["status"] for each in listed} == {"sent"}
    assert browser("eve").get(f"/v1/deliveries?digestId={id}").get_json()["items"] == []


def test_the_notice_of_a_digest_can_be_read(browser: Browsers, cast: Cast, chat: Destination) -> None:
    routed(cast.source)
    deliver(lambda: FULL_HOUR)
    digest = Delivery.get(Delivery.reason == "digest")

    notice = browser("vic").get(f"/v1/notices/{typeid('ntc', digest.notice_id)}").get_json()

    assert notice["text"] == "Digest of 2026-11-21T10:00:00Z: 1 notice about 1 incident."
    assert [each["text"] for each in notice["decisions"]] == ["A digest was sent to Chat."]
    assert notice["decisions"][0]["deliveries"][0]["attempts"][0]["requests"]


@pytest.mark.parametrize(
    ("status", "text"),
    [
        ("pending", "A digest is being sent to Chat."),
        ("held", "A digest is being sent to Chat."),
        ("failed", "A digest was not delivered to Chat."),
        ("expired", "A digest was not delivered to Chat."),
    ],
)
def test_the_notice_of_a_digest_shows_the_status_of_its_delivery(
    browser: Browsers, cast: Cast, chat: Destination, status: str, text: str
) -> None:
    routed(cast.source)
    deliver(lambda: FULL_HOUR)
    digest = Delivery.get(Delivery.reason == "digest")
    Delivery.update(status=status).where(Delivery.id == digest.id).execute()

    notice = browser("vic").get(f"/v1/notices/{typeid('ntc', digest.notice_id)}").get_json()
    assert [each["text"] for each in notice["decisions"]] == [text]


def test_the_explanation_of_a_digested_notice_shows_its_wait_and_its_result(
    browser: Browsers, cast: Cast, chat: Destination
) -> None:
    existing = incident(routed(cast.source).id)
    address = f"/v1/incidents/{typeid('inc', existing.id)}/notices"

    (waiting,) = browser("vic").get(address).get_json()["items"]
    assert waiting["decisions"][0]["text"] == (
        "Chat is not notified yet: it waits for the digest of 2026-11-21T10:00:00Z."
    )
    assert waiting["text"].endswith("Pending: Chat.")

    deliver(lambda: FULL_HOUR)
    (gathered,) = browser("vic").get(address).get_json()["items"]
    assert gathered["decisions"][0]["text"] == (
        "Included in the digest of 2026-11-21T10:00:00Z. Chat was notified at 2026-11-21T10:00:00Z."
    )
    assert gathered["decisions"][0]["deliveries"][0]["digest"]["status"] == "sent"
    assert gathered["text"].endswith("Notified: Chat.")


def test_a_gathered_delivery_can_be_replayed_on_its_own(
    browser: Browsers, cast: Cast, chat: Destination, receiver: Receiver
) -> None:
    routed(cast.source)
    deliver(lambda: FULL_HOUR)
    gathered = Delivery.get(Delivery.reason == "opened")

    answer = browser("adam").post(f"/v1/deliveries/{typeid('dlv', gathered.id)}/replay")
    assert answer.status_code == 201
    deliver(present)

    assert [request.json["title"][2:] for request in receiver.requests] == [
        "DIGEST · 1 notice about 1 incident",
        "ERROR · Disk full",
    ]
