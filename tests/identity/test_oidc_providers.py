"""Providers: their metadata, keys, failures, and the addresses that they confirm."""

from __future__ import annotations

import json
import socket
from base64 import b64encode
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from inbox.destinations.provider_client import ProviderClient
from inbox.domain.people.oidc_provider import OidcProvider
from inbox.identity.faults import Fault, OidcRefused
from inbox.identity.oidc import Provider
from tests.cast import NOW
from tests.identity.oidc_steps import (
    BACK,
    KEY,
    begin,
    client,  # noqa: F401
    ours,
    own,  # noqa: F401
    refused,
    through,
)
from tests.identity.providers import CLIENT_ID, CLIENT_SECRET, OwnProvider, compact, rs256, rsa_jwk, rsa_key


def test_a_provider_that_reports_who_it_is_must_report_it(own: OwnProvider, client: ProviderClient) -> None:
    own.metadata["authorization_response_iss_parameter_supported"] = True
    provider = ours(own, client)
    silent, reporting = begin(provider), begin(provider)

    assert refused(provider, own.authorize(silent.authorize_url), silent.cookie) is Fault.MISMATCH
    answer = {**own.authorize(reporting.authorize_url), "iss": own.issuer}
    assert provider.finish(answer, reporting.cookie, now=NOW).subject == "248289761001"


@pytest.mark.parametrize(
    ("methods", "secret", "basic", "form"),
    [
        (None, CLIENT_SECRET, True, {}),
        (["client_secret_basic", "client_secret_post"], CLIENT_SECRET, True, {}),
        (["client_secret_post"], CLIENT_SECRET, False, {"client_id": CLIENT_ID, "client_secret": CLIENT_SECRET}),
        (None, "", False, {"client_id": CLIENT_ID}),
    ],
)
def test_the_provider_gets_our_secret_in_the_way_it_takes_it(
    own: OwnProvider, client: ProviderClient, methods: list[str] | None, secret: str, basic: bool, form: dict[str, str]
) -> None:
    own.metadata["token_endpoint_auth_methods_supported"] = methods

    through(own, ours(own, client, client_secret=secret))

    (call,) = [call for call in own.calls if call.path == "/token"]
    assert ("Authorization" in call.headers) == basic
    assert {name: call.form[name] for name in ("client_id", "client_secret") if name in call.form} == form
    if basic:
        pair = b64encode(b"in%20box:s3cret%3A%2F%2B%C3%A9").decode()
        assert call.headers["Authorization"] == f"Basic {pair}"


def test_a_provider_that_refuses_us_is_the_operators_affair(own: OwnProvider, client: ProviderClient) -> None:
    provider = ours(own, client, client_secret="wrong")
    started = begin(provider)

    assert refused(provider, own.authorize(started.authorize_url), started.cookie) is Fault.MISCONFIGURED


@pytest.mark.parametrize(
    "answer",
    [(500, b"canary"), (200, b"<html>canary"), (200, b"[]"), (200, b"[" * 60_000), (302, b"/elsewhere"), (404, b"")],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/.well-known/openid-configuration", "/token", "/keys"])
def test_a_provider_that_talks_nonsense_is_unavailable_and_not_repeated(
    own: OwnProvider, client: ProviderClient, path: str, answer: tuple[int, bytes]
) -> None:
    own.answers[path] = answer
    provider = ours(own, client)

    with pytest.raises(OidcRefused) as refusal:
        through(own, provider)

    assert refusal.value.fault is Fault.UNAVAILABLE
    assert "canary" not in str(refusal.value) and own.asked_for("/elsewhere") == 0


def test_a_provider_that_is_away_is_unavailable_until_it_is_back(own: OwnProvider, client: ProviderClient) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        nowhere = f"http://127.0.0.1:{probe.getsockname()[1]}"
    with pytest.raises(OidcRefused, match="provider_unavailable"):
        begin(ours(own, client, issuer=nowhere))

    own.answers["/.well-known/openid-configuration"] = (503, b"")
    provider = ours(own, client)
    with pytest.raises(OidcRefused, match="provider_unavailable"):
        begin(provider)
    own.answers.clear()
    assert through(own, provider).subject == "248289761001"


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://evil.example"},
        {"issuer": None},
        {"issuer": ["http://127.0.0.1"]},
        {"token_endpoint": None},
        {"token_endpoint": "javascript:alert(1)"},
        {"authorization_endpoint": "//evil.example"},
        {"jwks_uri": "file:///etc/passwd"},
        {"jwks_uri": "http://user:pw@127.0.0.1/"},
        {"userinfo_endpoint": 7},
    ],
)
def test_a_provider_that_is_not_the_one_that_was_set_is_not_used(
    own: OwnProvider, client: ProviderClient, metadata: dict[str, Any]
) -> None:
    own.metadata |= metadata

    with pytest.raises(OidcRefused) as refusal:
        begin(ours(own, client))

    assert refusal.value.fault is Fault.MISCONFIGURED


def test_an_issuer_is_the_same_with_and_without_a_slash_at_its_end(own: OwnProvider, client: ProviderClient) -> None:
    assert through(own, ours(own, client, issuer=own.issuer + "/")).subject == "248289761001"


def test_provider_metadata_is_cached_for_an_hour(own: OwnProvider, client: ProviderClient) -> None:
    provider = ours(own, client)
    for _ in range(3):
        through(own, provider)

    assert own.asked_for("/.well-known/openid-configuration") == 1
    assert own.asked_for("/keys") == 1
    provider.start(BACK, now=NOW + timedelta(hours=1), intent={})
    assert own.asked_for("/.well-known/openid-configuration") == 2


