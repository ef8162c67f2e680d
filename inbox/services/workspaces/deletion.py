"""Closing an account or a workspace: hidden and without access at once, removed by the purge later.

Specification 12.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import peewee

from inbox.database.base import db
from inbox.domain.values import ids
from inbox.domain.values.refusals import LastInstanceAdmin, LastWorkspace, NotFound, WorkspaceNeedsOwner, check_rev
from inbox.domain.workspaces.roles import Role
from inbox.flow.oncall import record
from inbox.flow.timers import departures, recheck
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.models.insight import views
from inbox.models.people.accounts import User
from inbox.models.people.factors import Identity, Passkey, RecoveryCode, TotpFactor
from inbox.models.people.known_clients import KnownClient
from inbox.models.people.links import Invite, Link
from inbox.models.people.members import Member
from inbox.models.people.preferences import UserPreferences
from inbox.models.workspaces.tables import Workspace
from inbox.services.people import sessions
from inbox.services.records import audit
from inbox.services.workspaces import workspaces

ADMINS_LOCK = 0xAD317
"""The advisory lock for removals of instance administrators. Of two concurrent removals, one administrator remains."""

PROOFS = (TotpFactor, RecoveryCode, Passkey, Identity, Link, KnownClient, UserPreferences)
"""The credentials, known clients and preferences of an account. Closing the account deletes them at once."""


@dataclass(frozen=True, slots=True)
class ClosingRefusals:
    """The obstacles to closing an account: workspaces that would lose their only owner, and the only administrator."""

    workspaces: tuple[Workspace, ...]
    is_last_administrator: bool


def closing_refusals(user_id: UUID) -> ClosingRefusals:
    """Return all obstacles to closing this account now. Nothing is locked, so that they may change at any time."""
    memberships = Member.select(Member.workspace).where(Member.user == user_id, Member.role == str(Role.OWNER))
    owned = Workspace.select().where(Workspace.id.in_(memberships), Workspace.deleted_at.is_null())
    user = User.get_by_id(user_id)
    return ClosingRefusals(
        tuple(each for each in owned.order_by(Workspace.name, Workspace.id) if _needs_owner(each, user_id)),
        user.is_instance_admin and not _other_administrators(user_id).exists(),
    )


def close_account(user_id: UUID, *, expected_rev: int | None, now: datetime) -> None:
    """Close the account and every workspace that only it uses. It leaves the other workspaces.

    The address is free for a new account at once. Raises `LastInstanceAdmin`, and `RevMismatch`. Raises
    `WorkspaceNeedsOwner` for a workspace with other members and no other owner.
    """
    with work() as done:
        user = _locked(user_id, expected_rev)
        owned = _owned(user_id)
        for workspace in owned:
            _refuse_to_orphan(workspace, user_id)
        for workspace in owned:
            if not _others(workspace.id, user_id):
                _close(workspace, now, done)
        _leave_all(user, now, done)
        sessions.end_all(user_id, now, done)
        _forget(user, now)
        # The record excludes the address, because a closed account does not keep it.
        details = audit.removed(audit.columns(user, "name", "is_instance_admin", "timezone", "locale", "created_at"))
        audit.record("account.closed", target=audit.target("user", user_id, user.name), now=now, details=details)
        done.publish_change("me", user_id, None, op="deleted", rev=user.rev + 1)


def close_workspace(workspace_id: UUID, user_id: UUID, *, expected_rev: int | None, now: datetime) -> None:
    """Close a workspace. Its keys are refused from the next request on, its streams are notified, nothing is sent.

    Raises `LastWorkspace` when this person has no other, `NotFound`, and `RevMismatch`.
    """
    with work() as done:
        User.select(User.id).where(User.id == user_id).for_update("FOR NO KEY UPDATE").get()
        workspace = _workspaces([workspace_id]).first()
        if workspace is None:
            raise NotFound
        check_rev(workspace.rev, expected_rev)
        if _has_one_only(user_id):
            raise LastWorkspace
        _close(workspace, now, done)


def close_for_removal(workspace_id: UUID, *, now: datetime) -> None:
    """Close a workspace for the operator, also the only one of a person. Raises `NotFound`."""
    with work() as done:
        workspace = _workspaces([workspace_id]).first()
        if workspace is None:
            raise NotFound
        _close(workspace, now, done)


def administrators_but(user_id: UUID) -> bool:
    """Return whether another administrator of the instance exists.

    The answer holds until the caller's transaction ends.
    """
    db.execute_sql("SELECT pg_advisory_xact_lock(%s)", (ADMINS_LOCK,))
    return bool(_other_administrators(user_id).exists())


def _locked(user_id: UUID, expected_rev: int | None) -> User:
    remains = administrators_but(user_id)
    user = User.select().where(User.id == user_id, User.deleted_at.is_null()).for_update("FOR NO KEY UPDATE").first()
    if user is None:
        raise NotFound
    check_rev(user.rev, expected_rev)
    if user.is_instance_admin and not remains:
        raise LastInstanceAdmin
    return user


def _owned(user_id: UUID) -> list[Workspace]:
    """Return the workspaces that the person owns.

    All their workspaces are locked, so that no role changes meanwhile.
    """
    own_memberships = Member.select(Member.workspace).where(Member.user == user_id)
    locked = list(_workspaces(own_memberships))
    owned = {row.workspace_id for row in own_memberships.where(Member.role == str(Role.OWNER))}
    return [workspace for workspace in locked if workspace.id in owned]


def _workspaces(which: Sequence[UUID] | peewee.ModelSelect) -> peewee.ModelSelect:
    chosen = Workspace.id.in_(which) & Workspace.deleted_at.is_null()
    return Workspace.select().where(chosen).order_by(Workspace.id).for_update("FOR NO KEY UPDATE")


def _others(workspace_id: UUID, user_id: UUID) -> peewee.ModelSelect:
    return Member.select(Member.id).where(Member.workspace == workspace_id, Member.user != user_id)


def _refuse_to_orphan(workspace: Workspace, user_id: UUID) -> None:
    if _needs_owner(workspace, user_id):
        named = {"id": ids.encode("wsp", workspace.id), "name": workspace.name}
        raise WorkspaceNeedsOwner(
            f"The workspace {workspace.name} has other members and no other owner.", extra={"workspace": named}
        )


def _needs_owner(workspace: Workspace, user_id: UUID) -> bool:
    """Return whether the workspace would have members and no owner without this person."""
    others = _others(workspace.id, user_id)
    owners = others.join(User, on=(User.id == Member.user)).where(
        Member.role == str(Role.OWNER), User.disabled_at.is_null()
    )
    return bool(others.exists() and not owners.exists())


def _other_administrators(user_id: UUID) -> peewee.ModelSelect:
    able = User.is_instance_admin & User.disabled_at.is_null() & User.deleted_at.is_null()
    return User.select(User.id).where(able, User.id != user_id)


def _close(workspace: Workspace, now: datetime, done: AfterCommit) -> None:
    Workspace.update(deleted_at=now, rev=Workspace.rev + 1).where(Workspace.id == workspace.id).execute()
    Invite.update(deleted_at=now).where(
        Invite.workspace == workspace.id, Invite.accepted_at.is_null(), Invite.deleted_at.is_null()
    ).execute()
    about = audit.target("workspace", workspace.id, workspace.name)
    record = {**audit.columns(workspace, "name", "slug", "timezone", "created_at"), **workspaces.recorded(workspace)}
    audit.record("workspace.closed", target=about, now=now, workspace_id=workspace.id, details=audit.removed(record))
    done.publish_change("workspace", workspace.id, workspace.id, op="deleted", rev=workspace.rev + 1)


def _leave_all(user: User, now: datetime, done: AfterCommit) -> None:
    """Leave the open workspaces. A closed workspace keeps its members until it is removed."""
    open_ones = Workspace.select(Workspace.id).where(Workspace.deleted_at.is_null())
    own_memberships = (Member.user == user.id) & Member.workspace.in_(open_ones)
    for member in list(Member.select().where(own_memberships).order_by(Member.workspace)):
        Member.delete().where(Member.id == member.id).execute()
        views.delete_personal(user.id, member.workspace_id, now)
        recheck.schedule_with_recheck(departures.KINDS, member.workspace_id, member.workspace_id, now, done)
        record.set_all_due(member.workspace_id, now, done)
        about = audit.target("member", user.id, user.name)
        details = audit.removed(audit.columns(member, "role", "joined_at"))
        audit.record("member.left", target=about, now=now, workspace_id=member.workspace_id, details=details)
        done.publish_change("member", member.id, member.workspace_id, op="deleted")


def _forget(user: User, now: datetime) -> None:
    """Delete the credentials and release the address. The name stays until the purge."""
    for proof in PROOFS:
        proof.delete().where(proof.user == user.id).execute()
    User.update(
        deleted_at=now,
        disabled_at=peewee.fn.COALESCE(User.disabled_at, now),
        email_key=f"closed:{user.id}",
        password_hash=None,
        is_instance_admin=False,
        rev=User.rev + 1,
    ).where(User.id == user.id).execute()


def _has_one_only(user_id: UUID) -> bool:
    own_memberships = (
        Member.select(Member.id).join(Workspace).where(Member.user == user_id, Workspace.deleted_at.is_null())
    )
    return int(own_memberships.limit(2).count()) < 2
