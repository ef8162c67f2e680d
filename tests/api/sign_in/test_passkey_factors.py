"""Adding and removing passkeys and recovery codes, without locking the account (specification 11)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from flask import Flask

from inbox.database.base import new_id
from inbox.domain.people.oidc_provider import OidcProvider
from inbox.domain.values import ids
from inbox.models.people.accounts import Session, User
from inbox.models.people.factors import Identity, Passkey
from tests.api.people.factors_steps import (
    hers,  # noqa: F401
    mia,  # noqa: F401
    password_hash,  # noqa: F401
    reported,
    written,
)
from tests.browser import Browser
from tests.cast import Cast, present, sign_in
from tests.identity.authenticators import Authenticator
from tests.proving import HOME, App, authenticator, recovery_codes


def made(browser: Browser, key: Authenticator, name: str = "Laptop") -> Any:
    requested = browser.post("/v1/me/passkeys/options", {}).json
    body = {"challenge": requested["challenge"], "credential": key.make(requested["options"]), "name": name}
    return browser.post("/v1/me/passkeys", body)


def own_key(user: User) -> Authenticator:
    return Authenticator(HOME, "localhost", user_handle=user.id.bytes)


def test_a_passkey_is_added_and_signs_in(hers: Browser, mia: User, app: Flask) -> None:
    key = own_key(mia)
    answer = made(hers, key, "Mia's laptop")

    assert answer.status_code == 201
    assert answer.json["name"] == "Mia's laptop" and answer.json["lastUsedAt"] is None
    assert len(answer.json["recoveryCodes"]) == 10
    [listed] = hers.get("/v1/me/factors").json["passkeys"]
    assert listed == {name: answer.json[name] for name in ("id", "name", "createdAt", "lastUsedAt")}
    assert reported() == [("factor_added", "mia@example.org")] and written() == [("factor.added", "passkey")]
    guest = Browser(app, HOME)
    requested = guest.post("/v1/auth/passkey/options", {}).json
    body = {"challenge": requested["challenge"], "credential": key.show(requested["options"])}
    assert guest.post("/v1/auth/passkey", body).status_code == 200


def test_recovery_codes_come_with_the_first_second_factor_only(hers: Browser, mia: User) -> None:
    first = made(hers, own_key(mia)).json["recoveryCodes"]
    second = made(hers, own_key(mia)).json["recoveryCodes"]

    assert first is not None and second is None
    assert hers.get("/v1/me/factors").json["recoveryCodesLeft"] == 10


def test_an_authenticator_that_is_known_is_named_in_the_options(hers: Browser, mia: User) -> None:
    key = authenticator(mia)
    options = hers.post("/v1/me/passkeys/options", {}).json["options"]

    assert [each["id"] for each in options["excludeCredentials"]] == [key.make(options)["rawId"]]
    assert options["rp"]["id"] == "localhost"


def test_a_challenge_for_a_new_passkey_is_good_once_and_in_its_session(hers: Browser, mia: User, app: Flask) -> None:
    requested = hers.post("/v1/me/passkeys/options", {}).json
    first, second = (
        {"challenge": requested["challenge"], "credential": own_key(mia).make(requested["options"])} for _ in range(2)
    )
    elsewhere = Browser(app, HOME, cookie=sign_in(mia))

    assert elsewhere.post("/v1/me/passkeys", first).json["errors"][0]["pointer"] == "/challenge"
    assert hers.post("/v1/me/passkeys", first).status_code == 201
    assert hers.post("/v1/me/passkeys", second).json["errors"][0]["pointer"] == "/challenge"
    assert Passkey.select().count() == 1


@pytest.mark.parametrize(
    "change", [{"origin": "http://evil.example"}, {"type": "webauthn.get"}, {"challenge": "AAAA"}], ids=str
)
def test_a_passkey_made_for_another_site_is_refused(change: dict[str, str], hers: Browser, mia: User) -> None:
    requested = hers.post("/v1/me/passkeys/options", {}).json
    credential = own_key(mia).make(requested["options"], **change)
    answer = hers.post("/v1/me/passkeys", {"challenge": requested["challenge"], "credential": credential})

    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, "/credential")
    assert Passkey.select().count() == 0


def test_a_response_that_is_too_large_is_refused_with_its_limit(hers: Browser, mia: User) -> None:
    requested = hers.post("/v1/me/passkeys/options", {}).json
    credential = own_key(mia).make(requested["options"]) | {"more": "x" * 65_536}

    added = hers.post("/v1/me/passkeys", {"challenge": requested["challenge"], "credential": credential})
    proved = hers.post("/v1/auth/step-up", {"factor": "passkey", "challenge": "x", "credential": credential})

    for answer in (added, proved):
        assert answer.json["errors"] == [
            {"pointer": "/credential", "detail": "Must have at most 65,536 bytes as JSON."}
        ]


def test_a_passkey_that_is_known_is_not_added_twice(hers: Browser, mia: User) -> None:
    key = own_key(mia)

    assert made(hers, key).status_code == 201
    assert made(hers, key).status_code == 409
    assert Passkey.select().count() == 1


def test_the_number_of_passkeys_is_limited(hers: Browser, mia: User) -> None:
    for _ in range(20):
        authenticator(mia)

    assert made(hers, own_key(mia)).status_code == 409


def test_the_passkey_of_another_person_is_not_found(hers: Browser, cast: Cast) -> None:
    authenticator(cast.users["eve"])
    [foreign] = Passkey.select()
    foreign_one = hers.delete(f"/v1/me/passkeys/{ids.encode('psk', foreign.id)}")
    nobodys = hers.delete(f"/v1/me/passkeys/{ids.encode('psk', new_id())}")

    assert foreign_one.status_code == nobodys.status_code == 404
    assert foreign_one.json | {"requestId": ""} == nobodys.json | {"requestId": ""}
    assert Passkey.select().count() == 1


@pytest.mark.parametrize(
    ("password", "another", "identity", "status"),
    [(True, False, False, 204), (False, True, False, 204), (False, False, True, 204), (False, False, False, 409)],
)
def test_the_last_sign_in_method_cannot_be_removed(
    password: bool, another: bool, identity: bool, status: int, hers: Browser, mia: User, in_settings: Any
) -> None:
    provider = OidcProvider("acme", "Acme", "https://id.example.org", "client")
    in_settings(base_url=HOME, oidc_providers=(provider,))
    authenticator(mia)
    App.of(mia)  # a second factor is no way in
    passkey = Passkey.get()
    if another:
        authenticator(mia)
    if identity:
        Identity.create(id=new_id(), user=mia, provider="acme", subject="mia", created_at=present())
    if not password:
        User.update(password_hash=None).where(User.id == mia.id).execute()

    assert hers.delete(f"/v1/me/passkeys/{ids.encode('psk', passkey.id)}").status_code == status
    assert Passkey.select().where(Passkey.id == passkey.id).exists() is (status == 409)


def test_new_recovery_codes_end_the_old_ones(hers: Browser, mia: User) -> None:
    App.of(mia)
    old = recovery_codes(mia)
    new = hers.post("/v1/me/recovery-codes", {}).json["recoveryCodes"]

    assert hers.post("/v1/auth/step-up", {"factor": "recovery_code", "code": old[0]}).status_code == 403
    assert hers.post("/v1/auth/step-up", {"factor": "recovery_code", "code": new[0]}).status_code == 204


def test_recovery_codes_require_a_second_factor(hers: Browser, mia: User) -> None:
    assert hers.post("/v1/me/recovery-codes", {}).status_code == 409


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/me/totp", {}),
        ("POST", "/v1/me/totp/confirm", {"code": "492039"}),
        ("DELETE", "/v1/me/totp", None),
        ("POST", "/v1/me/passkeys/options", {}),
        ("POST", "/v1/me/passkeys", {"challenge": "x", "credential": {}}),
        ("DELETE", "/v1/me/passkeys/psk_01j0000000e008000000000001", None),
        ("POST", "/v1/me/recovery-codes", {}),
        ("POST", "/v1/me/password", {"newPassword": "another long phrase"}),
    ],
)
def test_every_change_requires_a_recent_proof(
    method: str, path: str, body: Any, hers: Browser, mia: User, app: Flask
) -> None:
    Session.update(proved_at=present() - timedelta(minutes=16)).execute()
    answer = hers.call(method, path, body)

    assert (answer.status_code, answer.json["code"], answer.json["factors"]) == (403, "reauth_required", ["password"])
    assert Browser(app, HOME).call(method, path, body).status_code == 401


def test_the_instance_says_which_factors_it_has(hers: Browser, app: Flask, in_settings: Any) -> None:
    with_passkeys = hers.get("/v1/info").json["capabilities"]
    in_settings(base_url="http://127.0.0.1:8080")
    without = Browser(app, "http://127.0.0.1:8080").get("/v1/info").json["capabilities"]

    assert {"auth.totp", "auth.passkey"} <= set(with_passkeys)
    assert "auth.totp" in without and "auth.passkey" not in without


def test_a_passkey_is_not_begun_where_passkeys_are_unavailable(
    hers: Browser, mia: User, app: Flask, in_settings: Any
) -> None:
    in_settings(base_url="http://127.0.0.1:8080")
    browser = Browser(app, "http://127.0.0.1:8080", cookie=sign_in(mia))

    assert browser.post("/v1/me/passkeys/options", {}).status_code == 404
