"""Sign-in: a first factor, then a second one if the account has one (specification 11.3).

Any fault of the input (address, password, code, passkey, challenge, account) gets the same refusal.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.config import settings
from inbox.domain.people import session
from inbox.domain.values.networks import network
from inbox.domain.values.refusals import Fault, NotFound, RateLimited, Unauthenticated, ValidationFailed
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.identity import passkeys
from inbox.limits import rates
from inbox.models.people.accounts import User
from inbox.services.people import (
    authentication_factors,
    challenges,
    known_clients,
    passwords,
    sessions,
    trusted_browsers,
)
from inbox.services.people.authentication_factors import Factor, FactorProof
from inbox.services.people.challenges import Purpose
from inbox.services.people.sessions import Client
from inbox.services.records import audit

WINDOW_SECONDS = 300
REFUSED = "Sign-in failed. Check the email address, the password and the code."


@dataclass(frozen=True, slots=True)
class SignInResult:
    """A completed sign-in: the person, the session token and, for a trusted browser, its token.

    `is_proof` is False where a trusted browser replaced the second factor.
    """

    user: User
    token: str
    trusted_token: str = ""
    is_proof: bool = True


@dataclass(frozen=True, slots=True)
class Challenge:
    """An incomplete sign-in: the client must prove one of `factors` together with this challenge."""

    challenge: str
    factors: tuple[str, ...]


def sign_in(email: str, password: str, now: datetime, *, client: Client) -> SignInResult | Challenge:
    """Sign in with a password.

    Raises `Unauthenticated` for an unknown address, a wrong password and a disabled account, after the same work.
    Raises `RateLimited` before the password is verified. An account is never locked.
    """
    key = email_key(email)
    user = User.get_or_none(User.email_key == key)
    _count(key, user, client, now)
    good = passwords.matches(user.password_hash if user is not None else None, password)
    with audit.refusals(user, now, by="password"):
        if user is None or not good:
            raise Unauthenticated(REFUSED)
        _renew(user, password)
        with work() as done:
            return admit(user, now=now, by="password", factor_done=False, client=client, done=done)


def admit(
    user: User, *, now: datetime, by: str, factor_done: bool, client: Client, done: AfterCommit
) -> SignInResult | Challenge:
    """Sign in a person after the first factor (`by`), within the caller's unit of work.

    Return a `Challenge` if the account has a second factor, unless `factor_done` or the account trusts the browser. Such
    a browser proves nothing, so the session begins without a proof. Raises `Unauthenticated` for an account that is
    disabled or closed, or whose password changed after `user` was read.
    """
    present = authentication_factors.lock_user(user.id)
    if present is None or present.password_hash != user.password_hash:
        raise Unauthenticated(REFUSED)
    factors = () if factor_done else authentication_factors.second(user.id)
    if not factors:
        return SignInResult(user, sessions.start(user.id, client, now, by=by, done=done))
    if trusted_browsers.use(user.id, client.trusted_token, now):
        by, unproved = f"{by}+trusted_browser", session.NEVER_PROVED
        token = sessions.start(user.id, client, now, by=by, done=done, proved_at=unproved)
        return SignInResult(user, token, is_proof=False)
    values = {"user": user.id.hex, "state": _state(user), "by": by}
    return Challenge(challenges.issue(Purpose.SIGN_IN, values, now), factors)


def options(challenge: str, now: datetime) -> dict[str, Any]:
    """Build the passkey options for the challenged person. Raises `Unauthenticated`."""
    found, user = _challenged(challenge, now)
    return passkeys.authentication_options(
        authentication_factors.site(), found.nonce, has=authentication_factors.known_passkeys(user.id)
    )


def finish(
    challenge: str, proof: FactorProof, now: datetime, *, client: Client, remember_browser: bool = False
) -> SignInResult:
    """Sign in with a second factor. Raises `Unauthenticated` for any fault, and `RateLimited`.

    A wrong proof leaves the challenge valid. The correct one spends it. With `remember_browser` the account trusts the
    browser from now on. Raises `ValidationFailed` for that with a recovery code.
    """
    if remember_browser and proof.factor is Factor.RECOVERY_CODE:
        raise ValidationFailed(errors=[Fault("/rememberBrowser", "A recovery code does not make a browser trusted.")])
    throttle_address("factor", client.address, now)
    with audit.refusals(None, now, by=proof.factor):
        found, user = _challenged(challenge, now)
    authentication_factors.count(user, proof.factor, now)
    with audit.refusals(user, now, by=proof.factor), work() as done:
        authentication_factors.lock_user(user.id)
        if not challenges.spend(found) or not authentication_factors.verify_and_consume(
            user.id, proof, now, nonce=found.nonce
        ):
            raise Unauthenticated(REFUSED)
        by = f"{found.values['by']}+{proof.factor}"
        entered = admit(user, now=now, by=by, factor_done=True, client=client, done=done)
        assert isinstance(entered, SignInResult)
        if remember_browser:
            trusted_token = trusted_browsers.trust(
                user.id, now, user_agent=client.user_agent, earlier_token=client.trusted_token
            )
            entered = replace(entered, trusted_token=trusted_token)
    authentication_factors.refund(user.id, proof.factor)
    return entered


def passkey_options(now: datetime) -> tuple[str, dict[str, Any]]:
    """Issue a challenge for any passkey of this site, with the options for the browser.

    Raises `NotFound` without passkey support.
    """
    if not authentication_factors.site().can_have_passkeys:
        raise NotFound()
    challenge, nonce = challenges.issue_passkey_challenge(Purpose.PASSKEY, {}, now)
    return challenge, passkeys.authentication_options(authentication_factors.site(), nonce, has=(), alone=True)


def sign_in_by_passkey(challenge: str, credential: Mapping[str, Any], now: datetime, *, client: Client) -> SignInResult:
    """Sign in with a passkey alone, which the person has unlocked. Raises as `finish` does."""
    throttle_address("sign-in", client.address, now)
    with audit.refusals(authentication_factors.owner_of_passkey(credential), now, by="passkey"):
        found = challenges.verify(Purpose.PASSKEY, challenge, now)
        if found is None:
            raise Unauthenticated(REFUSED)
        with work() as done:
            key = authentication_factors.consume_passkey(credential, now, nonce=found.nonce, without_password=True)
            if key is None or not challenges.spend(found):
                raise Unauthenticated(REFUSED)
            entered = admit(key.user, now=now, by="passkey", factor_done=True, client=client, done=done)
    assert isinstance(entered, SignInResult)
    return entered


def email_key(email: str) -> str:
    """Normalise an address to the form in which it is unique. Case is ignored."""
    return email.strip().casefold()


def throttle_address(action: str, address: str, now: datetime) -> None:
    """Counts an attempt at this action from the network of the address.

    Raises `RateLimited`. Do not call this within a transaction.
    """
    _throttle(f"{action}:address:{network(address)}", settings.current().sign_ins_per_address_5min, now)


def throttle_account(bucket: str, user: User | None, now: datetime) -> None:
    """Counts an attempt at the account. Raises as `throttle_address` does."""
    _throttle(bucket, settings.current().sign_ins_per_account_5min, now, about=user)


def _throttle(bucket: str, capacity: int, now: datetime, *, about: User | None = None) -> None:
    wait = rates.take(bucket, capacity, capacity / WINDOW_SECONDS, now)
    if wait:
        audit.throttled(bucket, now, about=about)
        raise RateLimited("Too many attempts to sign in.", retry_after=wait)


def _count(key: str, user: User | None, client: Client, now: datetime) -> None:
    """Count an attempt in the limit of its client. Raises `RateLimited`.

    A browser known to the account has a separate limit, which nobody else can use up. So does a known address, which
    also counts in the limit of all attempts from the address. All other clients share one limit per account.
    """
    client_bucket = known_clients.browser_bucket(user, client.browser, now)
    if client_bucket is None:
        throttle_address("sign-in", client.address, now)
        client_bucket = known_clients.address_bucket(user, client.address, now)
    throttle_account(client_bucket or f"sign-in:account:{_hidden(key)}", user, now)


def _challenged(text: str, now: datetime) -> tuple[challenges.Challenge, User]:
    """Return the challenge and its person, if the account has not changed since the challenge was issued."""
    found = challenges.verify(Purpose.SIGN_IN, text, now)
    user = User.get_or_none(User.id == UUID(found.values["user"])) if found is not None else None
    if found is None or user is None or not hmac.compare_digest(found.values["state"], _state(user)):
        raise Unauthenticated(REFUSED)
    return found, user


def _renew(user: User, password: str) -> None:
    """Rehash the password with today's parameters, unless it changes at this moment."""
    if not passwords.is_outdated(user.password_hash):
        return
    password_hash = passwords.hashed(password)
    unchanged = (User.id == user.id) & (User.password_hash == user.password_hash)
    if User.update(password_hash=password_hash).where(unchanged).execute():
        user.password_hash = password_hash


def _state(user: User) -> str:
    """Return a digest that changes with the password, so that a challenge does not outlive its first factor."""
    key, text = settings.current().signing_key.encode(), f"{user.id.hex}|{user.password_hash}"
    return hmac.new(key, b"sign-in|" + text.encode(), hashlib.sha256).hexdigest()[:32]


def _hidden(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:32]
