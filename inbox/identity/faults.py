"""Why a sign-in through an identity provider came to nothing, as words that may be shown."""

from __future__ import annotations

from enum import StrEnum


class Fault(StrEnum):
    """What the dashboard is told (`?error=<code>`, specification 11.7)."""

    EXPIRED = "sign_in_expired"
    """This browser began no sign-in, or too long ago, or finished it already."""

    MISMATCH = "sign_in_mismatch"
    """The answer is not to the sign-in that this browser began."""

    CANCELLED = "sign_in_cancelled"
    """The person did not go through with it."""

    UNAVAILABLE = "provider_unavailable"
    """The provider does not answer, or not as one."""

    MISCONFIGURED = "provider_misconfigured"
    """What the operator has set and what the provider says do not fit."""

    REFUSED = "provider_refused"
    """The provider refused."""

    UNPROVED = "identity_unproved"
    """The proof of identity does not hold."""

    STALE = "identity_not_recent"
    """A fresh proof was asked for, and the provider does not say that it is one."""

    NO_PROVIDER = "provider_unknown"
    """There is no provider of this id."""

    UNKNOWN = "account_unknown"
    """Nobody here is known as this, and no account is made of it."""

    DISABLED = "account_disabled"
    """Whoever this is may not sign in."""

    LINK_FIRST = "sign_in_to_link"
    """The address has an account: signing in to it in another way, in this browser and soon, links the two."""

    TAKEN = "identity_taken"
    """Somebody else's account is linked with it."""

    OTHER = "identity_mismatch"
    """It is not a proof of the one who is signed in."""

    NO_SESSION = "session_ended"
    """Whoever began this is not signed in any more, or somebody else is."""

    OFTEN = "rate_limited"
    """There were too many tries; some minutes later there may be another."""

    AWAY = "unavailable"
    """A server of ours does not answer at the moment."""

    FAILED = "internal_error"
    """We failed; the log says how."""


class OidcRefused(Exception):
    """Nobody is signed in. `fault` may be shown; `why` is a word of ours for the log, never the provider's text."""

    def __init__(self, fault: Fault, why: str = "") -> None:
        super().__init__(f"{fault}: {why}" if why else str(fault))
        self.fault = fault
        self.why = why
