"""The notices of an incident over HTTP: decisions, deliveries, attempts and sent requests (specification 7.7)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import orjson

from inbox.domain.deliveries.notices import NoticeFields, body_text, payload
from inbox.domain.incidents.state_machine import Reason
from inbox.flow.delivery.deliver import deliver
from inbox.flow.routing.route import route
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery, Notice
from inbox.models.incidents.tables import Incident
from inbox.services.deliveries import replays
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.flow.delivery.test_action_links import LINK, chat
from tests.flow.routing_fixtures import accept, incident, listen
from tests.flow.rulemaking import rule
from tests.stand_ins.outgoing_posts import make_destination, make_incident, owe
from tests.stand_ins.receivers import Answer, Receiver

Browsers = Callable[[str], Browser]


def notices_of(browser: Browser, incident_id: Any, query: str = "") -> dict[str, Any]:
    answer: dict[str, Any] = browser.get(f"/v1/incidents/{typeid('inc', incident_id)}/notices{query}").get_json()
    return answer


def test_a_notice_names_each_destination_with_its_deliveries(browser: Browsers, cast: Cast, receiver: Receiver) -> None:
    receiver.script(Answer(503, b"later"))
    pager = make_destination(cast.workspace, receiver, name="Pager")
    post = make_incident(cast)
    delivery = owe(pager, post, 1)
    listen(cast.workspace, "Chat", routed=False)
    Notice.update(created_at=present()).where(Notice.id == delivery.notice_id).execute()
    listen(cast.workspace, "Later", routed=False)
    Destination.update(created_at=present() + timedelta(hours=1)).where(Destination.name == "Later").execute()
    deliver(present)

    (notice,) = notices_of(browser("vic"), post.id)["items"]

    stated = {each["name"]: each for each in notice["decisions"]}
    assert list(stated) == ["Chat", "Pager"]
    assert (stated["Chat"]["cause"], stated["Chat"]["deliveries"]) == ("not_routed", [])
    assert stated["Pager"]["destination"] == {
        "id": typeid("dst", pager.id), "name": "Pager", "kind": "webhook", "deleted": False,
    }  # fmt: skip
    (sent,) = stated["Pager"]["deliveries"]
    assert (sent["id"], sent["status"], sent["attemptsMax"]) == (typeid("dlv", delivery.id), "retrying", 10)
    assert [attempt["statusCode"] for attempt in sent["attempts"]] == [503]
    assert sent["nextAttemptAt"] is not None
    assert sent["incident"] == {"id": typeid("inc", post.id), "number": post.number, "title": post.title}
    (request,) = receiver.requests
    assert notice["body"] == request.body.decode()
    shown, real = sent["requestHeaders"], {name.lower(): value for name, value in request.headers.items()}
    assert shown["webhook-id"] == real["webhook-id"]
    assert shown["webhook-signature"] == "v1,[REDACTED]"
    assert real["webhook-signature"] not in orjson.dumps(notice).decode()


def test_repeats_do_not_hide_the_notices(browser: Browsers, cast: Cast) -> None:
    listen(cast.workspace, "Pager")
    rule(cast.workspace, name="Everything")
    first = accept(cast.source, present(), severity="ERROR")
    for _ in range(30):
        accept(cast.source, present(), severity="ERROR")
    route(present)
    found = incident(first)

    page = notices_of(browser("vic"), found.id, "?limit=5")

    assert [each["reason"] for each in page["items"]] == ["opened"]
    assert page["nextCursor"] is None
    assert page["items"][0]["reasons"][0] == 'Matched rule "Everything": any event.'
    alone = browser("vic").get(f"/v1/notices/{page['items'][0]['id']}").get_json()
    assert orjson.loads(alone["body"])["data"]["dedupKey"] == "disk"
    assert {**alone, "body": ""} == {**page["items"][0], "body": ""}


def test_an_explanation_is_narrowed_to_events_or_notices(browser: Browsers, cast: Cast) -> None:
    listen(cast.workspace, "Pager")
    first = accept(cast.source, present(), severity="ERROR")
    accept(cast.source, present(), severity="ERROR")
    route(present)
    base = f"/v1/incidents/{typeid('inc', incident(first).id)}/explain"

    def kinds(query: str) -> list[str]:
        return [each["kind"] for each in browser("vic").get(f"{base}?{query}").get_json()["items"]]

    assert kinds("kind=notice") == ["notice"]
    assert kinds("kind=event&limit=1") == ["event"]
    assert kinds("kind=event") == ["event", "event"]
    assert browser("vic").get(f"{base}?kind=event&offset=0").get_json()["total"] == 2
    assert browser("vic").get(f"{base}?kind=other").status_code == 422


def test_a_deleted_destination_keeps_its_name(browser: Browsers, cast: Cast, receiver: Receiver) -> None:
    post = make_incident(cast)
    decided = [{"destinationId": "", "name": "Pager", "decision": "notify"}]
    pager = make_destination(cast.workspace, receiver, name="Pager", deleted_at=present())
    delivery = owe(pager, post, 1, status="sent", due_at=None, settled_at=present())
    decided[0]["destinationId"] = typeid("dst", pager.id)
    Notice.update(decisions=decided).where(Notice.id == delivery.notice_id).execute()

    ((decision,),) = (each["decisions"] for each in notices_of(browser("vic"), post.id)["items"])
    assert decision["destination"] == {
        "id": typeid("dst", pager.id), "name": "Pager", "kind": "webhook", "deleted": True,
    }  # fmt: skip

    Destination.delete().where(Destination.id == pager.id).execute()
    ((decision,),) = (each["decisions"] for each in notices_of(browser("vic"), post.id)["items"])
    assert (decision["destination"]["name"], decision["destination"]["kind"]) == ("Pager", None)


def test_replays_are_listed_with_the_original(browser: Browsers, cast: Cast, receiver: Receiver) -> None:
    post = make_incident(cast)
    pager = make_destination(cast.workspace, receiver, name="Pager")
    delivery = owe(pager, post, 1, status="failed", due_at=None, settled_at=present())
    decided = [{"destinationId": typeid("dst", pager.id), "name": "Pager", "decision": "notify"}]
    Notice.update(decisions=decided).where(Notice.id == delivery.notice_id).execute()
    repeated = replays.replay(delivery, now=present() + timedelta(seconds=1))

    ((decision,),) = (each["decisions"] for each in notices_of(browser("vic"), post.id)["items"])

    assert [(each["id"], each["replayOf"]) for each in decision["deliveries"]] == [
        (typeid("dlv", delivery.id), None),
        (typeid("dlv", repeated.id), typeid("dlv", delivery.id)),
    ]


def test_a_test_is_a_notice_of_its_destination(browser: Browsers, cast: Cast, receiver: Receiver) -> None:
    pager = make_destination(cast.workspace, receiver, name="Pager")
    assert browser("adam").post(f"/v1/destinations/{typeid('dst', pager.id)}/test", {}).status_code == 200
    sent = Delivery.get(Delivery.destination_id == pager.id)

    notice = browser("vic").get(f"/v1/notices/{typeid('ntc', sent.notice_id)}").get_json()

    assert (notice["reason"], notice["incidentId"], notice["reasons"]) == ("test", None, [])
    assert [(each["name"], each["status"]) for each in notice["decisions"]] == [("Pager", "sent")]


def test_notices_of_another_workspace_are_not_found(browser: Browsers, cast: Cast, receiver: Receiver) -> None:
    delivery = owe(make_destination(cast.workspace, receiver), make_incident(cast), 1)

    assert browser("eve").get(f"/v1/notices/{typeid('ntc', delivery.notice_id)}").status_code == 404


def test_keys_in_a_body_are_masked(browser: Browsers, cast: Cast, receiver: Receiver) -> None:
    secret = "whsec_" + "A" * 43
    body = '{"type":"incident.opened","data":{"v":1,"title":"' + secret + '","severity":"ERROR","state":"open"}}'
    delivery = owe(make_destination(cast.workspace, receiver), make_incident(cast), 1, body=body)

    notice = browser("vic").get(f"/v1/notices/{typeid('ntc', delivery.notice_id)}").get_json()

    assert secret not in notice["body"]
    assert "[REDACTED]" in notice["body"]


def test_an_attempt_has_the_exact_requests_of_a_webhook(browser: Browsers, cast: Cast, receiver: Receiver) -> None:
    receiver.script(Answer(503))
    delivery = owe(make_destination(cast.workspace, receiver, name="Pager"), make_incident(cast), 1)
    deliver(present)
    Destination.update(config={"url": "https://example.org/moved", "secretHint": "…"}).execute()

    (sent,) = requests_of(browser("vic"), delivery)

    (real,) = receiver.requests
    assert (sent["method"], sent["url"], sent["body"]) == ("POST", receiver.url, real.body.decode())
    assert sent["headers"] == {
        "content-type": real.headers["content-type"],
        "webhook-id": real.headers["webhook-id"],
        "webhook-timestamp": real.headers["webhook-timestamp"],
        "webhook-signature": "v1,[REDACTED]",
    }


def test_an_attempt_has_the_exact_requests_of_a_service(browser: Browsers, cast: Cast, receiver: Receiver) -> None:
    receiver.answer = lambda request: Answer(200, b"{}")
    incident, destination = make_incident(cast), chat(cast, receiver)
    delivery = owe(destination, incident, 1, body=opened(incident))
    deliver(present)

    (sent,) = requests_of(browser("vic"), delivery)

    (real,) = receiver.requests
    tokens = LINK.findall(real.body.decode())
    assert len(tokens) == 2
    expected = real.body.decode()
    for token in tokens:
        expected = expected.replace(token, "[REDACTED]")
    assert (sent["method"], sent["body"]) == ("POST", expected)
    assert sent["url"].startswith(f"http://127.0.0.1:{receiver.port}/")
    assert (
        "requests" not in browser("vic").get(f"/v1/deliveries/{typeid('dlv', delivery.id)}").get_json()["attempts"][0]
    )


def opened(incident: Incident) -> str:
    about = NoticeFields(
        title="Disk full", severity="ERROR", state="open", source_name="Backups", workspace_name="Home",
        incident_id=typeid("inc", incident.id), first_seen_at=present(), url="https://inbox.example.org/w/home",
    )  # fmt: skip
    return body_text(payload(Reason.OPENED, about, present()))


def requests_of(browser: Browser, delivery: Delivery) -> list[dict[str, Any]]:
    (notice,) = notices_of(browser, delivery.incident_id)["items"]
    found = [each for decision in notice["decisions"] for each in decision["deliveries"]]
    return [request for each in found for attempt in each["attempts"] for request in attempt["requests"]]
