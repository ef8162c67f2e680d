"""Signing in: a first proof, then a second where the account has one (specification 11.3).

Whatever is wrong with what was sent (address, password, code, passkey, challenge, account) is one refusal.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox import rate_limit, settings
from inbox.domain.networks import network
from inbox.domain.refusals import NotFound, RateLimited, Unauthenticated
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.identity import passkeys
from inbox.models.tables.accounts import User
from inbox.services import audit, authentication_factors, challenges, known_clients, passwords, sessions
from inbox.services.authentication_factors import FactorProof
from inbox.services.challenges import Purpose
from inbox.services.sessions import Client

WINDOW_SECONDS = 300
REFUSED = "Sign-in failed. Check the e-mail address, the password and the code."


@dataclass(frozen=True, slots=True)
class SignInResult:
    """Somebody is signed in: who, and the token of their new session."""

    user: User
    token: str


@dataclass(frozen=True, slots=True)
class Challenge:
    """Nobody is signed in yet: one of `factors` is to be proved together with this ticket."""

    challenge: str
    factors: tuple[str, ...]


def sign_in(email: str, password: str, now: datetime, *, client: Client) -> SignInResult | Challenge:
    """Sign in with a password.

    Raises `Unauthenticated`, the same for an unknown address, a wrong password and a disabled account, after the same
    work; raises `RateLimited` before the password is looked at. Never locks an account.
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
    """Sign in somebody whose first proof is done (`by` says which), within the caller's unit of work.

    Answers a `Challenge` where the account has a second factor, unless `factor_done`. Raises `Unauthenticated` for an
    account that is disabled or closed, or whose password was changed since `user` was read.
    """
    present = authentication_factors.lock_user(user.id)
    if present is None or present.password_hash != user.password_hash:
        raise Unauthenticated(REFUSED)
    factors = () if factor_done else authentication_factors.second(user.id)
    if not factors:
        return SignInResult(user, sessions.start(user.id, client, now, by=by, done=done))
    values = {"user": user.id.hex, "state": _state(user), "by": by}
    return Challenge(challenges.issue(Purpose.SIGN_IN, values, now), factors)


def options(challenge: str, now: datetime) -> dict[str, Any]:
    """What the browser asks a passkey of the challenged person for. Raises `Unauthenticated`."""
    found, user = _challenged(challenge, now)
    return passkeys.authentication_options(
        authentication_factors.site(), found.nonce, has=authentication_factors.known_passkeys(user.id)
    )


def finish(challenge: str, proof: FactorProof, now: datetime, *, client: Client) -> SignInResult:
    """Sign in with a second factor. Raises `Unauthenticated`, whatever is wrong, and `RateLimited`.

    A wrong proof leaves the challenge good for another one; it is spent by the right one.
    """
    throttled(f"factor:address:{network(client.address)}", settings.current().sign_ins_per_address_5min, now)
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
    authentication_factors.refund(user.id, proof.factor)
    assert isinstance(entered, SignInResult)
    return entered


def passkey_options(now: datetime) -> tuple[str, dict[str, Any]]:
    """A challenge for whichever passkey the browser has for us, and what it asks for. Raises `NotFound` without passkeys."""
    if not authentication_factors.site().can_have_passkeys:
        raise NotFound()
    challenge, nonce = challenges.issue_passkey_challenge(Purpose.PASSKEY, {}, now)
    return challenge, passkeys.authentication_options(authentication_factors.site(), nonce, has=(), alone=True)


def sign_in_by_passkey(challenge: str, credential: Mapping[str, Any], now: datetime, *, client: Client) -> SignInResult:
    """Sign in with a passkey alone, which its person has unlocked. Raises as `finish` does."""
    throttled(f"sign-in:address:{network(client.address)}", settings.current().sign_ins_per_address_5min, now)
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
    """The form of an address by which it is unique: case does not count."""
    return email.strip().casefold()


def throttled(bucket: str, capacity: int, now: datetime, *, about: User | None = None) -> None:
    """Take one of `capacity` tries in five minutes, of the account `about`; raises `RateLimited`. Not in a transaction."""
    wait = rate_limit.take(bucket, capacity, capacity / WINDOW_SECONDS, now)
    if wait:
        audit.throttled(bucket, now, about=about)
        raise RateLimited("Too many attempts to sign in.", retry_after=wait)


def _count(key: str, user: User | None, client: Client, now: datetime) -> None:
    """Count a try in the budget of whoever tries; raises `RateLimited`.

    A browser that the account knows has a budget of its own, which nobody else can use up. So has an address that the
    account knows; it is counted among all tries from there as well. All others share one budget an account.
    """
    chosen = settings.current()
    mine = known_clients.browser_bucket(user, client.browser, now)
    if mine is None:
        throttled(f"sign-in:address:{network(client.address)}", chosen.sign_ins_per_address_5min, now)
        mine = known_clients.address_bucket(user, client.address, now)
    throttled(mine or f"sign-in:account:{_hidden(key)}", chosen.sign_ins_per_account_5min, now, about=user)


def _challenged(text: str, now: datetime) -> tuple[challenges.Challenge, User]:
    """The challenge and its person, if their account is as it was when the challenge was made."""
    found = challenges.verify(Purpose.SIGN_IN, text, now)
    user = User.get_or_none(User.id == UUID(found.values["user"])) if found is not None else None
    if found is None or user is None or not hmac.compare_digest(found.values["state"], _state(user)):
        raise Unauthenticated(REFUSED)
    return found, user


def _renew(user: User, password: str) -> None:
    """Keep the password as today's parameters would have it, unless it is changed at this moment."""
    if not passwords.is_outdated(user.password_hash):
        return
    password_hash = passwords.hashed(password)
    unchanged = (User.id == user.id) & (User.password_hash == user.password_hash)
    if User.update(password_hash=password_hash).where(unchanged).execute():
        user.password_hash = password_hash


def _state(user: User) -> str:
    """Changes with the password, so that a challenge does not outlive the proof that it stands for."""
    key, text = settings.current().signing_key.encode(), f"{user.id.hex}|{user.password_hash}"
    return hmac.new(key, b"sign-in|" + text.encode(), hashlib.sha256).hexdigest()[:32]


def _hidden(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:32]
