"""Authenticator apps, recovery codes and passkeys of an account (specification 11.4).

Every change sends a mail, writes an audit entry, and ends the trust in all browsers. No change leaves the account
without a way to sign in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import peewee

from inbox.config import settings
from inbox.database.base import new_id
from inbox.domain.values.refusals import Conflict, Fault, NotFound, ValidationFailed
from inbox.domain.workspaces.audit_actions import AuditAction
from inbox.flow import mail_outbox
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.identity import passkeys, recovery, totp
from inbox.identity.passkeys import PasskeyRefused, Registered
from inbox.mail import templates
from inbox.models.people.accounts import User
from inbox.models.people.factors import Identity, Passkey, RecoveryCode, TotpFactor
from inbox.runtime import sealing
from inbox.services.people import authentication_factors, challenges, trusted_browsers
from inbox.services.people.accounts import as_read
from inbox.services.people.challenges import Purpose
from inbox.services.records import audit

MAX_PASSKEYS = 20


@dataclass(frozen=True, slots=True)
class Overview:
    """All factors of an account, with the confirmation time of the app."""

    has_password: bool
    totp: TotpFactor | None
    passkeys: Sequence[Passkey]
    identities: Sequence[Identity]
    recovery_codes_left: int
    second_factor: bool


def overview(user_id: UUID) -> Overview:
    """Return the factors of this person's account."""
    unused = RecoveryCode.select().where(RecoveryCode.user == user_id, RecoveryCode.used_at.is_null())
    return Overview(
        has_password=User.get_by_id(user_id).password_hash is not None,
        totp=_app(user_id),
        passkeys=list(Passkey.select().where(Passkey.user == user_id).order_by(Passkey.id)),
        identities=list(Identity.select().where(Identity.user == user_id).order_by(Identity.id)),
        recovery_codes_left=unused.count(),
        second_factor=bool(authentication_factors.second(user_id)),
    )


def begin_app(user_id: UUID, now: datetime) -> tuple[str, str]:
    """Create a secret for an app and its `otpauth` URI. A code confirms it later. Raises `Conflict`."""
    secret = totp.new_secret()
    with work():
        user = locked(user_id)
        if _app(user_id) is not None:
            raise Conflict("The account has an authenticator app. Remove it first.")
        TotpFactor.delete().where(TotpFactor.user == user_id).execute()
        sealed = sealing.current().seal(secret, authentication_factors.associated_data(user_id))
        TotpFactor.create(user=user_id, sealed=sealed, created_at=now)
    return totp.to_base32(secret), totp.provisioning_uri(secret, account=user.email, issuer=settings.current().name)


def confirm_app(user_id: UUID, code: str, now: datetime) -> list[str]:
    """Confirm the app. Return new recovery codes, which are shown once.

    Raises `ValidationFailed` for a wrong code, `Conflict` when no app waits for confirmation, and `RateLimited`.
    """
    authentication_factors.count(User.get_by_id(user_id), authentication_factors.Factor.TOTP, now)
    with work() as done:
        user = locked(user_id)
        row = TotpFactor.get_or_none(TotpFactor.user == user_id, TotpFactor.confirmed_at.is_null())
        secret = None if row is None else authentication_factors.opened_secret(row)
        if secret is None:
            raise Conflict("No authenticator app is waiting for confirmation.")
        step = totp.matching_step(secret, code, now)
        if step is None:
            raise ValidationFailed(errors=[Fault("/code", "Not the current code of the authenticator app.")])
        TotpFactor.update(confirmed_at=now, last_step=step).where(TotpFactor.user == user_id).execute()
        codes = _fresh_codes(user_id)
        _report(user, "totp", now, done, is_added=True)
    authentication_factors.refund(user_id, authentication_factors.Factor.TOTP)
    return codes


def remove_app(user_id: UUID, now: datetime) -> None:
    """Delete the app, and the recovery codes when no passkey remains. Raises `NotFound`."""
    with work() as done:
        user = locked(user_id)
        is_confirmed = _app(user_id) is not None
        if not TotpFactor.delete().where(TotpFactor.user == user_id).execute():
            raise NotFound()
        _forget_idle_codes(user_id)
        if is_confirmed:
            _report(user, "totp", now, done, is_added=False)


def passkey_options(user_id: UUID, session_id: UUID, now: datetime) -> tuple[str, dict[str, Any]]:
    """Issue a challenge for a new passkey, with the options for the browser.

    Raises `NotFound` without passkey support.
    """
    if not authentication_factors.site().can_have_passkeys:
        raise NotFound()
    user = User.get_by_id(user_id)
    challenge, nonce = challenges.issue_passkey_challenge(Purpose.NEW_PASSKEY, {"session": session_id.hex}, now)
    return challenge, passkeys.registration_options(
        authentication_factors.site(),
        nonce,
        user_id=user_id,
        email=user.email,
        name=user.name,
        has=authentication_factors.known_passkeys(user_id),
    )


