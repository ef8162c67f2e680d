"""Watchers over HTTP: check-ins with the key of a source, and the records that people read (specification 20)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from inbox.database.base import db
from inbox.flow.routing.route import route
from inbox.models.heartbeats.watchers import Watcher
from tests.browser import Browser
from tests.cast import Cast, make_key, present, typeid
from tests.proving import HOME
from tests.stand_ins.phone import Phone
from tests.watchers import make_watcher

Browsers = Callable[[str], Browser]
CHECKS = [
    {"name": "disk /", "status": "ok", "message": "41 % used"},
    {"name": "nginx", "status": "fail", "message": "inactive (dead)"},
]
CHECK_IN = {
    "watcherId": "web-1",
    "name": "Web 1",
    "hostname": "web-1.example.org",
    "version": "1.0",
    "intervalSeconds": 30,
    "labels": {"environment": "production"},
    "checks": CHECKS,
}
PATH = "/v1/watchers/check-in"


@pytest.fixture
def agent(app: Flask, cast: Cast) -> Phone:
    return Phone(app, HOME, cast.key)


def pointers(answer: Any) -> list[str]:
    return [fault["pointer"] for fault in answer.json["errors"]]


def test_a_check_in_answers_the_watcher_and_its_heartbeat(agent: Phone, cast: Cast) -> None:
    first, second = agent.post(PATH, CHECK_IN), agent.post(PATH, CHECK_IN)

    assert (first.status_code, second.status_code) == (201, 200)
    answer = second.json
    watcher = answer["watcher"]
    assert answer["heartbeat"] == {"id": watcher["monitorId"], "intervalSeconds": 30, "graceSeconds": 60}
    assert answer["nextCheckInSeconds"] == 30
    assert {name: watcher[name] for name in CHECK_IN if name != "checks"} == {
        name: value for name, value in CHECK_IN.items() if name != "checks"
    }
    assert [{name: check[name] for name in CHECKS[0]} for check in watcher["checks"]] == CHECKS
    assert (watcher["status"], watcher["sourceId"], watcher["rev"]) == ("up", typeid("src", cast.source.id), 1)


def test_people_read_a_watcher_with_the_incidents_of_its_checks(agent: Phone, browser: Browsers) -> None:
    agent.post(PATH, CHECK_IN)
    route(present)
    vic = browser("vic")

    [listed] = vic.get("/v1/watchers").json["items"]
    read = vic.get(f"/v1/watchers/{listed['id']}")
    monitor = vic.get(f"/v1/heartbeat-monitors/{listed['monitorId']}").json
    incident = vic.get(f"/v1/incidents/{listed['checks'][1]['incidentId']}").json

    assert read.json == listed and read.headers["ETag"].startswith('"1')
    assert (incident["title"], incident["severity"]) == ("Web 1: nginx fails", "ERROR")
    assert listed["checks"][0]["incidentId"] is None
    assert (monitor["watcherId"], monitor["schedule"]) == (listed["id"], {"kind": "simple", "periodSeconds": 30})


def test_only_administrators_rename_and_delete_and_eve_finds_nothing(browser: Browsers, cast: Cast) -> None:
    path = f"/v1/watchers/{typeid('wat', make_watcher(cast.source).id)}"

    assert [browser(who).patch(path, {"name": "Shop"}).status_code for who in ("mia", "eve", "adam")] == [403, 404, 200]
    assert browser("adam").patch(path, {"name": "Other"}, headers={"If-Match": '"1"'}).status_code == 412
    assert browser("adam").patch(path, {"name": None}).json["name"] == "Web 1"
    assert [browser(who).delete(path).status_code for who in ("mia", "eve", "adam")] == [403, 404, 204]
    assert browser("adam").get(path).status_code == 404
    assert browser("eve").get("/v1/watchers").json["items"] == []


def test_the_monitor_of_a_watcher_is_changed_at_the_watcher(browser: Browsers, cast: Cast) -> None:
    path = f"/v1/heartbeat-monitors/{typeid('mon', make_watcher(cast.source).monitor_id)}"
    adam = browser("adam")

    assert adam.delete(path).json["code"] == "conflict"
    assert adam.patch(path, {"schedule": {"kind": "simple", "periodSeconds": 600}}).status_code == 409
    assert adam.patch(path, {"graceSeconds": 900, "severity": "CRITICAL"}).json["graceSeconds"] == 900


@pytest.mark.parametrize(
    ("changed", "pointer"),
    [
        ({"watcherId": ""}, "/watcherId"),
        ({"watcherId": "web 1"}, "/watcherId"),
        ({"watcherId": "a" * 101}, "/watcherId"),
        ({"watcherId": "svc_src_abc"}, "/watcherId"),
        ({"intervalSeconds": 9}, "/intervalSeconds"),
        ({"intervalSeconds": 86_401}, "/intervalSeconds"),
        ({"labels": {str(number): "x" for number in range(21)}}, "/labels"),
        ({"checks": [{"name": "a", "status": "bad"}]}, "/checks/0/status"),
        ({"checks": [{"name": "a", "status": "ok"}, {"name": "a", "status": "ok"}]}, "/checks/1/name"),
        ({"checks": [{"name": str(number), "status": "ok"} for number in range(51)]}, "/checks"),
        ({"surplus": 1}, "/surplus"),
    ],
)
def test_an_invalid_check_in_is_refused_with_its_pointer(agent: Phone, changed: dict[str, Any], pointer: str) -> None:
    answer = agent.post(PATH, {**CHECK_IN, **changed})

    assert (answer.status_code, pointers(answer)) == (422, [pointer])
    assert Watcher.select().count() == 0


def test_fifty_long_messages_fit_and_are_cut(agent: Phone) -> None:
    checks = [{"name": str(number), "status": "warn", "message": "ä" * 2_000} for number in range(50)]

    answer = agent.post(PATH, {"watcherId": "web-1", "checks": checks})

    assert answer.status_code == 201
    assert {len(check["message"]) for check in answer.json["watcher"]["checks"]} == {1_000}


def test_no_stored_field_of_a_check_in_contains_a_key(agent: Phone, cast: Cast) -> None:
    text = f"key {cast.key}"
    named = {"name": text, "hostname": text, "version": text, "labels": {text: text}}
    checks = [{"name": text[:60], "status": "fail", "message": f"https://user:secret@host {text}"}]

    assert agent.post(PATH, {"watcherId": "web-1", **named, "checks": checks}).status_code == 201

    tables = db.execute_sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    dumped = {name: str(db.execute_sql(f'SELECT t::text FROM "{name}" t').fetchall()) for (name,) in tables}
    assert [name for name, stored in dumped.items() if cast.key[8:40] in stored or "user:secret" in stored] == []


@pytest.mark.parametrize("credential", ["", "svc_src_x", "svc_hb_x", "session"])
def test_only_a_source_key_checks_in(app: Flask, browser: Browsers, cast: Cast, credential: str) -> None:
    sender = browser("olga") if credential == "session" else Phone(app, HOME, credential)

    assert sender.post(PATH, CHECK_IN).status_code == 401
    assert sender.post(PATH, {"nothing": "right"}).status_code == 401


def test_a_check_in_is_a_use_of_its_key(agent: Phone, browser: Browsers, cast: Cast) -> None:
    agent.post(PATH, CHECK_IN)
    unused = make_key(cast.source)

    keys = browser("adam").get(f"/v1/sources/{typeid('src', cast.source.id)}/keys").json["items"]

    used = {key["hint"]: key["lastUsedAt"] is not None for key in keys}
    assert used == {cast.key[-4:]: True, unused[-4:]: False}


def test_an_id_of_another_source_is_a_conflict(app: Flask, agent: Phone, browser: Browsers, cast: Cast) -> None:
    agent.post(PATH, CHECK_IN)
    made = browser("adam").post("/v1/sources", {"workspaceId": typeid("wsp", cast.workspace.id), "name": "Other"}).json
    key = browser("adam").post(f"/v1/sources/{made['id']}/keys", {"name": "k"}).json["secret"]

    assert Phone(app, HOME, key).post(PATH, CHECK_IN).json["code"] == "conflict"
    assert Phone(app, HOME, make_key(cast.foreign_source)).post(PATH, CHECK_IN).status_code == 201
