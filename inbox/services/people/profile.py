"""Changes of one's own account: name, time zone, language, password (specification 11.9)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.domain.values.refusals import Fault, ValidationFailed, check_rev, run_checks
from inbox.flow import mail_outbox
from inbox.flow.unit_of_work import work
from inbox.mail import templates
from inbox.models.people.accounts import User
from inbox.models.people.links import Link
from inbox.services.people import passwords, sessions
from inbox.services.people.accounts import as_read
from inbox.services.people.factors import locked
from inbox.services.people.signin import throttle_account
from inbox.services.records import audit


def edit(user_id: UUID, fields: Mapping[str, Any], *, expected_rev: int | None, now: datetime) -> User:
    """Change the given fields. Raises `RevMismatch`."""
    with work() as done:
        user = locked(user_id)
        check_rev(user.rev, expected_rev)
        details = audit.changes(user.__data__, fields)
        for name, value in fields.items():
            setattr(user, name, value)
        user.rev += 1
        user.save(only=[User.name, User.timezone, User.locale, User.rev])
        audit.record("account.changed", target=audit.target("user", user.id, user.name), now=now, details=details)
        done.publish_change("me", user.id, None, rev=user.rev)
    return user


def change_password(user_id: UUID, session_id: UUID, present: str | None, password: str, now: datetime) -> str:
    """Set a new password. Return the new token of this session. All other sessions and all devices end.

    `present` is verified if it is given. Raises `ValidationFailed` for either password, and `RateLimited`.
    """
    user = User.get_by_id(user_id)
    run_checks(lambda: _prove(user, present, now), lambda: check_strength(user_id, password))
    password_hash = passwords.hashed(password)
    with work() as done:
        user = locked(user_id)
        user.password_hash = password_hash
        user.rev += 1
        user.save(only=[User.password_hash, User.rev])
        sessions.end_all(user_id, now, done, but=session_id)
        token = sessions.renew(session_id)
        Link.revoke_all(user_id, now)
        audit.record("password.changed", target=audit.target("user", user.id, user.name), now=now)
        mail = templates.fill("password_changed", name=user.name, at=as_read(now, user.timezone))
        mail_outbox.enqueue(done, mail, user.email, now)
        done.publish_change("me", user.id, None, rev=user.rev)
    return token


def check_strength(user_id: UUID, password: str | None) -> None:
    """Check that a new password is acceptable. None is accepted. Raises `ValidationFailed`."""
    reason = None if password is None else passwords.weakness(password, email=User.get_by_id(user_id).email)
    if reason is not None:
        raise ValidationFailed(errors=[Fault("/newPassword", reason)])


def _prove(user: User, present: str | None, now: datetime) -> None:
    if present is None:
        return
    throttle_account(f"step-up:account:{user.id.hex}", user, now)
    if not passwords.matches(user.password_hash, present):
        raise ValidationFailed(errors=[Fault("/currentPassword", "Not the current password.")])
