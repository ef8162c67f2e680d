"""The metadata and keys of an identity provider, fetched and cached."""

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
    """The result of a call (`destinations.http.CallResult`)."""

    @property
    def receipt(self) -> Receipt:
        """The status, or the reason why there is none."""

    @property
    def body(self) -> bytes:
        """The response body, up to a size limit."""


class HttpClient(Protocol):
    """The outgoing HTTP client (`destinations.http.Client`). The caller passes it in."""

    def exchange(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> HttpResponse:
        """Make one call. Network and receiver errors are never raised."""


@dataclass(frozen=True, slots=True)
class Metadata:
    """The used part of a provider's discovery document. `algorithms` is empty when the document lists none."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str
    returns_issuer: bool
    supports_basic_auth: bool
    algorithms: frozenset[str]


@dataclass(frozen=True, slots=True)
class PublishedKey:
    """A published key of a provider with its attributes."""

    key: Key
    type: str
    kid: str | None
    use: str | None
    algorithm: str | None


class ProviderMetadata:
    """The metadata and keys of a provider, cached for an hour.

    An unknown `kid` fetches the keys again, at most once a minute.
    """

    def __init__(self, issuer: str, http_client: HttpClient) -> None:
        self._issuer, self._http_client = issuer, http_client
        self._fetch_lock = threading.Lock()
        self._metadata: tuple[datetime, Metadata] | None = None
        self._keys: tuple[datetime, list[PublishedKey]] | None = None

    def metadata(self, now: datetime) -> Metadata:
        """Return the provider's metadata. Raises `OidcRefused`."""
        with self._fetch_lock:
            if self._metadata is None or now - self._metadata[0] >= CACHE_TTL:
                found = self._fetch_json(self._issuer.rstrip("/") + "/.well-known/openid-configuration")
                self._metadata = now, _metadata(found, self._issuer)
            return self._metadata[1]

    def keys(self, kid: str | None, jwks_uri: str, now: datetime) -> list[PublishedKey]:
        """Return the keys with this `kid`, or all keys without one. Empty when none match. Raises `OidcRefused`."""
        with self._fetch_lock:
            if self._keys is None or now - self._keys[0] >= CACHE_TTL:
                self._keys = now, _keys(self._fetch_json(jwks_uri))
            found = _of(kid, self._keys[1])
            if not found and now - self._keys[0] >= REFETCH_EVERY:
                self._keys = now, _keys(self._fetch_json(jwks_uri))
                found = _of(kid, self._keys[1])
            return found

    def _fetch_json(self, url: str) -> Mapping[str, Any]:
        return json_of(self._http_client.exchange("GET", url, {"Accept": "application/json"}))


def json_of(answer: HttpResponse) -> Mapping[str, Any]:
    """Parse the JSON object of a successful response. Raises `OidcRefused`: the provider is not available."""
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
    stated_issuer = found.get("issuer")
    if not isinstance(stated_issuer, str) or stated_issuer.rstrip("/") != issuer.rstrip("/"):
        raise OidcRefused(Fault.MISCONFIGURED, "issuer")
    methods = found.get("token_endpoint_auth_methods_supported")
    algorithms = found.get("id_token_signing_alg_values_supported")
    return Metadata(
        issuer=stated_issuer,
        authorization_endpoint=_endpoint(found, "authorization_endpoint", issuer),
        token_endpoint=_endpoint(found, "token_endpoint", issuer),
        jwks_uri=_endpoint(found, "jwks_uri", issuer),
        userinfo_endpoint=_endpoint(found, "userinfo_endpoint", issuer) if found.get("userinfo_endpoint") else "",
        returns_issuer=found.get("authorization_response_iss_parameter_supported") is True,
        supports_basic_auth=not isinstance(methods, list) or "client_secret_basic" in methods,
        algorithms=frozenset(each for each in algorithms if isinstance(each, str))
        if isinstance(algorithms, list)
        else frozenset(),
    )


def _endpoint(found: Mapping[str, Any], name: str, issuer: str) -> str:
    """Return an endpoint URL that is at least as protected as the issuer's."""
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
    """Return the key, or None for an unsupported kind of key. The other keys may be usable."""
    try:
        key = JWKRegistry.import_key(item)
    except (JoseError, ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return None
    kid, use, algorithm = (item.get(name) for name in ("kid", "use", "alg"))
    return PublishedKey(key, str(item["kty"]), kid, use, algorithm)


def _of(kid: str | None, keys: Sequence[PublishedKey]) -> list[PublishedKey]:
    return [key for key in keys if kid is None or key.kid == kid]
