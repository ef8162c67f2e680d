"""Answers of an identity provider that are forged, repeated or malformed, and providers that fail."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

import peewee
import pytest
from flask import Flask

from inbox.database import base
from inbox.models.people.factors import Identity
from tests.api.sign_in.oidc_steps import (
    OWN,
    SUBJECT,
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
from tests.identity.providers import OwnProvider, b64, compact, ec_key, es256, rs256, rsa_key

BAD_TOKENS: dict[str, dict[str, Any]] = {
    "another issuer": {"claims": {"iss": "https://evil.example"}},
    "another client": {"claims": {"aud": "somebody else"}},
    "expired": {"claims": {"exp": 1}},
    "no nonce": {"claims": {"nonce": ...}},
    "another nonce": {"claims": {"nonce": "x"}},
    "no subject": {"claims": {"sub": ...}},
    "another key": {"token": lambda claims: compact({"alg": "RS256", "kid": "k1"}, claims, rs256(rsa_key("evil")))},
    "another kind of key": {"token": lambda claims: compact({"alg": "ES256", "kid": "k1"}, claims, es256(ec_key("e")))},
    "no signature": {"token": lambda claims: compact({"alg": "none"}, claims, lambda _: b"")},
    "no token": {"token": lambda claims: None},
    "not a token": {"token": lambda claims: "<b>canary</b>"},
    "a token as an object": {"token": lambda claims: {"a": claims}},
    "an algorithm that is a list": {"token": lambda claims: compact({"alg": ["RS256"]}, claims, rs256(rsa_key("own")))},
    "a subject with NUL": {"claims": {"sub": "a\0b"}},
    "a subject with half a character": {"claims": {"sub": "a\ud800b"}},
    "a deep claim": {"token": lambda claims: signed_text(b'{"a":' * 3_000 + b"1" + b"}" * 3_000)},
    "a header that is a list": {"token": lambda claims: f"{b64(b'[]')}.{b64(b'{}')}.{b64(b'x')}"},
}


@pytest.mark.parametrize("name", BAD_TOKENS)
def test_a_bad_token_signs_nobody_in(name: str, own: OwnProvider, linked: Identity, anonymous: Browser) -> None:
    for field, value in BAD_TOKENS[name].items():
        setattr(own, field, value)

    answer = through(anonymous, own)

    assert fault_of(answer) == "identity_unproved"
    assert "inbox_session_8080" not in cookies(answer) and sessions() == 0


def signed_text(claims: bytes) -> str:
    """A token of the provider's own, with this text for its claims."""
    head = b64(b'{"alg":"RS256","kid":"k1"}')
    reported = f"{head}.{b64(claims)}"
    return f"{reported}.{b64(rs256(rsa_key('own'))(reported.encode()))}"


def test_an_answer_is_good_once(own: OwnProvider, linked: Identity, anonymous: Browser, app: Flask) -> None:
    answer = own.authorize(start(anonymous))
    jar = anonymous.client.get_cookie("inbox_oidc_8080", path=f"{OWN}/callback")
    assert jar is not None
    back(anonymous, answer)
    thief = Browser(app, anonymous.base_url)
    thief.client.set_cookie("inbox_oidc_8080", jar.value, path=f"{OWN}/callback")

    assert fault_of(back(anonymous, answer)) == "sign_in_expired"
    assert fault_of(back(thief, answer)) in ("provider_refused", "sign_in_expired")
    assert sessions() == 1


def test_a_ticket_is_acted_on_once_even_if_the_provider_would_answer_twice(
    own: OwnProvider, linked: Identity, anonymous: Browser, app: Flask
) -> None:
    url = start(anonymous)
    jar = anonymous.client.get_cookie("inbox_oidc_8080", path=f"{OWN}/callback")
    assert jar is not None
    back(anonymous, own.authorize(url))
    thief = Browser(app, anonymous.base_url)
    thief.client.set_cookie("inbox_oidc_8080", jar.value, path=f"{OWN}/callback")

    assert fault_of(back(thief, own.authorize(url))) == "sign_in_expired"
    assert sessions() == 1


def test_an_answer_is_good_in_the_browser_that_asked_only(
    own: OwnProvider, linked: Identity, anonymous: Browser, app: Flask
) -> None:
    victim = Browser(app, anonymous.base_url)
    attackers = own.authorize(start(anonymous))

    assert fault_of(back(victim, attackers)) == "sign_in_expired"
    own_one = own.authorize(start(victim))
    assert fault_of(back(victim, attackers)) == "sign_in_mismatch"
    assert place_of(back(victim, own_one)) == "/"  # what is not an answer to it has not ended it


