"""Pings with a ping key of a source and the slug of a monitor, and monitors that a ping creates (specification 18.11)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from inbox.database.base import db
from inbox.models.heartbeats.tables import HeartbeatMonitor, HeartbeatPing
from inbox.models.records.audit import AuditEntry
from inbox.models.senders.sources import Source, SourceKey
from inbox.services.heartbeats.slug_monitors import MOST_OF_SOURCE
from tests.browser import Browser, sound
from tests.cast import Cast, make_key, present, typeid
from tests.heartbeats import make_monitor, reread

Browsers = Callable[[str], Browser]
RUN = "0b9ff0f4-2f4c-4b8b-9c0a-6f3f3f1f2a10"
UNKNOWN = "svc_ping_" + "0" * 49


@pytest.fixture
def key(cast: Cast) -> str:
    return make_key(cast.source, kind="ping_key")


@pytest.fixture
def monitor(cast: Cast) -> HeartbeatMonitor:
    return make_monitor(cast.source, slug="backup")[0]


def send(app: Flask, path: str, method: str = "GET", **more: Any) -> TestResponse:
    answer = app.test_client().open(f"/v1/heartbeats{path}", method=method, **more)
    sound(answer)
    return answer


def stored() -> list[tuple[str, int | None, str, str]]:
    rows = HeartbeatPing.select().order_by(HeartbeatPing.at, HeartbeatPing.id)
    return [(row.kind, row.exit_code, row.method, row.body) for row in rows]


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
@pytest.mark.parametrize(
    ("suffix", "kind", "code"),
    [("", "success", None), ("/start", "start", None), ("/fail", "fail", None), ("/log", "log", None),
     ("/0", "success", 0), ("/1", "fail", 1), ("/255", "fail", 255)],
)  # fmt: skip
def test_a_ping_is_taken_by_its_slug_and_with_the_key_as_bearer(
    app: Flask, monitor: HeartbeatMonitor, key: str, method: str, suffix: str, kind: str, code: int | None
) -> None:
    answers = [
        send(app, f"/{key}/backup{suffix}", method),
        send(app, f"/{key}/backup{suffix}?rid={RUN}", method),
        send(app, f"/{key}/backup{suffix}?create=1", method),
        send(app, f"/backup{suffix}", method, headers={"Authorization": f"Bearer {key}"}),
    ]

    assert [answer.status_code for answer in answers] == [200] * 4
    assert {answer.data for answer in answers} == {b"" if method == "HEAD" else b"OK"}
    assert {answer.headers["Ping-Body-Limit"] for answer in answers} == {"10000"}
    assert stored() == [(kind, code, method, "")] * 4
    assert {row.run_id and str(row.run_id) for row in HeartbeatPing.select()} == {None, RUN}
    assert reread(monitor).last_ping_at is not None or kind in ("start", "log")


def test_a_text_is_stored_redacted_and_the_use_of_the_key_is_recorded(
    app: Flask, monitor: HeartbeatMonitor, key: str
) -> None:
    sent = send(app, f"/{key}/backup", "POST", data=f"done {key}", headers={"User-Agent": "runitor/1.4"})

    assert (sent.status_code, stored()) == (200, [("success", None, "POST", "done svc_[REDACTED]")])
    used = SourceKey.get(SourceKey.kind == "ping_key")
    assert used.last_used_at is not None
    assert (used.last_used_network, used.last_used_agent) == ("127.0.0.1", "runitor/1.4")


def test_the_use_of_a_key_is_recorded_once_a_minute(app: Flask, monitor: HeartbeatMonitor, key: str) -> None:
    send(app, f"/{key}/backup")
    first = SourceKey.get(SourceKey.kind == "ping_key").last_used_at
    send(app, f"/{key}/backup")

    assert SourceKey.get(SourceKey.kind == "ping_key").last_used_at == first


@pytest.mark.parametrize("more", ["", f"?rid={RUN}"])
def test_an_unknown_slug_is_404_and_an_unknown_key_401(
    app: Flask, cast: Cast, monitor: HeartbeatMonitor, key: str, more: str
) -> None:
    foreign = make_key(cast.foreign_source, kind="ping_key")
    unknown = send(app, f"/{key}/other{more}")

    assert (unknown.status_code, unknown.json["code"]) == (404, "not_found")
    assert "?create=1" in unknown.json["detail"]
    assert send(app, f"/{foreign}/backup{more}").status_code == 404
    for bad in (UNKNOWN, key[:-1], cast.key.replace("svc_src_", "svc_ping_")):
        assert send(app, f"/{bad}/backup{more}").json["code"] == "unauthenticated"
    assert stored() == []


@pytest.mark.parametrize(
    ("path", "status"),
    [("", 401), ("/start", 404), ("/12", 404), ("/Backup", 404), ("/b%20c", 404), (f"/{'b' * 65}", 404),
     ("/backup/stop", 404), ("/backup/256", 400), ("/backup?rid=x", 400), ("/backup/start/x", 404)],
)  # fmt: skip
def test_an_invalid_slug_or_signal_in_a_ping_is_refused(
    app: Flask, monitor: HeartbeatMonitor, key: str, path: str, status: int
) -> None:
    for query in ("", "?create=1") if "rid" not in path else ("",):
        assert send(app, f"/{key}{path}{query}").status_code == status
    assert (stored(), HeartbeatMonitor.select().count()) == ([], 1)


def test_a_ping_key_works_for_nothing_else(app: Flask, cast: Cast, monitor: HeartbeatMonitor, key: str) -> None:
    client = app.test_client()
    bearer = {"Authorization": f"Bearer {key}"}

    answers = [
        client.post("/v1/events", json={"title": "x"}, headers=bearer),
        client.post("/v1/hooks/alertmanager", json={}, headers=bearer),
        client.post("/message", json={"message": "x"}, headers={"X-Gotify-Key": key}),
        client.post("/v1/heartbeats", headers=bearer),
        client.get("/v1/heartbeat-monitors", headers=bearer),
    ]

    assert [answer.status_code for answer in answers] == [401] * 5
    assert send(app, f"/{cast.key}/backup").status_code == 404


def test_a_revoked_key_is_refused_and_a_disabled_source_keeps_its_pings(
    app: Flask, cast: Cast, monitor: HeartbeatMonitor, key: str
) -> None:
    Source.update(enabled=False).execute()

    assert send(app, f"/{key}/backup").status_code == 200
    refused = send(app, f"/{key}/new?create=1")
    assert (refused.status_code, refused.json["code"]) == (409, "conflict")
    SourceKey.update(revoked_at=present()).execute()
    assert send(app, f"/{key}/backup").status_code == 401
    assert send(app, f"/{key}/new?create=1").status_code == 401


@pytest.mark.parametrize("query", ["create=1", f"create=1&rid={RUN}"])
def test_the_first_ping_creates_the_monitor_where_it_asks_for_it(
    app: Flask, cast: Cast, key: str, browser: Browsers, query: str
) -> None:
    answers = [send(app, f"/{key}/{'n' * 64}/start?{query}", "POST", data="x") for _ in range(2)]

    assert [(answer.status_code, answer.text) for answer in answers] == [(201, "Created"), (200, "OK")]
    assert stored() == [("start", None, "POST", "x")] * 2
    [record] = browser("vic").get("/v1/heartbeat-monitors").json["items"]
    assert (record["slug"], record["name"], record["sourceId"]) == ("n" * 64, "n" * 64, typeid("src", cast.source.id))
    assert record["schedule"] == {"kind": "simple", "periodSeconds": 86_400}
    entry = AuditEntry.get(AuditEntry.action == "monitor.created")
    assert entry.actor == {"type": "source", "id": typeid("src", cast.source.id), "name": cast.source.name}
    assert entry.ip == "127.0.0.1"
    assert entry.request_id == answers[0].headers["X-Request-Id"]


@pytest.mark.parametrize("query", ["", "?create=0", "?create=true"])
def test_a_ping_without_create_creates_no_monitor(app: Flask, key: str, query: str) -> None:
    assert send(app, f"/{key}/new{query}").status_code == 404
    assert HeartbeatMonitor.select().count() == 0


def test_pings_create_monitors_up_to_their_limit(app: Flask, cast: Cast, key: str) -> None:
    for _ in range(MOST_OF_SOURCE - 2):
        make_monitor(cast.source)

    answers = [send(app, f"/{key}/job-{number}?create=1").status_code for number in range(4)]

    assert answers == [201, 201, 409, 409]
    assert send(app, f"/{key}/job-1?create=1").status_code == 200
    assert HeartbeatMonitor.select().count() == MOST_OF_SOURCE


def test_concurrent_first_pings_create_one_monitor_and_are_all_stored(app: Flask, key: str) -> None:
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: send(app, f"/{key}/new?create=1").status_code, range(6)))

    assert sorted(answers) == [200] * 5 + [201]
    assert (HeartbeatMonitor.select().count(), len(stored())) == (1, 6)


def test_a_slug_is_unique_among_the_monitors_of_a_source(browser: Browsers, cast: Cast) -> None:
    first, second = (make_monitor(cast.source, slug=slug)[0] for slug in ("backup", None))
    path = f"/v1/heartbeat-monitors/{typeid('mon', second.id)}"
    adam = browser("adam")
    fields = {"workspaceId": typeid("wsp", cast.workspace.id), "sourceId": typeid("src", cast.source.id), "name": "x",
              "schedule": {"kind": "simple", "periodSeconds": 60}, "slug": "backup"}  # fmt: skip

    taken = [adam.patch(path, {"slug": "backup"}), adam.post("/v1/heartbeat-monitors", fields)]

    assert [(answer.status_code, answer.json["code"]) for answer in taken] == [(409, "conflict")] * 2
    assert adam.patch(path, {"slug": "backup-2"}).json["slug"] == "backup-2"
    assert adam.patch(path, {"slug": None}).json["slug"] is None
    assert adam.delete(f"/v1/heartbeat-monitors/{typeid('mon', first.id)}").status_code == 204
    assert adam.post("/v1/heartbeat-monitors", fields).json["slug"] == "backup"


@pytest.mark.parametrize("slug", ["", "start", "fail", "log", "7", "A", "a b", "a" * 65, 7])
def test_an_invalid_slug_in_an_edit_is_refused_with_its_pointer(browser: Browsers, cast: Cast, slug: object) -> None:
    monitor, _ = make_monitor(cast.source)

    answer = browser("adam").patch(f"/v1/heartbeat-monitors/{typeid('mon', monitor.id)}", {"slug": slug})

    assert [each["pointer"] for each in answer.json["errors"]] == ["/slug"]


def test_an_administrator_makes_a_ping_key_which_stands_in_no_log(
    app: Flask, cast: Cast, browser: Browsers, monitor: HeartbeatMonitor, lines: Callable[[], list[dict[str, Any]]]
) -> None:
    path = f"/v1/sources/{typeid('src', cast.source.id)}/keys"
    made = browser("adam").post(path, {"kind": "ping_key", "name": "cron"}).json
    key = made["secret"]
    assert (made["kind"], made["hint"], key[:9]) == ("ping_key", key[-4:], "svc_ping_")
    assert browser("vic").post(path, {"kind": "ping_key"}).status_code == 403

    answers = [
        send(app, f"/{key}/backup", "POST", data=key),
        send(app, f"/{key}/backup/start?rid={key}"),
        send(app, f"/{key}/backup/256"),
        send(app, f"/{key}/unknown"),
        send(app, f"/{key}"),
        send(app, f"/{key}/new?create=1", headers={"X-Request-Id": key}),
        browser("adam").get("/v1/keys"),
    ]

    written = [answer.get_data(as_text=True) + str(answer.headers) for answer in answers]
    written += [str(line) for line in lines()] + [str(entry.__data__) for entry in AuditEntry.select()]
    written += [str(row) for row in db.execute_sql("SELECT p::text FROM heartbeat_pings p").fetchall()]
    assert [text for text in written if key[len("svc_ping_") :] in text] == []
    assert {line["route"] for line in lines() if "svc" in str(line.get("route"))} == set()
