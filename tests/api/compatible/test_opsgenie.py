"""The Opsgenie format over HTTP: alerts, acts, the status of requests, and heartbeats (specification 19.11)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from inbox.config.settings import Settings
from inbox.flow.routing.route import route
from inbox.models.events.tables import Event
from inbox.models.heartbeats.tables import HeartbeatMonitor, HeartbeatPing
from inbox.models.incidents.tables import Incident
from tests.browser import sound
from tests.cast import Cast, make_key, present
from tests.heartbeats import make_monitor

BASE = "/v1/compat/opsgenie/v2"
ALERTS = f"{BASE}/alerts"
ALERT = {"message": "Disk full on db2", "alias": "disk/db2", "priority": "P1"}
ALIAS = "?identifierType=alias"


def call(app: Flask, key: str, method: str, path: str, document: Any = None, **more: Any) -> TestResponse:
    headers = {"Authorization": f"GenieKey {key}"} | more.pop("headers", {})
    options = more or ({} if document is None else {"json": document})
    answer = app.test_client().open(path, method=method, headers=headers, **options)
    sound(answer)
    return answer


def post(app: Flask, key: str, path: str = ALERTS, document: Any = ALERT, **more: Any) -> TestResponse:
    return call(app, key, "POST", path, document, **more)


def test_an_alert_is_accepted_in_the_shape_of_the_format(app: Flask, cast: Cast) -> None:
    answer = post(app, cast.key)

    body = answer.get_json()
    assert answer.status_code == 202
    assert (body["result"], type(body["took"])) == ("Request will be processed", float)
    assert UUID(body["requestId"]) == Event.get().id


def test_the_status_of_a_request_is_ready_at_once(app: Flask, cast: Cast) -> None:
    request_id = post(app, cast.key).get_json()["requestId"]

    answer = call(app, cast.key, "GET", f"{ALERTS}/requests/{request_id}", headers={"Content-Type": "application/json"})

    data = answer.get_json()["data"]
    assert answer.status_code == 200
    assert (data["isSuccess"], data["success"], data["status"]) == (True, True, "Created alert")
    assert (data["action"], data["alias"], data["alertId"]) == ("Create", "disk/db2", request_id)


def test_a_status_of_another_source_or_of_nothing_is_404(app: Flask, cast: Cast) -> None:
    request_id = post(app, cast.key).get_json()["requestId"]

    for key, requested in ((cast.foreign_key, request_id), (cast.key, "nothing"), (cast.key, str(UUID(int=7)))):
        answer = call(app, key, "GET", f"{ALERTS}/requests/{requested}")
        assert (answer.status_code, answer.get_json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("alias", ["disk/db2", "/var", "SVC_PROBLEM_ID: 7/x", "a b", "100%", "x/notes", "ü"])
def test_a_close_by_alias_closes_the_incident(app: Flask, cast: Cast, alias: str) -> None:
    quoted = alias.replace("%", "%25").replace(" ", "%20").replace(":", "%3A").replace("/", "%2F")
    assert post(app, cast.key, document={**ALERT, "alias": alias}).status_code == 202
    route(present)
    opened = Incident.get().state
    assert post(app, cast.key, f"{ALERTS}/{quoted}/close{ALIAS}", {"source": "am"}).status_code == 202
    route(present)

    assert (opened, Incident.get().state) == ("open", "resolved")


@pytest.mark.parametrize("alias", ["disk", None])
def test_a_close_by_id_closes_the_incident(app: Flask, cast: Cast, alias: str | None) -> None:
    alert_id = post(app, cast.key, document={**ALERT, "alias": alias}).get_json()["requestId"]
    assert post(app, cast.key, f"{ALERTS}/{alert_id}/close", None).status_code == 202
    route(present)

    assert Incident.get().state == "resolved"


def test_an_id_of_another_source_closes_nothing(app: Flask, cast: Cast) -> None:
    alert_id = post(app, cast.key).get_json()["requestId"]
    assert post(app, cast.foreign_key, f"{ALERTS}/{alert_id}/close", {}).status_code == 202
    route(present)

    assert [incident.state for incident in Incident.select()] == ["open"]


@pytest.mark.parametrize(
    ("method", "act", "document"),
    [("POST", "acknowledge", {}), ("POST", "unacknowledge", {}), ("POST", "snooze", {"endTime": "2126-01-01T00:00:00Z"}),
     ("POST", "notes", {"note": "text"}), ("POST", "tags", {"tags": ["a"]}), ("PUT", "message", {"message": "m"}),
     ("PUT", "description", {"description": "d"}), ("PUT", "priority", {"priority": "P2"})],
)  # fmt: skip
def test_unsupported_opsgenie_acts_are_logged_and_change_no_incident(
    app: Flask, cast: Cast, method: str, act: str, document: Any
) -> None:
    post(app, cast.key)
    answer = call(app, cast.key, method, f"{ALERTS}/disk%2Fdb2/{act}{ALIAS}", document)
    route(present)

    status = call(app, cast.key, "GET", f"{ALERTS}/requests/{answer.get_json()['requestId']}").get_json()["data"]
    assert answer.status_code == 202
    assert (status["action"], status["alias"]) == (act.capitalize(), "disk/db2")
    assert [incident.state for incident in Incident.select()] == ["open"]
    assert {event.disposition for event in Event.select()} == {"opened", "logged"}


def test_an_act_on_an_unknown_alert_is_accepted(app: Flask, cast: Cast) -> None:
    assert call(app, cast.key, "PUT", f"{ALERTS}/unknown/message{ALIAS}", {"message": "m"}).status_code == 202
    assert post(app, cast.key, f"{ALERTS}/unknown/close{ALIAS}", {}).status_code == 202


@pytest.mark.parametrize(("method", "act"), [("POST", "explode"), ("PUT", "close"), ("POST", "message")])
def test_an_unknown_act_is_404(app: Flask, cast: Cast, method: str, act: str) -> None:
    answer = call(app, cast.key, method, f"{ALERTS}/disk/{act}", {})
    assert (answer.status_code, Event.select().count()) == (404, 0)


@pytest.mark.parametrize(
    ("path", "document", "field"),
    [(ALERTS, {"alias": "x"}, "message"), (f"{ALERTS}/x/snooze", {}, "endTime"), (f"{ALERTS}/x/notes", {}, "note")],
)
def test_a_missing_field_is_named_in_the_shape_of_the_format(
    app: Flask, cast: Cast, path: str, document: Any, field: str
) -> None:
    answer = post(app, cast.key, path, document)

    error = answer.get_json()
    assert answer.status_code == 422
    assert error["message"] == "Request body is not processable. Please check the errors."
    assert (list(error["errors"]), type(error["took"])) == ([field], float)


@pytest.mark.parametrize("body", [b"{", b"[]", b"null", b"\xff"])
def test_a_body_that_is_no_object_is_refused(app: Flask, cast: Cast, body: bytes) -> None:
    assert post(app, cast.key, data=body).status_code in (400, 422)


def test_keys_that_do_not_work_are_refused(app: Flask, cast: Cast) -> None:
    alias = make_key(cast.source, kind="alias_token")
    paths = [("POST", ALERTS), ("POST", f"{ALERTS}/x/close"), ("PUT", f"{ALERTS}/x/message"),
             ("GET", f"{ALERTS}/requests/x"), ("GET", f"{BASE}/heartbeats/x/ping")]  # fmt: skip
    for key in ("", alias, cast.key[:-1]):
        for method, path in paths:
            answer = call(app, key, method, path, None if method == "GET" else ALERT)
            assert (answer.status_code, answer.get_json()["code"]) == (401, "unauthenticated")


@pytest.mark.parametrize("scheme", ["GenieKey", "geniekey", "Bearer"])
def test_the_key_may_have_each_scheme(app: Flask, cast: Cast, scheme: str) -> None:
    assert post(app, "", headers={"Authorization": f"{scheme} {cast.key}"}).status_code == 202


@pytest.mark.parametrize("query", ["", "?t=1"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_ping_reaches_the_monitor_of_the_source_with_this_name(
    app: Flask, cast: Cast, method: str, query: str
) -> None:
    monitor, _ = make_monitor(cast.source, name="nightly backup")

    answer = call(app, cast.key, method, f"{BASE}/heartbeats/nightly%20backup/ping{query}")

    assert answer.status_code == 202
    assert answer.get_json()["result"] == "PONG - Heartbeat received"
    assert HeartbeatPing.select().where(HeartbeatPing.monitor_id == monitor.id).count() == 1
    assert HeartbeatMonitor.get_by_id(monitor.id).last_ping_at is not None


def test_a_ping_of_an_unknown_name_or_of_another_source_is_404(app: Flask, cast: Cast) -> None:
    make_monitor(cast.source, name="nightly")

    assert call(app, cast.key, "GET", f"{BASE}/heartbeats/daily/ping").status_code == 404
    assert call(app, cast.foreign_key, "GET", f"{BASE}/heartbeats/nightly/ping").status_code == 404
    assert HeartbeatPing.select().count() == 0


def test_the_rate_limit_is_answered_with_a_time_to_wait(
    app: Flask, cast: Cast, in_settings: Callable[..., Settings]
) -> None:
    in_settings(rate_limits=True, events_per_minute_source=1)

    answers = [post(app, cast.key) for _ in range(4)]

    assert (answers[0].status_code, answers[-1].status_code) == (202, 429)
    assert int(answers[-1].headers["Retry-After"]) > 0


def test_the_key_stands_in_no_event_log_or_answer(
    app: Flask, cast: Cast, lines: Callable[[], list[dict[str, Any]]]
) -> None:
    leaking = {"message": f"key {cast.key}", "details": {"key": cast.key}, "note": cast.key}
    answers = [post(app, cast.key, document=sent) for sent in (leaking, {}, {"message": [cast.key]})]
    answers += [post(app, cast.key, f"{ALERTS}/x/notes", {"note": cast.key})]

    assert cast.key not in "".join(answer.text for answer in answers)
    assert cast.key not in "".join(str(event.__data__) for event in Event.select())
    assert cast.key not in json.dumps(lines())
