"""Pings over HTTP in all forms, and monitor tokens kept out of logs (specification 18.5)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from inbox.database.base import db
from inbox.live.feed import Change
from inbox.models.heartbeats.tables import HeartbeatMonitor, HeartbeatPing
from inbox.models.records.audit import AuditEntry
from tests.browser import Browser, sound
from tests.cast import Cast, typeid
from tests.heartbeats import make_monitor, reread, with_badge

Browsers = Callable[[str], Browser]
RUN = "0b9ff0f4-2f4c-4b8b-9c0a-6f3f3f1f2a10"


@pytest.fixture
def made(cast: Cast) -> tuple[HeartbeatMonitor, str]:
    return make_monitor(cast.source)


def send(app: Flask, method: str, path: str, token: str = "", **more: Any) -> TestResponse:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = app.test_client().open(path, method=method, headers={**headers, **more.pop("headers", {})}, **more)
    sound(answer)
    return answer


def stored() -> list[tuple[str, int | None, str]]:
    rows = HeartbeatPing.select().order_by(HeartbeatPing.at, HeartbeatPing.id)
    return [(row.kind, row.exit_code, row.method) for row in rows]


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
@pytest.mark.parametrize(
    ("suffix", "kind", "code"),
    [("", "success", None), ("/start", "start", None), ("/fail", "fail", None), ("/log", "log", None),
     ("/0", "success", 0), ("/1", "fail", 1), ("/255", "fail", 255)],
)  # fmt: skip
def test_a_ping_is_taken_by_its_address_and_with_the_token_as_bearer(
    app: Flask, made: tuple[HeartbeatMonitor, str], method: str, suffix: str, kind: str, code: int | None
) -> None:
    answers = [
        send(app, method, f"/v1/heartbeats/{made[1]}{suffix}"),
        send(app, method, f"/v1/heartbeats{suffix}", made[1]),
    ]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert {answer.content_type for answer in answers} == {"text/plain; charset=utf-8"}
    assert {answer.data for answer in answers} == {b"" if method == "HEAD" else b"OK"}
    assert answers[0].headers["Ping-Body-Limit"] == "10000"
    assert stored() == [(kind, code, method)] * 2


def test_a_body_is_redacted_and_cut_and_never_refused(app: Flask, made: tuple[HeartbeatMonitor, str]) -> None:
    secret = made[1]
    body = b"x" * 9_990 + secret.encode() + b"y" * 300_000

    answer = send(app, "POST", f"/v1/heartbeats/{secret}", data=body, headers={"User-Agent": f"curl {secret}"})

    row = HeartbeatPing.get()
    assert answer.status_code == 200
    assert len(row.body) == 10_000
    assert row.body.endswith("svc_[REDAC")
    assert secret not in row.user_agent


def test_a_run_id_pairs_the_start_with_the_end(app: Flask, made: tuple[HeartbeatMonitor, str]) -> None:
    for suffix in (f"/start?rid={RUN}", f"/start?rid={uuid4()}", f"?rid={RUN}"):
        assert send(app, "GET", f"/v1/heartbeats/{made[1]}{suffix}").status_code == 200

    newest = HeartbeatPing.select().order_by(HeartbeatPing.at.desc()).first()
    assert newest.duration_ms is not None
    assert reread(made[0]).started_at is not None


@pytest.mark.parametrize(
    ("suffix", "status"), [("/256", 400), ("/9999999", 400), ("?rid=x", 400), (f"?rid={'0' * 36}", 400),
                           ("/stop", 404), ("/-1", 404), ("/start/x", 404), ("/\u0665", 404)],
)  # fmt: skip
def test_an_invalid_signal_is_refused_alike_for_known_and_unknown_tokens(
    app: Flask, made: tuple[HeartbeatMonitor, str], suffix: str, status: int
) -> None:
    path = suffix if "rid" not in suffix else f"/start{suffix}"

    assert send(app, "GET", f"/v1/heartbeats/{made[1]}{path}").status_code == status
    assert stored() == []


def test_unknown_truncated_and_foreign_tokens_get_one_answer(
    app: Flask, cast: Cast, made: tuple[HeartbeatMonitor, str]
) -> None:
    for token in (made[1][:-1], cast.key, with_badge(made[0]), "x", "svc_hb_" + "0" * 49):
        answers = [send(app, "POST", f"/v1/heartbeats/{token}"), send(app, "POST", "/v1/heartbeats", token)]
        assert [answer.status_code for answer in answers] == [401, 401]
    assert send(app, "POST", "/v1/heartbeats").json["code"] == "unauthenticated"
    assert send(app, "POST", "/v1/events", made[1], json={"title": "x"}).status_code == 401
    assert stored() == []


def test_the_token_stands_in_no_log_no_problem_no_audit_entry_and_no_reference(
    app: Flask, made: tuple[HeartbeatMonitor, str], lines: Callable[[], list[dict[str, Any]]], browser: Browsers
) -> None:
    token = made[1]
    badge = with_badge(made[0])
    answers = [
        send(app, "POST", f"/v1/heartbeats/{token}", data=token),
        send(app, "POST", f"/v1/heartbeats/{token}/start", headers={"X-Request-Id": token}),
        send(app, "GET", f"/v1/heartbeats/{token}/nothing"),
        send(app, "GET", f"/v1/heartbeats/{token}/256"),
        send(app, "PUT", f"/v1/heartbeats/{token}"),
        send(app, "GET", f"/v1/heartbeat/{token}"),
        send(app, "GET", f"/v1/heartbeats/{token}/fail?rid={token}"),
        send(app, "GET", f"/v1/badges/{badge}.svg"),
        send(app, "GET", f"/v1/badges/{badge}.gif"),
    ]
    admin, path = browser("adam"), f"/v1/heartbeat-monitors/{typeid('mon', made[0].id)}"
    answers += [
        admin.get(path),
        admin.get(f"{path}/pings"),
        admin.get(f"{path}/flips"),
        admin.get("/v1/heartbeat-monitors"),
    ]
    admin.patch(path, {"name": f"Job {token}"})
    admin.post(f"{path}/rotate")

    written = [answer.get_data(as_text=True) + str(answer.headers) for answer in answers]
    written += [str(line) for line in lines()]
    written += [str(entry.__data__) for entry in AuditEntry.select()]
    written += [str(row.refs) for row in Change.select()]
    secrets = [token[len("svc_hb_") :], badge[len("svc_badge_") :]]
    assert [text for text in written if any(secret in text for secret in secrets)] == []
    assert "/v1/heartbeats/<token>/<signal>" in {line.get("route") for line in lines()}
    tables = [
        row[0] for row in db.execute_sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    ]
    dumped = {name: str(db.execute_sql(f'SELECT t::text FROM "{name}" t').fetchall()) for name in tables}
    assert [
        name for name, text in dumped.items() if badge in text or (token in text and name != "heartbeat_monitors")
    ] == []


def test_a_rotated_token_is_refused_at_once(app: Flask, made: tuple[HeartbeatMonitor, str], browser: Browsers) -> None:
    answer = browser("adam").post(f"/v1/heartbeat-monitors/{typeid('mon', made[0].id)}/rotate")

    assert answer.status_code == 201
    assert send(app, "GET", f"/v1/heartbeats/{made[1]}").status_code == 401
    path = answer.json["pingUrl"].removeprefix("http://127.0.0.1:8080")
    assert re.fullmatch(r"/v1/heartbeats/svc_hb_[0-9A-Za-z]{49}", path)
    assert send(app, "GET", path).status_code == 200


def test_a_badge_shows_name_and_status_to_anyone_with_its_address(
    app: Flask, made: tuple[HeartbeatMonitor, str], browser: Browsers
) -> None:
    path = f"/v1/heartbeat-monitors/{typeid('mon', made[0].id)}/badge"
    urls = browser("adam").post(path).json
    short = {name: url.removeprefix("http://127.0.0.1:8080") for name, url in urls.items()}
    send(app, "GET", f"/v1/heartbeats/{made[1]}")

    image = send(app, "GET", short["svgUrl"])
    assert image.content_type == "image/svg+xml; charset=utf-8"
    assert "<title>Backup: up</title>" in image.text
    assert image.headers["Access-Control-Allow-Origin"] == "*"
    assert send(app, "GET", short["jsonUrl"]).json == {"status": "up", "total": 1, "grace": 0, "down": 0}
    assert send(app, "GET", short["shieldsUrl"]).json == {
        "schemaVersion": 1, "label": "Backup", "message": "up", "color": "success"
    }  # fmt: skip
    assert browser("adam").delete(path).status_code == 204
    assert [send(app, "GET", url).status_code for url in short.values()] == [404, 404, 404]


def test_a_name_cannot_put_markup_into_a_badge(app: Flask, cast: Cast) -> None:
    monitor, _ = make_monitor(cast.source, name='<script>"&')

    image = send(app, "GET", f"/v1/badges/{with_badge(monitor)}.svg").text

    assert "<script>" not in image
    assert "&lt;script&gt;&quot;&amp;" in image
