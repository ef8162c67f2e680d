"""Pings in the form of push monitors: the scripts of another monitor change one address (specification 18.10)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from http.client import HTTPConnection
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from inbox.models.heartbeats.tables import HeartbeatMonitor, HeartbeatPing
from tests.browser import sound
from tests.cast import Cast
from tests.heartbeats import make_monitor, reread, with_badge
from tests.live.web import Web


@pytest.fixture
def made(cast: Cast) -> tuple[HeartbeatMonitor, str]:
    return make_monitor(cast.source)


def push(app: Flask, token: str, query: str = "", method: str = "GET", **more: Any) -> TestResponse:
    answer = app.test_client().open(f"/api/push/{token}{query}", method=method, **more)
    sound(answer)
    return answer


@pytest.mark.parametrize(
    ("query", "kind", "text", "status"),
    [("", "success", "", "up"), ("?status=up&msg=OK&ping=", "success", "OK", "up"),
     ("?status=up&msg=OK&ping=12", "success", "OK\nping: 12 ms", "up"), ("?msg=fine&other=1", "success", "fine", "up"),
     ("?status=down&msg=disk%20full", "fail", "disk full", "down"), ("?status=nonsense", "fail", "", "down"), ("?status=UP", "fail", "", "down"), ("?status=&msg=OK", "success", "OK", "up"),
     ("?msg=%DCber", "success", "Über", "up"), ("?msg=%C3%9Cber", "success", "Über", "up")],
)  # fmt: skip
def test_a_push_is_a_ping_of_the_monitor(
    app: Flask, made: tuple[HeartbeatMonitor, str], query: str, kind: str, text: str, status: str
) -> None:
    answer = push(app, made[1], query)

    [ping] = HeartbeatPing.select()
    assert (answer.status_code, answer.get_json()) == (200, {"ok": True})
    assert (ping.kind, ping.body, ping.method, reread(made[0]).status) == (kind, text, "GET", status)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("body", [b"", b'{"status": "down"}', b"x" * 100_000])
def test_every_method_pushes_and_its_body_is_ignored(
    app: Flask, made: tuple[HeartbeatMonitor, str], method: str, body: bytes
) -> None:
    answer = push(app, made[1], "?status=up&msg=OK", method, data=body)

    [ping] = HeartbeatPing.select()
    assert (answer.status_code, answer.get_json()) == (200, {"ok": True})
    assert (ping.kind, ping.body, ping.method) == ("success", "OK", method)


def test_a_long_message_is_cut_and_not_refused(web_of_file: Web, made: tuple[HeartbeatMonitor, str]) -> None:
    target = f"/api/push/{made[1]}?status=up&msg={'%C3%BC' * 5_000}"

    with closing(HTTPConnection("127.0.0.1", web_of_file.port, timeout=60)) as connection:
        connection.request("GET", target)
        status = connection.getresponse().status

    assert (status, HeartbeatPing.get().body) == (200, "ü" * 5_000)


def test_head_pings_too(app: Flask, made: tuple[HeartbeatMonitor, str]) -> None:
    assert push(app, made[1], "?status=down", "HEAD").status_code == 200
    assert [ping.kind for ping in HeartbeatPing.select()] == ["fail"]


def test_a_refused_push_ping_has_the_fields_of_the_format_and_of_a_problem(
    app: Flask, cast: Cast, made: tuple[HeartbeatMonitor, str]
) -> None:
    for token in (made[1][:-1], cast.key, with_badge(made[0]), "svc_hb_" + "0" * 49, "HrNTKPjEsJ"):
        problem = push(app, token, "?status=up").get_json(force=True)
        assert (problem["status"], problem["code"], problem["ok"]) == (401, "unauthenticated", False)
        assert problem["msg"] == "Monitor not found or not active."
    assert HeartbeatPing.select().count() == 0


def test_the_text_is_redacted_and_cut_and_the_token_stands_in_no_log(
    app: Flask, made: tuple[HeartbeatMonitor, str], lines: Callable[[], list[dict[str, Any]]]
) -> None:
    token = made[1]

    answers = [
        push(app, token, f"?msg={token} {'x' * 20_000}", headers={"User-Agent": token}),
        push(app, token + "x", f"?msg={token}"),
        app.test_client().get(f"/api/pussh/{token}"),
    ]

    ping = HeartbeatPing.get()
    secret = token.removeprefix("svc_hb_")
    assert len(ping.body) == 10_000
    assert secret not in f"{ping.body} {ping.user_agent} {lines()} {[answer.text for answer in answers]}"
    assert "/api/push/<token>" in {line.get("route") for line in lines()}


def test_pushes_above_the_limit_are_answered_and_not_stored(
    app: Flask, made: tuple[HeartbeatMonitor, str], in_settings: Callable[..., Any]
) -> None:
    in_settings(rate_limits=True, pings_per_minute=2)

    assert [push(app, made[1]).status_code for _ in range(5)] == [200] * 5
    assert HeartbeatPing.select().count() == 2
