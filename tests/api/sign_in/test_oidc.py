"""Sign-in through an identity provider over HTTP: starting, returning, and accounts that are linked or created."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import parse_qs, urlsplit

import peewee
import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.identity import totp
from inbox.models.people.accounts import User
from inbox.models.people.factors import Identity, TotpFactor
from inbox.models.records.audit import AuditEntry
from inbox.runtime import sealing
from inbox.services.people.authentication_factors import associated_data
from tests.api.sign_in.oidc_steps import (
    OWN,
    InSettings,
    back,
    cookies,
    fault_of,
    linked,  # noqa: F401
    own,  # noqa: F401
    place_of,
    sessions,
    start,
    through,
)
from tests.browser import Browser
from tests.cast import Cast, present
from tests.identity.providers import OwnProvider


def test_the_providers_are_listed_without_secrets(own: OwnProvider, anonymous: Browser) -> None:
    answer = anonymous.get("/v1/auth/providers")

    assert answer.json == {"items": [{"id": "own", "name": "Own"}], "nextCursor": None, "partial": False, "total": 1}
    assert "auth.oidc" in anonymous.get("/v1/info").json["capabilities"]


def test_no_sign_in_can_be_listed_or_started_without_providers(anonymous: Browser) -> None:
    assert anonymous.get("/v1/auth/providers").json["items"] == []
    assert anonymous.post(f"{OWN}/start", {}).status_code == 404
    assert fault_of(back(anonymous, {"code": "x", "state": "y"})) == "provider_unknown"
    assert "auth.oidc" not in anonymous.get("/v1/info").json["capabilities"]


def test_starting_ties_the_sign_in_to_the_browser_for_ten_minutes(own: OwnProvider, anonymous: Browser) -> None:
    answer = anonymous.post(f"{OWN}/start", {})
    requested = parse_qs(urlsplit(answer.json["authorizeUrl"]).query)

    assert requested["redirect_uri"] == [f"{anonymous.base_url}{OWN}/callback"]
    cookie = cookies(answer)["inbox_oidc_8080"]
    assert f"Path={OWN}/callback" in cookie and "Max-Age=600" in cookie
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie and "Domain" not in cookie


def test_a_provider_sign_in_starts_without_a_body(own: OwnProvider, anonymous: Browser) -> None:
    assert anonymous.post(f"{OWN}/start").status_code == 200


@pytest.mark.parametrize(
    ("body", "pointer"),
    [({"purpose": "blood"}, "/purpose"), ({"returnTo": "/" + "x" * 600}, "/returnTo"), ({"x": 1}, "/x")],
)
def test_bad_fields_are_reported(body: dict[str, Any], pointer: str, own: OwnProvider, anonymous: Browser) -> None:
    answer = anonymous.post(f"{OWN}/start", body)

    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, pointer)


def test_an_unreachable_provider_is_reported(own: OwnProvider, anonymous: Browser) -> None:
    own.answers["/.well-known/openid-configuration"] = (500, b"<b>canary of the provider</b>")

    answer = anonymous.post(f"{OWN}/start", {})

    assert (answer.status_code, answer.json["code"]) == (503, "unavailable")
    assert b"canary" not in answer.data and answer.headers["Retry-After"]


def test_starts_of_provider_sign_ins_are_counted_by_address(
    own: OwnProvider, anonymous: Browser, in_settings: InSettings
) -> None:
    in_settings(oidc_providers=(own.chosen(),), rate_limits=True, sign_ins_per_address_5min=3)

    statuses = [anonymous.post(f"{OWN}/start", {}).status_code for _ in range(4)]

    assert statuses == [200, 200, 200, 429]


def test_returns_from_providers_are_counted_by_address(
    own: OwnProvider, anonymous: Browser, in_settings: InSettings
) -> None:
    in_settings(oidc_providers=(own.chosen(),), rate_limits=True, sign_ins_per_address_5min=3)
    state = own.authorize(start(anonymous))["state"]
    cookie = anonymous.client.get_cookie("inbox_oidc_8080", path=f"{OWN}/callback")
    assert cookie is not None
    faults = []
    for _ in range(5):
        anonymous.client.set_cookie("inbox_oidc_8080", cookie.value, path=f"{OWN}/callback")
        faults.append(fault_of(back(anonymous, {"state": state, "code": "guessed"})))

    assert faults == ["provider_refused"] * 3 + ["rate_limited"] * 2
    assert own.asked_for("/token") == 3


def test_a_linked_identity_signs_in(own: OwnProvider, linked: Identity, anonymous: Browser, cast: Cast) -> None:
    answer = through(anonymous, own, returnTo="/w/acme?state=open")

    assert place_of(answer) == "/w/acme?state=open"
    assert anonymous.get("/v1/me").json["name"] == "Mia"
    assert "Max-Age=0" in cookies(answer)["inbox_oidc_8080"]
    assert Identity.get_by_id(linked.id).last_used_at is not None
    entry = AuditEntry.get(AuditEntry.action == "session.started")
    assert (entry.actor["name"], entry.details) == ("Mia", {"by": "oidc:own"})


def test_an_identity_is_matched_by_its_subject_and_not_by_its_address(
    own: OwnProvider, linked: Identity, anonymous: Browser
) -> None:
    own.claims = {"email": "olga@example.org", "email_verified": True}
    through(anonymous, own)

    assert anonymous.get("/v1/me").json["email"] == "mia@example.org"


def test_the_browsers_session_until_now_ends(
    own: OwnProvider, linked: Identity, cast: Cast, app: Flask, settings: Settings
) -> None:
    token = cast.cookie("vic")
    through(Browser(app, settings.base_url, cookie=token), own)

    assert sessions() == 1
    assert Browser(app, settings.base_url, cookie=token).get("/v1/me").status_code == 401


@pytest.mark.parametrize(
    "evil", ["//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", "\t//evil", "w/acme"]
)
def test_a_provider_sign_in_returns_only_to_this_service(
    evil: str, own: OwnProvider, linked: Identity, anonymous: Browser
) -> None:
    assert anonymous.base_url + "/" == through(anonymous, own, returnTo=evil).headers["Location"]


def test_a_second_factor_is_still_asked_for(own: OwnProvider, linked: Identity, anonymous: Browser, cast: Cast) -> None:
    mia, secret = cast.users["mia"], totp.new_secret()
    sealed = sealing.current().seal(secret, associated_data(mia.id))
    TotpFactor.create(user=mia, sealed=sealed, created_at=present(), confirmed_at=present())

    answer = through(anonymous, own, returnTo="/w/acme")

    location = urlsplit(answer.headers["Location"])
    stated = {name: values[0] for name, values in parse_qs(location.fragment).items()}
    assert (location.path, location.query, stated["factors"], stated["returnTo"]) == ("/login", "", "totp", "/w/acme")
    assert "inbox_session_8080" not in cookies(answer) and sessions() == 0
    code = totp.code_of(secret, int(time.time()) // totp.PERIOD)
    finished = anonymous.post(
        "/v1/auth/login/factor", {"challenge": stated["challenge"], "factor": "totp", "code": code}
    )
    assert finished.status_code == 200 and anonymous.get("/v1/me").json["name"] == "Mia"


def test_a_disabled_account_does_not_sign_in_through_a_provider(
    own: OwnProvider, linked: Identity, anonymous: Browser, cast: Cast
) -> None:
    User.update(disabled_at=present()).where(User.id == cast.users["mia"].id).execute()

    assert fault_of(through(anonymous, own)) == "account_disabled"
    assert sessions() == 0


def test_an_unknown_identity_does_not_sign_in(own: OwnProvider, anonymous: Browser) -> None:
    own.claims = {"email": "zoe@example.org"}

    assert fault_of(through(anonymous, own)) == "account_unknown"
    assert User.get_or_none(User.email_key == "zoe@example.org") is None and sessions() == 0


def test_an_unknown_identity_gets_an_account_where_sign_up_is_allowed(
    own: OwnProvider, anonymous: Browser, in_settings: InSettings
) -> None:
    in_settings(oidc_providers=(own.chosen(allow_signup=True),))
    own.claims = {"email": "Zoe@example.org", "name": " Zoe\nZ. "}

    through(anonymous, own)
    zoe = anonymous.get("/v1/me").json

    assert (zoe["email"], zoe["name"], zoe["isInstanceAdmin"]) == ("Zoe@example.org", "Zoe Z.", False)
    row = User.get(User.email_key == "zoe@example.org")
    assert row.password_hash is None and row.email_verified_at is not None
    through(anonymous, own)
    assert anonymous.get("/v1/me").json["id"] == zoe["id"]
    assert {"account.created", "identity.linked"} <= {entry.action for entry in AuditEntry.select()}


@pytest.mark.parametrize(
    "claims", [{"email": ...}, {"email_verified": False}, {"email_verified": ...}, {"email": "zoe"}]
)
def test_an_address_that_is_not_confirmed_makes_and_links_nothing(
    claims: dict[str, Any], own: OwnProvider, anonymous: Browser, in_settings: InSettings
) -> None:
    in_settings(oidc_providers=(own.chosen(allow_signup=True),))
    own.claims = claims

    answer = through(anonymous, own)

    assert fault_of(answer) == "address_unverified"
    assert "inbox_link_8080" not in cookies(answer)
    assert User.select().count() == 5 and Identity.select().count() == 0 and sessions() == 0


def test_a_trusted_provider_that_never_confirms_addresses_makes_and_links_accounts(
    own: OwnProvider, anonymous: Browser, in_settings: InSettings
) -> None:
    in_settings(oidc_providers=(own.chosen(allow_signup=True, trust_email=True),))
    own.claims = {"email": "zoe@example.org", "email_verified": ...}
    through(anonymous, own)
    assert anonymous.get("/v1/me").json["email"] == "zoe@example.org"

    own.claims = {"sub": "2", "email": "mia@example.org", "email_verified": ...}
    assert fault_of(through(anonymous, own)) == "sign_in_to_link"
    own.claims = {"sub": "3", "email": "yves@example.org", "email_verified": False}
    assert fault_of(through(anonymous, own)) == "address_unverified"


def test_the_first_account_is_never_created_through_a_provider(
    own: OwnProvider, anonymous: Browser, in_settings: InSettings, ground: peewee.Database
) -> None:
    in_settings(oidc_providers=(own.chosen(allow_signup=True),))
    User.delete().execute()

    assert fault_of(through(anonymous, own)) == "account_unknown"
    assert User.select().count() == 0


def test_concurrent_first_sign_ins_of_one_identity_create_one_account(
    own: OwnProvider, app: Flask, settings: Settings, in_settings: InSettings
) -> None:
    in_settings(oidc_providers=(own.chosen(allow_signup=True),))
    own.claims = {"email": "zoe@example.org"}

    def come(_: int) -> str:
        return place_of(through(Browser(app, settings.base_url), own))

    with ThreadPoolExecutor(6) as people:
        places = list(people.map(come, range(6)))

    assert places == ["/"] * 6
    assert Identity.select().count() == 1 and sessions() == 6
