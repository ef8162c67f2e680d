"""Account flows with mailed links: a new password, a new address, a new account (specification 11.8).

A request gets the same answer after the same statements, whether the account exists or not. For that, `links` and
`flow.mail_outbox.enqueue` accept None as the person.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import peewee

from inbox.config.settings import current
from inbox.database.base import db, new_id
from inbox.domain.values.refusals import Fault, TokenInvalid, ValidationFailed
from inbox.domain.workspaces.audit_actions import AuditAction
from inbox.flow import mail_outbox
from inbox.flow.unit_of_work import work
from inbox.mail import templates
from inbox.models.people.accounts import User
from inbox.models.people.chat_accounts import ChatAccount
from inbox.models.people.factors import Identity, Passkey, RecoveryCode, TotpFactor
from inbox.models.people.links import Link, Purpose
from inbox.services.people import links, passwords, sessions
from inbox.services.people.signin import email_key
from inbox.services.records import audit

SIGN_IN_PAGE = "/login"


def request_password_reset(email: str, now: datetime, *, address: str) -> None:
    """Mail a link for a new password to this address if it has an account, at most five a day. Raises `RateLimited`."""
    links.admit(address, now)
    key = email_key(email)
    has_left = links.may_reset(key, now)
    with work() as done:
        user = _able(User.email_key == key) if has_left else _able(User.email_key == "")
        link = links.make(Purpose.PASSWORD_RESET, user.id if user else None, now)
        mail = templates.fill("password_reset", name=user.name if user else "", link=link)
        mail_outbox.enqueue(done, mail, user.email if user else None, now)


def reset(token: object, password: str, now: datetime, *, address: str) -> None:
    """Set the password of the link's owner and end all their sessions and devices. The call signs nobody in.

    Second factors stay. While the address is unconfirmed, another person may have created the account by an invitation.
    Then everything that works without the password is deleted: passkeys, identities and linked chat accounts.

    Raises `TokenInvalid`, `ValidationFailed` for the password, which leaves the link valid, and `RateLimited`.
    """
    links.admit(address, now)
    user_id, _ = links.find(Purpose.PASSWORD_RESET, token, now)
    owner = User.get_or_none(User.id == user_id)
    if owner is None:
        raise TokenInvalid()
    check_password(password, owner.email)
    password_hash = passwords.hashed(password)
    with work() as done:
        links.consume(Purpose.PASSWORD_RESET, token, now)
        user = _owner(user_id)
        audit.set_actor(audit.person(user))
        removed = user.email_verified_at is None and _delete_what_needs_no_password(user.id)
        user.password_hash = password_hash
        user.email_verified_at = user.email_verified_at or now
        user.rev += 1
        user.save()
        Link.revoke_all(user.id, now)
        sessions.end_all(user.id, now, done)
        about, details = audit.target("user", user.id, user.name), {"factorsRemoved": removed}
        audit.record("password.reset", target=about, now=now, actor=audit.person(user), details=details)
        template = "password_reset_unconfirmed" if removed else "password_changed"
        mail = templates.fill(template, name=user.name, at=as_read(now, user.timezone))
        mail_outbox.enqueue(done, mail, user.email, now)
        done.publish_change("me", user.id, None, rev=user.rev)


def request_email_change(user_id: UUID, new_email: str, now: datetime, *, address: str) -> None:
    """Mail a link to the new address, unless another account has it, and a notice to the old one.

    Raises `RateLimited`.
    """
    links.admit(address, now)
    with work() as done:
        user = _owner(user_id)
        is_free = not User.select().where(User.email_key == email_key(new_email), User.id != user.id).exists()
        link = links.make(Purpose.EMAIL_CHANGE, user.id, now, email=new_email)
        mail = templates.fill("email_change", name=user.name, link=link)
        mail_outbox.enqueue(done, mail, new_email if is_free else None, now)
        notice = templates.fill("email_change_notice", name=user.name, new_email=new_email)
        mail_outbox.enqueue(done, notice, user.email, now)
        audit.record("email.change_requested", target=audit.target("user", user.id, user.name), now=now)


def change_email(token: object, now: datetime, *, address: str) -> None:
    """Set the person's address to the one that received the link. Links that went to the old address end.

    Raises `TokenInvalid`, also when another account has the address by now, and `RateLimited`.
    """
    links.admit(address, now)
    with work() as done:
        user_id, payload = links.consume(Purpose.EMAIL_CHANGE, token, now)
        user = _owner(user_id)
        user.email, user.email_key = payload["email"], email_key(payload["email"])
        user.email_verified_at = now
        user.rev += 1
        _keep(user)
        Link.revoke_all(user.id, now)
        audit.record(
            "email.changed", target=audit.target("user", user.id, user.name), now=now, actor=audit.person(user)
        )
        done.publish_change("me", user.id, None, rev=user.rev)


@dataclass(frozen=True, slots=True)
class SignUp:
    """The values for the account of a sign-up."""

    email: str
    password: str
    name: str
    timezone: str = "UTC"
    locale: str = "en"

    def payload(self, key: str, password_hash: str | None) -> dict[str, Any]:
        """Return the values that the link keeps until it is opened."""
        values = {"email": self.email, "emailKey": key, "name": self.name, "passwordHash": password_hash}
        return {**values, "timezone": self.timezone, "locale": self.locale}


def sign_up(account: SignUp, now: datetime, *, address: str) -> None:
    """Mail a link that creates an account. An address with an account gets a mail that says so.

    Two unconfirmed sign-ups with one address may come from two people, and only the owner of the address confirms it.
    If their passwords differ, the account is created without a password. Raises `ValidationFailed` for the password,
    and `RateLimited`.
    """
    links.admit(address, now)
    check_password(account.password, account.email)
    key, password_hash = email_key(account.email), passwords.hashed(account.password)
    earlier = Link.pending_password_hash(key, now)
    agreed = earlier if passwords.matches(earlier, account.password) else None
    with work() as done:
        contested = any(each is None or each != agreed for each in Link.revoke_sign_ups(key, now))
        user = User.get_or_none(User.email_key == key)
        link = links.make_sign_up(account.payload(key, None if contested else password_hash), now)
        is_ready = User.select().exists()
        mail = templates.fill("verify_email", name=account.name, link=link)
        if user is not None:
            mail = templates.fill("account_exists", name=user.name, link=current().base_url + SIGN_IN_PAGE)
            is_ready = user.disabled_at is None and user.deleted_at is None
        mail_outbox.enqueue(done, mail, account.email if is_ready else None, now)


def verify_email(token: object, now: datetime, *, address: str) -> User:
    """Create the account of a sign-up, or mark an account's address as confirmed. The call signs nobody in.

    Raises `TokenInvalid`, also when the address has an account by now, and `RateLimited`.
    """
    links.admit(address, now)
    with work() as done:
        user_id, payload = links.consume(Purpose.VERIFY_EMAIL, token, now)
        if user_id is not None:
            user = _owner(user_id)
            user.email_verified_at = now
            user.rev += 1
            user.save()
            done.publish_change("me", user.id, None, rev=user.rev)
        else:
            user = _keep(_new(payload, now), is_new=True)
        action: AuditAction = "email.verified" if user_id is not None else "account.created"
        audit.record(action, target=audit.target("user", user.id, user.name), now=now, actor=audit.person(user))
    return user


def as_read(now: datetime, timezone: str) -> str:
    """Format a time for a mail, in the reader's time zone: `21 November 2026, 10:00 CET`."""
    try:
        there = now.astimezone(ZoneInfo(timezone))
    except (ZoneInfoNotFoundError, ValueError):
        there = now
    return f"{there.day} {there:%B %Y, %H:%M %Z}"


