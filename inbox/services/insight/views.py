"""Saved views: named filters of a person, private or shared with the workspace (specification 7.10)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.database.base import new_id
from inbox.domain.values.refusals import Conflict, Forbidden, NotFound, check_rev
from inbox.domain.workspaces.roles import Role
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.models.insight import views
from inbox.models.insight.views import SavedView
from inbox.models.people.accounts import User
from inbox.models.people.members import Member

MAX_VIEWS = 100
"""The maximum number of a person's views in one workspace. Views in a workspace they left do not count elsewhere."""


def create(
    workspace_id: UUID, fields: Mapping[str, Any], *, person: UUID | None, role: Role, now: datetime
) -> SavedView:
    """Create a view. Without a `person`, it is the workspace's.

    Raises `Conflict` beyond `MAX_VIEWS`, and `Forbidden` when a viewer shares one or the role cannot read the list.
    """
    if fields["list"] == "audit" and not role.allows(Role.ADMIN):
        raise Forbidden("You need the Admin role for the audit log.", extra={"requiredRole": str(Role.ADMIN)})
    if fields.get("shared"):
        _may_share(role)
    with work() as done:
        if person is not None:
            _check_maximum(person, workspace_id)
        elif views.count_unowned(workspace_id) >= MAX_VIEWS:
            raise Conflict(f"The workspace already has {MAX_VIEWS} views that nobody owns.")
        view: SavedView = SavedView.create(
            id=new_id(now), workspace_id=workspace_id, user=person, created_at=now, **fields
        )
        _clear_default(view, done)
        _publish(view, done, "created")
    return view


def edit(
    view: SavedView, fields: Mapping[str, Any], *, person: UUID | None, role: Role, expected_rev: int | None
) -> SavedView:
    """Change the given fields.

    Raises `RevMismatch`, and `Forbidden` for another person's view or without the right to share. Raises `Conflict`
    when a view becomes personal and its creator has left.
    """
    with work() as done:
        view = _locked(view, person, role, expected_rev)
        if fields.get("shared"):
            _may_share(role)
        if fields.get("shared") is False and not _has_owner(view):
            raise Conflict("Its creator is no longer a member. Delete it instead.")
        was_shared = view.shared
        for name, value in fields.items():
            setattr(view, name, value)
        view.rev += 1
        view.save()
        _clear_default(view, done)
        _publish(view, done, "changed", everybody=was_shared)
    return view


def remove(view: SavedView, *, person: UUID | None, role: Role, expected_rev: int | None, now: datetime) -> None:
    """Delete a view. The purge removes it. Raises as `edit` does."""
    with work() as done:
        view = _locked(view, person, role, expected_rev)
        view.deleted_at = now
        view.rev += 1
        view.save()
        _publish(view, done, "deleted")


def restore(view: SavedView, *, person: UUID, role: Role) -> SavedView:
    """Restore a deleted view. It is not the default view, because another one may be.

    Raises `Conflict` when it is not deleted or at `MAX_VIEWS` of its owner, and `Forbidden` as `edit` does.
    """
    with work() as done:
        if view.deleted_at is None:
            raise Conflict("It is not deleted.")
        if view.user_id is not None:
            _check_maximum(view.user_id, view.workspace_id)
        view = _locked(view, person, role, None, deleted=True)
        view.deleted_at, view.is_default = None, False
        view.rev += 1
        view.save()
        _publish(view, done, "created")
    return view


def _check_maximum(person: UUID, workspace_id: UUID) -> None:
    """Lock the person, which serializes concurrent counts. Raises `Conflict` at `MAX_VIEWS`."""
    User.select(User.id).where(User.id == person).for_update("FOR NO KEY UPDATE").get()
    if views.count_own(person, workspace_id) >= MAX_VIEWS:
        raise Conflict(f"You already have {MAX_VIEWS} views in this workspace.")


def _has_owner(view: SavedView) -> bool:
    return Member.select().where(Member.workspace == view.workspace_id, Member.user == view.user_id).exists()


def _clear_default(view: SavedView, done: AfterCommit) -> None:
    for other in views.clear_default(view) if view.is_default else ():
        _publish(other, done, "changed")


def _may_share(role: Role) -> None:
    if not role.allows(Role.MEMBER):
        raise Forbidden(
            "You need the Member role in this workspace to share a view.", extra={"requiredRole": str(Role.MEMBER)}
        )


def _locked(
    view: SavedView, person: UUID | None, role: Role, expected_rev: int | None, *, deleted: bool = False
) -> SavedView:
    locked = (
        views.visible([view.workspace_id], person, deleted=deleted)
        .where(SavedView.id == view.id)
        .for_update("FOR NO KEY UPDATE")
        .first()
    )
    if locked is None:
        raise NotFound
    if locked.user_id != person and not role.allows(Role.ADMIN):
        raise Forbidden("The view belongs to another user.", extra={"requiredRole": str(Role.ADMIN)})
    check_rev(locked.rev, expected_rev)
    found: SavedView = locked
    return found


def _publish(view: SavedView, done: AfterCommit, op: str, *, everybody: bool = False) -> None:
    only = None if view.shared or everybody else view.user_id
    done.publish_change("view", view.id, view.workspace_id, op=op, rev=view.rev, only=only)
