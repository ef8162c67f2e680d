"""Authorization: sessions, roles, other workspaces, other sites, recent proofs, and rates."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from flask import Flask

from app import create_app
from inbox.api.http.authorization import same_origin
from inbox.api.http.policy import POLICY, PolicyIncomplete
from inbox.config.settings import Settings
from inbox.models.people.accounts import Session, User
from tests.api.policy.authorization_steps import NOWHERE, Browsers
from tests.browser import Browser
from tests.cast import Cast, present, sign_in


def test_a_route_without_a_policy_keeps_the_server_from_starting(settings: Settings, monkeypatch: Any) -> None:
    monkeypatch.delitem(POLICY, "me.read")

    with pytest.raises(PolicyIncomplete, match=r"me\.read"):
        create_app(settings)


def test_every_line_of_the_policy_has_its_route(app: Flask) -> None:
    assert {rule.endpoint for rule in app.url_map.iter_rules()} == set(POLICY)


def test_every_protected_route_requires_a_session(app: Flask, anonymous: Browser) -> None:
    for rule in app.url_map.iter_rules():
        if POLICY[rule.endpoint].credential in ("user", "session"):
            path = "".join(
                NOWHERE.replace("wsp", part.split("(")[1].split(")")[0]) if "(" in part else part
                for part in _parts(rule.rule)
            )
            for method in (rule.methods or set()) - {"HEAD"}:
                answer = anonymous.call(method, path)
                assert (answer.status_code, answer.json["code"]) == (401, "unauthenticated"), (method, path)


def _parts(rule: str) -> list[str]:
    return rule.replace("<", "\0<").replace(">", "\0").split("\0")


@pytest.mark.parametrize("cookie", ["", "x", "a" * 43, "é" * 10, "a" * 5000, '"', "\x7f", "null"])
def test_a_foreign_cookie_authenticates_nobody(cookie: str, anonymous: Browser) -> None:
    answer = anonymous.get("/v1/me", headers={"Cookie": f"inbox_session_8080={cookie}"})

    assert (answer.status_code, answer.json["code"]) == (401, "unauthenticated")


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"last_seen_at": timedelta(days=29, hours=23)}, 200),
        ({"last_seen_at": timedelta(days=30)}, 401),
        ({"created_at": timedelta(days=89, hours=23)}, 200),
        ({"created_at": timedelta(days=90)}, 401),
        ({"revoked_at": timedelta()}, 401),
    ],
    ids=["idle for less than 30 days", "idle for 30", "less than 90 days old", "90 days old", "revoked"],
)
def test_a_session_ends_after_its_lifetime(
    changes: dict[str, timedelta], status: int, cast: Cast, app: Flask, settings: Settings
) -> None:
    token = sign_in(cast.users["mia"], **{name: present() - ago for name, ago in changes.items()})

    assert Browser(app, settings.base_url, cookie=token).get("/v1/me").status_code == status


def test_a_disabled_person_is_out_at_once(browser: Browsers, cast: Cast) -> None:
    mia = browser("mia")
    User.update(disabled_at=present()).where(User.id == cast.users["mia"].id).execute()

    assert mia.get("/v1/me").status_code == 401


def test_the_last_use_is_written_once_a_minute(app: Flask, cast: Cast, settings: Settings) -> None:
    long_ago, lately = present() - timedelta(minutes=2), present() - timedelta(seconds=50)
    for seen, moved in ((long_ago, True), (lately, False)):
        token = sign_in(cast.users["mia"], last_seen_at=seen)
        Browser(app, settings.base_url, cookie=token).get("/v1/me")
        [row] = Session.select().order_by(Session.created_at.desc()).limit(1)
        assert (row.last_seen_at > seen) is moved


def test_a_bearer_beside_the_cookie_is_refused(browser: Browsers) -> None:
    answer = browser("mia").get("/v1/me", headers={"Authorization": "Bearer svc_src_x"})

    assert (answer.status_code, answer.json["code"]) == (401, "unauthenticated")
    assert browser("mia").get("/v1/me", headers={"Authorization": "Basic b2xnYTp4"}).status_code == 200


ACCEPTED, FOREIGN, FORM = 204, (403, "forbidden"), (415, "unsupported_media_type")


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, ACCEPTED),
        ({"Origin": ""}, ACCEPTED),
        ({"Origin": "http://127.0.0.1:8080", "Sec-Fetch-Site": "same-origin"}, ACCEPTED),
        ({"Origin": "", "Sec-Fetch-Site": "none"}, ACCEPTED),
        ({"Content-Type": "application/json; charset=utf-8"}, ACCEPTED),
        ({"Origin": "http://inbox.lan:8080", "Sec-Fetch-Site": "same-origin"}, ACCEPTED),
        ({"Sec-Fetch-Site": "cross-site"}, FOREIGN),
        ({"Sec-Fetch-Site": "same-site"}, FOREIGN),
        ({"Sec-Fetch-Site": "anything-else"}, FOREIGN),
        ({"Origin": "null"}, FOREIGN),
        ({"Origin": "https://evil.example"}, FOREIGN),
        ({"Origin": "https://127.0.0.1:8080"}, FOREIGN),
        ({"Origin": "http://127.0.0.1"}, FOREIGN),
        ({"Origin": "http://127.0.0.1:8081"}, FOREIGN),
        ({"Origin": "http://127.0.0.1:8080.evil.example"}, FOREIGN),
        ({"Origin": "http://evil.example/127.0.0.1:8080"}, FOREIGN),
        ({"Origin": "http://[::1"}, FOREIGN),
        ({"Content-Type": ""}, ACCEPTED),
        ({"Content-Type": "", "Origin": ""}, ACCEPTED),
        ({"Content-Type": "", "Sec-Fetch-Site": "cross-site"}, FOREIGN),
        ({"Content-Type": "", "Sec-Fetch-Site": "same-site"}, FOREIGN),
        ({"Content-Type": "", "Origin": "https://evil.example"}, FOREIGN),
        ({"Content-Type": "", "Origin": "null"}, FOREIGN),
        ({"Content-Type": "text/plain"}, FORM),
        ({"Content-Type": "application/x-www-form-urlencoded"}, FORM),
        ({"Content-Type": "multipart/form-data; boundary=x"}, FORM),
    ],
    ids=str,
)
def test_writes_from_other_sites_are_refused(headers: dict[str, str], expected: Any, browser: Browsers) -> None:
    answer = browser("mia").post("/v1/auth/logout", headers=headers)

    if expected == ACCEPTED:
        assert answer.status_code == ACCEPTED
    else:
        assert (answer.status_code, answer.json["code"]) == expected


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("192.168.7.9:8080", "http://192.168.7.9:8080", 401),
        ("localhost:8080", "http://localhost:8080", 401),
        ("[fd00::7]:8080", "http://[fd00::7]:8080", 401),
        ("192.168.7.9", "http://192.168.7.9", 401),
        ("192.168.7.9:8080", "http://192.168.7.9:8081", 403),
        ("192.168.7.9:8080", "https://192.168.7.9:8080", 403),
        ("192.168.7.9:8080", "http://192.168.7.10:8080", 403),
        ("localhost.evil.example:8080", "http://localhost.evil.example:8080", 403),
        ("inbox.lan:8080", "http://inbox.lan:8080", 403),
        ("192.168.7.9:8080", "null", 403),
    ],
)
def test_a_page_at_an_address_of_this_machine_may_write_to_the_same_address(
    host: str, origin: str, status: int, anonymous: Browser
) -> None:
    body, headers = {"email": "nobody@example.org", "password": "a long enough one"}, {"Host": host, "Origin": origin}

    assert anonymous.post("/v1/auth/login", body, headers=headers).status_code == status
    crossing = {**headers, "Sec-Fetch-Site": "cross-site"}
    assert anonymous.post("/v1/auth/login", body, headers=crossing).status_code == 403


def test_signing_in_from_another_site_is_refused_too(anonymous: Browser) -> None:
    body = {"email": "mia@example.org", "password": "a long enough one"}

    assert anonymous.post("/v1/auth/login", body, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert anonymous.post("/v1/auth/login", body, headers={"Origin": "https://evil.example"}).status_code == 403


def test_a_cross_site_read_is_allowed_as_a_link(browser: Browsers) -> None:
    assert browser("mia").get("/v1/me", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


def test_origins_are_compared_as_scheme_host_and_port() -> None:
    assert same_origin("https://inbox.example.org", "https://inbox.example.org:443/sub")
    assert same_origin("https://INBOX.example.org:443", "https://inbox.example.org")
    assert not same_origin("http://inbox.example.org", "https://inbox.example.org")
    assert not same_origin("https://inbox.example.org.evil.example", "https://inbox.example.org")
    assert not same_origin("null", "null")


def test_no_answer_invites_other_origins(browser: Browsers) -> None:
    answer = browser("mia").get("/v1/me", headers={"Origin": "https://evil.example"})

    assert not [name for name in dict(answer.headers) if name.lower().startswith("access-control-")]
