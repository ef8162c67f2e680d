"""The whole browser flow against a third-party provider in a separate process."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from inbox.destinations.provider_client import ProviderClient
from inbox.domain.people.oidc_provider import OidcProvider
from inbox.domain.values.addresses import OutboundPolicy
from inbox.identity.faults import Fault, OidcRefused
from inbox.identity.oidc import Provider
from tests.identity.providers import real_provider

BACK = "http://127.0.0.1:8080/v1/auth/oidc/acme/callback"
ALICE = {"sub": "alice", "email": "alice@example.org", "email_verified": True, "name": "Alice"}


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    with real_provider(ALICE) as issuer:
        yield issuer


@pytest.fixture
def provider(issuer: str) -> Iterator[Provider]:
    client = ProviderClient(OutboundPolicy(allow_private=True, allow_loopback=True), deadline=60.0)
    yield Provider(OidcProvider("acme", "Acme", issuer, "inbox", "secret"), "k" * 32, client)
    client.close()


def present() -> datetime:
    return datetime.now(UTC)


def browse(url: str, **form: str) -> dict[str, str]:
    """What the browser brings back after the person has pressed the button there."""
    answer = requests.post(url, data=form, allow_redirects=False, timeout=60)
    assert answer.status_code == 302 and answer.headers["Location"].startswith(BACK)
    return {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["Location"]).query).items()}


def test_alice_signs_in(provider: Provider) -> None:
    started = provider.start(BACK, now=present(), intent={"purpose": "sign-in"})

    identified = provider.finish(browse(started.authorize_url, sub="alice"), started.cookie, now=present())

    assert (identified.subject, identified.email, identified.email_verified) == ("alice", "alice@example.org", True)
    assert identified.name == "Alice"


def test_an_answer_of_a_provider_is_valid_once(provider: Provider) -> None:
    started = provider.start(BACK, now=present(), intent={})
    answer = browse(started.authorize_url, sub="alice")
    provider.finish(answer, started.cookie, now=present())

    with pytest.raises(OidcRefused) as refusal:
        provider.finish(answer, started.cookie, now=present())

    assert refusal.value.fault is Fault.REFUSED


def test_an_answer_of_a_provider_is_valid_only_in_the_browser_that_started(provider: Provider) -> None:
    hers, own_one = (provider.start(BACK, now=present(), intent={}) for _ in range(2))
    answer = browse(hers.authorize_url, sub="alice")

    with pytest.raises(OidcRefused) as refusal:
        provider.finish(answer, own_one.cookie, now=present())

    assert refusal.value.fault is Fault.MISMATCH


def test_a_token_that_expired_on_its_way_is_refused(provider: Provider) -> None:
    late = present() + timedelta(hours=2)
    started = provider.start(BACK, now=late, intent={})

    with pytest.raises(OidcRefused) as refusal:
        provider.finish(browse(started.authorize_url, sub="alice"), started.cookie, now=late)

    assert (refusal.value.fault, refusal.value.why) == (Fault.UNPROVED, "exp")


def test_a_person_proves_the_identity_again_at_the_provider(provider: Provider) -> None:
    started = provider.start(BACK, now=present(), intent={"purpose": "step-up"}, fresh=True)

    identified = provider.finish(browse(started.authorize_url, sub="alice"), started.cookie, now=present())

    assert (identified.subject, identified.intent) == ("alice", {"purpose": "step-up"})
