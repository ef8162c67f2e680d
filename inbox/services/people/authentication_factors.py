"""Authentication factors of an account, and the verification of a proof (specification 11.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

import structlog

from inbox.config import settings
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import RateLimited
from inbox.identity import passkeys, recovery, totp
from inbox.identity.passkeys import KnownPasskey, PasskeyRefused, Site
from inbox.limits import rates
from inbox.models.people.accounts import User
from inbox.models.people.factors import Passkey, RecoveryCode, TotpFactor
from inbox.runtime import sealing
from inbox.services.records import audit

log = structlog.get_logger(__name__)

CODES_PER_DAY = 10
DAY_SECONDS = 86_400


class Factor(StrEnum):
    """A factor that a browser proves in a separate request. An identity provider has a separate flow (`oidc`)."""

    PASSWORD = "password"
    TOTP = "totp"
    RECOVERY_CODE = "recovery_code"
    PASSKEY = "passkey"


CODES = frozenset({Factor.TOTP, Factor.RECOVERY_CODE})
"""The factors that can be guessed. Their attempts are limited per day."""


@dataclass(frozen=True, slots=True, repr=False)
class FactorProof:
    """The values that the client sent.

    Each factor uses its own fields. `credential` is the browser's passkey response.
    """

    factor: Factor
    password: str = ""
    code: str = ""
    credential: Mapping[str, Any] = field(default_factory=dict)


def site() -> Site:
    """Return the relying party of passkeys: this instance."""
    chosen = settings.current()
    return Site.of(chosen.base_url, chosen.name)


def second(user_id: UUID) -> tuple[Factor, ...]:
    """Return the possible second factors. One of them is enough. Empty for an account without a second factor."""
    has_app = TotpFactor.select().where(TotpFactor.user == user_id, TotpFactor.confirmed_at.is_null(False)).exists()
    has_passkey = site().can_have_passkeys and Passkey.select().where(Passkey.user == user_id).exists()
    if not has_app and not has_passkey:
        return ()
    has_codes = RecoveryCode.select().where(RecoveryCode.user == user_id, RecoveryCode.used_at.is_null()).exists()
    found = {Factor.TOTP: has_app, Factor.PASSKEY: has_passkey, Factor.RECOVERY_CODE: has_codes}
    return tuple(factor for factor, has_it in found.items() if has_it)


def known_passkeys(user_id: UUID) -> list[KnownPasskey]:
    """Return the person's passkeys with the data that a browser receives."""
    user_passkeys = Passkey.select().where(Passkey.user == user_id).order_by(Passkey.id)
    return [KnownPasskey(bytes(each.credential_id), tuple(each.transports)) for each in user_passkeys]


def lock_user(user_id: UUID) -> User | None:
    """Lock and return the person, unless the account is disabled or closed.

    Until the caller's unit of work ends, the factors of the person cannot change. Call this before any other lock:
    changes of an account take this lock first, too.
    """
    able = User.disabled_at.is_null() & User.deleted_at.is_null()
    found: User | None = User.select().where(User.id == user_id, able).for_update("FOR SHARE").first()
    return found


def count(user: User, factor: Factor, now: datetime) -> None:
    """Count an attempt with a code.

    Ten a day are allowed. Raises `RateLimited`. Do not call this within a transaction.
    """
    if factor not in CODES:
        return
    wait = rates.take(_bucket(user.id), CODES_PER_DAY, CODES_PER_DAY / DAY_SECONDS, now)
    if wait:
        audit.throttled(_bucket(user.id), now, about=user)
        raise RateLimited("Too many codes were tried.", retry_after=wait)


def refund(user_id: UUID, factor: Factor) -> None:
    """Refund the counted attempt, because the code was correct."""
    if factor in CODES:
        rates.refund(_bucket(user_id), CODES_PER_DAY)


def verify_and_consume(user_id: UUID, proof: FactorProof, now: datetime, *, nonce: bytes = b"") -> bool:
    """Consume a code or a passkey of this person in the caller's unit of work. Of concurrent attempts, one succeeds.

    `nonce` is the value that a passkey signs. A password is not consumed: `passwords.matches` compares it.
    """
    match proof.factor:
        case Factor.TOTP:
            return _consume_code(user_id, proof.code, now)
        case Factor.RECOVERY_CODE:
            return RecoveryCode.consume(user_id, recovery.digest(user_id, proof.code), now)
        case Factor.PASSKEY:
            return (
                consume_passkey(proof.credential, now, nonce=nonce, without_password=False, user_id=user_id) is not None
            )
        case Factor.PASSWORD:
            return False


def owner_of_passkey(credential: Mapping[str, Any]) -> User | None:
    """Return the owner of the stated passkey. The call proves nothing."""
    try:
        key = Passkey.get_or_none(Passkey.credential_id == passkeys.credential_id(credential))
    except PasskeyRefused:
        return None
    return key.user if key is not None else None


def consume_passkey(
    credential: Mapping[str, Any], now: datetime, *, nonce: bytes, without_password: bool, user_id: UUID | None = None
) -> Passkey | None:
    """Verify the passkey that signed the challenge, within the caller's unit of work. Return None when none did.

    Any owner is accepted, or only `user_id`. `without_password` requires that the person unlocked the passkey.
    """
    try:
        key = Passkey.get_or_none(Passkey.credential_id == passkeys.credential_id(credential))
        if key is None or user_id not in (None, key.user_id) or not site().can_have_passkeys:
            return None
        if passkeys.user_id(credential) not in (None, key.user_id):
            return None
        lock_user(key.user_id)
        public_key, count = bytes(key.public_key), key.sign_count
        assertion = passkeys.verify_assertion(
            site(), nonce, credential, public_key=public_key, sign_count=count, alone=without_password
        )
    except PasskeyRefused:
        return None
    if not Passkey.record_use(key.id, assertion.sign_count, now):
        log.warning("passkey used with an old count", passkey=str(key.id))
        return None
    return key


def _consume_code(user_id: UUID, code: str, now: datetime) -> bool:
    row = TotpFactor.get_or_none(TotpFactor.user == user_id, TotpFactor.confirmed_at.is_null(False))
    secret = None if row is None else opened_secret(row)
    if row is None or secret is None:
        return False
    step = totp.matching_step(secret, code, now, last_step=row.last_step)
    return step is not None and TotpFactor.consume_code(user_id, step)


def opened_secret(app: TotpFactor) -> bytes | None:
    """Return the secret of an app; None when the key ring does not open it. Such an app accepts no code."""
    try:
        return sealing.current().open(app.sealed, associated_data(app.user_id))
    except sealing.CannotUnseal as fault:
        log.error("authenticator app unreadable", user=ids.encode(Prefix.USER, app.user_id), fault=str(fault))
        return None


def associated_data(user_id: UUID) -> bytes:
    """Return the associated data of the sealed secret of an app."""
    return sealing.associated_data("totp_factors", user_id, user_id, "sealed")


def _bucket(user_id: UUID) -> str:
    return f"codes:account:{user_id.hex}"
