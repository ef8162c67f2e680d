"""Browsers in which the sign-in skips the second factor for 30 days (specification 11.11)."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta

from flask import Flask

from inbox.config.settings import Settings
from inbox.database.base import new_id
from inbox.flow.unit_of_work import work
from inbox.flow.upkeep.purge import purge
from inbox.models.people.accounts import Session, User
from inbox.models.people.factors import TotpFactor
from inbox.models.people.trusted_browsers import TrustedBrowser
from inbox.models.records.audit import AuditEntry
from inbox.services.people import trusted_browsers
from inbox.services.people.trusted_browsers import LIFETIME, MAX_BROWSERS
from tests.api.sign_in.oidc_steps import back, fault_of, make_identity, start, through
from tests.api.sign_in.second_factor_steps import (
    LOGIN,
    PASSWORD,
    by_code,
    challenged,
    guest,  # noqa: F401
    mia,  # noqa: F401
    password_hash,  # noqa: F401
    visit,  # noqa: F401
)
from tests.api.sign_in.trusted_browser_steps import (
    COOKIE,
    Trusting,
    token_of,
    trust_by,
    trusted,
    trusting,  # noqa: F401
)
from tests.browser import Browser
from tests.cast import NOW, Cast, present, sign_in, typeid
from tests.identity.authenticators import PRESENT
from tests.identity.providers import OwnProvider
from tests.proving import HOME, App, assertion_of, authenticator, recovery_codes

PATH = "/v1/me/trusted-browsers"


def test_the_password_alone_signs_in_where_the_browser_is_trusted(trusting: Trusting) -> None:
    answer = trusting.sign_in()

    assert answer.status_code == 200 and answer.json["user"]["email"] == "mia@example.org"
    assert trusting.browser.get("/v1/me").json["name"] == "Mia"
    entry = AuditEntry.select().where(AuditEntry.action == "session.started").order_by(AuditEntry.id.desc()).get()
    assert entry.details == {"by": "password+trusted_browser"}
    assert TrustedBrowser.get().last_used_at is not None
    assert TrustedBrowser.get().expires_at == TrustedBrowser.get().created_at + LIFETIME


def test_a_passkey_as_the_second_factor_makes_a_browser_trusted(mia: User, guest: Browser) -> None:
    key = authenticator(mia, flags=PRESENT)
    proof = assertion_of(guest, "/v1/auth/login/options", key, {"challenge": challenged(guest)})
    body = proof | {"factor": "passkey", "rememberBrowser": True}

    assert guest.post("/v1/auth/login/factor", body).status_code == 200
    assert "user" in guest.post("/v1/auth/login", LOGIN).json


def test_a_wrong_password_is_refused_in_a_trusted_browser(trusting: Trusting) -> None:
    answer = trusting.sign_in(password="not her phrase")

    assert answer.status_code == 401 and "Set-Cookie" not in answer.headers


def test_another_browser_needs_the_second_factor(trusting: Trusting, visit: Callable[[], Browser]) -> None:
    assert trusting.skips()

    assert not trusting.skips(visit())


def test_a_browser_is_trusted_only_where_the_person_asks_for_it(mia: User, guest: Browser) -> None:
    app = App.of(mia)

    assert by_code(guest, challenged(guest), app.code()).status_code == 200
    assert guest.client.get_cookie(COOKIE) is None and trusted(mia) == 0


def test_a_refused_code_makes_no_browser_trusted(mia: User, guest: Browser) -> None:
    app = App.of(mia)

    assert trust_by(guest, {"factor": "totp", "code": app.wrong()}).status_code == 401
    assert guest.client.get_cookie(COOKIE) is None and trusted(mia) == 0


def test_the_browser_of_another_person_needs_the_second_factor(trusting: Trusting, cast: Cast) -> None:
    eve = cast.users["eve"]
    User.update(password_hash=trusting.user.password_hash).where(User.id == eve.id).execute()
    App.of(eve)
    answer = trusting.browser.post("/v1/auth/login", LOGIN | {"email": eve.email})

    assert answer.json["mfaRequired"] is True
    assert trusting.skips()


def test_a_recovery_code_makes_no_browser_trusted_and_is_not_used_up(mia: User, guest: Browser) -> None:
    App.of(mia)
    code = recovery_codes(mia)[0]
    answer = trust_by(guest, {"factor": "recovery_code", "code": code})

    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, "/rememberBrowser")
    assert guest.client.get_cookie(COOKIE) is None and trusted(mia) == 0
    assert by_code(guest, challenged(guest), code, "recovery_code").status_code == 200


def test_a_provider_signs_in_without_the_second_factor_where_the_browser_is_trusted(
    trusting: Trusting, visit: Callable[[], Browser], in_settings: Callable[..., Settings]
) -> None:
    make_identity(trusting.user)
    with OwnProvider(now=int(time.time())) as own:
        in_settings(base_url=HOME, oidc_providers=(own.chosen(),))
        answer, elsewhere = through(trusting.browser, own, returnTo="/w"), through(visit(), own, returnTo="/w")

    assert answer.headers["Location"] == f"{HOME}/w"
    assert "#challenge=" in elsewhere.headers["Location"]
    assert trusting.browser.get("/v1/me").json["stepUpUntil"] is None


def test_a_trusted_browser_proves_nothing_for_a_step_up(trusting: Trusting) -> None:
    assert trusting.skips()
    hers = trusting.browser
    me, [session] = hers.get("/v1/me").json, hers.get("/v1/me/sessions").json["items"]
    refused = hers.post("/v1/me/recovery-codes")

    assert (me["provedAt"], me["stepUpUntil"], session["provedAt"]) == (None, None, None)
    assert (refused.status_code, refused.json["code"]) == (403, "reauth_required")
    proof = {"factor": "totp", "code": trusting.app.code(1)}
    assert hers.post("/v1/auth/step-up", proof).status_code == 204
    assert hers.get("/v1/me").json["stepUpUntil"] is not None
    assert hers.post("/v1/me/recovery-codes").status_code == 200


def test_the_password_of_a_trusted_sign_in_is_no_step_up(trusting: Trusting) -> None:
    code = recovery_codes(trusting.user)[0]
    assert trusting.skips()
    hers, password = trusting.browser, {"factor": "password", "password": PASSWORD}

    refused = hers.post("/v1/auth/step-up", password)
    listed = ["totp", "recovery_code"]
    assert (refused.status_code, refused.json["code"]) == (403, "reauth_required")
    assert (refused.json["factors"], hers.get("/v1/me").json["factors"]) == (listed, listed)
    assert hers.delete("/v1/me/totp").json["factors"] == listed

    assert hers.post("/v1/auth/step-up", {"factor": "recovery_code", "code": code}).status_code == 204
    assert hers.get("/v1/me").json["factors"] == ["password", "totp"]
    assert hers.post("/v1/auth/step-up", password).status_code == 204


def test_the_password_raises_the_session_once_the_account_has_no_second_factor(trusting: Trusting) -> None:
    assert trusting.skips()
    TotpFactor.delete().where(TotpFactor.user == trusting.user.id).execute()

    proof = {"factor": "password", "password": PASSWORD}
    assert trusting.browser.post("/v1/auth/step-up", proof).status_code == 204


def test_a_provider_does_not_raise_a_session_that_skipped_the_second_factor(
    trusting: Trusting, in_settings: Callable[..., Settings]
) -> None:
    make_identity(trusting.user)
    assert trusting.skips()
    hers = trusting.browser
    with OwnProvider(now=int(time.time())) as own:
        own.claims = {"auth_time": int(time.time())}
        in_settings(base_url=HOME, oidc_providers=(own.chosen(),))
        refused = hers.post("/v1/auth/oidc/own/start", {"purpose": "step-up"})
        app = TotpFactor.get(TotpFactor.user == trusting.user.id)
        TotpFactor.update(confirmed_at=None).execute()
        begun = own.authorize(start(hers, purpose="step-up"))
        TotpFactor.update(confirmed_at=app.confirmed_at).execute()
        late = back(hers, begun)

    assert (refused.status_code, refused.json["factors"]) == (403, ["totp", "recovery_code"])
    assert fault_of(late) == "identity_unproved"
    assert hers.get("/v1/me").json["provedAt"] is None


def test_a_browser_is_trusted_for_thirty_days_however_often_it_is_used(mia: User) -> None:
    with work():
        token = trusted_browsers.trust(mia.id, NOW, user_agent="Firefox", earlier_token="")
        last = NOW + timedelta(days=30) - timedelta(seconds=1)
        uses = [trusted_browsers.use(mia.id, token, at) for at in (NOW, last, NOW + timedelta(days=30))]

    assert uses == [True, True, False]
    assert list(trusted_browsers.of_person(mia.id, NOW + LIFETIME)) == []
    assert purge(NOW + LIFETIME)["trusted_browsers"] == 0
    assert purge(NOW + LIFETIME + timedelta(seconds=1))["trusted_browsers"] == 1


def test_the_sign_in_asks_again_when_the_thirty_days_are_over(trusting: Trusting) -> None:
    TrustedBrowser.update(expires_at=present()).execute()

    assert not trusting.skips()
    assert trusting.browser.get("/v1/me").status_code == 401


def test_a_further_browser_replaces_the_oldest(mia: User, cast: Cast) -> None:
    with work():
        eves = trusted_browsers.trust(cast.users["eve"].id, NOW, user_agent="", earlier_token="")
        hers = [
            trusted_browsers.trust(mia.id, NOW + timedelta(minutes=number), user_agent="", earlier_token="")
            for number in range(MAX_BROWSERS + 1)
        ]
        later = NOW + timedelta(hours=1)
        uses = [trusted_browsers.use(mia.id, token, later) for token in hers]

    assert uses == [False] + [True] * MAX_BROWSERS
    assert trusted(mia) == MAX_BROWSERS and trusted(cast.users["eve"]) == 1
    with work():
        assert trusted_browsers.use(cast.users["eve"].id, eves, later)


def test_a_browser_that_is_trusted_again_gets_a_new_token_and_loses_the_old_one(trusting: Trusting) -> None:
    before = token_of(trusting.browser)
    User.update(password_hash=trusting.user.password_hash).execute()
    adam = User.get(User.email == "adam@example.org")
    app, browser = App.of(adam), trusting.browser
    challenge = browser.post("/v1/auth/login", LOGIN | {"email": adam.email}).json["challenge"]
    body = {"challenge": challenge, "factor": "totp", "code": app.code(), "rememberBrowser": True}
    assert browser.post("/v1/auth/login/factor", body).status_code == 200

    assert token_of(browser) != before
    assert (trusted(trusting.user), trusted(adam)) == (0, 1)
    assert not trusting.skips()


def test_the_cookie_is_out_of_reach_of_scripts_and_its_token_is_not_stored(trusting: Trusting) -> None:
    cookie = trusting.browser.client.get_cookie(COOKIE)

    assert cookie is not None and cookie.http_only and cookie.same_site == "Lax" and cookie.path == "/"
    assert cookie.max_age == int(timedelta(days=30).total_seconds())
    assert len(bytes(TrustedBrowser.get().token_hash)) == 32
    listed = f"{TrustedBrowser.get().__data__} {[entry.details for entry in AuditEntry.select()]}"
    assert token_of(trusting.browser) not in listed


def test_over_https_the_cookie_is_bound_to_the_host(
    mia: User, app: Flask, in_settings: Callable[..., Settings]
) -> None:
    in_settings(base_url="https://inbox.example.org")
    codes, browser = App.of(mia), Browser(app, "https://inbox.example.org")
    answer = trust_by(browser, {"factor": "totp", "code": codes.code()})

    [cookie] = [line for line in answer.headers.getlist("Set-Cookie") if "inbox_trusted" in line]
    assert cookie.startswith("__Host-inbox_trusted=") and "; Secure; HttpOnly; Path=/; SameSite=Lax" in cookie


def test_a_forged_trust_token_has_no_effect(trusting: Trusting, visit: Callable[[], Browser]) -> None:
    for value in ("", "x", "a" * 43, "é" * 43, "a" * 5_000, TrustedBrowser.get().token_hash.hex()):
        answer = visit().post("/v1/auth/login", LOGIN, headers={"Cookie": f"{COOKIE}={value}"})

        assert answer.json["mfaRequired"] is True, value


def test_a_person_lists_and_forgets_own_browsers(trusting: Trusting, visit: Callable[[], Browser]) -> None:
    other = visit()
    assert trust_by(other, {"factor": "totp", "code": trusting.app.code(1)}).status_code == 200
    assert trusting.skips()
    first, second = trusting.browser.get(f"{PATH}?order=asc").json["items"]

    assert set(first) == {"id", "createdAt", "expiresAt", "lastUsedAt", "userAgent", "current"}
    assert (first["current"], second["current"]) == (True, False)
    assert first["lastUsedAt"] is not None and second["lastUsedAt"] is None
    assert trusting.browser.delete(f"{PATH}/{second['id']}").status_code == 204
    assert other.get("/v1/me").status_code == 200
    assert not trusting.skips(other) and trusting.skips()
    assert trusting.browser.delete(f"{PATH}/{second['id']}").status_code == 404
    assert trusting.browser.delete(PATH).status_code == 204
    assert trusting.browser.get(PATH).json["items"] == []
    actions = [entry.action for entry in AuditEntry.select() if entry.action.startswith("browser.")]
    assert sorted(actions) == ["browser.trusted"] * 2 + ["browser.untrusted"] * 2


def test_trusted_browsers_of_other_people_are_hidden_and_cannot_be_removed(
    trusting: Trusting, cast: Cast, app: Flask
) -> None:
    eve, her_browser = Browser(app, HOME, cookie=sign_in(cast.users["eve"])), typeid("tbr", TrustedBrowser.get().id)

    assert eve.get(PATH).json["items"] == []
    for browser_id in (her_browser, typeid("tbr", new_id())):
        assert eve.delete(f"{PATH}/{browser_id}").status_code == 404
    assert eve.delete(PATH).status_code == 204
    assert trusting.skips()
    assert Session.select().where(Session.user == trusting.user.id, Session.revoked_at.is_null()).count() == 1
