"""Ways in and pings take an address with a slash too many; other addresses are 404 (specification 2.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from inbox.models.events.tables import Event
from inbox.models.heartbeats.tables import HeartbeatPing
from tests.browser import Browser, sound
from tests.cast import Cast, make_key, typeid
from tests.heartbeats import make_monitor

ALERT = '{"title": "Disk full", "message": "Disk full", "alias": "disk", "entity": "disk", "state": "on"}'
PROMETHEUS = '[{"labels": {"alertname": "DiskFull"}}]'
CLOUD = '{"specversion": "1.0", "id": "%n", "source": "a", "type": "b", "title": "c"}'
PAGERDUTY = '{"event_action": "trigger", "routing_key": "%s", "payload": {"summary": "Disk full"}}'
SENT = [
    ("/v1/events", ALERT),
    ("/v1/hooks/home_assistant", ALERT),
    ("/v1/compat/opsgenie/v2/alerts", ALERT),
    ("/v1/compat/opsgenie/v2/alerts/disk/close", "{}"),
    ("/v1/compat/pagerduty/v2/enqueue", PAGERDUTY),
    ("/v1/compat/alertmanager/api/v2/alerts", PROMETHEUS),
    ("/v1/compat/cloudevents", CLOUD),
]


def spellings(path: str) -> list[str]:
    """The address with a slash at its end, with two, with a doubled one at its beginning, and inside."""
    return [f"{path}/", f"{path}//", f"/{path}", path.replace("/v1/", "/v1//"), f"//{path}/"]


def send(app: Flask, method: str, path: str, **more: Any) -> TestResponse:
    """The client of the tests takes `//name` for a host, so the path is set as a server sets it."""
    doubled = {"PATH_INFO": path, "RAW_URI": path} if path.startswith("//") else {}
    answer = app.test_client().open("/" + path.lstrip("/"), method=method, environ_overrides=doubled, **more)
    sound(answer)
    return answer


def post(app: Flask, path: str, key: str, body: str) -> TestResponse:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    return send(app, "POST", path, headers=headers, data=body.replace("%s", key))


@pytest.mark.parametrize(("path", "body"), SENT)
def test_events_are_stored_at_an_address_with_a_slash_too_many(app: Flask, cast: Cast, path: str, body: str) -> None:
    meant = post(app, path, cast.key, body).status_code
    answers = [post(app, each, cast.key, body.replace("%n", each)) for each in spellings(path)]

    assert [answer.status_code for answer in answers] == [meant] * 5
    assert meant in (200, 202)
    assert Event.select().count() == 6


@pytest.mark.parametrize("path", ["/message", "/v1/legacy/message"])
def test_messages_are_stored_at_an_address_with_a_slash_too_many(app: Flask, cast: Cast, path: str) -> None:
    token = make_key(cast.source, kind="alias_token")

    answers = [
        send(app, "POST", each, headers={"X-Gotify-Key": token}, json={"message": "full"})
        for each in [f"{path}/", f"/{path}", f"//{path}//"]
    ]

    assert [answer.status_code for answer in answers] == [200] * 3


def test_clients_of_the_legacy_format_may_ask_with_a_slash_too_many(app: Flask, cast: Cast) -> None:
    asked = [send(app, "GET", path) for path in ("/version/", "//health", "/v1/legacy//version")]

    assert [answer.status_code for answer in asked] == [200] * 3


@pytest.mark.parametrize("signal", ["", "/start", "/fail", "/7"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_pings_count_at_an_address_with_a_slash_too_many(app: Flask, cast: Cast, method: str, signal: str) -> None:
    monitor, token = make_monitor(cast.source, slug="backup")
    key = make_key(cast.source, kind="ping_key")
    paths = [f"/v1/heartbeats/{token}{signal}", f"/v1/heartbeats/{key}/backup{signal}"]

    answers = [send(app, method, each) for path in paths for each in spellings(path)]

    assert {answer.status_code for answer in answers} == {200}
    assert HeartbeatPing.select().where(HeartbeatPing.monitor_id == monitor.id).count() == 10


def test_a_push_counts_at_an_address_with_a_slash_too_many(app: Flask, cast: Cast) -> None:
    _, token = make_monitor(cast.source)

    answers = [send(app, "GET", f"/api/push/{token}{end}") for end in ("/", "/?status=up&msg=OK", "//")]

    assert [answer.get_json() for answer in answers] == [{"ok": True}] * 3


@pytest.mark.parametrize("alias", ["%2Fvar", "a%2F%2Fb", "x%2F"])
def test_an_encoded_slash_of_an_alias_is_part_of_the_alias(app: Flask, cast: Cast, alias: str) -> None:
    path = f"/v1/compat/opsgenie/v2/alerts/{alias}/close/?identifierType=alias"

    assert post(app, path, cast.key, "{}").status_code == 202
    assert Event.get().dedup_key == f"og:{alias.replace('%2F', '/')}"


def test_no_address_is_redirected_and_those_of_people_stay_404(
    app: Flask, cast: Cast, browser: Callable[[str], Browser]
) -> None:
    source = f"/v1/sources/{typeid('src', cast.source.id)}"
    for path in ("/v1/events/", "/v1//events", "/v1/sources/", f"{source}/", "/v1//incidents", "/v1/badges/x.svg/"):
        answer = browser("mia").get(path)
        assert (answer.status_code, answer.json["code"]) == (404, "not_found"), path
    assert post(app, "/v1/hook/grafana/", cast.key, "{}").status_code == 404
    assert post(app, "/v1/hooks/grafana/", "svc_src_x", "{}").status_code == 401
