"""The reasons why a sign-in through an identity provider failed, as codes for display."""

from __future__ import annotations

from enum import StrEnum


class Fault(StrEnum):
    """The code that the dashboard receives (`?error=<code>`, specification 11.7)."""

    EXPIRED = "sign_in_expired"
    """This browser has no sign-in in progress: none was started, it expired, or it is finished."""

    MISMATCH = "sign_in_mismatch"
    """The response does not belong to the sign-in that this browser started."""

    CANCELLED = "sign_in_cancelled"
    """The person cancelled the sign-in at the provider."""

    UNAVAILABLE = "provider_unavailable"
    """The provider does not respond, or its response is invalid."""

    MISCONFIGURED = "provider_misconfigured"
    """The operator's settings and the provider's metadata do not match."""

    REFUSED = "provider_refused"
    """The provider refused."""

    UNPROVED = "identity_unproved"
    """The proof of identity is invalid."""

    STALE = "identity_not_recent"
    """A recent authentication was requested, and the provider does not confirm one."""

    NO_PROVIDER = "provider_unknown"
    """No provider has this id."""

    UNKNOWN = "account_unknown"
    """No account belongs to this identity, and the service creates none for it."""

    UNVERIFIED = "address_unverified"
    """No account belongs to this identity, and the provider does not confirm its email address."""

    DISABLED = "account_disabled"
    """The account of this identity is disabled."""

    LINK_FIRST = "sign_in_to_link"
    """The address has an account. A sign-in to it by another method, soon and in this browser, links the identity."""

    TAKEN = "identity_taken"
    """The identity is linked to another account."""

    OTHER = "identity_mismatch"
    """The identity does not belong to the person who is signed in."""

    NO_SESSION = "session_ended"
    """The person who started the flow is signed out, or another person is signed in."""

    OFTEN = "rate_limited"
    """There were too many attempts. A new attempt is possible some minutes later."""

    AWAY = "unavailable"
    """A server of the service does not respond at the moment."""

    FAILED = "internal_error"
    """The service failed. The log has the cause."""


class OidcRefused(Exception):
    """The sign-in failed.

    `fault` is safe to display. `why` is the service's own text for the log, never the provider's.
    """

    def __init__(self, fault: Fault, why: str = "") -> None:
        super().__init__(f"{fault}: {why}" if why else str(fault))
        self.fault = fault
        self.why = why
