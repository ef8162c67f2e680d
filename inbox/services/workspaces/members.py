"""Members of a workspace: roles, removal and leaving. An owner always remains (specification 12.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NoReturn
from uuid import UUID

import peewee

from inbox.config import settings
from inbox.database.base import new_id
from inbox.domain.people.notification_rules import PUSH, Paging, paging_of
from inbox.domain.values import ids
from inbox.domain.values.refusals import Forbidden, NotFound, WorkspaceNeedsOwner
from inbox.domain.workspaces.audit_actions import AuditAction
from inbox.domain.workspaces.roles import Role
from inbox.flow.oncall import record
from inbox.flow.timers import departures, recheck
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.models.deliveries import contacts
from inbox.models.insight import views
from inbox.models.people.accounts import Session, User
from inbox.models.people.devices import Device
from inbox.models.people.factors import Passkey, TotpFactor
from inbox.models.people.links import Invite
from inbox.models.people.members import Member
from inbox.models.workspaces.tables import Workspace
from inbox.services.people import push_destinations
from inbox.services.records import audit, schedule_uses
from inbox.services.records.record_limits import check_room, lock_person

MAX_MEMBERS = 1_000
"""The most members of a workspace."""

MAX_MEMBERSHIPS = 500
"""The most workspaces of one person. `GET /v1/start` answers all of them."""

MAX_OWNED = 50
"""The most workspaces that one person owns. Administrators of the instance are excluded."""

TOO_MANY_OWNED = "A person owns at most {} workspaces. A closed one counts until its data are removed."

RANK = peewee.Case(Member.role, [(str(role), place) for place, role in enumerate(Role)])
"""A member's role as a number, lowest first."""


def of_workspace(workspace_id: UUID) -> peewee.ModelSelect[Member]:
    """Select the members with `user`, `seen_at` (the last request of any kind) and `has_mfa`."""
    by_browser = Session.select(peewee.fn.MAX(Session.last_seen_at)).where(Session.user == User.id)
    by_phone = Device.select(peewee.fn.MAX(Device.last_seen_at)).where(Device.user == User.id)
    by_code = TotpFactor.select(peewee.SQL("1")).where(
        TotpFactor.user == User.id, TotpFactor.confirmed_at.is_null(False)
    )
    by_passkey = Passkey.select(peewee.SQL("1")).where(Passkey.user == User.id)
    return (
        Member.select(
            Member,
            User,
            peewee.fn.GREATEST(Member.last_seen_at, by_browser, by_phone).alias("seen_at"),
            (peewee.fn.EXISTS(by_code) | peewee.fn.EXISTS(by_passkey)).alias("has_mfa"),
        )
        .join(User)
        .where(Member.workspace == workspace_id)
        .objects()
    )


def with_paging(workspace_id: UUID, rows: Sequence[Member]) -> Sequence[Member]:
    """Return these members of the workspace, each with `paging`: how pages reach the person."""
    can_send_mail = settings.current().can_send_mail
    found = contacts.reachable(workspace_id, [row.user_id for row in rows], can_send_mail=can_send_mail)
    for row in rows:
        person = found.get(row.user_id)
        methods = set[str]() if person is None else {*person.addresses, *([PUSH] if person.phones else [])}
        row.paging = Paging.UNREACHABLE if person is None else paging_of(person.rules, methods)
    return rows


def one(workspace_id: UUID, user_id: UUID) -> Member:
    """Return a member with the columns of `of_workspace`, and `paging`. Raises `NotFound`."""
    found: Member | None = of_workspace(workspace_id).where(Member.user == user_id).first()
    if found is None:
        raise NotFound
    return with_paging(workspace_id, [found])[0]


def set_role(workspace_id: UUID, user_id: UUID, role: Role, *, by: UUID, now: datetime) -> None:
    """Set a member's role, from their next request on.

    Raises `NotFound`, and `WorkspaceNeedsOwner` for the last owner. Raises `Forbidden` when `by` is no longer an owner,
    and `Conflict` for an owner of too many workspaces.
    """
    with work() as done:
        workspace = lock_as_owner(workspace_id, by)
        member = _member(workspace_id, user_id)
        if member.role == str(role):
            return
        if role is Role.OWNER:
            check_ownership(member.user)
        if role is not Role.OWNER:
            _keep_an_owner(workspace, member)
            _end_invites(workspace_id, user_id, now, done)
        changes = audit.changes({"role": member.role}, {"role": str(role)})
        Member.update(role=str(role)).where(Member.id == member.id).execute()
        _note("member.role_changed", member, now, changes)
        _publish(member, "changed", done)


def remove(workspace_id: UUID, user_id: UUID, *, by: UUID, leave_gaps: bool = False, now: datetime) -> None:
    """Remove a member. Their access and the references on their open streams end at once.

    Raises as `set_role` does, and `Conflict` while on-call schedules name the member, unless `leave_gaps` is set.
    """
    with work() as done:
        workspace = lock_as_owner(workspace_id, by)
        member = _member(workspace_id, user_id)
        _leave_schedules(member, now, done, leave_gaps=leave_gaps)
        _remove(workspace, member, "member.removed", now, done)


def leave(workspace_id: UUID, user_id: UUID, *, leave_gaps: bool = False, now: datetime) -> None:
    """Leave the workspace.

    Raises `WorkspaceNeedsOwner` for the last owner, `NotFound` for a former member, and `Conflict` as `remove` does.
    """
    with work() as done:
        workspace = locked(workspace_id)
        member = _member(workspace_id, user_id)
        _leave_schedules(member, now, done, leave_gaps=leave_gaps)
        _remove(workspace, member, "member.left", now, done)


