"""Every error is a problem document with an id and headers, from the router's refusal to a crash."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import peewee
import psycopg2
import psycopg2.errors
import pytest
from flask import Flask
from playhouse.pool import MaxConnectionsExceeded

from app import create_app
from inbox.api.http.policy import NONE, POLICY, EndpointPolicy
from inbox.api.http.problems import KINDS, problem_bytes
from inbox.config.settings import Settings
from inbox.domain.values import refusals
from inbox.domain.values.refusals import Fault, RateLimited, Refusal, ValidationFailed
from tests.browser import Browser, sound

Raising = Callable[[Exception], Any]


def codes(of: type[Refusal] = Refusal) -> set[str]:
    return {of.code, *(code for child in of.__subclasses__() for code in codes(child))}


@pytest.fixture(scope="module")
def exploding(settings: Settings) -> Flask:
    """An app whose `/boom` raises what is left for it."""
    app = create_app(settings)
    faults: list[Exception] = []

    def boom() -> None:
        raise faults.pop()

    app.extensions["faults"] = faults
    app.add_url_rule("/boom", "boom", boom)
    return app


@pytest.fixture
def raising(ground: peewee.Database, exploding: Flask, monkeypatch: pytest.MonkeyPatch) -> Raising:
    """`raising(fault)` is the answer of an endpoint that raises it."""
    monkeypatch.setitem(POLICY, "boom", EndpointPolicy(NONE, workspace_from="none"))

    def call(fault: Exception) -> Any:
        exploding.extensions["faults"].append(fault)
        return exploding.test_client().get("/boom")

    return call


def test_every_refusal_has_a_status_and_an_explanation() -> None:
    assert codes() <= KINDS.keys()
    assert all(400 <= kind.status < 600 and kind.title and kind.meaning and kind.remedy for kind in KINDS.values())


def test_codes_and_statuses_match_the_specification() -> None:
    assert {code: KINDS[code].status for code in sorted(KINDS)} == {
        "bad_request": 400,
        "conflict": 409,
        "forbidden": 403,
        "idempotency_in_progress": 409,
        "idempotency_mismatch": 422,
        "internal_error": 500,
        "invalid_transition": 409,
        "invite_invalid": 403,
        "last_instance_admin": 409,
        "last_workspace": 409,
        "method_not_allowed": 405,
        "mfa_required": 403,
        "not_acceptable": 406,
        "not_found": 404,
        "pairing_invalid": 403,
        "payload_too_large": 413,
        "rate_limited": 429,
        "reauth_required": 403,
        "request_timeout": 408,
        "rev_mismatch": 412,
        "token_invalid": 403,
        "unauthenticated": 401,
        "unavailable": 503,
        "too_costly": 422,
        "unsupported_media_type": 415,
        "uri_too_long": 414,
        "validation_failed": 422,
        "workspace_needs_owner": 409,
    }


@pytest.mark.parametrize("code", sorted(codes() - {"validation_failed"}))
def test_a_refusal_raised_anywhere_becomes_its_problem(code: str, raising: Raising) -> None:
    kind = next(each for each in vars(refusals).values() if getattr(each, "code", None) == code)
    answer = raising(kind("Because.", extra={"factors": ["password"]}))

    sound(answer)
    assert answer.status_code == KINDS[code].status
    assert answer.json | {"requestId": ""} == {
        "type": f"http://127.0.0.1:8080/problems/{code}",
        "title": KINDS[code].title,
        "status": KINDS[code].status,
        "detail": "Because.",
        "code": code,
        "requestId": "",
        "factors": ["password"],
    }


def test_bad_fields_are_listed(raising: Raising) -> None:
    answer = raising(ValidationFailed(errors=[Fault("/a/0", "Must not be blank.")]))

    assert answer.json["errors"] == [{"pointer": "/a/0", "detail": "Must not be blank."}]


def test_too_many_requests_are_refused_with_a_wait(raising: Raising) -> None:
    assert raising(RateLimited(retry_after=17)).headers["Retry-After"] == "17"
    assert raising(RateLimited()).headers["Retry-After"] == "1"


@pytest.mark.parametrize(
    "fault",
    [
        peewee.OperationalError("server closed the connection"),
        peewee.InterfaceError("connection already closed"),
        psycopg2.OperationalError("the database is unavailable"),
        psycopg2.InterfaceError("cursor already closed"),
        MaxConnectionsExceeded("20 connections"),
    ],
    ids=lambda fault: f"{type(fault).__module__}.{type(fault).__name__}",
)
def test_an_unreachable_database_is_503_with_a_retry_time(fault: Exception, raising: Raising) -> None:
    answer = raising(fault)

    sound(answer)
    assert (answer.status_code, answer.json["code"]) == (503, "unavailable")
    assert int(answer.headers["Retry-After"]) >= 1


def test_a_value_that_only_the_database_refuses_is_the_callers_fault(raising: Raising) -> None:
    answer = raising(peewee.DataError("integer out of range"))

    sound(answer)
    assert (answer.status_code, answer.json["code"]) == (400, "bad_request")


def test_a_crash_reports_nothing_but_its_id(raising: Raising, lines: Callable[[], list[dict[str, Any]]]) -> None:
    answer = raising(RuntimeError("the secret of the house"))
    reported = answer.get_data(as_text=True)

    assert (answer.status_code, answer.json["code"]) == (500, "internal_error")
    assert "secret" not in reported and "RuntimeError" not in reported and "Traceback" not in reported
    assert answer.headers["X-Request-Id"] == answer.json["requestId"]
    [logged] = [line for line in lines() if line["event"] == "request failed"]
    assert logged["request_id"] == answer.json["requestId"] and "RuntimeError" in logged["exception"]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"])
def test_an_unknown_method_gets_405_with_the_allowed_methods(method: str, anonymous: Browser) -> None:
    answer = anonymous.call(method, "/v1/info")

    assert (answer.status_code, answer.json["code"]) == (405, "method_not_allowed")
    assert answer.headers["Allow"] == "GET, HEAD"


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/v1",
        "/v1/",
        "/v1/me/",
        "//v1/me",
        "/v1//me",
        "/v1/workspaces/not-an-id",
        "/v1/workspaces/src_01j0000000e008000000000001",
        "/v1/workspaces/WSP_01J0000000E008000000000001",
        "/v1/../v1/nope",
        "/%00",
        "/%ff%fe",
        "/v1/workspaces/%F0%9F%98%80",
        "/v1/workspaces/wsp_01j0000000e00800000000000%EF%BC%91",
        "/" + "a" * 5000,
        "/problems/nothing_of_ours",
        "/%2e%2e%2fetc%2fpasswd",
        "/<script>",
    ],
)
def test_an_unknown_address_is_404(path: str, anonymous: Browser) -> None:
    answer = anonymous.get(path)

    assert (answer.status_code, answer.json["code"]) == (404, "not_found")
    assert path[:20] == "/" or path not in answer.json["detail"]


def test_head_has_the_headers_of_a_problem_and_no_body(anonymous: Browser) -> None:
    answer = anonymous.call("HEAD", "/nothing")

    assert answer.status_code == 404 and answer.data == b""
    assert answer.content_type == "application/problem+json"


def test_an_id_of_ones_own_is_given_to_each_request(anonymous: Browser) -> None:
    given = {anonymous.get("/healthz").headers["X-Request-Id"] for _ in range(5)}

    assert len(given) == 5 and all(re.fullmatch("[0-9a-f]{32}", each) for each in given)


@pytest.mark.parametrize("sent", ["trace-0001", "5f0c3c1e-9a4b-4d0f", "A" * 64])
def test_a_harmless_id_of_the_callers_is_kept(sent: str, anonymous: Browser) -> None:
    answer = anonymous.get("/nothing", headers={"X-Request-Id": sent})

    assert answer.headers["X-Request-Id"] == sent == answer.json["requestId"]


@pytest.mark.parametrize(
    "sent", ["short", "A" * 65, "with space", "semi;colon-", "<b>bold-text</b>", "new%0aline", "é" * 9]
)
def test_any_other_id_is_replaced(sent: str, anonymous: Browser) -> None:
    answer = anonymous.get("/nothing", headers={"X-Request-Id": sent})

    assert answer.headers["X-Request-Id"] != sent


def test_the_core_needs_no_request() -> None:
    status, headers, body = problem_bytes("unavailable", "id-of-this-one", "https://inbox.example.org/problems")

    assert status == 503
    assert dict(headers)["Content-Type"] == "application/problem+json"
    assert int(dict(headers)["Content-Length"]) == len(body)
    assert b'"requestId":"id-of-this-one"' in body


def test_responses_are_neither_cached_nor_framed(app: Flask, anonymous: Browser) -> None:
    for path in ("/healthz", "/v1/info", "/v1/me", "/nothing", "/problems"):
        headers = anonymous.get(path).headers
        assert headers["Cache-Control"] == "no-store"
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert headers["Referrer-Policy"] == "no-referrer"
