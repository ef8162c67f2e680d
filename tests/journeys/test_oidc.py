"""Sign-in through a third-party identity provider with a real browser's cookies, up to the dashboard."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from urllib.parse import urljoin

import pytest
import requests
from flask import Flask
from werkzeug.serving import make_server

from inbox.config import settings as in_force
from inbox.config.settings import Settings
from inbox.domain.people.oidc_provider import OidcProvider
from inbox.models.people.accounts import Session, User
from inbox.models.people.factors import Identity
from inbox.services.people import passwords
from tests.cast import Cast, present
from tests.identity.providers import real_provider
from tests.runner.ports import free_port

PASSWORD = "alices own long phrase"
ALICE = {"sub": "alice", "email": "alice@example.org", "email_verified": True, "name": "Alice"}
BOB = {"sub": "bob", "email": "bob@example.org", "email_verified": True, "name": "Bob"}


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    with real_provider(ALICE, BOB) as issuer:
        yield issuer


class Person:
    """Somebody with a browser that keeps cookies and is redirected step by step."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self.browser = requests.Session()

    def post(self, path: str, **body: str) -> requests.Response:
        return self.browser.post(self.base_url + path, json=body, headers={"Origin": self.base_url}, timeout=60)

    def name(self) -> str | None:
        answer = self.browser.get(self.base_url + "/v1/me", timeout=60)
        return str(answer.json()["name"]) if answer.status_code == 200 else None

    def through(self, sub: str, **body: str) -> str:
        """Press the provider's button and sign in there; the page of the dashboard that follows."""
        [listed] = self.browser.get(self.base_url + "/v1/auth/providers", timeout=60).json()["items"]
        url = self.post(f"/v1/auth/oidc/{listed['id']}/start", **body).json()["authorizeUrl"]
        assert self.browser.get(url, timeout=60).status_code == 200
        stated = self.browser.post(url, data={"sub": sub}, allow_redirects=False, timeout=60)
        assert stated.status_code == 302
        back = urljoin(url, stated.headers["Location"])
        assert back.startswith(f"{self.base_url}/v1/auth/oidc/acme/callback?")
        came = self.browser.get(back, allow_redirects=False, timeout=60)
        assert came.status_code == 303
        return came.headers["Location"].removeprefix(self.base_url)


@pytest.fixture
def instance(app: Flask, cast: Cast, settings: Settings, issuer: str) -> Iterator[Callable[..., str]]:
    """`instance(allow_signup=True)` serves the app on its own port; answers its address."""
    port = free_port()
    server = make_server("127.0.0.1", port, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()

    def configured(*, allow_signup: bool = False) -> str:
        provider = OidcProvider("acme", "Acme", issuer, "inbox", "secret", allow_signup)
        base_url = f"http://127.0.0.1:{port}"
        in_force.use(replace(settings, base_url=base_url, oidc_providers=(provider,)))
        return base_url

    yield configured
    server.shutdown()
    thread.join(60)
    in_force.use(settings)


def test_alice_links_her_account_signs_in_with_it_and_proves_herself_again(instance: Callable[..., str]) -> None:
    User.update(
        name="Alice", email="alice@example.org", email_key="alice@example.org", password_hash=passwords.hashed(PASSWORD)
    ).where(User.email_key == "mia@example.org").execute()
    alice = Person(instance())

    assert alice.through("alice") == "/login?error=sign_in_to_link"
    assert alice.name() is None
    assert alice.post("/v1/auth/login", email="alice@example.org", password=PASSWORD).status_code == 200
    assert alice.name() == "Alice" and Identity.get().subject == "alice"
    assert alice.post("/v1/auth/logout").status_code == 204 and alice.name() is None

    assert alice.through("alice", returnTo="/w/acme/incidents") == "/w/acme/incidents"
    assert alice.name() == "Alice"

    Session.update(proved_at=present() - timedelta(hours=1)).execute()
    assert alice.through("bob", purpose="step-up", returnTo="/settings") == "/login?error=identity_mismatch"
    assert Session.select().where(Session.proved_at > present() - timedelta(minutes=5)).count() == 0
    assert alice.through("alice", purpose="step-up", returnTo="/settings") == "/settings"
    assert Session.select().where(Session.proved_at > present() - timedelta(minutes=5)).count() == 1


def test_a_provider_creates_an_account_only_where_sign_up_is_allowed(instance: Callable[..., str]) -> None:
    base_url = instance()
    bob = Person(base_url)
    assert bob.through("bob") == "/login?error=account_unknown" and bob.name() is None

    instance(allow_signup=True)

    assert bob.through("bob", returnTo="/welcome") == "/welcome" and bob.name() == "Bob"
    repeated = Person(base_url)
    assert repeated.through("bob") == "/" and repeated.name() == "Bob"
    assert User.select().where(User.name == "Bob").count() == 1
