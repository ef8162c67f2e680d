"""ID tokens of a provider or an attacker: every token except the right one is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from inbox.destinations.provider_client import ProviderClient
from inbox.domain.values.addresses import OutboundPolicy
from inbox.identity.faults import Fault, OidcRefused
from inbox.identity.oidc import Provider
from tests.cast import NOW
from tests.identity.providers import (
    CLIENT_ID,
    CLIENT_SECRET,
    Claims,
    OwnProvider,
    b64,
    compact,
    ec_jwk,
    ec_key,
    es256,
    hs256,
    rs256,
    rs512,
    rsa_jwk,
    rsa_key,
)

pytestmark = pytest.mark.filterwarnings("ignore:Key size should be")

OWN, OTHER = "own", "other"
PEM = rsa_key(OWN).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
JWK_N = rsa_jwk(rsa_key(OWN), "k1")["n"].encode()
T = int(NOW.timestamp())


@pytest.fixture(scope="module")
def client() -> Iterator[ProviderClient]:
    client = ProviderClient(OutboundPolicy(allow_private=True, allow_loopback=True), deadline=60.0)
    yield client
    client.close()


@pytest.fixture
def own() -> Iterator[OwnProvider]:
    with OwnProvider() as provider:
        provider.keys += [
            ec_jwk(ec_key(OWN), "e1"),
            rsa_jwk(rsa_key("enc"), "enc", use="enc"),
            rsa_jwk(rsa_key("weak", 1024), "weak"),
            rsa_jwk(rsa_key(OWN), "only512", alg="RS512"),
            {"kty": "oct", "kid": "oct", "k": b64(b"k" * 32)},
            {"kty": "AKP", "kid": "future", "alg": "ML-DSA-44", "pub": "AA"},
            {"kty": "RSA", "kid": "broken", "n": 7},
        ]
        yield provider


def outcome(own: OwnProvider, client: ProviderClient) -> str:
    """The subject, or why there is none."""
    provider = Provider(own.chosen(), "k" * 32, client)
    started = provider.start("https://inbox.example.org/back", now=NOW, intent={})
    try:
        return provider.finish(own.authorize(started.authorize_url), started.cookie, now=NOW).subject
    except OidcRefused as refused:
        assert refused.fault is Fault.UNPROVED
        return refused.why


def signed(header: dict[str, Any] | None = None, **sign: Any) -> Callable[[Claims], str]:
    by = sign.get("by", rs256(rsa_key(OWN)))
    return lambda claims: compact({"alg": "RS256", "kid": "k1", **(header or {})}, claims, by)


def swapped(claims: Claims) -> str:
    head, _, signature = signed()(claims).split(".")
    _, body, _ = signed()({**claims, "sub": "somebody else"}).split(".")
    return f"{head}.{body}.{signature}"


GOOD: dict[str, Callable[[Claims], Any]] = {
    "RS256": signed(),
    "RS512": signed({"alg": "RS512", "kid": "only512"}, by=rs512(rsa_key(OWN))),
    "ES256": signed({"alg": "ES256", "kid": "e1"}, by=es256(ec_key(OWN))),
    "typ JWT": signed({"typ": "JWT"}),
    "headers that nobody needs": signed({"x5t": "abc", "x5t#S256": "abc", "pi.atm": "1", "x5u": "https://id.example"}),
    "typ jwt": signed({"typ": "jwt"}),
    "no kid": lambda claims: compact({"alg": "ES256"}, claims, es256(ec_key(OWN))),
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_a_valid_id_token_is_accepted(own: OwnProvider, client: ProviderClient, name: str) -> None:
    own.token = GOOD[name]

    assert outcome(own, client) == "248289761001"


BAD_TOKENS: dict[str, tuple[Callable[[Claims], Any], str]] = {
    "nothing signed": (lambda c: compact({"alg": "none"}, c, lambda _: b""), "alg"),
    "nothing signed, spelled otherwise": (lambda c: compact({"alg": "nOnE", "kid": "k1"}, c, lambda _: b""), "alg"),
    "no algorithm": (lambda c: compact({"kid": "k1"}, c, rs256(rsa_key(OWN))), "form|alg"),
    "our own secret as the key": (signed({"alg": "HS256"}, by=hs256(CLIENT_SECRET.encode())), "alg"),
    "the public key as a secret": (signed({"alg": "HS256"}, by=hs256(PEM)), "alg"),
    "its number as a secret": (signed({"alg": "HS256"}, by=hs256(JWK_N)), "alg"),
    "a symmetric key that is published": (signed({"alg": "HS256", "kid": "oct"}, by=hs256(b"k" * 32)), "alg"),
    "another key": (signed(by=rs256(rsa_key(OTHER))), "signature"),
    "a key of the token's own": (signed({"jwk": rsa_jwk(rsa_key(OTHER), "x")}, by=rs256(rsa_key(OTHER))), "signature|form"),
    "a key of the token's own, under its id": (
        signed({"kid": "x", "jwk": rsa_jwk(rsa_key(OTHER), "x")}, by=rs256(rsa_key(OTHER))), "key|form"),
    "a key from elsewhere": (signed({"jku": "https://evil.example"}, by=rs256(rsa_key(OTHER))), "signature"),
    "an unknown key": (signed({"kid": "k9"}), "key"),
    "a key that is a list": (signed({"kid": ["k1"]}), "kid|form"),
    "a key for encryption": (signed({"kid": "enc"}, by=rs256(rsa_key("enc"))), "key"),
    "a weak key": (signed({"kid": "weak"}, by=rs256(rsa_key("weak", 1024))), "key"),
    "a broken key": (signed({"kid": "broken"}), "key"),
    "a key of another algorithm": (signed({"kid": "only512"}), "key"),
    "a key of another kind": (signed({"alg": "ES256"}, by=es256(ec_key(OWN))), "key"),
    "an algorithm of another kind": (signed({"kid": "e1"}, by=es256(ec_key(OWN))), "key"),
    "another body": (swapped, "signature"),
    "half a signature": (lambda c: signed()(c)[:-100], "signature|form"),
    "no signature": (lambda c: signed()(c).rpartition(".")[0] + ".", "signature|form"),
    "two parts": (lambda c: signed()(c).rpartition(".")[0], "form"),
    "five parts": (lambda c: signed()(c) + ".a.b", "form"),
    "an extension that must be understood": (signed({"crit": ["x"], "x": 1}), "header|form"),
    "an access token": (signed({"typ": "at+jwt"}), "header"),
    "a logout token": (signed({"typ": "logout+jwt"}), "header"),
    "no token": (lambda c: None, "form"),
    "a number": (lambda c: 7, "form"),
    "a list": (lambda c: [signed()(c)], "form"),
    "an empty text": (lambda c: "", "form"),
    "letters": (lambda c: "é.é.é", "form"),
    "a very long text": (lambda c: signed()({**c, "more": "x" * 20_000}), "form"),
    "claims that are a list": (lambda c: signed()([c]), "signature|claims"),
    "claims that are no JSON": (lambda c: _raw(b"{"), "signature|claims"),
    "a header that is no JSON": (lambda c: f"{b64(b'{')}.{b64(b'{}')}.{b64(b'x')}", "form"),
    "a header that is deep": (lambda c: f"{b64(b'[' * 9_000)}.{b64(b'{}')}.{b64(b'x')}", "form"),
}  # fmt: skip


def _raw(body: bytes) -> str:
    head = b64(b'{"alg":"RS256","kid":"k1"}')
    return f"{head}.{b64(body)}.{b64(rs256(rsa_key(OWN))(f'{head}.{b64(body)}'.encode()))}"


@pytest.mark.parametrize("name", BAD_TOKENS)
def test_a_token_that_the_provider_did_not_sign_for_this_is_refused(
    own: OwnProvider, client: ProviderClient, name: str
) -> None:
    own.token, why = BAD_TOKENS[name]

    assert outcome(own, client) in why.split("|")


BAD_CLAIMS: dict[str, tuple[Claims, str]] = {
    "another issuer": ({"iss": "https://evil.example"}, "iss"),
    "no issuer": ({"iss": ...}, "iss"),
    "a list of issuers": ({"iss": ["https://evil.example"]}, "iss"),
    "another audience": ({"aud": "somebody else"}, "aud"),
    "audiences without us": ({"aud": ["a", "b"]}, "aud"),
    "no audience": ({"aud": ...}, "aud"),
    "an empty audience": ({"aud": []}, "aud"),
    "an audience of null": ({"aud": None}, "aud"),
    "an audience like ours": ({"aud": CLIENT_ID + " "}, "aud"),
    "many audiences and no party": ({"aud": [CLIENT_ID, "b"]}, "azp"),
    "many audiences and another party": ({"aud": [CLIENT_ID, "b"], "azp": "b"}, "azp"),
    "another party": ({"azp": "b"}, "azp"),
    "expired": ({"exp": T - 61}, "exp"),
    "never expiring": ({"exp": ...}, "exp"),
    "expiring at infinity": ({"exp": float("inf")}, "exp"),
    "expiring at no number": ({"exp": float("nan")}, "exp"),
    "expiring in words": ({"exp": "tomorrow"}, "exp"),
    "expiring truly": ({"exp": True}, "exp"),
    "of the future": ({"iat": T + 61}, "iat"),
    "of an hour ago": ({"iat": T - 3600}, "iat"),
    "of no time": ({"iat": ...}, "iat"),
    "of words": ({"iat": "now"}, "iat"),
    "not yet": ({"nbf": T + 61}, "nbf"),
    "another nonce": ({"nonce": "x"}, "nonce"),
    "no nonce": ({"nonce": ...}, "nonce"),
    "a list of nonces": ({"nonce": ["x"]}, "nonce"),
    "nobody": ({"sub": ...}, "sub"),
    "an empty name": ({"sub": ""}, "sub"),
    "a number for a name": ({"sub": 7}, "sub"),
    "a very long name": ({"sub": "x" * 256}, "sub"),
}


@pytest.mark.parametrize("name", BAD_CLAIMS)
def test_a_token_that_says_something_else_is_refused(own: OwnProvider, client: ProviderClient, name: str) -> None:
    own.claims, why = BAD_CLAIMS[name]

    assert outcome(own, client) == why


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": [CLIENT_ID]},
        {"aud": [CLIENT_ID, "b"], "azp": CLIENT_ID},
        {"azp": CLIENT_ID},
        {"exp": T - 59},
        {"iat": T + 59},
        {"iat": T - 590},
        {"nbf": T + 59},
        {"exp": T + 300.5},
        {"sub": "x" * 255, "more": {"any": "thing"}},
    ],
)
def test_clocks_may_differ_by_a_minute_and_audiences_be_several(
    own: OwnProvider, client: ProviderClient, claims: Claims
) -> None:
    own.claims = claims

    assert outcome(own, client) == claims.get("sub", "248289761001")


def test_an_algorithm_that_the_provider_does_not_list_is_refused(own: OwnProvider, client: ProviderClient) -> None:
    own.metadata["id_token_signing_alg_values_supported"] = ["RS256"]
    assert outcome(own, client) == "248289761001"

    own.token = GOOD["ES256"]
    assert outcome(own, client) == "alg"


def test_either_of_two_keys_with_one_id_verifies_a_token(own: OwnProvider, client: ProviderClient) -> None:
    own.keys.insert(0, rsa_jwk(rsa_key(OTHER), "k1"))

    assert outcome(own, client) == "248289761001"