def join(workspace: Workspace, user: User, role: Role, now: datetime, done: AfterCommit) -> None:
    """Create a member within the caller's unit of work, which has locked the workspace.

    Raises `Conflict` beyond `MAX_MEMBERS`, and as `check_person` does.
    """
    check_room(Member.select().where(Member.workspace == workspace), MAX_MEMBERS, "A workspace has at most {} members.")
    check_person(user, role)
    member = Member.create(id=new_id(now), workspace=workspace, user=user, role=str(role), joined_at=now)
    record.set_all_due(workspace.id, now, done)
    _note("member.joined", member, now, {"role": str(role)})
    _publish(member, "created", done)


def check_person(user: User, role: Role) -> None:
    """Raise `Conflict` when the person can join no further workspace, or own no further one if `role` is owner.

    Workspaces count until their data are removed. Instance administrators own any number.
    """
    lock_person(user.id)
    memberships = Member.select().where(Member.user == user)
    check_room(memberships, MAX_MEMBERSHIPS, "A person is a member of at most {} workspaces.")
    if role is Role.OWNER:
        check_ownership(user)


def check_ownership(user: User) -> None:
    """Raise `Conflict` when the person can own no further workspace."""
    if not user.is_instance_admin:
        lock_person(user.id)
        owned = Member.select().where(Member.user == user, Member.role == str(Role.OWNER))
        check_room(owned, MAX_OWNED, TOO_MANY_OWNED)


def locked(workspace_id: UUID) -> Workspace:
    """Lock and return the workspace. Its memberships do not change until the transaction ends. Raises `NotFound`."""
    existing = Workspace.select().where(Workspace.id == workspace_id, Workspace.deleted_at.is_null())
    workspace: Workspace | None = existing.for_update("FOR NO KEY UPDATE").first()
    if workspace is None:
        raise NotFound
    return workspace


def lock_as_owner(workspace_id: UUID, by: UUID) -> Workspace:
    """Lock the workspace and check that `by` owns it. Of two owners who remove each other, the second is refused here.

    Raises `NotFound` for a former member, and `Forbidden` for a former owner.
    """
    workspace = locked(workspace_id)
    if _member(workspace_id, by).role != str(Role.OWNER):
        raise Forbidden(
            f"You need the {Role.OWNER.capitalize()} role in this workspace.", extra={"requiredRole": str(Role.OWNER)}
        )
    return workspace


def owns(workspace_id: UUID, user_id: UUID | None) -> bool:
    """Return whether this person is an owner whose account is neither disabled nor closed."""
    return bool(_able_owners(workspace_id).where(Member.user == user_id).exists())


def _member(workspace_id: UUID, user_id: UUID) -> Member:
    member: Member | None = (
        Member.select(Member, User).join(User).where(Member.workspace == workspace_id, Member.user == user_id).first()
    )
    if member is None:
        raise NotFound
    return member


def _leave_schedules(member: Member, now: datetime, done: AfterCommit, *, leave_gaps: bool) -> None:
    schedule_uses.check_member(
        member.workspace_id, member.user_id, member.user.name, leave_gaps=leave_gaps, now=now, done=done
    )


def _remove(workspace: Workspace, member: Member, action: AuditAction, now: datetime, done: AfterCommit) -> None:
    _keep_an_owner(workspace, member)
    _end_invites(workspace.id, member.user_id, now, done)
    Member.delete().where(Member.id == member.id).execute()
    views.delete_personal(member.user_id, workspace.id, now)
    push_destinations.remove(push_destinations.of_member(member.user_id, workspace.id), now, done)
    recheck.schedule_with_recheck(departures.KINDS, workspace.id, workspace.id, now, done)
    record.set_all_due(workspace.id, now, done)
    _note(action, member, now, {"role": member.role, **audit.removed(audit.columns(member, "role", "joined_at"))})
    _publish(member, "deleted", done)


def _keep_an_owner(workspace: Workspace, leaving: Member) -> None:
    if leaving.role != str(Role.OWNER):
        return
    if not _able_owners(workspace.id).where(Member.id != leaving.id).exists():
        _refuse(workspace)


def _refuse(workspace: Workspace) -> NoReturn:
    raise WorkspaceNeedsOwner(
        f"This is the last owner of the workspace {workspace.name}. Make another member an owner first.",
        extra={"workspace": {"id": ids.encode("wsp", workspace.id), "name": workspace.name}},
    )


def _able_owners(workspace_id: UUID) -> peewee.ModelSelect[Member]:
    able = User.disabled_at.is_null() & User.deleted_at.is_null()
    owner = (Member.workspace == workspace_id) & (Member.role == str(Role.OWNER))
    return Member.select(Member.id).join(User).where(owner, able)


def _end_invites(workspace_id: UUID, user_id: UUID, now: datetime, done: AfterCommit) -> None:
    """Withdraw the open invites of a former owner. They stay withdrawn if the person becomes an owner again."""
    open_ones = (Invite.workspace == workspace_id) & (Invite.created_by == user_id)
    open_ones &= Invite.accepted_at.is_null() & Invite.deleted_at.is_null()
    ended: Sequence[Invite] = Invite.update(deleted_at=now).where(open_ones).returning(Invite.id).execute()
    for invite in ended:
        done.publish_change("invite", invite.id, workspace_id, op="deleted")


def _note(action: AuditAction, member: Member, now: datetime, details: Mapping[str, object]) -> None:
    about = audit.target("member", member.user_id, member.user.name)
    audit.record(action, target=about, now=now, workspace_id=member.workspace_id, details=details)


def _publish(member: Member, op: str, done: AfterCommit) -> None:
    done.publish_change("member", member.id, member.workspace_id, op=op)
    done.publish_change("me", member.user_id, None)
