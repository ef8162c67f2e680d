"""The request log: one line per request with the route's pattern and the caller, never with the address itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from tests.browser import Browser
from tests.cast import Cast, typeid


def test_a_request_is_one_line_with_pattern_and_ids(lines: Any, browser: Callable[[str], Browser], cast: Cast) -> None:
    path = f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}"
    answer = browser("mia").get(path)
    [line] = lines()

    assert line["event"] == "request" and line["method"] == "GET" and line["status"] == 200
    assert line["route"] == "/v1/workspaces/<typeid(wsp):workspace_id>"
    assert line["request_id"] == answer.headers["X-Request-Id"]
    assert line["user_id"] == typeid("usr", cast.users["mia"].id)
    assert line["workspace_id"] == typeid("wsp", cast.workspace.id)
    assert line["ms"] >= 0


def test_ids_of_one_request_do_not_reach_the_next(
    lines: Any, browser: Callable[[str], Browser], anonymous: Browser
) -> None:
    browser("mia").get("/v1/workspaces")
    anonymous.get("/v1/info")

    assert [line.get("user_id") is not None for line in lines()] == [True, False]


def test_neither_path_nor_query_of_the_address_is_logged(lines: Any, anonymous: Browser) -> None:
    anonymous.get("/v1/heartbeats/svc_hb_0123456789?token=Abcdefghijklmno")
    anonymous.get("/v1/heartbeat/svc_hb_0123456789?token=Abcdefghijklmno")
    anonymous.get("/v1/info?token=Abcdefghijklmno&secret=svc_src_1234567890")
    written = orjson.dumps(lines()).decode()

    assert "svc_hb_" not in written and "svc_src_" not in written and "Abcdefghijklmno" not in written
    assert '"route":"/v1/heartbeats/<handle>"' in written and '"route":"unmatched"' in written


def test_a_strange_method_is_not_written_into_the_log(lines: Any, anonymous: Browser) -> None:
    anonymous.call("FORGED", "/v1/info")

    assert [line["method"] for line in lines()] == ["other"]


def test_a_healthy_look_at_health_is_not_worth_a_line(lines: Any, anonymous: Browser) -> None:
    anonymous.get("/healthz")

    assert lines() == []