def add_passkey(
    user_id: UUID, session_id: UUID, name: str, challenge: str, credential: Mapping[str, Any], now: datetime
) -> tuple[Passkey, list[str] | None]:
    """Store a passkey from the browser. The first second factor of the account also creates recovery codes.

    Raises `ValidationFailed` for an invalid proof. Raises `Conflict` for a registered passkey, and beyond the maximum.
    """
    found = challenges.verify(Purpose.NEW_PASSKEY, challenge, now)
    if found is None or found.values["session"] != session_id.hex:
        raise ValidationFailed(
            errors=[Fault("/challenge", "The challenge belongs to another session, or has expired.")]
        )
    try:
        made = passkeys.verify_registration(authentication_factors.site(), found.nonce, credential)
    except PasskeyRefused:
        raise ValidationFailed(
            errors=[Fault("/credential", "The passkey was not created for this challenge.")]
        ) from None
    with work() as done:
        user = locked(user_id)
        if not challenges.spend(found):
            raise ValidationFailed(errors=[Fault("/challenge", "The challenge was used before.")])
        if Passkey.select().where(Passkey.user == user_id).count() >= MAX_PASSKEYS:
            raise Conflict(f"An account has at most {MAX_PASSKEYS} passkeys.")
        codes = None if authentication_factors.second(user_id) else _fresh_codes(user_id)
        passkey = _store(user_id, name, made, now)
        _report(user, "passkey", now, done, is_added=True)
    return passkey, codes


def remove_passkey(user_id: UUID, passkey_id: UUID, now: datetime) -> None:
    """Delete a passkey. Raises `NotFound`, and `Conflict` when it is the account's only way to sign in."""
    with work() as done:
        user = locked(user_id)
        passkey = Passkey.get_or_none(Passkey.id == passkey_id, Passkey.user == user_id)
        if passkey is None or not Passkey.delete().where(Passkey.id == passkey_id).execute():
            raise NotFound()
        check_sign_in_remains(user)
        _forget_idle_codes(user_id)
        _report(
            user,
            "passkey",
            now,
            done,
            is_added=False,
            record=audit.columns(passkey, "name", "created_at", "last_used_at"),
        )


def replace_recovery_codes(user_id: UUID, now: datetime) -> list[str]:
    """Replace all recovery codes by new ones. Raises `Conflict` for an account without a second factor."""
    with work():
        user = locked(user_id)
        if not authentication_factors.second(user_id):
            raise Conflict("The account has no second factor that recovery codes could replace.")
        codes = _fresh_codes(user_id)
        trusted_browsers.end_all(user_id, now)
        audit.record("factor.recovery_codes_replaced", target=audit.target("user", user.id, user.name), now=now)
    return codes


def locked(user_id: UUID) -> User:
    """Lock and return the account. Its factors do not change until the unit of work ends. Raises `NotFound`."""
    user = User.select().where(User.id == user_id, User.deleted_at.is_null()).for_update("FOR NO KEY UPDATE").first()
    if user is None:
        raise NotFound()
    return user


def check_sign_in_remains(user: User) -> None:
    """Check that the person can still sign in, after a removal. Raises `Conflict`."""
    providers = [provider.id for provider in settings.current().oidc_providers]
    by_provider = Identity.select().where(Identity.user == user.id, Identity.provider.in_(providers))
    by_passkey = Passkey.select().where(Passkey.user == user.id)
    has_passkey = authentication_factors.site().can_have_passkeys and by_passkey.exists()
    if user.password_hash is None and not has_passkey and not by_provider.exists():
        raise Conflict("The account would be left without a way to sign in. Set a password first.")


def _app(user_id: UUID) -> TotpFactor | None:
    found: TotpFactor | None = TotpFactor.get_or_none(
        TotpFactor.user == user_id, TotpFactor.confirmed_at.is_null(False)
    )
    return found


def _fresh_codes(user_id: UUID) -> list[str]:
    codes = recovery.new_codes()
    RecoveryCode.replace_all(user_id, [recovery.digest(user_id, code) for code in codes])
    return codes


def _forget_idle_codes(user_id: UUID) -> None:
    if _app(user_id) is None and not Passkey.select().where(Passkey.user == user_id).exists():
        RecoveryCode.delete().where(RecoveryCode.user == user_id).execute()


def _store(user_id: UUID, name: str, made: Registered, now: datetime) -> Passkey:
    try:
        return Passkey.create(
            id=new_id(now),
            user=user_id,
            credential_id=made.credential_id,
            public_key=made.public_key,
            sign_count=made.sign_count,
            transports=list(made.transports),
            name=name,
            created_at=now,
        )
    except peewee.IntegrityError:
        raise Conflict("This passkey is already registered.") from None


def _report(
    user: User,
    factor: str,
    now: datetime,
    done: AfterCommit,
    *,
    is_added: bool,
    record: Mapping[str, Any] | None = None,
) -> None:
    """Record the change of a factor, mail it, and end the trust in all browsers."""
    trusted_browsers.end_all(user.id, now)
    action: AuditAction = "factor.added" if is_added else "factor.removed"
    details = {"factor": factor, **(audit.removed(record) if record else {})}
    audit.record(action, target=audit.target("user", user.id, user.name), now=now, details=details)
    at = as_read(now, user.timezone)
    mail = templates.fill("factor_added" if is_added else "factor_removed", name=user.name, factor=factor, at=at)
    mail_outbox.enqueue(done, mail, user.email, now)
    done.publish_change("me", user.id, None, rev=user.rev)
