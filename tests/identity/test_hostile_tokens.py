"""Hostile ID tokens: each gives a subject or `identity_unproved`, and raises nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as property_settings
from hypothesis import strategies as st
from joserfc.jwk import JWKRegistry

from inbox.identity import id_tokens
from inbox.identity.faults import Fault, OidcRefused
from inbox.identity.provider_metadata import PublishedKey, _keys
from tests.cast import NOW
from tests.identity.providers import b64, ec_jwk, ec_key, es256, rs256, rsa_jwk, rsa_key

pytestmark = pytest.mark.filterwarnings("ignore:Key size should be")

ISSUER, CLIENT, NONCE = "https://id.example.org", "inbox", "n" * 22
T = int(NOW.timestamp())
GOOD = {"iss": ISSUER, "aud": CLIENT, "sub": "248289761001", "exp": T + 300, "iat": T, "nonce": NONCE}
HEADER = {"alg": "RS256", "kid": "k1"}
RSA, EC = rsa_key("own"), ec_key("own")
PUBLISHED = [
    PublishedKey(JWKRegistry.import_key(jwk), str(jwk["kty"]), str(jwk["kid"]), None, None)
    for jwk in (rsa_jwk(RSA, "k1"), ec_jwk(EC, "e1"))
]

texts = st.text(st.characters(exclude_categories=()), max_size=20)
numbers = st.integers() | st.floats() | st.integers(10**300, 10**400)
anything = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
usual = st.sampled_from([*GOOD.values(), *HEADER.values(), "ES256", "e1", "PS256", "EdDSA", "none", "HS256", True])
members = st.sampled_from(
    [*GOOD, *HEADER, "azp", "nbf", "typ", "crit", "b64", "jwk", "jku", "x5c", "auth_time", "email", "email_verified"]
)
changes = st.dictionaries(members, anything | usual, max_size=4)


def published(kid: str | None) -> Sequence[PublishedKey]:
    return [key for key in PUBLISHED if kid in (None, key.kid)]


def outcome(token: Any) -> str:
    """The subject, or `refused`; anything else that is raised fails the test."""
    try:
        claims = id_tokens.verified(token, published, id_tokens.Expected(ISSUER, CLIENT, NONCE), NOW)
    except OidcRefused as refused:
        assert refused.fault is Fault.UNPROVED and refused.why
        return "refused"
    return str(claims["sub"])


def token_of(head: bytes, claims: bytes, *, by_ec: bool = False) -> str:
    reported = f"{b64(head)}.{b64(claims)}"
    return f"{reported}.{b64((es256(EC) if by_ec else rs256(RSA))(reported.encode()))}"


def written(value: Any) -> bytes:
    return json.dumps(value).encode()


def test_the_valid_id_token_is_accepted() -> None:
    assert outcome(token_of(written(HEADER), written(GOOD))) == "248289761001"
    assert outcome(token_of(written({"alg": "ES256", "kid": "e1"}), written(GOOD), by_ec=True)) == "248289761001"


HOSTILE = {
    "an algorithm that is a list": token_of(written({**HEADER, "alg": ["RS256"]}), written(GOOD)),
    "an algorithm that is an object": token_of(written({**HEADER, "alg": {"a": 1}}), written(GOOD)),
    "a header that is a list": token_of(b"[]", written(GOOD)),
    "a header that is a text": token_of(b'"alg"', written(GOOD)),
    "a header that is a number": token_of(b"7", written(GOOD)),
    "a header that is null": token_of(b"null", written(GOOD)),
    "a header with its own payload": token_of(written({**HEADER, "b64": False, "crit": ["b64"]}), written(GOOD)),
    "claims that are deep": token_of(written(HEADER), b'{"a":' * 3_000 + b"1" + b"}" * 3_000),
    "claims that are a deep list": token_of(written(HEADER), b"[" * 6_000),
    "claims that are a text": token_of(written(HEADER), b'"sub"'),
    "claims that are a number of many digits": token_of(written(HEADER), b"9" * 5_000),
    "a time of many digits": token_of(written(HEADER), written({**GOOD, "exp": 0})[:-1].replace(b'"exp": 0', b'"exp": ' + b"9" * 4_900) + b"}"),
    "a time of four hundred digits": token_of(written(HEADER), written({**GOOD, "iat": 10**400})),
    "a subject with NUL": token_of(written(HEADER), written({**GOOD, "sub": "a\0b"})),
    "a subject with half a character": token_of(written(HEADER), written({**GOOD, "sub": "a\ud800"})),
    "a subject of two lines": token_of(written(HEADER), written({**GOOD, "sub": "a\nb"})),
    "an empty elliptic signature": f"{b64(written({'alg': 'ES256', 'kid': 'e1'}))}.{b64(written(GOOD))}.",
    "a short elliptic signature": f"{b64(written({'alg': 'ES256', 'kid': 'e1'}))}.{b64(written(GOOD))}.{b64(b'xx')}",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_token_is_identity_unproved(name: str) -> None:
    assert outcome(HOSTILE[name]) == "refused"


@property_settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(changes, changes, st.booleans())
def test_any_json_at_any_place_is_an_identity_or_unproved(
    header: dict[str, Any], claims: dict[str, Any], by_ec: bool
) -> None:
    found = outcome(token_of(written({**HEADER, **header}), written({**GOOD, **claims}), by_ec=by_ec))

    assert found in ("refused", claims.get("sub", GOOD["sub"]))
    for name in ("iss", "nonce"):
        assert found == "refused" or claims.get(name, GOOD[name]) == GOOD[name]


@property_settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=60), st.binary(max_size=60), anything, anything)
def test_any_bytes_and_any_json_as_a_whole_are_refused(head: bytes, body: bytes, some: Any, other: Any) -> None:
    tokens = [token_of(head, written(GOOD)), token_of(written(HEADER), body), head.decode("latin-1"), some]
    tokens += [token_of(written(some), written(GOOD)), token_of(written(HEADER), written(other))]

    assert {outcome(token) for token in tokens} == {"refused"}


@property_settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        anything | st.dictionaries(st.sampled_from(["kty", "n", "e", "crv", "x", "y", "k", "kid", "use"]), anything),
        max_size=4,
    )
)
def test_any_json_for_keys_leaves_the_good_ones(listed: list[Any]) -> None:
    found = _keys({"keys": [*listed, rsa_jwk(RSA, "k1")]})

    assert "k1" in [key.kid for key in found]
