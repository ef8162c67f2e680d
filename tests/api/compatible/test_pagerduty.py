"""The PagerDuty format over HTTP: keys, answers, limits, and incidents that a resolve closes (specification 19.9)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from inbox.config.settings import Settings
from inbox.domain.senders import keys
from inbox.flow.routing.route import route
from inbox.models.events.tables import Event
from inbox.models.incidents.tables import Incident
from inbox.models.senders.sources import Source, SourceKey
from tests.api.events.senders import only_event
from tests.browser import sound
from tests.cast import Cast, make_key, present

ENQUEUE, CHANGE = "/v1/compat/pagerduty/v2/enqueue", "/v1/compat/pagerduty/v2/change/enqueue"
PATHS = (ENQUEUE, CHANGE)
ALERT: dict[str, Any] = {
    "event_action": "trigger",
    "dedup_key": "disk/db2",
    "payload": {"summary": "Disk full on db2", "source": "db2", "severity": "critical"},
}


def send(app: Flask, key: str | None, document: Any = ALERT, path: str = ENQUEUE, **more: Any) -> TestResponse:
    sent = {**document, "routing_key": key} if isinstance(document, dict) and key else document
    answer = app.test_client().post(path, **({"json": sent} | more))
    sound(answer)
    return answer


def test_an_alert_is_accepted_in_the_shape_of_the_format(app: Flask, cast: Cast) -> None:
    answer = send(app, cast.key)

    assert answer.status_code == 202
    assert answer.get_json() == {"status": "success", "message": "Event processed", "dedup_key": "disk/db2"}
    event = only_event()
    assert (event.source_id, event.title, event.severity) == (cast.source.id, "Disk full on db2", "CRITICAL")


@pytest.mark.parametrize("path", PATHS)
def test_a_query_that_is_no_text_is_refused_in_the_shape_of_the_format(app: Flask, cast: Cast, path: str) -> None:
    answer = send(app, cast.key, path=f"{path}?a=%00")

    assert (answer.status_code, answer.mimetype) == (422, "application/json")
    assert answer.get_json()["errors"] and not Event.select().count()


def test_a_resolve_closes_the_incident_of_the_key_and_a_trigger_opens_it_again(app: Flask, cast: Cast) -> None:
    states = []
    for action in ("trigger", "acknowledge", "resolve", "trigger"):
        assert send(app, cast.key, {**ALERT, "event_action": action}).status_code == 202
        route(present)
        states.append(Incident.get().state)

    assert states == ["open", "open", "resolved", "open"]
    assert Incident.select().count() == 1


def test_a_resolve_of_nothing_is_accepted(app: Flask, cast: Cast) -> None:
    assert send(app, cast.key, {"event_action": "resolve", "dedup_key": "nothing"}).status_code == 202
    route(present)
    assert Incident.select().count() == 0


def test_a_trigger_without_a_key_gets_one_that_resolves_it(app: Flask, cast: Cast) -> None:
    key = send(app, cast.key, {**ALERT, "dedup_key": None}).get_json()["dedup_key"]
    assert send(app, cast.key, {"event_action": "resolve", "dedup_key": key}).status_code == 202
    route(present)

    assert len(key) == 32
    assert Incident.get().state == "resolved"


def test_a_change_is_logged(app: Flask, cast: Cast) -> None:
    answer = send(app, cast.key, {"payload": {"summary": "Deployed 1.2"}}, CHANGE)

    assert (answer.status_code, answer.get_json()) == (
        202, {"status": "success", "message": "Change event processed"},
    )  # fmt: skip
    route(present)
    assert (only_event().severity, Incident.select().count()) == ("INFO", 0)


@pytest.mark.parametrize("path", PATHS)
def test_keys_that_do_not_work_are_refused(app: Flask, cast: Cast, path: str) -> None:
    ended, disabled = make_key(cast.source), make_key(cast.source)
    SourceKey.update(revoked_at=present()).where(SourceKey.hash == keys.digest(ended)).execute()
    alias = make_key(cast.source, kind="alias_token")

    answers = [send(app, key, path=path) for key in (None, ended, alias, cast.key[:-1], "0" * 32)]
    Source.update(enabled=False).where(Source.id == cast.source.id).execute()
    answers.append(send(app, disabled, path=path))

    assert {answer.status_code for answer in answers} == {401}
    assert Event.select().count() == 0


def test_a_body_without_a_key_may_have_it_in_the_header(app: Flask, cast: Cast) -> None:
    assert send(app, None, headers={"Authorization": f"Bearer {cast.key}"}).status_code == 202
    assert send(app, "wrong", headers={"Authorization": f"Bearer {cast.key}"}).status_code == 401


def test_an_invalid_event_is_refused_in_the_shape_of_the_format(app: Flask, cast: Cast) -> None:
    answer = send(app, cast.key, {"event_action": "trigger", "payload": {"source": "db2"}})

    error = answer.get_json()
    assert answer.status_code == 400
    assert (error["status"], error["message"]) == ("invalid event", "Event object is invalid")
    assert error["errors"] == ["'payload.summary' is missing or blank"]
    assert error["code"] == "bad_request"
    assert Event.select().count() == 0


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'"text"', b"\xff", b"a=b", b"[" * 1_000, b'{"payload":NaN}']
)
def test_a_body_that_is_no_object_is_refused(app: Flask, cast: Cast, path: str, body: bytes) -> None:
    answer = send(app, None, path=path, data=body, json=None, headers={"Authorization": f"Bearer {cast.key}"})

    assert answer.status_code == 400
    assert answer.get_json()["status"] == "invalid event"


@pytest.mark.parametrize(("size", "status"), [(-1, 202), (0, 202), (1, 413)])
def test_a_body_has_at_most_512_kib(app: Flask, cast: Cast, size: int, status: int) -> None:
    document = json.dumps({**ALERT, "routing_key": cast.key}).encode()
    body = document + b" " * (512 * 1024 + size - len(document))

    assert send(app, None, data=body, json=None).status_code == status


def test_a_compressed_body_is_refused(app: Flask, cast: Cast) -> None:
    assert send(app, cast.key, headers={"Content-Encoding": "gzip"}).status_code == 415


def test_the_rate_limit_is_answered_with_a_time_to_wait(
    app: Flask, cast: Cast, in_settings: Callable[..., Settings]
) -> None:
    in_settings(rate_limits=True, events_per_minute_source=1)

    answers = [send(app, cast.key) for _ in range(4)]

    assert (answers[0].status_code, answers[-1].status_code) == (202, 429)
    assert answers[-1].get_json()["status"] == "throttle exceeded"
    assert int(answers[-1].headers["Retry-After"]) > 0


def test_a_sender_of_another_workspace_touches_no_incident_here(app: Flask, cast: Cast) -> None:
    send(app, cast.key)
    send(app, cast.foreign_key, {**ALERT, "event_action": "resolve"})
    route(present)

    assert [incident.state for incident in Incident.select()] == ["open"]


def test_the_key_stands_in_no_event_log_or_answer(
    app: Flask, cast: Cast, lines: Callable[[], list[dict[str, Any]]]
) -> None:
    leaking = {**ALERT, "payload": {"summary": f"key {cast.key}", "custom_details": {"routing_key": cast.key}}}
    answers = [
        send(app, cast.key, document, path)
        for document in (leaking, {}, {"event_action": cast.key}, {**ALERT, "dedup_key": None})
        for path in PATHS
    ]

    assert cast.key not in "".join(answer.text for answer in answers)
    assert cast.key not in "".join(str(event.__data__) for event in Event.select())
    assert cast.key not in json.dumps(lines())
    assert ENQUEUE in {line.get("route") for line in lines()}
