"""The metadata and keys of an identity provider, fetched and cached."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, Protocol, TypeVar

from joserfc.errors import JoseError
from joserfc.jwk import JWKRegistry, Key

from inbox.domain.deliveries.delivery import Receipt
from inbox.domain.people.oidc_provider import TOKEN_AUTH_METHODS
from inbox.domain.values import addresses
from inbox.identity.faults import Fault, OidcRefused

CACHE_TTL = timedelta(hours=1)
LONGEST_STALE = timedelta(hours=2)
"""The age up to which a cached document is used while another sign-in waits for the provider."""

REFETCH_EVERY = timedelta(minutes=1)
MOST_KEYS = 50

BASIC, POST = TOKEN_AUTH_METHODS


Fetched = TypeVar("Fetched")


class HttpResponse(Protocol):
    """The result of a call (`destinations.http.CallResult`)."""

    @property
    def receipt(self) -> Receipt:
        """The status, or the reason for its absence."""

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
    token_auth_methods: frozenset[str]
    algorithms: frozenset[str]


@dataclass(frozen=True, slots=True)
class PublishedKey:
    """A published key of a provider with its attributes."""

    key: Key
    type: str
    kid: str | None
    use: str | None
    algorithm: str | None


class _Fetch(Generic[Fetched]):
    """A call that is made once for all threads that need its result at the same time.

    Threads that waited for a lock would call a slow provider one after the other.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: Future[Fetched] | None = None

    @property
    def is_running(self) -> bool:
        return self._running is not None

    def result_of(self, call: Callable[[], Fetched]) -> Fetched:
        """Return the result of the running call, else of this one. Raises what the call raises."""
        with self._lock:
            running, is_mine = self._running or Future(), self._running is None
            self._running = running
        if not is_mine:
            return running.result()
        try:
            running.set_result(call())
        except BaseException as fault:
            running.set_exception(fault)
            raise
        finally:
            with self._lock:
                self._running = None
        return running.result()


class ProviderMetadata:
    """The metadata and keys of a provider, cached for an hour.

    An unknown `kid` fetches the keys again, at most once a minute. While one sign-in waits for the provider, others use
    the cache.
    """

    def __init__(self, issuer: str, http_client: HttpClient) -> None:
        self._issuer, self._http_client = issuer, http_client
        self._metadata: tuple[datetime, Metadata] | None = None
        self._metadata_fetch = _Fetch[tuple[datetime, Metadata]]()
        self._keys: tuple[datetime, list[PublishedKey]] | None = None
        self._keys_fetch = _Fetch[tuple[datetime, list[PublishedKey]]]()

    def metadata(self, now: datetime) -> Metadata:
        """Return the provider's metadata. Raises `OidcRefused`."""
        cached = self._metadata
        if cached is None or not _is_usable(cached[0], now, is_fetched=self._metadata_fetch.is_running):
            cached = self._metadata_fetch.result_of(lambda: self._fetch_metadata(now))
        return cached[1]

    def keys(self, kid: str | None, jwks_uri: str, now: datetime) -> list[PublishedKey]:
        """Return the keys with this `kid`, or all keys without one. Empty when none match. Raises `OidcRefused`."""
        cached = self._keys
        if cached is None or not _is_usable(cached[0], now, is_fetched=self._keys_fetch.is_running):
            cached = self._keys_fetch.result_of(lambda: self._fetch_keys(jwks_uri, now))
        found = _of(kid, cached[1])
        if not found and now - cached[0] >= REFETCH_EVERY:
            found = _of(kid, self._keys_fetch.result_of(lambda: self._fetch_keys(jwks_uri, now))[1])
        return found

    def _fetch_metadata(self, now: datetime) -> tuple[datetime, Metadata]:
        found = self._fetch_json(self._issuer.rstrip("/") + "/.well-known/openid-configuration")
        self._metadata = now, _metadata(found, self._issuer)
        return self._metadata

    def _fetch_keys(self, jwks_uri: str, now: datetime) -> tuple[datetime, list[PublishedKey]]:
        self._keys = now, _keys(self._fetch_json(jwks_uri))
        return self._keys

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


def _is_usable(fetched_at: datetime, now: datetime, *, is_fetched: bool) -> bool:
    """Return whether a cached document is used. `is_fetched` says that another thread fetches it at the moment."""
    return now - fetched_at < (LONGEST_STALE if is_fetched else CACHE_TTL)


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
        # Without a list, Basic is the method (OpenID Connect Discovery 3).
        token_auth_methods=_texts(methods) if isinstance(methods, list) else frozenset({BASIC}),
        algorithms=_texts(algorithms),
    )


def _texts(listed: object) -> frozenset[str]:
    return frozenset(each for each in listed if isinstance(each, str)) if isinstance(listed, list) else frozenset()


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
