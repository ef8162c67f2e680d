"""The sign-in through an identity provider (OpenID Connect, authorization code with PKCE).

`Provider.start` builds the URL and the cookie. `Provider.finish` verifies the provider's response.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote, urlencode

from inbox.domain.people.oidc_provider import TOKEN_AUTH_METHODS, OidcProvider
from inbox.identity import id_tokens, tickets
from inbox.identity.faults import Fault, OidcRefused
from inbox.identity.provider_metadata import BASIC, POST, HttpClient, HttpResponse, Metadata, ProviderMetadata, json_of
from inbox.identity.tickets import Ticket, TicketRefused

LIFETIME = timedelta(minutes=10)
SCOPE = "openid email profile"
LONGEST_ANSWER = 4_096
DECLINED = {"access_denied", "login_required", "interaction_required", "consent_required"}


@dataclass(frozen=True, slots=True)
class Started:
    """The URL for the browser, and the cookie that binds the response to the browser. Both are valid for `LIFETIME`."""

    authorize_url: str
    cookie: str


@dataclass(frozen=True, slots=True)
class ProviderIdentity:
    """The identity that the provider confirms.

    `email` is reliable only with `email_verified`. `intent` is the value that `start` received. The caller spends
    `ticket` before it acts on the identity, so that the identity is used once.
    """

    provider: str
    subject: str
    email: str | None
    email_verified: bool
    name: str
    intent: Mapping[str, Any]
    ticket: Ticket


class Provider:
    """One provider of the settings.

    Keep the object for the life of the process, because it caches the provider's keys.
    """

    def __init__(self, chosen: OidcProvider, signing_key: str, http_client: HttpClient) -> None:
        self.chosen = chosen
        self._signing_key = signing_key
        self._http_client = http_client
        self._directory = ProviderMetadata(chosen.issuer, http_client)

    def start(self, redirect_uri: str, *, now: datetime, intent: Mapping[str, Any], fresh: bool = False) -> Started:
        """Start a sign-in. `fresh` requests a new authentication of the person (step-up). Raises `OidcRefused`."""
        metadata = self._directory.metadata(now)
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        query = {
            "response_type": "code",
            "client_id": self.chosen.client_id,
            "redirect_uri": redirect_uri,
            "scope": SCOPE,
            "state": state,
            "nonce": nonce,
            "code_challenge": urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("="),
            "code_challenge_method": "S256",
        }
        if fresh:
            query |= {"prompt": "login", "max_age": "0"}
        ticket_values: dict[str, Any] = {"s": state, "n": nonce, "c": verifier, "r": redirect_uri, "i": dict(intent)}
        ticket_values |= {"f": int(now.timestamp()) if fresh else None}
        url = metadata.authorization_endpoint
        return Started(
            f"{url}{'&' if '?' in url else '?'}{urlencode(query)}",
            tickets.issue(self._signing_key, self._purpose, ticket_values, now=now, lifetime=LIFETIME),
        )

    def finish(self, answer: Mapping[str, str], cookie: str | None, *, now: datetime) -> ProviderIdentity:
        """Verify the provider's response (the query of the callback) and return the identity. Raises `OidcRefused`."""
        try:
            ticket = tickets.verify(self._signing_key, self._purpose, cookie, now=now)
        except TicketRefused:
            raise OidcRefused(Fault.EXPIRED, "cookie") from None
        ticket_values = ticket.values
        if not hmac.compare_digest(answer.get("state", "").encode("utf-8", "replace"), ticket_values["s"].encode()):
            raise OidcRefused(Fault.MISMATCH, "state")
        metadata = self._directory.metadata(now)
        code = _code(answer, metadata)
        tokens = self._exchange_code(code, ticket_values, metadata)
        claims = id_tokens.verified(
            tokens.get("id_token"),
            lambda kid: self._directory.keys(kid, metadata.jwks_uri, now),
            id_tokens.Expected(metadata.issuer, self.chosen.client_id, ticket_values["n"], metadata.algorithms),
            now,
        )
        if ticket_values["f"] is not None:
            _check_fresh(claims, ticket_values["f"], now)
        return self._build_identity(self._with_userinfo(claims, tokens, metadata), ticket)

    @property
    def _purpose(self) -> str:
        return f"oidc:{self.chosen.id}"

    def _exchange_code(self, code: str, ticket_values: Mapping[str, Any], metadata: Metadata) -> Mapping[str, Any]:
        """Exchange a code for the tokens. The exchange requires the verifier of the same browser (PKCE).

        A provider may list a method that it refuses for this client, so the next method is tried once.
        """
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": ticket_values["r"],
            "code_verifier": ticket_values["c"],
        }
        first, *other = self._token_auth_methods(metadata)
        answer = self._request_tokens(first, form, metadata)
        if other and _refuses_client(answer.body):
            answer = self._request_tokens(other[0], form, metadata)
        if answer.receipt.status_code in (400, 401, 403):
            raise _refused(answer.body, first)
        return json_of(answer)

    def _token_auth_methods(self, metadata: Metadata) -> list[str]:
        """Return the methods to try, in order."""
        if self.chosen.token_auth_method:
            return [self.chosen.token_auth_method]
        listed = [method for method in TOKEN_AUTH_METHODS if method in metadata.token_auth_methods]
        return (listed or [POST]) if self.chosen.client_secret else [POST]

    def _request_tokens(self, method: str, form: Mapping[str, str], metadata: Metadata) -> HttpResponse:
        """Call the token endpoint. `method` says where the client secret is sent. A public client has none."""
        headers = {"Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"}
        fields = dict(form)
        if method == BASIC:
            pair = f"{quote(self.chosen.client_id, safe='')}:{quote(self.chosen.client_secret, safe='')}"
            headers["Authorization"] = "Basic " + b64encode(pair.encode()).decode()
        else:
            fields["client_id"] = self.chosen.client_id
            if self.chosen.client_secret:
                fields["client_secret"] = self.chosen.client_secret
        return self._http_client.exchange("POST", metadata.token_endpoint, headers, urlencode(fields).encode())

    def _with_userinfo(
        self, claims: Mapping[str, Any], tokens: Mapping[str, Any], metadata: Metadata
    ) -> Mapping[str, Any]:
        """Return the claims. Add those that some providers return only from their userinfo endpoint."""
        access = tokens.get("access_token")
        if "email" in claims or not metadata.userinfo_endpoint or not isinstance(access, str) or not access.isascii():
            return claims
        headers = {"Accept": "application/json", "Authorization": f"Bearer {access}"}
        answer = self._http_client.exchange("GET", metadata.userinfo_endpoint, headers)
        if answer.receipt.status_code != 200:
            return claims
        userinfo = json_of(answer)
        if userinfo.get("sub") != claims["sub"]:
            raise OidcRefused(Fault.UNPROVED, "userinfo")
        return {**{name: userinfo.get(name) for name in ("email", "email_verified", "name")}, **claims}

    def _build_identity(self, claims: Mapping[str, Any], ticket: Ticket) -> ProviderIdentity:
        email, name = claims.get("email"), claims.get("name")
        is_address = isinstance(email, str) and email.count("@") == 1 and email.isprintable() and len(email) <= 254
        return ProviderIdentity(
            provider=self.chosen.id,
            subject=claims["sub"],
            email=email if is_address else None,
            email_verified=is_address and self._is_verified(claims.get("email_verified")),
            name=name[:200] if isinstance(name, str) else "",
            intent=ticket.values["i"],
            ticket=ticket,
        )

    def _is_verified(self, claim: object) -> bool:
        """Return whether the address counts. Some providers send the claim as a text, and some send none."""
        return claim in (True, "true") if isinstance(claim, bool | str) else self.chosen.trust_email and claim is None


