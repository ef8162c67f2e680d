"""The caller's account: changes, password, and signed-in browsers (specification 11.9)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from http.cookies import SimpleCookie
from typing import Any

import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.models.deliveries.mail_outbox import Mail
from inbox.models.people.accounts import Session, User
from inbox.models.people.devices import Device
from inbox.models.people.links import Link
from inbox.models.records.audit import AuditEntry
from inbox.services.instance import administration
from inbox.services.people import passwords
from tests.browser import Browser
from tests.cast import Cast, present, sign_in

Browsers = Callable[[str], Browser]
PASSWORD, ANOTHER = "mias own long phrase", "another long phrase of hers"
MAILS = {"smtp_url": "smtp://127.0.0.1:1", "mail_from": "inbox@example.org"}


@pytest.fixture(scope="module")
def password_hash() -> str:
    return passwords.hashed(PASSWORD)


@pytest.fixture
def mia(cast: Cast, password_hash: str) -> User:
    User.update(password_hash=password_hash).where(User.id == cast.users["mia"].id).execute()
    return User.get_by_id(cast.users["mia"].id)


def test_people_change_their_name_and_time_zone(browser: Browsers, cast: Cast) -> None:
    mia = browser("mia")
    answer = mia.patch("/v1/me", {"name": " Mia M. ", "timezone": "Europe/Berlin", "locale": "pt-BR"})

    assert answer.status_code == 200 and answer.headers["ETag"] == '"2"'
    assert {name: answer.json[name] for name in ("name", "timezone", "locale", "rev")} == {
        "name": "Mia M.",
        "timezone": "Europe/Berlin",
        "locale": "pt-BR",
        "rev": 2,
    }
    assert answer.json.items() <= mia.get("/v1/me").json.items()
    entry = AuditEntry.get(AuditEntry.action == "account.changed")
    assert {each["field"]: each["after"] for each in entry.details["changes"]} == {
        "name": "Mia M.",
        "timezone": "Europe/Berlin",
        "locale": "pt-BR",
    }
    assert User.get_by_id(cast.users["adam"].id).name == "Adam"


def test_fields_left_out_of_an_account_edit_stay(browser: Browsers) -> None:
    mia = browser("mia")
    mia.patch("/v1/me", {"timezone": "Asia/Tokyo"})

    assert mia.patch("/v1/me", {"locale": "de"}).json["timezone"] == "Asia/Tokyo"


def test_a_stale_revision_changes_nothing(browser: Browsers) -> None:
    mia = browser("mia")
    mia.patch("/v1/me", {"locale": "de"})
    answer = mia.patch("/v1/me", {"name": "Nia"}, headers={"If-Match": '"1"'})

    assert (answer.status_code, answer.json["code"], answer.json["rev"]) == (412, "rev_mismatch", 2)
    assert mia.get("/v1/me").json["name"] == "Mia"


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"name": "  "}, "/name"),
        ({"name": "x" * 101}, "/name"),
        ({"name": "a\nb"}, "/name"),
        ({"timezone": "Mars/Olympus"}, "/timezone"),
        ({"timezone": "../etc/passwd"}, "/timezone"),
        ({"locale": "klingon"}, "/locale"),
        ({"locale": "de\n"}, "/locale"),
        ({"email": "eve@example.org"}, "/email"),
        ({"isInstanceAdmin": True}, "/isInstanceAdmin"),
        ({"passwordHash": "x"}, "/passwordHash"),
        ({"rev": 9}, "/rev"),
    ],
    ids=str,
)
def test_only_editable_account_fields_can_be_changed(body: dict[str, Any], pointer: str, browser: Browsers) -> None:
    answer = browser("mia").patch("/v1/me", body)

    assert answer.status_code == 422
    assert [each["pointer"] for each in answer.json["errors"]] == [pointer]


def test_a_new_password_ends_all_other_sessions_and_devices(
    mia: User, app: Flask, cast: Cast, settings: Settings, in_settings: Callable[..., Settings]
) -> None:
    in_settings(**MAILS)
    token, others = sign_in(mia), [sign_in(mia) for _ in range(2)]
    eves = cast.cookie("eve")
    Device.create(id=new_id(), user=mia, name="Phone", created_at=present())
    here = Browser(app, settings.base_url, cookie=token)
    answer = here.post("/v1/me/password", {"currentPassword": PASSWORD, "newPassword": ANOTHER})

    assert (answer.status_code, answer.data) == (204, b"")
    assert here.get("/v1/me").status_code == 200
    for other in (*others, token):
        assert Browser(app, settings.base_url, cookie=other).get("/v1/me").status_code == 401
    assert Browser(app, settings.base_url, cookie=eves).get("/v1/me").status_code == 200
    assert Device.get().revoked_at is not None
    [cookie] = SimpleCookie(answer.headers["Set-Cookie"]).values()
    assert cookie.key == "inbox_session_8080" and cookie["httponly"] and cookie.value not in (token, *others)
    assert [(mail.template, mail.address) for mail in Mail.select()] == [("password_changed", "mia@example.org")]
    assert AuditEntry.select().where(AuditEntry.action == "password.changed").count() == 1


def test_the_new_password_signs_in_and_the_old_one_does_not(mia: User, browser: Browsers, anonymous: Browser) -> None:
    browser("mia").post("/v1/me/password", {"newPassword": ANOTHER})

    assert anonymous.post("/v1/auth/login", {"email": mia.email, "password": PASSWORD}).status_code == 401
    assert anonymous.post("/v1/auth/login", {"email": mia.email, "password": ANOTHER}).status_code == 200


def test_an_account_without_a_password_can_set_one(cast: Cast, browser: Browsers, anonymous: Browser) -> None:
    assert browser("vic").post("/v1/me/password", {"newPassword": ANOTHER}).status_code == 204
    assert anonymous.post("/v1/auth/login", {"email": "vic@example.org", "password": ANOTHER}).status_code == 200


@pytest.mark.parametrize("by", ["herself", "an operator"])
@pytest.mark.parametrize("purpose", ["password_reset", "email_change"])
def test_links_end_with_a_new_password(mia: User, browser: Browsers, purpose: str, by: str) -> None:
    Link.create(
        id=new_id(),
        purpose=purpose,
        token_hash=b"h" * 32,
        user=mia,
        created_at=present(),
        expires_at=present() + timedelta(minutes=30),
    )
    if by == "herself":
        browser("mia").post("/v1/me/password", {"newPassword": ANOTHER})
    else:
        administration.set_password(mia, ANOTHER, remove_factors=False, now=present())

    assert Link.get().used_at is not None


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"newPassword": "short"}, "/newPassword"),
        ({"newPassword": "password123"}, "/newPassword"),
        ({"newPassword": "mia@example.org"}, "/newPassword"),
        ({"newPassword": "x" * 257}, "/newPassword"),
        ({"currentPassword": "not her phrase", "newPassword": ANOTHER}, "/currentPassword"),
        ({"currentPassword": PASSWORD}, "/newPassword"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_password_that_is_refused_changes_nothing(
    body: dict[str, Any], pointer: str, mia: User, browser: Browsers
) -> None:
    other = browser("mia")
    answer = browser("mia").post("/v1/me/password", body)

    assert answer.status_code == 422
    assert [each["pointer"] for each in answer.json["errors"]] == [pointer]
    assert User.get_by_id(mia.id).password_hash == mia.password_hash
    assert other.get("/v1/me").status_code == 200


def test_the_password_form_limits_guesses_of_the_current_password(
    mia: User, browser: Browsers, in_settings: Callable[..., Settings]
) -> None:
    hers = browser("mia")
    in_settings(rate_limits=True)
    wrong = {"currentPassword": "not her phrase", "newPassword": ANOTHER}

    assert [hers.post("/v1/me/password", wrong).status_code for _ in range(11)] == [422] * 10 + [429]


def test_people_see_their_sessions(mia: User, cast: Cast, app: Flask, settings: Settings) -> None:
    cast.cookie("eve")
    sign_in(mia, revoked_at=present())
    sign_in(mia, last_seen_at=present() - timedelta(days=31))
    sign_in(mia, created_at=present() - timedelta(days=91))
    sign_in(mia, address="203.0.113.9", user_agent="Firefox", last_seen_at=present() - timedelta(days=1))
    here = Browser(app, settings.base_url, cookie=sign_in(mia, user_agent="Chromium"))
    answer = here.get("/v1/me/sessions").json

    assert [(each["userAgent"], each["current"]) for each in answer["items"]] == [
        ("Chromium", True),
        ("Firefox", False),
    ]
    assert answer["items"][1]["address"] == "203.0.113.9"
    assert "token" not in str(answer).lower() and answer["items"][0]["id"].startswith("ses_")


def test_a_browser_is_signed_out_from_another(mia: User, app: Flask, settings: Settings) -> None:
    lost = sign_in(mia)
    lost_id = Session.get().id
    here = Browser(app, settings.base_url, cookie=sign_in(mia))

    assert here.delete(f"/v1/me/sessions/{ids.encode('ses', lost_id)}").status_code == 204
    assert Browser(app, settings.base_url, cookie=lost).get("/v1/me").status_code == 401
    assert here.get("/v1/me").status_code == 200
    assert here.delete(f"/v1/me/sessions/{ids.encode('ses', lost_id)}").status_code == 404
    assert AuditEntry.select().where(AuditEntry.action == "session.ended").count() == 1


def test_the_session_of_another_person_is_not_found(browser: Browsers, cast: Cast) -> None:
    cast.cookie("eve")
    eves = Session.get()
    mia = browser("mia")
    foreign_one = mia.delete(f"/v1/me/sessions/{ids.encode('ses', eves.id)}")
    nobodys = mia.delete(f"/v1/me/sessions/{ids.encode('ses', new_id())}")

    assert foreign_one.status_code == nobodys.status_code == 404
    assert foreign_one.json | {"requestId": ""} == nobodys.json | {"requestId": ""}
    assert Session.get_by_id(eves.id).revoked_at is None


def test_signing_out_everywhere_else_leaves_this_browser_and_other_people(
    mia: User, cast: Cast, app: Flask, settings: Settings
) -> None:
    others, eves = [sign_in(mia) for _ in range(3)], cast.cookie("eve")
    here = Browser(app, settings.base_url, cookie=sign_in(mia))

    assert here.post("/v1/me/sessions/revoke-others", {}).status_code == 204
    statuses = [Browser(app, settings.base_url, cookie=token).get("/v1/me").status_code for token in (*others, eves)]
    assert statuses == [401, 401, 401, 200]
    assert here.get("/v1/me").status_code == 200
    assert len(here.get("/v1/me/sessions").json["items"]) == 1
