"""CloudEvents over HTTP in their three content modes (specification 19.12)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from inbox.config.settings import Settings
from inbox.flow.routing.route import route
from inbox.models.events.tables import Event
from inbox.models.incidents.tables import Incident
from tests.api.events.senders import only_event
from tests.browser import sound
from tests.cast import Cast, present

PATH = "/v1/compat/cloudevents"
STRUCTURED, BATCHED = "application/cloudevents+json; charset=utf-8", "application/cloudevents-batch+json"
EVENT: dict[str, Any] = {
    "specversion": "1.0",
    "id": "A-7",
    "source": "/backup/nas1",
    "type": "job.failed",
    "severity": "error",
    "data": {"title": "Backup failed"},
}


def send(app: Flask, key: str, content_type: str, body: Any, **headers: str) -> TestResponse:
    sent = {"Authorization": f"Bearer {key}", "Content-Type": content_type} | headers
    data = body if isinstance(body, bytes) else json.dumps(body)
    answer = app.test_client().post(PATH, headers=sent, data=data)
    sound(answer)
    return answer


def binary(**more: str) -> dict[str, str]:
    return {f"ce-{name}": value for name, value in EVENT.items() if name != "data"} | more


@pytest.mark.parametrize("content_type", [STRUCTURED, "application/cloudevents", "application/json"])
def test_a_structured_event_is_stored(app: Flask, cast: Cast, content_type: str) -> None:
    answer = send(app, cast.key, content_type, EVENT)

    event = only_event()
    assert (answer.status_code, answer.get_json()["events"][0]["status"]) == (202, "accepted")
    assert (event.title, event.severity, event.type) == ("Backup failed", "ERROR", "job.failed")


@pytest.mark.parametrize("content_type", [BATCHED, "application/json"])
def test_a_batch_is_stored(app: Flask, cast: Cast, content_type: str) -> None:
    events = [{**EVENT, "id": str(number)} for number in range(101)]

    receipts = send(app, cast.key, content_type, events).get_json()["events"]

    assert [receipt["index"] for receipt in receipts] == list(range(101))
    assert Event.select().count() == 101


def test_an_empty_batch_is_accepted(app: Flask, cast: Cast) -> None:
    answer = send(app, cast.key, BATCHED, [])
    assert (answer.status_code, answer.get_json()) == (202, {"events": [], "faults": []})


@pytest.mark.parametrize(
    ("content_type", "body", "title", "text"),
    [("application/json", b'{"title": "Backup failed"}', "Backup failed", None),
     ("application/vnd.example+json", b'{"title": "Backup failed"}', "Backup failed", None),
     ("text/plain", b"exit 2", "job.failed", "exit 2"), ("application/octet-stream", b"\x00\xff", "job.failed", None),
     ("", b"", "job.failed", None)],
)  # fmt: skip
def test_a_binary_event_is_stored(
    app: Flask, cast: Cast, content_type: str, body: bytes, title: str, text: str | None
) -> None:
    assert send(app, cast.key, content_type, body, **binary()).status_code == 202

    event = only_event()
    assert (event.title, event.body, event.resource) == (title, text, "source:/backup/nas1")


def test_an_event_that_is_sent_again_is_a_duplicate_in_each_mode(app: Flask, cast: Cast) -> None:
    sent = [send(app, cast.key, STRUCTURED, EVENT), send(app, cast.key, STRUCTURED, EVENT)]
    sent.append(send(app, cast.key, BATCHED, [EVENT]))
    assert [answer.get_json()["events"][0]["status"] for answer in sent] == ["accepted", "duplicate", "duplicate"]


def test_a_resolve_closes_the_incident(app: Flask, cast: Cast) -> None:
    for number, action in enumerate(("trigger", "resolve")):
        sent = {**EVENT, "id": str(number), "action": action}
        assert send(app, cast.key, STRUCTURED, sent).status_code == 202
    route(present)
    assert Incident.get().state == "resolved"


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "application/xml"])
def test_a_body_in_no_content_mode_is_415(app: Flask, cast: Cast, content_type: str) -> None:
    assert send(app, cast.key, content_type, EVENT).status_code == 415


@pytest.mark.parametrize(
    ("content_type", "body", "status"),
    [(STRUCTURED, b"{", 400), (STRUCTURED, b"", 400), (STRUCTURED, b"[]", 422), (STRUCTURED, b"{}", 422),
     (BATCHED, b"{}", 422), (BATCHED, b"[{}]", 422), (BATCHED, b"[", 400), ("application/json", b"7", 422)],
)  # fmt: skip
def test_a_body_without_an_event_is_refused(
    app: Flask, cast: Cast, content_type: str, body: bytes, status: int
) -> None:
    assert send(app, cast.key, content_type, body).status_code == status
    assert Event.select().count() == 0


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [({"ce-subject": "%ff"}, b"{}", 422), ({"ce-id": ""}, b"{}", 422), ({}, b"{", 400), ({}, b"\xff", 400)],
)
def test_a_binary_event_that_is_wrong_is_refused(
    app: Flask, cast: Cast, headers: dict[str, str], body: bytes, status: int
) -> None:
    assert send(app, cast.key, "application/json", body, **binary(**headers)).status_code == status


@pytest.mark.parametrize("sent", ["text/plain", "text/plain; charset=iso-8859-1"])
def test_a_text_that_is_not_utf_8_is_read(app: Flask, cast: Cast, sent: str) -> None:
    assert send(app, cast.key, sent, b"\xfcber", **binary()).status_code == 202
    assert Event.get().body == "über"


def test_an_odd_event_of_a_batch_drops_no_good_one(app: Flask, cast: Cast) -> None:
    body = send(app, cast.key, BATCHED, [EVENT, {**EVENT, "type": ""}]).get_json()
    assert (len(body["events"]), body["faults"][0]["pointer"]) == (1, "/1/type")


def test_a_changed_event_under_the_same_id_is_refused(app: Flask, cast: Cast) -> None:
    send(app, cast.key, STRUCTURED, EVENT)
    answer = send(app, cast.key, STRUCTURED, {**EVENT, "data": {"title": "Other"}})
    assert (answer.status_code, answer.get_json(force=True)["code"]) == (422, "idempotency_mismatch")


@pytest.mark.parametrize("used", [1, 2, 20])
def test_a_used_id_of_a_batch_drops_no_good_event(app: Flask, cast: Cast, used: int) -> None:
    batch = [{**EVENT, "id": f"{number}"} for number in range(130)]
    first = send(app, cast.key, "application/cloudevents-batch+json", batch[100 - used : 100])
    changed = [
        {**each, "data": {"title": "Other"}} if 100 - used <= index < 100 else each for index, each in enumerate(batch)
    ]

    answer = send(app, cast.key, "application/cloudevents-batch+json", changed)

    document = answer.get_json()
    assert (first.status_code, answer.status_code, Event.select().count()) == (202, 202, 130)
    assert [each["pointer"] for each in document["faults"]] == [f"/{index}/id" for index in range(100 - used, 100)]
    assert [each["index"] for each in document["events"]] == list(range(130 - used))


def test_many_used_ids_refuse_the_request_and_its_repeat_stores_nothing_twice(app: Flask, cast: Cast) -> None:
    batch = [{**EVENT, "id": f"{number}"} for number in range(30)]
    assert send(app, cast.key, "application/cloudevents-batch+json", batch[:21]).status_code == 202
    changed = [{**each, "data": {"title": "Other"}} if index < 21 else each for index, each in enumerate(batch)]

    answer = send(app, cast.key, "application/cloudevents-batch+json", changed)

    assert (answer.status_code, answer.get_json(force=True)["code"]) == (422, "idempotency_mismatch")
    assert Event.select().count() == 21


def test_a_wrong_key_is_refused(app: Flask, cast: Cast) -> None:
    assert {send(app, key, STRUCTURED, EVENT).status_code for key in ("", cast.key[:-1])} == {401}


def test_the_rate_limit_is_answered_with_a_time_to_wait(
    app: Flask, cast: Cast, in_settings: Callable[..., Settings]
) -> None:
    in_settings(rate_limits=True, events_per_minute_source=1)

    answers = [send(app, cast.key, STRUCTURED, {**EVENT, "id": str(number)}) for number in range(4)]

    assert (answers[0].status_code, answers[-1].status_code) == (202, 429)


def test_the_key_stands_in_no_event_log_or_answer(
    app: Flask, cast: Cast, lines: Callable[[], list[dict[str, Any]]]
) -> None:
    leaking = {**EVENT, "data": {"title": f"key {cast.key}", "key": cast.key}}
    answers = [send(app, cast.key, STRUCTURED, sent) for sent in (leaking, {cast.key: 1})]
    answers.append(send(app, cast.key, "text/plain", cast.key.encode(), **binary(**{"ce-id": "2"})))

    assert cast.key not in "".join(answer.text for answer in answers)
    assert cast.key not in "".join(str(event.__data__) for event in Event.select())
    assert cast.key not in json.dumps(lines())


def test_the_answer_lists_a_bounded_number_of_unreadable_events(app: Flask, cast: Cast) -> None:
    answer = send(app, cast.key, BATCHED, [*[0] * 1_001, EVENT])

    assert answer.status_code == 202
    assert len(answer.get_json()["faults"]) == 1_000
