"""Step-up: a repeated authentication for this session only (specification 11.5)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.domain.values.refusals import NotFound, ReauthRequired
from inbox.flow.unit_of_work import work
from inbox.identity import passkeys
from inbox.models.people.accounts import User
from inbox.services.people import authentication_factors, challenges, passwords, sessions
from inbox.services.people.authentication_factors import Factor, FactorProof
from inbox.services.people.challenges import Purpose
from inbox.services.people.signin import throttle_account, throttle_address
from inbox.services.records import audit

NOT_BY_PASSWORD = "A password is not accepted in this session. Use one of the other factors."
NOTHING_PROVED = "Re-authentication failed. Check the password, the code or the passkey."


@dataclass(frozen=True, slots=True)
class StepUpRequest:
    """The person, the session and the client address. Only `factors` prove, and a refusal lists them."""

    user_id: UUID
    session_id: UUID
    factors: tuple[str, ...]
    address: str


def passkey_options(user_id: UUID, session_id: UUID, now: datetime) -> tuple[str, dict[str, Any]]:
    """Issue a challenge for a passkey of this person in this session, with the options for the browser.

    Raises `NotFound` when there are no passkeys.
    """
    has = authentication_factors.known_passkeys(user_id)
    if not has or not authentication_factors.site().can_have_passkeys:
        raise NotFound("This account has no passkey.")
    challenge, nonce = challenges.issue_passkey_challenge(Purpose.STEP_UP, {"session": session_id.hex}, now)
    return challenge, passkeys.authentication_options(authentication_factors.site(), nonce, has=has)


def prove(who: StepUpRequest, proof: FactorProof, now: datetime, *, challenge: str = "") -> None:
    """Verify the proof and record the step-up of the session.

    Raises `ReauthRequired` for a wrong proof, and for a password that does not prove. Raises `RateLimited`.

    `Unauthenticated` would make the dashboard assume an ended session. `challenge` belongs to a passkey.
    """
    user = User.get_by_id(who.user_id)
    throttle_address("step-up", who.address, now)
    throttle_account(f"step-up:account:{who.user_id.hex}", user, now)
    authentication_factors.count(user, proof.factor, now)
    may_be_password = proof.factor is Factor.PASSWORD and Factor.PASSWORD in who.factors
    is_password = may_be_password and passwords.matches(user.password_hash, proof.password)
    with audit.refusals(user, now, by=proof.factor), work():
        if proof.factor is Factor.PASSWORD and not may_be_password:
            raise ReauthRequired(NOT_BY_PASSWORD, extra={"factors": list(who.factors)})
        authentication_factors.lock_user(who.user_id)
        if not is_password and not _verified(who, proof, challenge, now):
            raise ReauthRequired(NOTHING_PROVED, extra={"factors": list(who.factors)})
        sessions.prove(who.session_id, now, by=proof.factor)
    authentication_factors.refund(who.user_id, proof.factor)


def _verified(who: StepUpRequest, proof: FactorProof, challenge: str, now: datetime) -> bool:
    if proof.factor is not Factor.PASSKEY:
        return authentication_factors.verify_and_consume(who.user_id, proof, now)
    found = challenges.verify(Purpose.STEP_UP, challenge, now)
    if found is None or found.values["session"] != who.session_id.hex or not challenges.spend(found):
        return False
    return authentication_factors.verify_and_consume(who.user_id, proof, now, nonce=found.nonce)
