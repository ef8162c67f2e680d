"""The verification of ID tokens (OpenID Connect Core, 3.1.3.7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from joserfc import jws, jwt
from joserfc.errors import JoseError

from inbox.identity.faults import Fault, OidcRefused
from inbox.identity.provider_metadata import PublishedKey

KEY_TYPES: Mapping[str, str] = {
    **dict.fromkeys(("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), "RSA"),
    **dict.fromkeys(("ES256", "ES384", "ES512"), "EC"),
    "EdDSA": "OKP",
}
"""The accepted algorithms with their key types. Symmetric algorithms and `none` are excluded."""

LEEWAY = timedelta(seconds=60)
MAX_AGE = timedelta(minutes=10)
MAX_TOKEN_LENGTH = 16_384
MAX_SUBJECT_LENGTH = 255
MIN_RSA_BITS = 2_048

UNREADABLE_TOKEN_ERRORS = (JoseError, ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)
"""The errors that the library raises for unreadable tokens. A hostile token may have any JSON at any position."""

Keys = Callable[[str | None], Sequence[PublishedKey]]
"""Returns the provider's keys with a `kid`."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The values that a token must have. No `algorithms` means all of `KEY_TYPES`."""

    issuer: str
    client_id: str
    nonce: str
    algorithms: frozenset[str] = frozenset()


def verified(token: object, keys: Keys, expected: Expected, now: datetime) -> Mapping[str, Any]:
    """Verify a token and return its claims. Raises `OidcRefused` (`UNPROVED`) with the failed check as `why`."""
    if not isinstance(token, str) or not token.isascii() or len(token) > MAX_TOKEN_LENGTH:
        raise _unproved("form")
    algorithm, kid = _header(token, expected.algorithms)
    claims = _claims(token, algorithm, keys(kid))
    registry = jwt.JWTClaimsRegistry(
        int(now.timestamp()),
        int(LEEWAY.total_seconds()),
        iss={"essential": True, "value": expected.issuer},
        sub={"essential": True},
        aud={"essential": True, "value": expected.client_id},
        exp={"essential": True},
        iat={"essential": True},
        nonce={"essential": True, "value": expected.nonce},
    )
    try:
        registry.validate(dict(claims))
    except UNREADABLE_TOKEN_ERRORS as fault:
        raise _unproved(str(getattr(fault, "claim", "claims"))) from None
    _check(claims, expected, now)
    return claims


def _header(token: str, algorithms: frozenset[str]) -> tuple[str, str | None]:
    try:
        header = jws.extract_compact(token.encode()).protected
    except UNREADABLE_TOKEN_ERRORS:
        raise _unproved("form") from None
    if not isinstance(header, dict):
        raise _unproved("form")
    algorithm, kid, kind = header.get("alg"), header.get("kid"), header.get("typ", "JWT")
    if not isinstance(algorithm, str) or algorithm not in KEY_TYPES or (algorithms and algorithm not in algorithms):
        raise _unproved("alg")
    if "crit" in header or not isinstance(kind, str) or kind.lower() not in ("jwt", "application/jwt"):
        raise _unproved("header")
    if kid is not None and not isinstance(kid, str):
        raise _unproved("kid")
    return algorithm, kid


def _claims(token: str, algorithm: str, keys: Sequence[PublishedKey]) -> Mapping[str, Any]:
    matching_keys = [key for key in keys if _fits(key, algorithm)]
    for each in matching_keys:
        try:
            claims = jwt.decode(token, each.key, registry=_registry(algorithm)).claims
        except UNREADABLE_TOKEN_ERRORS:
            continue
        if isinstance(claims, dict):
            return claims
    raise _unproved("signature" if matching_keys else "key")


def _registry(algorithm: str) -> jws.JWSRegistry:
    """Create a registry with this algorithm alone. It ignores additional headers of providers."""
    return jws.JWSRegistry(algorithms=[algorithm], strict_check_header=False)


def _fits(published: PublishedKey, algorithm: str) -> bool:
    if published.type != KEY_TYPES[algorithm] or published.use not in (None, "sig"):
        return False
    if published.algorithm not in (None, algorithm):
        return False
    public: object = published.key.public_key
    return not isinstance(public, RSAPublicKey) or public.key_size >= MIN_RSA_BITS


def _check(claims: Mapping[str, Any], expected: Expected, now: datetime) -> None:
    """Check the claims beyond the registry. Repeat its checks where a list could replace a value."""
    audience = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    party = claims.get("azp")
    checks = {
        "iss": claims["iss"] == expected.issuer,
        "nonce": claims["nonce"] == expected.nonce,
        "aud": expected.client_id in audience,
        "azp": party == expected.client_id or (party is None and len(audience) == 1),
        "sub": isinstance(claims["sub"], str)
        and claims["sub"].isprintable()
        and 0 < len(claims["sub"]) <= MAX_SUBJECT_LENGTH,
        "iat": claims["iat"] >= (now - MAX_AGE - LEEWAY).timestamp(),
    }
    for name, is_so in checks.items():
        if not is_so:
            raise _unproved(name)


def _unproved(why: str) -> OidcRefused:
    return OidcRefused(Fault.UNPROVED, why)
