"""Signing in and signing out (specification 11.3)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from flask import Flask
from redis import Redis

from app import create_app
from inbox.config import settings as in_force
from inbox.config.settings import Settings
from inbox.models.people.accounts import Session, User
from inbox.services.people import passwords, sessions
from tests.api.sign_in.auth_steps import (
    PASSWORD,
    Browsers,
    mia,  # noqa: F401
    morsel,
    password_hash,  # noqa: F401
)
from tests.browser import Browser
from tests.cast import Cast, present, typeid


def test_signing_in_returns_the_person_and_starts_a_session(
    mia: dict[str, str], anonymous: Browser, cast: Cast
) -> None:
    answer = anonymous.post("/v1/auth/login", mia)

    assert answer.status_code == 200
    assert answer.json["user"]["id"] == typeid("usr", cast.users["mia"].id)
    assert "password" not in answer.get_data(as_text=True).lower()
    assert answer.json["user"].items() <= anonymous.get("/v1/me").json.items()


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(mia: dict[str, str], anonymous: Browser) -> None:
    cookie = morsel(anonymous.post("/v1/auth/login", mia))

    assert cookie.key == "inbox_session_8080" and len(cookie.value) >= 43
    assert cookie["httponly"] and cookie["samesite"] == "Lax" and cookie["path"] == "/"
    assert not cookie["domain"] and not cookie["secure"]
    [row] = Session.select()
    assert bytes(row.token_hash) == sessions.digest(cookie.value)


def test_over_https_the_cookie_is_bound_to_the_host(mia: dict[str, str], settings: Settings) -> None:
    secure = replace(settings, base_url="https://inbox.example.org")
    in_force.use(secure)
    browser = Browser(create_app(secure), secure.base_url)
    answer = browser.post("/v1/auth/login", mia)
    cookie = morsel(answer)

    assert cookie.key == "__Host-inbox_session"
    assert cookie["secure"] and cookie["httponly"] and cookie["path"] == "/" and not cookie["domain"]
    assert answer.headers["Strict-Transport-Security"].startswith("max-age=")
    in_force.use(settings)


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/v1/events"), ("GET", f"/v1/heartbeats/svc_hb_{'x' * 43}"), ("GET", "/healthz")]
)
@pytest.mark.parametrize(("base_url", "expected"), [("https://inbox.example.org", True), ("http://inbox.lan", False)])
def test_every_answer_over_https_asks_for_https(
    settings: Settings, ground: Any, method: str, path: str, base_url: str, *, expected: bool
) -> None:
    served = replace(settings, base_url=base_url)
    in_force.use(served)
    answer = create_app(served).test_client().open(path, method=method)
    in_force.use(settings)

    assert ("Strict-Transport-Security" in answer.headers) is expected


@pytest.mark.parametrize("email", ["mia@example.org", "MIA@Example.ORG", "  mia@example.org "])
def test_the_case_of_an_address_does_not_count(email: str, mia: dict[str, str], anonymous: Browser) -> None:
    assert anonymous.post("/v1/auth/login", mia | {"email": email}).status_code == 200


def test_a_wrong_address_and_a_wrong_password_get_the_same_answer(
    mia: dict[str, str], anonymous: Browser, cast: Cast
) -> None:
    User.update(disabled_at=present()).where(User.id == cast.users["adam"].id).execute()
    answers = [
        anonymous.post("/v1/auth/login", body)
        for body in (
            mia | {"password": "not her phrase"},
            mia | {"password": PASSWORD.upper()},
            mia | {"email": "nobody@example.org"},
            mia | {"email": "vic@example.org"},
            mia | {"email": "adam@example.org"},
            mia | {"email": "no address at all"},
        )
    ]

    assert {answer.status_code for answer in answers} == {401}
    assert len({str(answer.json | {"requestId": ""}) for answer in answers}) == 1
    assert not any("Set-Cookie" in answer.headers for answer in answers)
    assert Session.select().count() == 0


def test_a_disabled_person_cannot_sign_in(mia: dict[str, str], anonymous: Browser, cast: Cast) -> None:
    User.update(disabled_at=present()).where(User.id == cast.users["mia"].id).execute()

    assert anonymous.post("/v1/auth/login", mia).status_code == 401


def test_a_missing_password_hash_costs_the_same_work() -> None:
    assert passwords.is_outdated(passwords.NO_HASH) is False
    assert passwords.matches(None, PASSWORD) is False
    assert passwords.matches("not a hash", PASSWORD) is False


def test_an_older_hash_is_renewed_at_sign_in(mia: dict[str, str], anonymous: Browser, cast: Cast) -> None:
    weaker = passwords.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
    User.update(password_hash=weaker).where(User.id == cast.users["mia"].id).execute()

    assert anonymous.post("/v1/auth/login", mia).status_code == 200
    renewed = User.get_by_id(cast.users["mia"].id).password_hash
    assert renewed != weaker and not passwords.is_outdated(renewed) and passwords.matches(renewed, PASSWORD)


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({}, {"/email", "/password"}),
        ({"email": "mia@example.org", "password": ""}, {"/password"}),
        ({"email": "mia@example.org", "password": "x" * 257}, {"/password"}),
        ({"email": "mia@example.org", "password": "x" * 10_000}, {"/password"}),
        ({"email": "mia@example.org", "password": 12}, {"/password"}),
        ({"email": ["mia@example.org"], "password": "x"}, {"/email"}),
        ({"email": None, "password": "x"}, {"/email"}),
        ({"email": "mia@example.org", "password": "x", "admin": True}, {"/admin"}),
        ({"email": "mia\0@example.org", "password": "x\0"}, {"/email", "/password"}),
    ],
    ids=lambda value: str(sorted(value) if isinstance(value, set) else value)[:60],
)
def test_bad_fields_are_reported_each(body: dict[str, Any], pointers: set[str], anonymous: Browser) -> None:
    answer = anonymous.post("/v1/auth/login", body)

    assert (answer.status_code, answer.json["code"]) == (422, "validation_failed")
    assert {each["pointer"] for each in answer.json["errors"]} == pointers
    assert "x" * 100 not in answer.get_data(as_text=True)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'"text"', b"NaN", b'{"a":\xff}', b'{"a":"\\ud800"}', b"[" * 2000]
)
def test_a_login_body_that_is_not_a_json_object_is_a_bad_request(body: bytes, anonymous: Browser) -> None:
    answer = anonymous.client.post("/v1/auth/login", data=body, content_type="application/json")

    assert (answer.status_code, answer.json["code"]) == (400, "bad_request")


def test_a_compressed_body_is_refused(anonymous: Browser) -> None:
    answer = anonymous.post("/v1/auth/login", {}, headers={"Content-Encoding": "gzip"})

    assert (answer.status_code, answer.json["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize(("size", "status"), [(16 * 1024, 422), (16 * 1024 + 1, 413)])
def test_an_anonymous_body_has_a_cap(size: int, status: int, anonymous: Browser) -> None:
    start = b'{"email":"mia@example.org","password":"'
    body = start + b"x" * (size - len(start) - 2) + b'"}'
    answer = anonymous.client.post("/v1/auth/login", data=body, content_type="application/json")

    assert answer.status_code == status


def test_a_new_sign_in_takes_a_new_token_and_ends_the_browsers_old_session(
    mia: dict[str, str], anonymous: Browser
) -> None:
    first = morsel(anonymous.post("/v1/auth/login", mia)).value
    second = morsel(anonymous.post("/v1/auth/login", mia)).value

    assert first != second
    assert sessions.find(first, present()) is None and sessions.find(second, present()) is not None


def test_a_token_from_elsewhere_is_never_adopted(mia: dict[str, str], app: Flask, settings: Settings) -> None:
    browser = Browser(app, settings.base_url, cookie="f" * 43)

    assert morsel(browser.post("/v1/auth/login", mia)).value != "f" * 43


def test_signing_out_ends_the_session_at_once_and_clears_the_cookie(
    browser: Browsers, cast: Cast, app: Flask, settings: Settings
) -> None:
    token = cast.cookie("mia")
    mia, other = Browser(app, settings.base_url, cookie=token), browser("mia")
    answer = mia.post("/v1/auth/logout")

    assert answer.status_code == 204 and answer.data == b""
    assert morsel(answer).value == "" and morsel(answer)["max-age"] == "0"
    assert Browser(app, settings.base_url, cookie=token).get("/v1/me").status_code == 401
    assert other.get("/v1/me").status_code == 200


def test_signing_out_closes_the_streams_of_that_session(cast: Cast, app: Flask, settings: Settings) -> None:
    listening = Redis.from_url(settings.redis_url).pubsub()
    listening.subscribe("inbox:changes")
    listening.get_message(timeout=30)
    token = cast.cookie("mia")
    Browser(app, settings.base_url, cookie=token).post("/v1/auth/logout")
    message = listening.get_message(timeout=30)
    listening.close()

    assert message is not None
    found = sessions.Session.get(sessions.Session.token_hash == sessions.digest(token))
    assert str(found.id).encode() in message["data"]
