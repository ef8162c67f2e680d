"""A second authentication in this session, by every factor (specification 11.5)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.database.base import new_id
from inbox.domain.people.oidc_provider import OidcProvider
from inbox.models.people.accounts import Session, User
from inbox.models.people.factors import Identity
from inbox.models.records.audit import AuditEntry
from tests.api.sign_in.second_factor_steps import PASSWORD, mia, password_hash  # noqa: F401
from tests.browser import Browser
from tests.cast import Cast, present, sign_in
from tests.identity.authenticators import PRESENT
from tests.proving import HOME, App, assertion_of, authenticator, recovery_codes

ACME = OidcProvider("acme", "Acme", "https://id.example.org", "client")
HOUR = timedelta(hours=1)


@pytest.fixture
def long_ago(mia: User, app: Flask) -> Browser:
    """A browser in which Mia signed in an hour ago."""
    return Browser(app, HOME, cookie=sign_in(mia, proved_at=present() - HOUR))


def is_fresh() -> bool:
    """Whether the first session was proved just now."""
    first = Session.select().order_by(Session.id).get()
    return bool(first.proved_at > present() - timedelta(minutes=1))


def refused(answer: Any) -> None:
    assert (answer.status_code, answer.json["code"]) == (403, "reauth_required")
    assert not is_fresh()


def test_every_factor_proves(mia: User, long_ago: Browser) -> None:
    app, codes, key = App.of(mia), recovery_codes(mia), authenticator(mia, flags=PRESENT)
    proofs = {
        "password": {"password": PASSWORD},
        "totp": {"code": app.code()},
        "recovery_code": {"code": codes[0]},
        "passkey": assertion_of(long_ago, "/v1/auth/step-up/options", key),
    }
    for factor, proof in proofs.items():
        Session.update(proved_at=present() - HOUR).execute()
        answer = long_ago.post("/v1/auth/step-up", {"factor": factor, **proof})

        assert (answer.status_code, answer.data) == (204, b""), factor
        assert is_fresh()
    entries = AuditEntry.select().where(AuditEntry.action == "session.reauthenticated").order_by(AuditEntry.id)
    assert [entry.details["by"] for entry in entries] == list(proofs)
    assert long_ago.get("/v1/me").status_code == 200


def test_no_proof_is_good_twice(mia: User, long_ago: Browser) -> None:
    app, codes, key = App.of(mia), recovery_codes(mia), authenticator(mia, counts=False)
    for proof in (
        {"factor": "totp", "code": app.code()},
        {"factor": "recovery_code", "code": codes[0]},
        {"factor": "passkey", **assertion_of(long_ago, "/v1/auth/step-up/options", key)},
    ):
        assert long_ago.post("/v1/auth/step-up", proof).status_code == 204
        Session.update(proved_at=present() - HOUR).execute()

        refused(long_ago.post("/v1/auth/step-up", proof))


def test_a_code_that_signed_in_proves_nothing_more(mia: User, long_ago: Browser, app: Flask) -> None:
    codes, guest = App.of(mia), Browser(app, HOME)
    challenge = guest.post("/v1/auth/login", {"email": "mia@example.org", "password": PASSWORD}).json["challenge"]
    body = {"challenge": challenge, "factor": "totp", "code": codes.code()}
    assert guest.post("/v1/auth/login/factor", body).status_code == 200

    refused(long_ago.post("/v1/auth/step-up", {"factor": "totp", "code": codes.code()}))


def test_a_wrong_proof_lists_the_factors_of_the_account(mia: User, cast: Cast, long_ago: Browser) -> None:
    app, others = App.of(mia), App.of(cast.users["adam"])
    authenticator(mia)
    foreign = authenticator(cast.users["eve"])
    for proof in (
        {"factor": "password", "password": "not her phrase"},
        {"factor": "totp", "code": app.wrong()},
        {"factor": "totp", "code": others.code()},
        {"factor": "recovery_code", "code": "0000-0000-0000-0000"},
        {"factor": "passkey", "challenge": "x", "credential": {}},
        {"factor": "passkey", **assertion_of(long_ago, "/v1/auth/step-up/options", foreign)},
    ):
        answer = long_ago.post("/v1/auth/step-up", proof)

        refused(answer)
        assert answer.json["factors"] == ["password", "totp", "passkey"]
    assert long_ago.get("/v1/me").status_code == 200


def test_a_passkeys_challenge_is_good_in_its_own_session_only(mia: User, long_ago: Browser, app: Flask) -> None:
    key = authenticator(mia)
    elsewhere = Browser(app, HOME, cookie=sign_in(mia))
    proof = {"factor": "passkey", **assertion_of(elsewhere, "/v1/auth/step-up/options", key)}
    alone = {"factor": "passkey", **assertion_of(elsewhere, "/v1/auth/passkey/options", key)}

    refused(long_ago.post("/v1/auth/step-up", proof))
    refused(long_ago.post("/v1/auth/step-up", alone))
    assert elsewhere.post("/v1/auth/step-up", proof).status_code == 204


def test_no_passkey_challenge_exists_without_a_passkey(long_ago: Browser) -> None:
    assert long_ago.post("/v1/auth/step-up/options", {}).status_code == 404


@pytest.mark.parametrize(
    "has",
    [
        {"password"},
        {"oidc"},
        {"passkey"},
        {"password", "totp"},
        {"totp", "oidc"},
        {"password", "totp", "passkey", "oidc"},
        set(),
    ],
    ids=lambda has: "+".join(sorted(has)) or "nothing",
)
def test_a_reauth_request_lists_the_factors_of_the_account(
    has: set[str], mia: User, long_ago: Browser, in_settings: Callable[..., Settings]
) -> None:
    in_settings(base_url=HOME, oidc_providers=(ACME,))
    if "password" not in has:
        User.update(password_hash=None).execute()
    if "totp" in has:
        App.of(mia)
    if "passkey" in has:
        authenticator(mia)
    if "oidc" in has:
        Identity.create(id=new_id(), user=mia, provider="acme", subject="mia", created_at=present())
    Identity.create(id=new_id(), user=mia, provider="gone", subject="mia", created_at=present())
    answer = long_ago.post("/v1/me/totp", {})

    assert (answer.status_code, answer.json["code"]) == (403, "reauth_required")
    assert set(answer.json["factors"]) == has


@pytest.mark.parametrize(("minutes", "status"), [(14, 200), (16, 403)])
def test_a_proof_is_recent_for_fifteen_minutes(minutes: int, status: int, mia: User, app: Flask) -> None:
    proved_at = present() - timedelta(minutes=minutes)
    browser = Browser(app, HOME, cookie=sign_in(mia, proved_at=proved_at))

    assert browser.post("/v1/me/totp", {}).status_code == status


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({}, {"/factor"}),
        ({"factor": "password"}, {"/password"}),
        ({"factor": "totp"}, {"/code"}),
        ({"factor": "passkey"}, {"/challenge", "/credential"}),
        ({"factor": "oidc"}, {"/factor"}),
    ],
    ids=lambda value: str(sorted(value))[:60],
)
def test_bad_fields_are_reported_each(body: dict[str, Any], pointers: set[str], long_ago: Browser) -> None:
    answer = long_ago.post("/v1/auth/step-up", body)

    assert answer.status_code == 422
    assert {each["pointer"] for each in answer.json["errors"]} == pointers


def test_passwords_are_tried_ten_times_in_five_minutes_and_codes_ten_times_a_day(
    mia: User, long_ago: Browser, in_settings: Callable[..., Settings]
) -> None:
    app = App.of(mia)
    in_settings(base_url=HOME, rate_limits=True, sign_ins_per_address_5min=1000, sign_ins_per_account_5min=1000)
    by_code = [long_ago.post("/v1/auth/step-up", {"factor": "totp", "code": app.wrong(n)}) for n in range(11)]
    right = long_ago.post("/v1/auth/step-up", {"factor": "password", "password": PASSWORD})
    in_settings(base_url=HOME, rate_limits=True, sign_ins_per_address_5min=1000)
    wrong = {"factor": "password", "password": "not her phrase"}
    by_password = [long_ago.post("/v1/auth/step-up", wrong) for _ in range(11)]

    assert [answer.status_code for answer in by_code] == [403] * 10 + [429]
    assert int(by_code[-1].headers["Retry-After"]) > 8000
    assert right.status_code == 204
    assert [answer.status_code for answer in by_password] == [403] * 10 + [429]


def test_sign_in_attempts_do_not_use_up_the_tries_of_signed_in_people(
    mia: User, long_ago: Browser, app: Flask, in_settings: Callable[..., Settings]
) -> None:
    in_settings(base_url=HOME, rate_limits=True, sign_ins_per_address_5min=1000)
    stranger = Browser(app, HOME)
    for _ in range(11):
        stranger.post("/v1/auth/login", {"email": "mia@example.org", "password": "a guess of mine"})

    assert long_ago.post("/v1/auth/step-up", {"factor": "password", "password": PASSWORD}).status_code == 204


def test_twenty_concurrent_step_ups_cannot_bypass_the_limit(
    mia: User, long_ago: Browser, app: Flask, in_settings: Callable[..., Settings]
) -> None:
    codes, token = App.of(mia), sign_in(mia)
    in_settings(base_url=HOME, rate_limits=True, sign_ins_per_address_5min=1000, sign_ins_per_account_5min=1000)
    together = threading.Barrier(20)

    def attempt(number: int) -> int:
        browser = Browser(app, HOME, cookie=token)
        together.wait(timeout=30)
        return browser.post("/v1/auth/step-up", {"factor": "totp", "code": codes.wrong(number)}).status_code

    with ThreadPoolExecutor(20) as pool:
        statuses = sorted(pool.map(attempt, range(20)))

    assert statuses == [403] * 10 + [429] * 10
