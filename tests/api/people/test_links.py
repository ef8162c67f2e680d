"""Links by mail over HTTP: a reset of the password (specification 11)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from redis import Redis

from inbox.config.settings import Settings
from inbox.database.base import new_id
from inbox.identity import totp
from inbox.models.people.accounts import User
from inbox.models.people.devices import Device
from inbox.models.people.factors import TotpFactor
from inbox.models.people.links import Link
from inbox.runtime import sealing
from inbox.services.people.authentication_factors import associated_data
from inbox.services.people.sessions import digest
from tests.api.people.links_steps import (
    CONFIRMATIONS,
    NEW,
    OLD,
    REQUESTS,
    Browsers,
    InSettings,
    actions,
    ask_for_reset,
    log_in,
    old_hash,  # noqa: F401
    post,  # noqa: F401
    reset,
)
from tests.browser import Browser
from tests.cast import Cast, present
from tests.stand_ins.post_office import MAIL_FROM, PostOffice


@pytest.mark.parametrize(
    ("settings_of", "listed", "there"),
    [
        ({}, set(), set()),
        ({"edition": "hosted"}, set(), set()),
        (
            {"smtp_url": "smtp://127.0.0.1:1", "mail_from": MAIL_FROM},
            {"mail", "auth.password_reset"},
            {"/v1/auth/password-reset", "/v1/auth/password-reset/confirm", "/v1/auth/email-change/confirm"},
        ),
        (
            {"smtp_url": "smtp://127.0.0.1:1", "mail_from": MAIL_FROM, "edition": "hosted"},
            {"mail", "auth.password_reset", "auth.signup"},
            {*CONFIRMATIONS, *REQUESTS},
        ),
    ],
    ids=["neither", "hosted without mail", "mail", "hosted with mail"],
)
def test_routes_of_an_absent_capability_are_not_found(
    settings_of: dict[str, Any], listed: set[str], there: set[str], anonymous: Browser, in_settings: InSettings
) -> None:
    in_settings(**settings_of)

    reported = set(anonymous.get("/v1/info").json["capabilities"])
    found = {
        path
        for path, body in {**CONFIRMATIONS, **REQUESTS}.items()
        for answer in [anonymous.post(path, {**body, "token": "t"} if path in CONFIRMATIONS else body)]
        if (answer.status_code, answer.json.get("code")) != (404, "not_found")
    }

    assert reported & {"mail", "auth.password_reset", "auth.signup"} == listed
    assert found == there
    if not there:
        assert {anonymous.post(path, {"nonsense": 1}).status_code for path in REQUESTS} == {404}


def test_an_address_cannot_be_changed_without_mail(browser: Browsers) -> None:
    assert browser("mia").post("/v1/me/email-change", {"newEmail": "m@example.org"}).status_code == 404


def test_a_forgotten_password_is_replaced_by_a_link(
    post: PostOffice, anonymous: Browser, cast: Cast, app: Flask, settings: Settings
) -> None:
    elsewhere = Browser(app, settings.base_url, cookie=cast.cookie("mia"))
    phone = Device.create(id=new_id(), user=cast.users["mia"], name="Phone", created_at=present())
    ask_for_reset(anonymous, "MIA@example.org")
    [(to, page, token)] = post.links()

    answer = reset(anonymous, token)

    assert (to, page, len(token)) == ("mia@example.org", f"{settings.base_url}/reset", 43)
    assert (answer.status_code, answer.data, answer.headers.getlist("Set-Cookie")) == (204, b"", [])
    assert elsewhere.get("/v1/me").status_code == 401
    assert Device.get_by_id(phone.id).revoked_at is not None
    assert log_in(anonymous, OLD).status_code == 401
    assert log_in(anonymous, NEW).status_code == 200
    [reported] = post.delivered()
    assert "password" in reported.message["Subject"] and "was changed" in reported.text and token not in reported.text
    assert reset(anonymous, token).json["code"] == "token_invalid"
    assert "password.reset" in actions() and "session.ended" in actions()


def test_a_reset_closes_the_persons_streams(
    post: PostOffice, anonymous: Browser, cast: Cast, settings: Settings
) -> None:
    cast.cookie("mia")
    ask_for_reset(anonymous)
    token = post.token()
    listening = Redis.from_url(settings.redis_url).pubsub()
    listening.subscribe("inbox:changes")
    listening.get_message(timeout=30)
    reset(anonymous, token)

    reported = [listening.get_message(timeout=5) for _ in range(3)]
    listening.close()
    assert any(message and str(cast.users["mia"].id).encode() in message["data"] for message in reported)


def test_a_reset_does_not_stand_for_a_second_factor(post: PostOffice, anonymous: Browser, cast: Cast) -> None:
    mia = cast.users["mia"]
    sealed = sealing.current().seal(totp.new_secret(), associated_data(mia.id))
    TotpFactor.create(user=mia, sealed=sealed, created_at=present(), confirmed_at=present())
    ask_for_reset(anonymous)
    reset(anonymous, post.token())

    answer = log_in(anonymous, NEW)

    assert (answer.status_code, answer.json["mfaRequired"]) == (200, True)
    assert "Set-Cookie" not in answer.headers


def test_a_password_that_is_not_acceptable_leaves_the_link_good(post: PostOffice, anonymous: Browser) -> None:
    ask_for_reset(anonymous)
    token = post.token()

    refused = [reset(anonymous, token, password) for password in ("short", "password123", "mia@example.org")]

    assert [(answer.status_code, answer.json["errors"][0]["pointer"]) for answer in refused] == [(422, "/password")] * 3
    assert reset(anonymous, token).status_code == 204


BAD_TOKENS: list[Any] = ["", "x" * 43, "é" * 43, "x" * 10_000, None, 7, True, [], ["x"], {}, {"a": "b"}, ...]


@pytest.mark.parametrize("path", CONFIRMATIONS)
def test_every_unusable_link_gets_the_same_answer(path: str, post: PostOffice, anonymous: Browser, cast: Cast) -> None:
    mia, adam = cast.users["mia"], cast.users["adam"]
    now, purpose = present(), {"password-reset": "password_reset", "email-change": "email_change"}
    right = purpose.get(path.split("/")[3], "verify_email")
    wrong = "email_change" if right != "email_change" else "password_reset"
    User.update(disabled_at=now).where(User.id == adam.id).execute()
    for token, more in {
        "expired": {"expires_at": now - timedelta(seconds=1)},
        "used": {"used_at": now},
        "other purpose": {"purpose": wrong},
        "of somebody disabled": {"user": adam},
        "good": {},
    }.items():
        values = {"purpose": right, "user": mia, "expires_at": now + timedelta(minutes=5), **more}
        Link.create(id=new_id(), token_hash=digest(token), created_at=now, payload={"email": "m@x.org"}, **values)
    tokens = [*BAD_TOKENS, "expired", "used", "other purpose", "of somebody disabled", "goo", "goodx", "Good", " good"]

    answers = [
        anonymous.post(path, {**CONFIRMATIONS[path], **({} if token is ... else {"token": token})}) for token in tokens
    ]

    assert {answer.status_code for answer in answers} == {403}
    assert {answer.json["code"] for answer in answers} == {"token_invalid"}
    bodies = {answer.data.replace(answer.json["requestId"].encode(), b"") for answer in answers}
    assert len(bodies) == 1
    assert anonymous.post(path, {**CONFIRMATIONS[path], "token": "good"}).status_code in (200, 204)


def test_a_new_link_ends_the_previous_one(post: PostOffice, anonymous: Browser) -> None:
    ask_for_reset(anonymous)
    ask_for_reset(anonymous)
    [(_, _, first), (_, _, second)] = post.links()

    assert reset(anonymous, first).json["code"] == "token_invalid"
    assert reset(anonymous, second).status_code == 204


def test_links_are_valid_for_the_stated_time(post: PostOffice, anonymous: Browser, browser: Browsers) -> None:
    ask_for_reset(anonymous)
    browser("mia").post("/v1/me/email-change", {"newEmail": "new@example.org"})
    anonymous.post("/v1/auth/signup", REQUESTS["/v1/auth/signup"])

    lifetimes = {row.purpose: row.expires_at - row.created_at for row in Link.select()}

    assert lifetimes == {
        "password_reset": timedelta(minutes=30),
        "email_change": timedelta(hours=1),
        "verify_email": timedelta(hours=24),
    }


def test_a_hundred_uses_of_one_reset_link_succeed_once(
    post: PostOffice, anonymous: Browser, app: Flask, settings: Settings
) -> None:
    ask_for_reset(anonymous)
    token = post.token()

    def use(number: int) -> int:
        return int(reset(Browser(app, settings.base_url), token, f"the long phrase {number}").status_code)

    with ThreadPoolExecutor(10) as people:
        statuses = list(people.map(use, range(100)))

    assert sorted(statuses) == [204] + [403] * 99
