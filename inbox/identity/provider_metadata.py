"""What an identity provider says of itself: its addresses and its keys, asked for and kept for a while."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from joserfc.errors import JoseError
from joserfc.jwk import JWKRegistry, Key

from inbox.domain import addresses
from inbox.domain.delivery import Receipt
from inbox.identity.faults import Fault, OidcRefused

CACHE_TTL = timedelta(hours=1)
REFETCH_EVERY = timedelta(minutes=1)
MOST_KEYS = 50


class HttpResponse(Protocol):
    """What came back from a call (`destinations.http.Answer`)."""

    @property
    def receipt(self) -> Receipt:
        """The status, or why there is none."""

    @property
    def body(self) -> bytes:
        """What was said, up to a limit."""


class HttpClient(Protocol):
    """The one client that calls out (`destinations.http.Client`), handed in by whoever may."""

    def exchange(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> HttpResponse:
        """One call; nothing that the world does wrong is raised."""


@dataclass(frozen=True, slots=True)
class Metadata:
    """The part of a provider's discovery document that is used. `algorithms` is empty where it lists none."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str
    tells_issuer: bool
    takes_basic: bool
    algorithms: frozenset[str]


@dataclass(frozen=True, slots=True)
class PublishedKey:
    """A key of a provider with what it says of itself."""

    key: Key
    type: str
    kid: str | None
    use: str | None
    algorithm: str | None


class ProviderMetadata:
    """A provider's metadata and keys, kept for an hour; keys are asked for again, at most once a minute, for a new `kid`."""

    def __init__(self, issuer: str, caller: HttpClient) -> None:
        self._issuer, self._caller = issuer, caller
        self._asking = threading.Lock()
        self._metadata: tuple[datetime, Metadata] | None = None
        self._keys: tuple[datetime, list[PublishedKey]] | None = None

    def metadata(self, now: datetime) -> Metadata:
        """What the provider says of itself. Raises `OidcRefused`."""
        with self._asking:
            if self._metadata is None or now - self._metadata[0] >= CACHE_TTL:
                found = self._asked(self._issuer.rstrip("/") + "/.well-known/openid-configuration")
                self._metadata = now, _metadata(found, self._issuer)
            return self._metadata[1]

    def keys(self, kid: str | None, jwks_uri: str, now: datetime) -> list[PublishedKey]:
        """The keys of this `kid`; without one, all. Empty when the provider has none. Raises `OidcRefused`."""
        with self._asking:
            if self._keys is None or now - self._keys[0] >= CACHE_TTL:
                self._keys = now, _keys(self._asked(jwks_uri))
            found = _of(kid, self._keys[1])
            if not found and now - self._keys[0] >= REFETCH_EVERY:
                self._keys = now, _keys(self._asked(jwks_uri))
                found = _of(kid, self._keys[1])
            return found

    def _asked(self, url: str) -> Mapping[str, Any]:
        return json_of(self._caller.exchange("GET", url, {"Accept": "application/json"}))


def json_of(answer: HttpResponse) -> Mapping[str, Any]:
    """The JSON object of a good answer. Raises `OidcRefused`: the provider is not available."""
    if answer.receipt.status_code != 200:
        why = answer.receipt.failure or f"status {answer.receipt.status_code}"
        raise OidcRefused(Fault.UNAVAILABLE, str(why))
    try:
        found = json.loads(answer.body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise OidcRefused(Fault.UNAVAILABLE, "no JSON")
    return found


def _metadata(found: Mapping[str, Any], issuer: str) -> Metadata:
    told = found.get("issuer")
    if not isinstance(told, str) or told.rstrip("/") != issuer.rstrip("/"):
        raise OidcRefused(Fault.MISCONFIGURED, "issuer")
    methods = found.get("token_endpoint_auth_methods_supported")
    algorithms = found.get("id_token_signing_alg_values_supported")
    return Metadata(
        issuer=told,
        authorization_endpoint=_endpoint(found, "authorization_endpoint", issuer),
        token_endpoint=_endpoint(found, "token_endpoint", issuer),
        jwks_uri=_endpoint(found, "jwks_uri", issuer),
        userinfo_endpoint=_endpoint(found, "userinfo_endpoint", issuer) if found.get("userinfo_endpoint") else "",
        tells_issuer=found.get("authorization_response_iss_parameter_supported") is True,
        takes_basic=not isinstance(methods, list) or "client_secret_basic" in methods,
        algorithms=frozenset(each for each in algorithms if isinstance(each, str))
        if isinstance(algorithms, list)
        else frozenset(),
    )


def _endpoint(found: Mapping[str, Any], name: str, issuer: str) -> str:
    """An address that is at least as well guarded as the issuer's."""
    url = found.get(name)
    try:
        addresses.parse(url if isinstance(url, str) else "")
    except addresses.AddressRefused:
        raise OidcRefused(Fault.MISCONFIGURED, name) from None
    if issuer.lower().startswith("https:") and not str(url).lower().startswith("https:"):
        raise OidcRefused(Fault.MISCONFIGURED, name)
    return str(url)


def _keys(found: Mapping[str, Any]) -> list[PublishedKey]:
    listed = found.get("keys")
    if not isinstance(listed, list):
        raise OidcRefused(Fault.UNAVAILABLE, "no keys")
    return [key for item in listed[:MOST_KEYS] if (key := _key(item)) is not None]


def _key(item: Any) -> PublishedKey | None:
    """The key, or None when it is of a kind that we do not know: the others may be good."""
    try:
        key = JWKRegistry.import_key(item)
    except (JoseError, ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return None
    kid, use, algorithm = (item.get(name) for name in ("kid", "use", "alg"))
    return PublishedKey(key, str(item["kty"]), kid, use, algorithm)


def _of(kid: str | None, keys: Sequence[PublishedKey]) -> list[PublishedKey]:
    return [key for key in keys if kid is None or key.kid == kid]
