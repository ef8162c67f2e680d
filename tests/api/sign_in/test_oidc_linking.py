"""Identities that are linked to accounts, proofs through a provider, and identities that are unlinked."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask

from inbox.models.people.accounts import Session, User
from inbox.models.people.factors import Identity
from inbox.models.records.audit import AuditEntry
from inbox.services.people import passwords
from tests.api.sign_in.oidc_steps import (
    OWN,
    PASSWORD,
    SUBJECT,
    InSettings,
    back,
    cookies,
    fault_of,
    linked,  # noqa: F401
    make_identity,
    own,  # noqa: F401
    place_of,
    sessions,
    start,
    through,
)
from tests.api.sign_in.trusted_browser_steps import trust_by
from tests.browser import Browser
from tests.cast import Cast, present
from tests.identity.providers import OwnProvider
from tests.mail.servers import MailServer
from tests.proving import App
from tests.stand_ins.post_office import MAIL_FROM, PostOffice

Browsers = Callable[[str], Browser]


@pytest.fixture(scope="module")
def password_hash() -> str:
    return passwords.hashed(PASSWORD)


@pytest.fixture
def mia_has_a_password(cast: Cast, password_hash: str) -> None:
    User.update(password_hash=password_hash).where(User.id == cast.users["mia"].id).execute()


def log_in(browser: Browser, email: str = "mia@example.org") -> Any:
    answer = browser.post("/v1/auth/login", {"email": email, "password": PASSWORD})
    assert answer.status_code == 200
    return answer


def test_an_address_with_an_account_is_linked_when_that_account_is_signed_in_to(
    own: OwnProvider, mia_has_a_password: None, anonymous: Browser, app: Flask, in_settings: InSettings
) -> None:
    with MailServer() as server:
        in_settings(oidc_providers=(own.chosen(),), smtp_url=server.url, mail_from=MAIL_FROM)
        answer = through(anonymous, own)
        assert fault_of(answer) == "sign_in_to_link" and sessions() == 0 and Identity.select().count() == 0
        log_in(anonymous)
        [reported] = PostOffice(server).delivered()

    assert (Identity.get().subject, Identity.get().user.name) == (SUBJECT, "Mia")
    assert reported.to == ["mia@example.org"] and "An identity provider was added" in reported.text
    other = Browser(app, anonymous.base_url)
    assert place_of(through(other, own)) == "/" and other.get("/v1/me").json["name"] == "Mia"
    assert "identity.linked" in {entry.action for entry in AuditEntry.select()}


def test_a_sign_in_by_a_trusted_browser_links_nothing_until_one_has_a_second_factor(
    own: OwnProvider, mia_has_a_password: None, anonymous: Browser, cast: Cast
) -> None:
    authenticator = App.of(cast.users["mia"])
    assert trust_by(anonymous, {"factor": "totp", "code": authenticator.code()}).status_code == 200
    anonymous.post("/v1/auth/logout")
    assert fault_of(through(anonymous, own)) == "sign_in_to_link"

    assert "user" in log_in(anonymous).json
    assert Identity.select().count() == 0

    anonymous.client.delete_cookie("inbox_trusted_8080")
    challenge = log_in(anonymous).json["challenge"]
    proof = {"challenge": challenge, "factor": "totp", "code": authenticator.code(1)}
    assert anonymous.post("/v1/auth/login/factor", proof).status_code == 200
    assert Identity.get().user.name == "Mia"


def test_a_provider_that_claims_somebodys_address_takes_nothing_over(
    own: OwnProvider, mia_has_a_password: None, anonymous: Browser, app: Flask, cast: Cast, password_hash: str
) -> None:
    User.update(password_hash=password_hash).where(User.id == cast.users["eve"].id).execute()
    through(anonymous, own)

    log_in(anonymous, "eve@example.org")
    log_in(Browser(app, anonymous.base_url))

    assert Identity.select().count() == 0


def test_a_pending_identity_link_is_used_once_and_in_time(
    own: OwnProvider, mia_has_a_password: None, anonymous: Browser, app: Flask
) -> None:
    cookie = cookies(through(anonymous, own))["inbox_link_8080"].partition(";")[0]
    log_in(anonymous)
    Identity.delete().execute()
    other = Browser(app, anonymous.base_url)
    for text in (cookie, "", "nonsense", cookie[:-2], cookie.swapcase()):
        other.client.set_cookie("inbox_link_8080", text, path="/v1/auth")
        assert log_in(other).status_code == 200

    assert Identity.select().count() == 0


def rewound(browser: Browser) -> None:
    """All sessions were proved an hour ago."""
    Session.update(proved_at=present() - timedelta(hours=1)).execute()


def is_proved() -> list[bool]:
    return [row.proved_at > present() - timedelta(minutes=1) for row in Session.select().order_by(Session.created_at)]


def test_the_linked_person_proves_themselves_again_in_this_session(
    own: OwnProvider, linked: Identity, browser: Browsers
) -> None:
    mia, _ = browser("mia"), browser("mia")
    rewound(mia)
    own.claims = {"auth_time": int(time.time())}

    answer = through(mia, own, purpose="step-up", returnTo="/settings")

    assert place_of(answer) == "/settings"
    assert is_proved() == [True, False]
    assert AuditEntry.get(AuditEntry.action == "session.reauthenticated").details == {"by": "oidc:own"}


@pytest.mark.parametrize(
    ("claims", "fault"),
    [
        ({"auth_time": 1}, "identity_not_recent"),
        ({}, "identity_not_recent"),
        ({"sub": "somebody else"}, "identity_mismatch"),
        ({"sub": "of olga"}, "identity_mismatch"),
    ],
)
def test_a_stale_or_foreign_identity_is_no_step_up(
    claims: dict[str, Any], fault: str, own: OwnProvider, linked: Identity, browser: Browsers, cast: Cast
) -> None:
    make_identity(cast.users["olga"], subject="of olga")
    mia = browser("mia")
    rewound(mia)
    own.claims = {"auth_time": int(time.time()), **claims} if "sub" in claims else claims

    assert fault_of(through(mia, own, purpose="step-up")) == fault
    assert is_proved() == [False]


@pytest.mark.parametrize("purpose", ["step-up", "link"])
def test_a_flow_started_by_one_session_is_not_finished_by_another(
    purpose: str, own: OwnProvider, browser: Browsers, cast: Cast, app: Flask
) -> None:
    mia = browser("mia")
    own.claims = {"auth_time": int(time.time())}
    answer = own.authorize(start(mia, purpose=purpose))
    mia.client.set_cookie("inbox_session_8080", cast.cookie("vic"))
    rewound(mia)

    assert fault_of(back(mia, answer)) == "session_ended"
    assert is_proved() == [False, False] and Identity.select().count() == 0


@pytest.mark.parametrize("purpose", ["step-up", "link"])
def test_linking_and_step_up_through_a_provider_require_a_session(
    purpose: str, own: OwnProvider, anonymous: Browser
) -> None:
    answer = anonymous.post(f"{OWN}/start", {"purpose": purpose})

    assert (answer.status_code, answer.json["code"]) == (401, "unauthenticated")


def test_an_identity_is_linked_from_within(own: OwnProvider, browser: Browsers) -> None:
    vic = browser("vic")
    for _ in range(2):
        assert place_of(through(vic, own, purpose="link", returnTo="/settings")) == "/settings"

    assert [row.user.name for row in Identity.select()] == ["Vic"]


def test_linking_requires_a_recent_proof(own: OwnProvider, browser: Browsers) -> None:
    vic = browser("vic")
    rewound(vic)

    answer = vic.post(f"{OWN}/start", {"purpose": "link"})

    assert (answer.status_code, answer.json["code"], answer.json["factors"]) == (403, "reauth_required", [])


def test_an_identity_is_one_persons(own: OwnProvider, linked: Identity, browser: Browsers) -> None:
    assert fault_of(through(browser("vic"), own, purpose="link")) == "identity_taken"
    assert [row.user.name for row in Identity.select()] == ["Mia"]


def test_an_identity_is_unlinked_and_signs_nobody_in_any_more(
    own: OwnProvider, linked: Identity, mia_has_a_password: None, browser: Browsers, anonymous: Browser
) -> None:
    mia = browser("mia")
    answers = [mia.delete("/v1/me/identities/own") for _ in range(2)]

    assert [answer.status_code for answer in answers] == [204, 404]
    assert fault_of(through(anonymous, own)) == "sign_in_to_link"
    [entry] = AuditEntry.select().where(AuditEntry.action == "identity.unlinked")
    assert set(entry.details["record"]) == {"provider", "email", "createdAt", "lastUsedAt"}


def test_the_last_sign_in_method_cannot_be_removed(own: OwnProvider, linked: Identity, browser: Browsers) -> None:
    answer = browser("mia").delete("/v1/me/identities/own")

    assert (answer.status_code, answer.json["code"]) == (409, "conflict")
    assert Identity.select().count() == 1


def test_the_identity_of_another_person_cannot_be_unlinked(
    own: OwnProvider, linked: Identity, browser: Browsers
) -> None:
    eve = browser("eve")
    assert eve.delete("/v1/me/identities/own").status_code == 404
    rewound(eve)
    assert eve.delete("/v1/me/identities/own").json["code"] == "reauth_required"
    assert Identity.select().count() == 1
