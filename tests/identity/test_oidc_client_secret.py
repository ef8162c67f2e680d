"""The client secret at the token endpoint: the method that the operator or the provider names (specification 11.7)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inbox.destinations.provider_client import ProviderClient
from inbox.domain.people.oidc_provider import parse_providers
from inbox.identity.faults import Fault, OidcRefused
from tests.cast import NOW
from tests.identity.oidc_steps import (
    begin,
    client,  # noqa: F401
    ours,
    own,  # noqa: F401
    through,
)
from tests.identity.providers import OwnProvider

BOTH = ["client_secret_post", "client_secret_basic"]


def methods_of(own: OwnProvider) -> list[str]:
    calls = [call for call in own.calls if call.path == "/token"]
    return ["basic" if "Authorization" in call.headers else "post" for call in calls]


def test_a_listed_method_that_the_provider_refuses_is_followed_by_the_other(
    own: OwnProvider, client: ProviderClient
) -> None:
    own.metadata["token_endpoint_auth_methods_supported"] = BOTH
    own.refuses_basic = True

    assert through(own, ours(own, client)).subject == "248289761001"
    assert methods_of(own) == ["basic", "post"]


@pytest.mark.parametrize(
    ("listed", "method", "tried"),
    [
        (BOTH, "client_secret_basic", ["basic"]),
        (["client_secret_basic"], "", ["basic"]),
        (None, "", ["basic"]),
        (BOTH, "client_secret_post", ["post"]),
        (["client_secret_basic"], "client_secret_post", ["post"]),
    ],
)
def test_the_method_of_the_operator_and_the_only_listed_method_are_tried_alone(
    own: OwnProvider, client: ProviderClient, listed: list[str] | None, method: str, tried: list[str]
) -> None:
    own.metadata["token_endpoint_auth_methods_supported"] = listed
    own.refuses_basic = True
    provider = ours(own, client, token_auth_method=method)

    if tried == ["post"]:
        through(own, provider)
    else:
        with pytest.raises(OidcRefused) as refusal:
            through(own, provider)
        assert (refusal.value.fault, refusal.value.why) == (Fault.MISCONFIGURED, "client, by client_secret_basic")
    assert methods_of(own) == tried


def test_a_refused_code_is_sent_once(own: OwnProvider, client: ProviderClient) -> None:
    own.metadata["token_endpoint_auth_methods_supported"] = BOTH
    provider = ours(own, client)
    started = begin(provider)
    answer = own.authorize(started.authorize_url) | {"code": "forged"}

    with pytest.raises(OidcRefused):
        provider.finish(answer, started.cookie, now=NOW)
    assert methods_of(own) == ["basic"]


ACME = {"id": "acme", "name": "Acme", "issuer": "https://id.example.org", "clientId": "inbox"}


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
def test_the_setting_names_the_method_and_the_trust_in_addresses(method: str) -> None:
    (provider,) = parse_providers(json.dumps([{**ACME, "trustEmail": True, "tokenAuthMethod": method}]))

    assert (provider.trust_email, provider.token_auth_method) == (True, method)


@pytest.mark.parametrize(
    ("change", "reason"),
    [({"tokenAuthMethod": "private_key_jwt"}, "tokenAuthMethod"), ({"trustEmail": "yes"}, "each of its type")],
)
def test_another_method_or_type_stops_the_start(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_providers(json.dumps([{**ACME, **change}]))
