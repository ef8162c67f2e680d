"""Members of a workspace and their roles (specification 12.3)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.paging import containing, paged
from inbox.api.http.policy import OWNER, RECENT, USER, VIEWER, EndpointPolicy, authorize_in
from inbox.api.workspaces.schemas.members import MemberRecord, MembersPage, MembersQuery, RemovalQuery, RoleChange
from inbox.domain.workspaces.roles import Role
from inbox.models.people.accounts import User
from inbox.models.people.members import Member
from inbox.services.workspaces import members

blp = Blueprint("members", __name__, url_prefix="/v1/workspaces", description="Members of a workspace.", section="12.3")

OF_WORKSPACE = "/<typeid(wsp):workspace_id>/members"
ONE = f"{OF_WORKSPACE}/<typeid(usr):user_id>"


@blp.route(OF_WORKSPACE, methods=["GET"], endpoint="list")
@EndpointPolicy(USER, VIEWER, workspace_from="path")
@blp.arguments(MembersQuery, location="query")
@blp.response(200, MembersPage)
def list_members(args: dict[str, Any], workspace_id: UUID) -> dict[str, Any]:
    """List a workspace's members"""
    query = members.of_workspace(authorize_in(workspace_id))
    if "role" in args:
        query = query.where(Member.role == args["role"])
    page = paged(
        containing(query, args, User.name, User.email_key),
        args,
        sorts={"name": User.name, "email": User.email_key, "joined": Member.joined_at, "role": members.RANK},
        id=Member.id,
        dump=lambda row: row,
    )
    return {**page, "items": members.with_paging(workspace_id, page["items"])}


@blp.route(ONE, methods=["PATCH"], endpoint="change")
@EndpointPolicy(USER, OWNER, RECENT, workspace_from="path")
@blp.arguments(RoleChange)
@blp.response(200, MemberRecord)
@blp.refuses("workspace_needs_owner", "conflict")
def change(fields: dict[str, Any], workspace_id: UUID, user_id: UUID) -> Member:
    """Change a member's role

    The role applies from the member's next request on. The last owner cannot get another role.
    """
    role = Role(fields["role"])
    members.set_role(authorize_in(workspace_id), user_id, role, by=caller().user_id, now=datetime.now(UTC))
    return members.one(workspace_id, user_id)


@blp.route(ONE, methods=["DELETE"], endpoint="remove")
@EndpointPolicy(USER, OWNER, RECENT, workspace_from="path")
@blp.arguments(RemovalQuery, location="query")
@blp.response(204)
@blp.refuses("workspace_needs_owner", "conflict")
def remove(args: dict[str, Any], workspace_id: UUID, user_id: UUID) -> None:
    """Remove a member

    The person loses access to the workspace at once, on open streams too. The last owner cannot be removed.
    409 with `usedBy` while on-call schedules name the person, unless `leaveGaps` is true.
    """
    by, now = caller().user_id, datetime.now(UTC)
    members.remove(authorize_in(workspace_id), user_id, by=by, leave_gaps=args["leave_gaps"], now=now)


@blp.route(f"{OF_WORKSPACE}/me", methods=["DELETE"], endpoint="leave")
@EndpointPolicy(USER, VIEWER, workspace_from="path", mfa=False)
@blp.arguments(RemovalQuery, location="query")
@blp.response(204)
@blp.refuses("workspace_needs_owner", "conflict")
def leave(args: dict[str, Any], workspace_id: UUID) -> None:
    """Leave a workspace

    Every member can leave except the last owner, also without the second factor that the workspace requires.
    409 with `usedBy` while on-call schedules name the person, unless `leaveGaps` is true.
    """
    user_id, now = caller().user_id, datetime.now(UTC)
    members.leave(authorize_in(workspace_id), user_id, leave_gaps=args["leave_gaps"], now=now)
