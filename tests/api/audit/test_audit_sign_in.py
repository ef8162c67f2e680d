"""Audit entries of sign-ins that take several requests, and of refused proofs (decision 0033)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode

import peewee
import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.database.base import new_id
from inbox.models.people.accounts import User
from inbox.models.people.factors import Identity
from inbox.models.records.audit import AuditEntry
from inbox.services.instance import setup
from inbox.services.people import passwords
from tests.api.audit.audited import ENTRIES, REFUSALS
from tests.browser import Browser
from tests.cast import Cast, present, sign_in, typeid
from tests.identity.providers import OwnProvider
from tests.proving import HOME, App, assertion_of, authenticator

InSettings = Callable[..., Settings]
PASSWORD, SUBJECT = "mias own long phrase", "248289761001"


@pytest.fixture(scope="module")
def password_hash() -> str:
    return passwords.hashed(PASSWORD)


@pytest.fixture
def mia(cast: Cast, password_hash: str, in_settings: InSettings) -> User:
    in_settings(base_url=HOME)
    User.update(password_hash=password_hash).where(User.id == cast.users["mia"].id).execute()
    return cast.users["mia"]


@pytest.fixture
def guest(app: Flask) -> Browser:
    return Browser(app, HOME)


@pytest.fixture
def own(cast: Cast, in_settings: InSettings) -> Iterator[OwnProvider]:
    with OwnProvider(now=int(time.time())) as provider:
        in_settings(base_url=HOME, oidc_providers=(provider.chosen(),))
        yield provider


def challenged(guest: Browser, mia: User) -> str:
    answer = guest.post("/v1/auth/login", {"email": mia.email, "password": PASSWORD})
    return str(answer.json["challenge"])


def actions() -> list[str]:
    return [entry.action for entry in AuditEntry.select().order_by(AuditEntry.id)]


def everything_is_by(user: User) -> bool:
    actor = {"type": "user", "id": typeid("usr", user.id), "name": user.name}
    return all(entry.actor == actor for entry in AuditEntry.select())


def test_the_set_up_writes_its_audit_entries(ground: peewee.Database, in_settings: InSettings, guest: Browser) -> None:
    in_settings(base_url=HOME)
    token = str(setup.setup_link(present())).partition("#token=")[2]
    who = {"email": "olga@example.org", "password": "a harbour in the fog", "name": "Olga", "workspaceName": "Acme"}

    assert guest.post("/v1/setup", who | {"token": token}).status_code == 201

    assert actions() == ENTRIES["setup.create"]
    assert everything_is_by(User.get())


def test_a_second_factor_sign_in_writes_its_audit_entries(mia: User, guest: Browser) -> None:
    app = App.of(mia)
    body = {"challenge": challenged(guest, mia), "factor": "totp", "code": app.code()}

    assert guest.post("/v1/auth/login/factor", body).status_code == 200

    assert actions() == ENTRIES["auth.login_second_factor"]
    assert everything_is_by(mia)


def test_the_options_of_a_second_factor_leave_no_entry(mia: User, guest: Browser) -> None:
    authenticator(mia)

    assert guest.post("/v1/auth/login/options", {"challenge": challenged(guest, mia)}).status_code == 200

    assert actions() == ENTRIES["auth.login_options"]


def test_a_passkey_sign_in_writes_its_audit_entries(mia: User, guest: Browser) -> None:
    proof = assertion_of(guest, "/v1/auth/passkey/options", authenticator(mia))

    assert guest.post("/v1/auth/passkey", proof).status_code == 200

    assert actions() == ENTRIES["auth.passkey"]
    assert everything_is_by(mia)


def test_a_provider_sign_in_writes_its_audit_entries(own: OwnProvider, cast: Cast, guest: Browser) -> None:
    mia = cast.users["mia"]
    Identity.create(id=new_id(), user=mia, provider="own", subject=SUBJECT, created_at=present())
    answer = guest.post("/v1/auth/oidc/own/start", {})
    assert answer.status_code == 200
    assert actions() == ENTRIES["oidc.start"]

    came = guest.get(f"/v1/auth/oidc/own/callback?{urlencode(own.authorize(answer.json['authorizeUrl']))}")

    assert came.status_code == 303 and "error" not in came.headers["Location"]
    assert actions() == ENTRIES["oidc.callback"]
    assert everything_is_by(mia)


WRONG: dict[str, tuple[str, dict[str, Any], int]] = {
    "auth.login": ("/v1/auth/login", {"email": "mia@example.org", "password": "not her phrase"}, 401),
    "auth.login_second_factor": ("/v1/auth/login/factor", {"challenge": "x", "factor": "totp", "code": "000000"}, 401),
    "auth.passkey": ("/v1/auth/passkey", {"challenge": "x", "credential": {}}, 401),
    "auth.step_up": ("/v1/auth/step-up", {"factor": "password", "password": "not her phrase"}, 403),
    "devices.preview_pairing": ("/v1/devices/pairings/preview", {"code": "ABCD-EFGH"}, 403),
    "devices.pair": ("/v1/devices/pair", {"code": "ABCD-EFGH", "name": "Phone"}, 403),
}


@pytest.mark.parametrize("endpoint", sorted(REFUSALS))
def test_a_refused_proof_writes_its_audit_entries(endpoint: str, mia: User, app: Flask) -> None:
    path, body, status = WRONG[endpoint]
    browser = Browser(app, HOME, cookie=sign_in(mia) if endpoint == "auth.step_up" else "")

    assert browser.post(path, body).status_code == status

    assert actions() == REFUSALS[endpoint]


def test_an_administrator_who_ends_sessions_is_the_actor_of_the_entry(mia: User, cast: Cast, app: Flask) -> None:
    olga, cookie = cast.users["olga"], sign_in(mia)
    User.update(is_instance_admin=True).where(User.id == olga.id).execute()
    administrator = Browser(app, HOME, cookie=sign_in(olga))

    assert administrator.patch(f"/v1/admin/users/{typeid('usr', mia.id)}", {"disabled": True}).status_code == 200

    assert Browser(app, HOME, cookie=cookie).get("/v1/me").status_code == 401
    assert actions() == ["session.ended", "user.changed"]
    assert everything_is_by(olga)
