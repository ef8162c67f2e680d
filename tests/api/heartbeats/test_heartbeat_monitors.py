"""Heartbeat monitors over HTTP: permissions, answers and the limits of each field (specification 18.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.models.heartbeats.tables import HeartbeatMonitor
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.heartbeats import make_monitor, ping, reread

Browsers = Callable[[str], Browser]
PATH = "/v1/heartbeat-monitors"
CRON = {"kind": "cron", "expression": "0 3 * * *", "timezone": "Europe/Berlin"}
HOURLY = {"kind": "simple", "periodSeconds": 3600}


@pytest.fixture
def fields(cast: Cast) -> dict[str, Any]:
    return {
        "workspaceId": typeid("wsp", cast.workspace.id),
        "sourceId": typeid("src", cast.source.id),
        "name": "Backup",
        "schedule": CRON,
    }


def test_an_administrator_makes_a_monitor_and_viewers_read_it(browser: Browsers, fields: dict[str, Any]) -> None:
    made = browser("adam").post(PATH, fields)

    assert made.status_code == 201
    record = made.json
    assert record.pop("pingUrl").startswith("http://127.0.0.1:8080/v1/heartbeats/svc_hb_")
    assert record == {
        **fields, "id": record["id"], "slug": None, "tags": [], "scheduleText": "At 03:00 every day (Europe/Berlin)",
        "graceSeconds": 300, "severity": "ERROR", "failuresBeforeIncident": 1, "maxRuntimeSeconds": None,
        "alertIfNeverSeenAfterSeconds": None, "methods": ["GET", "HEAD", "POST"], "status": "new", "failures": 0, "lastPingAt": None, "nextDueAt": None,
        "startedAt": None, "downSince": None, "pausedAt": None, "lastDurationMs": None, "bar": [], "incidentId": None,
        "tokenHint": record["tokenHint"], "hasBadge": False, "watcherId": None, "createdAt": record["createdAt"], "rev": 1,
    }  # fmt: skip
    assert browser("vic").get(made.headers["Location"]).json == record
    assert browser("vic").get(PATH).json["items"] == [record]
    assert browser("vic").post(PATH, fields).json["requiredRole"] == "admin"
    assert browser("mia").post(PATH, fields).json["requiredRole"] == "admin"


def test_heartbeat_monitors_are_hidden_from_other_workspaces(
    browser: Browsers, cast: Cast, fields: dict[str, Any]
) -> None:
    monitor, _ = make_monitor(cast.source)
    path = f"{PATH}/{typeid('mon', monitor.id)}"
    eve = browser("eve")

    assert eve.get(PATH).json["items"] == []
    for method, suffix in (
        ("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/pause"), ("POST", "/resume"), ("POST", "/rotate"),
        ("POST", "/badge"), ("POST", "/ping"), ("DELETE", "/badge"), ("GET", "/pings"), ("GET", "/flips"),
    ):  # fmt: skip
        assert eve.call(method, path + suffix, {} if method == "PATCH" else None).status_code == 404
    foreign = {**fields, "sourceId": typeid("src", cast.foreign_source.id)}
    assert [each["pointer"] for each in browser("adam").post(PATH, foreign).json["errors"]] == ["/sourceId"]
    assert reread(monitor).rev == 1


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"schedule": {"kind": "simple"}}, "/schedule/periodSeconds"),
        ({"schedule": {"kind": "simple", "periodSeconds": 59}}, "/schedule/periodSeconds"),
        ({"schedule": {"kind": "simple", "periodSeconds": 366 * 86_400 + 1}}, "/schedule/periodSeconds"),
        ({"schedule": {**HOURLY, "expression": "* * * * *"}}, "/schedule/expression"),
        ({"schedule": {**CRON, "expression": "61 * * * *"}}, "/schedule/expression"),
        ({"schedule": {**CRON, "expression": "* * * * * *"}}, "/schedule/expression"),
        ({"schedule": {**CRON, "timezone": "Europe/Nowhere"}}, "/schedule/timezone"),
        ({"schedule": {"kind": "cron", "expression": "* * * * *"}}, "/schedule/timezone"),
        ({"schedule": {"kind": "other"}}, "/schedule/kind"),
        ({"graceSeconds": 59}, "/graceSeconds"),
        ({"graceSeconds": "300"}, "/graceSeconds"),
        ({"failuresBeforeIncident": 0}, "/failuresBeforeIncident"),
        ({"failuresBeforeIncident": 11}, "/failuresBeforeIncident"),
        ({"maxRuntimeSeconds": 1}, "/maxRuntimeSeconds"),
        ({"alertIfNeverSeenAfterSeconds": 1}, "/alertIfNeverSeenAfterSeconds"),
        ({"severity": "loud"}, "/severity"),
        ({"name": ""}, "/name"),
        ({"tags": ["x"] * 21}, "/tags"),
    ],
)
def test_a_monitor_field_out_of_bounds_is_refused_with_its_pointer(
    browser: Browsers, fields: dict[str, Any], change: dict[str, Any], pointer: str
) -> None:
    answer = browser("adam").post(PATH, {**fields, **change})

    assert answer.status_code == 422
    assert [each["pointer"] for each in answer.json["errors"]] == [pointer]
    assert HeartbeatMonitor.select().count() == 0


def test_a_new_schedule_counts_from_now_and_an_old_revision_is_refused(browser: Browsers, cast: Cast) -> None:
    monitor, token = make_monitor(cast.source)
    ping(token, present())
    path = f"{PATH}/{typeid('mon', monitor.id)}"

    edited = browser("adam").patch(
        path, {"schedule": {"kind": "simple", "periodSeconds": 60}}, headers={"If-Match": '"1"'}
    )

    assert (edited.status_code, edited.json["scheduleText"], edited.json["rev"]) == (200, "Every minute", 2)
    assert browser("adam").patch(path, {"name": "Other"}, headers={"If-Match": '"1"'}).status_code == 412
    assert browser("adam").get(path).json["status"] == "up"


def test_a_monitor_is_paused_and_resumed_and_says_so(browser: Browsers, cast: Cast) -> None:
    monitor, token = make_monitor(cast.source)
    ping(token, present())
    path = f"{PATH}/{typeid('mon', monitor.id)}"

    paused = browser("adam").post(f"{path}/pause").json
    again_paused = browser("adam").post(f"{path}/pause").json
    resumed = browser("adam").post(f"{path}/resume").json

    assert (paused["status"], paused["nextDueAt"], again_paused["rev"]) == ("paused", None, paused["rev"])
    assert (resumed["status"], resumed["pausedAt"]) == ("up", None)
    flips = browser("vic").get(f"{path}/flips?order=asc").json["items"]
    assert [(each["from"], each["to"], each["cause"]) for each in flips] == [
        ("new", "up", "recovered"), ("up", "paused", "paused"), ("paused", "up", "resumed")
    ]  # fmt: skip


def test_the_ping_log_of_a_monitor_shows_received_pings(browser: Browsers, cast: Cast) -> None:
    monitor, token = make_monitor(cast.source)
    ping(token, present(), "fail", exit_code=7, body="no space", method="POST", user_agent="curl/8")

    items = browser("vic").get(f"{PATH}/{typeid('mon', monitor.id)}/pings").json["items"]

    assert items == [{
        "at": items[0]["at"], "kind": "fail", "exitCode": 7, "runId": None, "durationMs": None, "method": "POST",
        "userAgent": "curl/8", "body": "no space",
    }]  # fmt: skip


def test_a_member_pings_in_place_of_the_job(browser: Browsers, cast: Cast) -> None:
    monitor, token = make_monitor(cast.source)
    ping(token, present(), "fail")
    path = f"{PATH}/{typeid('mon', monitor.id)}"

    assert browser("vic").post(f"{path}/ping").json["requiredRole"] == "member"
    pinged = browser("mia").post(f"{path}/ping").json

    assert (pinged["status"], pinged["downSince"], pinged["failures"]) == ("up", None, 0)
    [newest, _] = browser("vic").get(f"{path}/pings").json["items"]
    assert (newest["kind"], newest["body"]) == ("success", "Sent by Mia.")
    entries = browser("adam").get(f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}/audit-log").json["items"]
    assert next(each["action"] for each in entries if each["action"].startswith("monitor.")) == "monitor.pinged"


def test_a_ping_of_a_person_leaves_a_paused_monitor_paused(browser: Browsers, cast: Cast) -> None:
    monitor, token = make_monitor(cast.source)
    ping(token, present())
    path = f"{PATH}/{typeid('mon', monitor.id)}"
    browser("adam").post(f"{path}/pause")

    assert browser("mia").post(f"{path}/ping").json["status"] == "paused"


def test_a_preview_names_the_next_runs_and_the_changed_hours(browser: Browsers) -> None:
    shown = browser("vic").post(f"{PATH}/preview-schedule", {"schedule": {**CRON, "expression": "30  2 * * *"}}).json

    assert shown["error"] is None
    assert shown["text"] == "At 02:30 every day (Europe/Berlin)"
    assert len(shown["runs"]) == 5
    assert {each["kind"] for each in shown["clockChanges"]} == {"skipped", "doubled"}
    assert all(each["affects"] for each in shown["clockChanges"])


def test_a_preview_of_a_faulty_expression_says_where(browser: Browsers) -> None:
    shown = browser("vic").post(f"{PATH}/preview-schedule", {"schedule": {**CRON, "expression": "0 25 * * *"}}).json

    assert shown == {
        "text": "", "runs": [], "clockChanges": [],
        "error": {"detail": "The hour field is invalid.", "start": 2, "end": 4},
    }  # fmt: skip


def test_a_workspace_has_at_most_500_monitors(browser: Browsers, cast: Cast, fields: dict[str, Any]) -> None:
    monitor, _ = make_monitor(cast.source)
    row = reread(monitor).__data__
    copies = [{**row, "id": new_id(), "token_hash": number.to_bytes(32)} for number in range(499)]
    HeartbeatMonitor.insert_many(copies).execute()

    assert browser("adam").post(PATH, fields).json["code"] == "conflict"
    assert browser("adam").post(PATH, {**fields, "workspaceId": "wsp_x"}).status_code == 422


def test_the_open_incident_of_a_monitor_is_named(browser: Browsers, cast: Cast) -> None:
    from inbox.flow.routing.route import route
    from inbox.models.incidents.tables import Incident

    monitor, token = make_monitor(cast.source)
    ping(token, present(), "fail")
    route(present)

    record = browser("vic").get(f"{PATH}/{typeid('mon', monitor.id)}").json

    assert record["status"] == "down"
    assert record["incidentId"] == ids.encode("inc", Incident.get().id)
    assert [each["outcome"] for each in record["bar"]] == ["failed"]
