"""Acts that end the trust in all browsers of an account (specification 11.11)."""

from __future__ import annotations

import time
from base64 import b32decode
from collections.abc import Callable

import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.models.people.accounts import User
from inbox.models.people.factors import Passkey, TotpFactor
from inbox.models.people.links import Purpose
from inbox.models.records.audit import AuditEntry
from inbox.services.instance import administration
from inbox.services.people import links
from tests.api.sign_in.oidc_steps import make_identity, through
from tests.api.sign_in.second_factor_steps import PASSWORD, mia, password_hash, visit  # noqa: F401
from tests.api.sign_in.trusted_browser_steps import Trusting, trusted, trusting  # noqa: F401
from tests.browser import Browser
from tests.cast import Cast, present, sign_in, typeid
from tests.identity.authenticators import Authenticator
from tests.identity.providers import OwnProvider
from tests.proving import HOME, App, authenticator

NEW = "another phrase of hers"


@pytest.fixture
def elsewhere(trusting: Trusting, app: Flask) -> Browser:
    """Another browser in which the person is signed in."""
    return Browser(app, HOME, cookie=sign_in(trusting.user))


def ended(who: Trusting, password: str = PASSWORD) -> bool:
    """Whether no browser is trusted any more, and the one that was asks for the second factor, if there is one."""
    if not TotpFactor.select().where(TotpFactor.user == who.user.id).exists():
        App.of(who.user)
    return trusted(who.user) == 0 and not who.skips(password=password)


def test_a_new_password_ends_the_trust_of_browsers(trusting: Trusting, elsewhere: Browser) -> None:
    assert elsewhere.post("/v1/me/password", {"newPassword": NEW}).status_code == 204

    assert ended(trusting, NEW)
    entry = AuditEntry.get(AuditEntry.action == "browser.untrusted")
    assert entry.target["type"] == "trustedBrowser" and entry.user_id == trusting.user.id
    assert set(entry.details["record"]) == {"userAgent", "createdAt", "expiresAt", "lastUsedAt"}


def test_a_new_password_set_in_the_trusted_browser_ends_its_trust(trusting: Trusting) -> None:
    assert trusting.skips()
    proof = {"factor": "totp", "code": trusting.app.code(1)}
    assert trusting.browser.post("/v1/auth/step-up", proof).status_code == 204
    assert trusting.browser.post("/v1/me/password", {"newPassword": NEW}).status_code == 204

    assert ended(trusting, NEW)


def test_a_password_reset_ends_the_trust_of_browsers(
    trusting: Trusting, elsewhere: Browser, in_settings: Callable[..., Settings]
) -> None:
    in_settings(base_url=HOME, smtp_url="smtp://127.0.0.1:1", mail_from="inbox@example.org")
    token = links.make(Purpose.PASSWORD_RESET, trusting.user.id, present()).partition("#token=")[2]
    answer = elsewhere.post("/v1/auth/password-reset/confirm", {"token": token, "password": NEW})

    assert answer.status_code < 300, answer.json
    assert ended(trusting, NEW)


@pytest.mark.parametrize("remove_factors", [False, True])
def test_a_reset_by_an_operator_ends_the_trust_of_browsers(remove_factors: bool, trusting: Trusting) -> None:
    administration.set_password(trusting.user, NEW, remove_factors=remove_factors, now=present())

    assert ended(trusting, NEW)


def test_an_added_app_ends_the_trust_of_browsers(trusting: Trusting, elsewhere: Browser) -> None:
    TotpFactor.delete().execute()
    phone = App(b32decode(elsewhere.post("/v1/me/totp", {}).json["secret"]))
    assert trusted(trusting.user) == 1
    assert elsewhere.post("/v1/me/totp/confirm", {"code": phone.code()}).status_code == 200

    assert ended(trusting)


def test_a_removed_app_ends_the_trust_of_browsers(trusting: Trusting, elsewhere: Browser) -> None:
    assert elsewhere.delete("/v1/me/totp").status_code == 204

    assert ended(trusting)


def test_an_added_passkey_ends_the_trust_of_browsers(trusting: Trusting, elsewhere: Browser) -> None:
    requested = elsewhere.post("/v1/me/passkeys/options", {}).json
    key = Authenticator(origin=HOME, rp_id="localhost", user_handle=trusting.user.id.bytes)
    body = {"challenge": requested["challenge"], "credential": key.make(requested["options"])}
    assert elsewhere.post("/v1/me/passkeys", body).status_code == 201

    assert ended(trusting)


def test_a_removed_passkey_ends_the_trust_of_browsers(trusting: Trusting, elsewhere: Browser) -> None:
    authenticator(trusting.user)
    assert elsewhere.delete(f"/v1/me/passkeys/{typeid('psk', Passkey.get().id)}").status_code == 204

    assert ended(trusting)


def test_new_recovery_codes_end_the_trust_of_browsers(trusting: Trusting, elsewhere: Browser) -> None:
    assert elsewhere.post("/v1/me/recovery-codes").status_code == 200

    assert ended(trusting)


@pytest.mark.parametrize("act", ["link", "unlink"])
def test_a_linked_or_unlinked_identity_ends_the_trust_of_browsers(
    act: str, trusting: Trusting, elsewhere: Browser, in_settings: Callable[..., Settings]
) -> None:
    with OwnProvider(now=int(time.time())) as own:
        in_settings(base_url=HOME, oidc_providers=(own.chosen(),))
        if act == "link":
            answer = through(elsewhere, own, purpose="link", returnTo="/account")
            assert answer.headers["Location"] == f"{HOME}/account"
        else:
            make_identity(trusting.user)
            assert elsewhere.delete("/v1/me/identities/own").status_code == 204

    assert ended(trusting)


def test_signing_out_all_other_sessions_ends_trust_and_signing_out_one_does_not(
    trusting: Trusting, elsewhere: Browser
) -> None:
    assert trusting.skips()
    sessions = elsewhere.get("/v1/me/sessions").json["items"]
    other = next(each["id"] for each in sessions if not each["current"])
    assert elsewhere.delete(f"/v1/me/sessions/{other}").status_code == 204
    assert trusting.skips()

    assert elsewhere.post("/v1/me/sessions/revoke-others").status_code == 204

    assert ended(trusting)


def test_a_disabled_account_that_is_enabled_again_trusts_no_browser(trusting: Trusting, cast: Cast, app: Flask) -> None:
    User.update(is_instance_admin=True).where(User.id == cast.users["adam"].id).execute()
    adam, path = (
        Browser(app, HOME, cookie=sign_in(cast.users["adam"])),
        f"/v1/admin/users/{typeid('usr', trusting.user.id)}",
    )
    for disabled in (True, False):
        assert adam.patch(path, {"disabled": disabled}).status_code == 200

    assert ended(trusting)


def test_a_closed_account_trusts_no_browser(trusting: Trusting, elsewhere: Browser) -> None:
    assert elsewhere.delete("/v1/me").status_code == 204

    assert trusted(trusting.user) == 0
    assert trusting.sign_in().status_code == 401