def test_an_answer_of_one_provider_is_none_of_another(
    own: OwnProvider, linked: Identity, anonymous: Browser, in_settings: InSettings
) -> None:
    with OwnProvider(now=int(time.time())) as evil:
        in_settings(oidc_providers=(own.chosen(), evil.chosen(id="evil", name="Evil")))
        answer = own.authorize(start(anonymous))
        jar = anonymous.client.get_cookie("inbox_oidc_8080", path=f"{OWN}/callback")
        assert jar is not None
        anonymous.client.set_cookie("inbox_oidc_8080", jar.value, path="/v1/auth/oidc/evil/callback")

        assert fault_of(back(anonymous, answer, "/v1/auth/oidc/evil/callback")) == "sign_in_expired"
        anonymous.post("/v1/auth/oidc/evil/start", {})
        assert fault_of(back(anonymous, answer, "/v1/auth/oidc/evil/callback")) == "sign_in_mismatch"
        assert evil.asked_for("/token") == 0
    assert sessions() == 0


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("", "sign_in_mismatch"),
        ("state=%00&code=%ff", "sign_in_mismatch"),
        ("state=%C3%A9&code=x", "sign_in_mismatch"),
        ("state&code&state=x&state=y", "sign_in_mismatch"),
        ("%%%=1&&&=&a[]=b", "sign_in_mismatch"),
        ("error=access_denied", "sign_in_mismatch"),
        ("state=STATE&error=access_denied&error_description=<script>canary", "sign_in_cancelled"),
        ("state=STATE&error=canary", "provider_refused"),
        ("state=STATE", "sign_in_mismatch"),
        ("state=STATE&code=forged", "provider_refused"),
        ("state=STATE&code=" + "x" * 5000, "sign_in_mismatch"),
        ("state=STATE&code=x&iss=https%3A%2F%2Fevil.example", "sign_in_mismatch"),
    ],
)
def test_a_malformed_answer_is_a_redirect_with_a_closed_code(
    query: str, fault: str, own: OwnProvider, anonymous: Browser
) -> None:
    state = own.authorize(start(anonymous))["state"]

    answer = anonymous.get(f"{OWN}/callback?{query.replace('STATE', state)}")

    assert answer.status_code == 303
    assert fault_of(answer) == fault
    assert "canary" not in answer.headers["Location"] and b"canary" not in answer.data and sessions() == 0


@pytest.mark.parametrize("provider_id", ["nobody", "OWN", "own%20", "%00", "x" * 300, "'--", "é"])
def test_an_unknown_provider_redirects_with_an_error(provider_id: str, own: OwnProvider, anonymous: Browser) -> None:
    path = f"/v1/auth/oidc/{provider_id}/callback"

    assert fault_of(back(anonymous, {"code": "x", "state": "y"}, path)) == "provider_unknown"
    assert anonymous.post(f"/v1/auth/oidc/{provider_id}/start", {}).status_code == 404


def test_a_provider_failure_after_the_return_redirects_with_an_error(
    own: OwnProvider, linked: Identity, anonymous: Browser
) -> None:
    answer = own.authorize(start(anonymous))
    own.answers["/token"] = (500, b"canary")

    assert fault_of(back(anonymous, answer)) == "provider_unavailable"


def test_an_unreachable_database_redirects_with_an_error(
    own: OwnProvider, linked: Identity, anonymous: Browser
) -> None:
    answer, retained = own.authorize(start(anonymous)), base.db.obj
    base.open_database("postgresql://nobody@127.0.0.1:1/nothing", application="inbox-test")
    came = back(anonymous, answer)
    base.db.initialize(retained)

    assert fault_of(came) == "unavailable"


def test_a_failure_of_ours_is_a_redirect(
    own: OwnProvider, linked: Identity, anonymous: Browser, ground: peewee.Database, lines: Any
) -> None:
    answer = own.authorize(start(anonymous))
    ground.execute_sql("ALTER TABLE identities RENAME TO gone")
    try:
        came = back(anonymous, answer)
    finally:
        ground.execute_sql("ALTER TABLE gone RENAME TO identities")

    assert fault_of(came) == "internal_error"
    assert any(line["event"] == "callback failed" for line in lines())


def test_cookies_of_the_pairing_are_secure_over_https(
    own: OwnProvider, anonymous: Browser, in_settings: InSettings
) -> None:
    in_settings(oidc_providers=(own.chosen(),), base_url="https://inbox.example.org")
    anonymous.base_url = "https://inbox.example.org"

    answer = anonymous.post(f"{OWN}/start", {})

    cookie = cookies(answer)["__Secure-inbox_oidc"]
    assert "Secure;" in cookie and f"Path={OWN}/callback" in cookie and "HttpOnly" in cookie
    assert parse_qs(urlsplit(answer.json["authorizeUrl"]).query)["redirect_uri"] == [
        f"https://inbox.example.org{OWN}/callback"
    ]


def test_a_provider_sign_in_logs_no_secret(own: OwnProvider, linked: Identity, anonymous: Browser, lines: Any) -> None:
    answer = own.authorize(start(anonymous))
    came = back(anonymous, answer)
    fault_of(back(anonymous, {"state": "x", "code": answer["code"], "error_description": "canary"}))
    written = str(lines())

    token = cookies(came)["inbox_session_8080"].partition(";")[0]
    for secret in (answer["code"], answer["state"], token, "mia@example.org", SUBJECT, "canary"):
        assert secret not in written
    assert "sign_in_expired" in written