def test_a_new_key_is_asked_for_at_most_once_a_minute(own: OwnProvider, client: ProviderClient) -> None:
    provider = ours(own, client)
    through(own, provider)
    own.keys.append(rsa_jwk(rsa_key("new"), "k2"))
    own.token = lambda claims: compact({"alg": "RS256", "kid": "k2"}, claims, rs256(rsa_key("new")))

    for _ in range(3):
        started = begin(provider)
        assert refused(provider, own.authorize(started.authorize_url), started.cookie) is Fault.UNPROVED
    assert own.asked_for("/keys") == 1
    started = begin(provider)
    provider.finish(own.authorize(started.authorize_url), started.cookie, now=NOW + timedelta(seconds=62))
    assert own.asked_for("/keys") == 2


def test_an_address_that_is_reported_only_when_asked_for_is_asked_for(own: OwnProvider, client: ProviderClient) -> None:
    own.claims = {"email": ..., "email_verified": ..., "name": ...}
    own.metadata["userinfo_endpoint"] = own.issuer + "/userinfo"
    own.userinfo = {"sub": "248289761001", "email": "mia@example.org", "email_verified": True, "name": "Mia"}

    identified = through(own, ours(own, client))

    assert (identified.email, identified.email_verified, identified.name) == ("mia@example.org", True, "Mia")
    (call,) = [call for call in own.calls if call.path == "/userinfo"]
    assert call.headers["Authorization"] == "Bearer at-1"


def test_a_userinfo_answer_about_another_subject_is_refused(own: OwnProvider, client: ProviderClient) -> None:
    own.claims = {"email": ...}
    own.metadata["userinfo_endpoint"] = own.issuer + "/userinfo"
    own.userinfo = {"sub": "somebody else", "email": "olga@example.org", "email_verified": True}

    with pytest.raises(OidcRefused) as refusal:
        through(own, ours(own, client))

    assert refusal.value.fault is Fault.UNPROVED


@pytest.mark.parametrize(
    ("claims", "email", "is_verified"),
    [
        ({}, "mia@example.org", True),
        ({"email_verified": "true"}, "mia@example.org", True),
        ({"email_verified": 1}, "mia@example.org", False),
        ({"email_verified": 1.0}, "mia@example.org", False),
        ({"email_verified": [True]}, "mia@example.org", False),
        ({"email_verified": False}, "mia@example.org", False),
        ({"email_verified": "false"}, "mia@example.org", False),
        ({"email_verified": "True "}, "mia@example.org", False),
        ({"email_verified": ...}, "mia@example.org", False),
        ({"email_verified": None}, "mia@example.org", False),
        ({"email_verified": {"a": 1}}, "mia@example.org", False),
        ({"email_verified": 7}, "mia@example.org", False),
        ({"email": ...}, None, False),
        ({"email": ["mia@example.org"]}, None, False),
        ({"email": "nobody"}, None, False),
        ({"email": "a@b\r\nBcc: c@d"}, None, False),
        ({"email": "a" * 300 + "@b.example"}, None, False),
    ],
)
def test_an_address_is_verified_only_when_the_provider_says_so(
    own: OwnProvider, client: ProviderClient, claims: dict[str, Any], email: str | None, is_verified: bool
) -> None:
    own.claims = claims

    identified = through(own, ours(own, client))

    assert (identified.email, identified.email_verified) == (email, is_verified)


def test_a_fresh_proof_is_asked_for_and_must_be_reported(own: OwnProvider, client: ProviderClient) -> None:
    provider = ours(own, client)
    requested = parse_qs(urlsplit(begin(provider, fresh=True).authorize_url).query)
    assert (requested["prompt"], requested["max_age"]) == (["login"], ["0"])

    own.claims = {"auth_time": own.now}
    assert through(own, provider, fresh=True).subject == "248289761001"


@pytest.mark.parametrize("auth_time", [..., None, "now", True, [1], 0, -61, -3600, 62, float("nan"), 1e400, 10**400])
def test_an_old_proof_is_no_fresh_one(own: OwnProvider, client: ProviderClient, auth_time: Any) -> None:
    is_offset = isinstance(auth_time, int) and not isinstance(auth_time, bool) and auth_time
    own.claims = {"auth_time": own.now + auth_time if is_offset else auth_time}

    with pytest.raises(OidcRefused) as refusal:
        through(own, ours(own, client), fresh=True)

    assert refusal.value.fault is Fault.STALE


class Recorded:
    """A caller that has these answers, for providers that are not on this machine."""

    def __init__(self, **metadata: Any) -> None:
        self.body = json.dumps(metadata).encode()

    def exchange(self, method: str, url: str, headers: Any, body: bytes | None = None) -> Any:
        from inbox.destinations.http import CallResult
        from inbox.domain.deliveries.delivery import Receipt

        return CallResult(Receipt(status_code=200), self.body)


@pytest.mark.parametrize("name", ["authorization_endpoint", "token_endpoint", "jwks_uri"])
def test_a_provider_behind_tls_has_no_address_without(name: str) -> None:
    issuer = "https://id.example.org"
    endpoints = {each: f"{issuer}/{each}" for each in ("authorization_endpoint", "token_endpoint", "jwks_uri")}
    chosen = OidcProvider("own", "Own", issuer, "c")

    Provider(chosen, KEY, Recorded(issuer=issuer, **endpoints)).start(BACK, now=NOW, intent={})
    downgraded = {**endpoints, name: endpoints[name].replace("https:", "http:")}
    with pytest.raises(OidcRefused) as refusal:
        Provider(chosen, KEY, Recorded(issuer=issuer, **downgraded)).start(BACK, now=NOW, intent={})

    assert (refusal.value.fault, refusal.value.why) == (Fault.MISCONFIGURED, name)