def _able(whom: Any) -> User | None:
    """Lock and return the account, unless it is disabled or closed. Both cases execute one statement."""
    able = User.disabled_at.is_null() & User.deleted_at.is_null()
    found: User | None = User.select().where(whom, able).for_update("FOR NO KEY UPDATE").first()
    return found


def _owner(user_id: UUID | None) -> User:
    user = _able(User.id == user_id) if user_id is not None else None
    if user is None:
        raise TokenInvalid()
    return user


def _delete_what_needs_no_password(user_id: UUID) -> bool:
    """Delete passkeys, identities, linked chat accounts, and recovery codes without an app.

    Return whether there were any.
    """
    removed = [each.delete().where(each.user == user_id).execute() for each in (Passkey, Identity, ChatAccount)]
    if not TotpFactor.select().where(TotpFactor.user == user_id, TotpFactor.confirmed_at.is_null(False)).exists():
        RecoveryCode.delete().where(RecoveryCode.user == user_id).execute()
    return any(removed)


def _new(payload: dict[str, Any], now: datetime) -> User:
    return User(
        id=new_id(now),
        email=payload["email"],
        email_key=payload["emailKey"],
        email_verified_at=now,
        name=payload["name"],
        password_hash=payload["passwordHash"],
        timezone=payload["timezone"],
        locale=payload["locale"],
        created_at=now,
    )


def _keep(user: User, *, is_new: bool = False) -> User:
    """Save the user. Raises `TokenInvalid` when another account has the address."""
    try:
        with db.atomic():
            user.save(force_insert=is_new)
    except peewee.IntegrityError:
        raise TokenInvalid() from None
    return user


def check_password(password: str, email: str) -> None:
    """Check that the password is acceptable with this address. Raises `ValidationFailed`."""
    reason = passwords.weakness(password, email=email)
    if reason is not None:
        raise ValidationFailed(errors=[Fault("/password", reason)])
