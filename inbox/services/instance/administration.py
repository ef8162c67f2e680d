"""Use cases of instance administrators: accounts, workspaces and access to the instance (specification 13.3)."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

import peewee

from inbox.database.base import new_id
from inbox.domain.values.refusals import Conflict, Fault, LastInstanceAdmin, NotFound, ValidationFailed, check_rev
from inbox.flow.oncall import record
from inbox.flow.timers import departures, recheck
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.models.people import members
from inbox.models.people.accounts import Session, User
from inbox.models.people.factors import Identity, Passkey, RecoveryCode, TotpFactor
from inbox.models.people.links import Link
from inbox.models.people.members import Member
from inbox.models.senders.sources import Source
from inbox.models.workspaces.tables import Workspace
from inbox.services.people import passwords, sessions
from inbox.services.people.signin import email_key
from inbox.services.records import audit, schedule_uses
from inbox.services.workspaces import workspaces
from inbox.services.workspaces.deletion import administrators_but


def people() -> peewee.ModelSelect:
    """Select all accounts that are not closed, with `last_seen_at`, `workspaces` (a count) and `mfa`."""
    seen = Session.select(peewee.fn.MAX(Session.last_seen_at)).where(Session.user == User.id)
    joined = (
        Member.select(peewee.fn.COUNT(Member.id))
        .join(Workspace)
        .where(Member.user == User.id, Workspace.deleted_at.is_null())
    )
    codes = TotpFactor.select().where(TotpFactor.user == User.id, TotpFactor.confirmed_at.is_null(False))
    keys = Passkey.select().where(Passkey.user == User.id)
    return User.select(
        User,
        seen.alias("last_seen_at"),
        joined.alias("workspaces"),
        (peewee.fn.EXISTS(codes) | peewee.fn.EXISTS(keys)).alias("mfa"),
    ).where(User.deleted_at.is_null())


def list_workspaces() -> peewee.ModelSelect:
    """Select all workspaces, with `members` and `sources` (counts). Deleted ones are included until the purge."""
    joined = Member.select(peewee.fn.COUNT(Member.id)).where(Member.workspace == Workspace.id)
    sending = Source.select(peewee.fn.COUNT(Source.id)).where(
        Source.workspace == Workspace.id, Source.deleted_at.is_null()
    )
    return Workspace.select(Workspace, joined.alias("members"), sending.alias("sources"))


def containing(text: str, *columns: Any) -> Any:
    """Build the condition that one of the columns contains this text. Case is ignored."""
    pattern = "%" + text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    found = columns[0] ** pattern
    for column in columns[1:]:
        found |= column**pattern
    return found


def edit(
    user_id: UUID,
    *,
    is_instance_admin: bool | None = None,
    disabled: bool | None = None,
    leave_gaps: bool = False,
    expected_rev: int | None = None,
    now: datetime,
) -> User:
    """Set or remove the administrator role, and disable or enable an account. None leaves a value unchanged.

    Disabling ends all sessions, devices and open streams of the person. Raises `LastInstanceAdmin` when no
    administrator who can sign in would remain, and `Conflict` while on-call schedules name a person who is disabled,
    unless `leave_gaps` is set. Raises `NotFound` and `RevMismatch`.
    """
    with work() as done:
        remains = administrators_but(user_id)
        user = _locked(user_id, expected_rev)
        target_state = {
            "is_instance_admin": user.is_instance_admin if is_instance_admin is None else is_instance_admin,
            "disabled": user.disabled_at is not None if disabled is None else disabled,
        }
        was = {"is_instance_admin": user.is_instance_admin, "disabled": user.disabled_at is not None}
        if target_state == was:
            return user
        if was == {"is_instance_admin": True, "disabled": False} and not remains:
            raise LastInstanceAdmin
        user.is_instance_admin = target_state["is_instance_admin"]
        user.disabled_at = (user.disabled_at or now) if target_state["disabled"] else None
        user.rev += 1
        user.save(only=[User.is_instance_admin, User.disabled_at, User.rev])
        if target_state["disabled"] != was["disabled"]:
            _leave_or_return(user, leave_gaps=leave_gaps, now=now, done=done)
        about, details = audit.target("user", user_id, user.name), audit.changes(was, target_state)
        audit.record("user.changed", target=about, now=now, details=details)
        done.publish_change("me", user_id, None, rev=user.rev)
    return user


def _leave_or_return(user: User, *, leave_gaps: bool, now: datetime, done: AfterCommit) -> None:
    """Take a person who is disabled off incidents and schedules, or bring an enabled one back. Raises `Conflict`."""
    joined = members.workspaces_of(user.id)
    if user.disabled_at is not None:
        schedule_uses.check_account(joined, user.id, user.name, leave_gaps=leave_gaps, now=now, done=done)
        sessions.end_all(user.id, now, done)
    for workspace_id in joined:
        record.set_all_due(workspace_id, now, done)
        if user.disabled_at is not None:
            recheck.schedule_with_recheck(departures.KINDS, workspace_id, workspace_id, now, done)


def create(
    email: str, name: str, password: str, *, is_instance_admin: bool, workspace_name: str | None, now: datetime
) -> User:
    """Create an account, with its own workspace unless `workspace_name` is None.

    Raises `Conflict` when the address has an account, and `ValidationFailed` for the password.
    """
    _acceptable(password, email)
    password_hash = passwords.hashed(password)
    with work() as done:
        fields = {
            "id": new_id(now),
            "email": email.strip(),
            "email_key": email_key(email),
            "email_verified_at": now,
            "name": name,
            "password_hash": password_hash,
            "is_instance_admin": is_instance_admin,
            "created_at": now,
        }
        if not list(User.insert(fields).on_conflict_ignore().returning(User.id).execute()):
            raise Conflict("An account with this address already exists.")
        user: User = User.get_by_id(fields["id"])
        details = {"isInstanceAdmin": is_instance_admin}
        audit.record("account.created", target=audit.target("user", user.id, user.name), now=now, details=details)
        if workspace_name is not None:
            workspaces.create_within(workspace_name, "UTC", user.id, now, done)
    return user


def set_password(user: User, password: str, *, remove_factors: bool, now: datetime) -> None:
    """Set a person's password and end all their sessions and devices. `remove_factors` deletes all other factors.

    Raises `ValidationFailed` for the password.
    """
    _acceptable(password, user.email)
    password_hash = passwords.hashed(password)
    with work() as done:
        locked = _locked(user.id, None)
        User.update(password_hash=password_hash, rev=User.rev + 1).where(User.id == user.id).execute()
        if remove_factors:
            for factor in (TotpFactor, RecoveryCode, Passkey, Identity):
                factor.delete().where(factor.user == user.id).execute()
        Link.revoke_all(user.id, now)
        sessions.end_all(user.id, now, done)
        about, details = audit.target("user", user.id, user.name), {"factorsRemoved": remove_factors}
        audit.record("password.reset", target=about, now=now, details=details)
        done.publish_change("me", user.id, None, rev=locked.rev + 1)


def by_email(email: str) -> User | None:
    """Return the account with this address, unless it is closed."""
    found: User | None = User.get_or_none(User.email_key == email_key(email), User.deleted_at.is_null())
    return found


def _locked(user_id: UUID, expected_rev: int | None) -> User:
    user = User.select().where(User.id == user_id, User.deleted_at.is_null()).for_update("FOR NO KEY UPDATE").first()
    if user is None:
        raise NotFound
    check_rev(user.rev, expected_rev)
    return user


def _acceptable(password: str, email: str) -> None:
    reason = passwords.weakness(password, email=email)
    if reason is not None:
        raise ValidationFailed(errors=[Fault("/password", reason)])