def _code(answer: Mapping[str, str], metadata: Metadata) -> str:
    """Return the code from the response, after a check that this provider sent it (RFC 9207)."""
    userinfo = answer.get("iss")
    if userinfo != metadata.issuer and (userinfo is not None or metadata.returns_issuer):
        raise OidcRefused(Fault.MISMATCH, "iss")
    if "error" in answer:
        raise OidcRefused(Fault.CANCELLED if answer["error"] in DECLINED else Fault.REFUSED, "error")
    code = answer.get("code", "")
    if not code or len(code) > LONGEST_ANSWER:
        raise OidcRefused(Fault.MISMATCH, "code")
    return code


def _refuses_client(body: bytes) -> bool:
    return _error_of(body) == "invalid_client"


def _error_of(body: bytes) -> object:
    """Return the error code of a refusal. It is compared and never repeated."""
    try:
        return json.loads(body)["error"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _refused(body: bytes, method: str) -> OidcRefused:
    """Return whether the provider refuses the client or this code."""
    if _error_of(body) in ("invalid_client", "unauthorized_client", "unsupported_grant_type"):
        return OidcRefused(Fault.MISCONFIGURED, f"client, by {method}")
    return OidcRefused(Fault.REFUSED, "code")


def _check_fresh(claims: Mapping[str, Any], asked_at: int, now: datetime) -> None:
    """Check that the person authenticated after the request, within the tolerance of two clocks."""
    leeway = id_tokens.LEEWAY.total_seconds()
    proved_at = claims.get("auth_time")
    is_moment = isinstance(proved_at, int | float) and not isinstance(proved_at, bool)
    if not is_moment or not asked_at - leeway <= (proved_at or 0) <= now.timestamp() + leeway:
        raise OidcRefused(Fault.STALE, "auth_time")
