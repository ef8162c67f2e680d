"""Sign-in through a provider: the successful flow, and refused responses."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from inbox.destinations.provider_client import ProviderClient
from inbox.identity.faults import Fault
from inbox.identity.oidc import Provider
from tests.cast import NOW
from tests.identity.oidc_steps import (
    BACK,
    begin,
    client,  # noqa: F401
    ours,
    own,  # noqa: F401
    refused,
    through,
)
from tests.identity.providers import CLIENT_ID, OwnProvider


def test_a_person_who_signs_in_at_the_provider_is_identified(own: OwnProvider, client: ProviderClient) -> None:
    identified = through(own, ours(own, client), purpose="sign-in", returnTo="/w/acme")

    assert (identified.provider, identified.subject, identified.name) == ("own", "248289761001", "Mia")
    assert (identified.email, identified.email_verified) == ("mia@example.org", True)
    assert identified.intent == {"purpose": "sign-in", "returnTo": "/w/acme"}
    assert identified.ticket.expires_at == NOW + timedelta(minutes=10)


def test_the_browser_is_sent_with_everything_that_ties_the_answer_to_it(
    own: OwnProvider, client: ProviderClient
) -> None:
    own.metadata["authorization_endpoint"] = own.issuer + "/authorize?tenant=a"
    started, other = (begin(ours(own, client)) for _ in range(2))

    requested = {name: values[0] for name, values in parse_qs(urlsplit(started.authorize_url).query).items()}
    assert requested["tenant"] == "a"
    assert (requested["response_type"], requested["client_id"], requested["redirect_uri"]) == ("code", CLIENT_ID, BACK)
    assert requested["scope"].split() == ["openid", "email", "profile"]
    assert requested["code_challenge_method"] == "S256" and len(requested["code_challenge"]) == 43
    assert len(requested["state"]) >= 43 and len(requested["nonce"]) >= 43
    assert "prompt" not in requested
    repeated = parse_qs(urlsplit(other.authorize_url).query)
    assert not {requested[name] for name in ("state", "nonce", "code_challenge")} & {
        repeated[name][0] for name in ("state", "nonce", "code_challenge")
    }


def test_the_code_is_redeemed_with_the_verifier_of_this_browser(own: OwnProvider, client: ProviderClient) -> None:
    provider = ours(own, client)
    own_one, foreign_one = begin(provider), begin(provider)
    stolen = own.authorize(foreign_one.authorize_url)["code"]
    state = own.authorize(own_one.authorize_url)["state"]

    assert refused(provider, {"code": stolen, "state": state}, own_one.cookie) is Fault.REFUSED


def test_two_tabs_finish_each_for_itself(own: OwnProvider, client: ProviderClient) -> None:
    provider = ours(own, client)
    first, second = begin(provider, tab="1"), begin(provider, tab="2")
    answers = [own.authorize(started.authorize_url) for started in (first, second)]

    assert provider.finish(answers[1], second.cookie, now=NOW).intent == {"tab": "2"}
    assert provider.finish(answers[0], first.cookie, now=NOW).intent == {"tab": "1"}


@pytest.mark.parametrize(
    "change", ["none", "empty", "altered", "truncated", "other key", "other provider", "huge", "é"]
)
def test_a_sign_in_requires_its_cookie(own: OwnProvider, client: ProviderClient, change: str) -> None:
    provider = ours(own, client)
    started = begin(provider)
    cookies = {
        "none": None,
        "empty": "",
        "altered": started.cookie[:20] + ("A" if started.cookie[20] != "A" else "B") + started.cookie[21:],
        "truncated": started.cookie[:-1],
        "other key": Provider(own.chosen(), "x" * 32, client).start(BACK, now=NOW, intent={}).cookie,
        "other provider": ours(own, client, id="else").start(BACK, now=NOW, intent={}).cookie,
        "huge": "A" * 1_000_000,
        "é": "é",
    }

    assert refused(provider, own.authorize(started.authorize_url), cookies[change]) is Fault.EXPIRED
    assert own.asked_for("/token") == 0


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"state": "x"}, Fault.MISMATCH),
        ({"state": "é"}, Fault.MISMATCH),
        ({"state": None}, Fault.MISMATCH),
        ({"code": None}, Fault.MISMATCH),
        ({"code": ""}, Fault.MISMATCH),
        ({"code": "x" * 5_000}, Fault.MISMATCH),
        ({"iss": "https://evil.example"}, Fault.MISMATCH),
        ({"iss": ""}, Fault.MISMATCH),
        ({"error": "access_denied", "error_description": "canary"}, Fault.CANCELLED),
        ({"error": "canary<script>"}, Fault.REFUSED),
        ({"error": "access_denied", "state": "x"}, Fault.MISMATCH),
        ({"error": "access_denied", "iss": "https://evil.example"}, Fault.MISMATCH),
        ({"code": "forged"}, Fault.REFUSED),
    ],
)
def test_an_answer_that_is_not_to_this_sign_in_is_refused(
    own: OwnProvider, client: ProviderClient, change: dict[str, str | None], fault: Fault
) -> None:
    provider = ours(own, client)
    started = begin(provider)
    answer = {**own.authorize(started.authorize_url), **change}

    assert refused(provider, {n: v for n, v in answer.items() if v is not None}, started.cookie) is fault


def test_the_cookie_of_another_browser_is_refused(own: OwnProvider, client: ProviderClient) -> None:
    provider = ours(own, client)
    own_one, foreign_one = begin(provider), begin(provider)

    assert refused(provider, own.authorize(own_one.authorize_url), foreign_one.cookie) is Fault.MISMATCH


def test_a_sign_in_lasts_ten_minutes(own: OwnProvider, client: ProviderClient) -> None:
    provider = ours(own, client)
    late, in_time = begin(provider), begin(provider)
    own.now += 599

    assert (
        refused(provider, own.authorize(late.authorize_url), late.cookie, after=timedelta(minutes=10)) is Fault.EXPIRED
    )
    provider.finish(own.authorize(in_time.authorize_url), in_time.cookie, now=NOW + timedelta(seconds=599))


def test_an_answer_that_is_played_again_is_refused_by_the_provider_and_has_the_same_ticket(
    own: OwnProvider, client: ProviderClient
) -> None:
    provider = ours(own, client)
    started = begin(provider)
    answer = own.authorize(started.authorize_url)
    first = provider.finish(answer, started.cookie, now=NOW)

    assert refused(provider, answer, started.cookie) is Fault.REFUSED
    repeated = own.authorize(started.authorize_url)
    assert provider.finish(repeated, started.cookie, now=NOW).ticket.digest == first.ticket.digest
