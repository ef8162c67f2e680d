"""Steps of a sign-in through a provider."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from inbox.destinations.provider_client import ProviderClient
from inbox.domain.values.addresses import OutboundPolicy
from inbox.identity.faults import Fault, OidcRefused
from inbox.identity.oidc import Provider, ProviderIdentity, Started
from tests.cast import NOW
from tests.identity.providers import OwnProvider

KEY = "k" * 32


BACK = "https://inbox.example.org/v1/auth/oidc/own/callback"


SECOND = timedelta(seconds=1)


@pytest.fixture
def own() -> Iterator[OwnProvider]:
    with OwnProvider() as provider:
        yield provider


@pytest.fixture
def client() -> Iterator[ProviderClient]:
    client = ProviderClient(OutboundPolicy(allow_private=True, allow_loopback=True), deadline=60.0)
    yield client
    client.close()


def ours(own: OwnProvider, client: ProviderClient, **more: Any) -> Provider:
    return Provider(own.chosen(**more), KEY, client)


def begin(provider: Provider, *, fresh: bool = False, **intent: Any) -> Started:
    return provider.start(BACK, now=NOW, intent=intent, fresh=fresh)


def through(own: OwnProvider, provider: Provider, *, fresh: bool = False, **intent: Any) -> ProviderIdentity:
    started = begin(provider, fresh=fresh, **intent)
    return provider.finish(own.authorize(started.authorize_url), started.cookie, now=NOW + SECOND)


def refused(provider: Provider, answer: dict[str, str], cookie: str | None, *, after: timedelta = SECOND) -> Fault:
    with pytest.raises(OidcRefused) as refusal:
        provider.finish(answer, cookie, now=NOW + after)
    assert "canary" not in str(refusal.value)
    return refusal.value.fault
