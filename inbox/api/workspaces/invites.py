"""Invitations: owners create them, and anybody with the link previews and accepts them (specification 12.4)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from flask import Response, make_response, request, url_for

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller, identify
from inbox.api.http.paging import paged
from inbox.api.http.policy import NONE, OWNER, RECENT, USER, VIEWER, EndpointPolicy, authorize_in
from inbox.api.incidents.records import people
from inbox.api.people.session_cookie import begin_session, client
from inbox.api.workspaces.schemas.invites import (
    InviteAcceptance,
    InviteAccepted,
    InviteCreated,
    InviteNew,
    InvitePreview,
    InvitesPage,
    InvitesQuery,
    InviteToken,
)
from inbox.api.workspaces.workspaces import with_settings
from inbox.domain.values.refusals import Unauthenticated
from inbox.domain.workspaces.roles import Role
from inbox.models.people.links import Invite
from inbox.services.workspaces import invites

blp = Blueprint("invites", __name__, url_prefix="/v1", description="Invitations into a workspace.", section="12.4")

OF_WORKSPACE = "/workspaces/<typeid(wsp):workspace_id>/invites"


@blp.route(OF_WORKSPACE, methods=["GET"], endpoint="list")
@EndpointPolicy(USER, VIEWER, workspace_from="path")
@blp.arguments(InvitesQuery, location="query")
@blp.response(200, InvitesPage)
def list_invites(args: dict[str, Any], workspace_id: UUID) -> dict[str, Any]:
    """List a workspace's invitations

    Includes accepted and expired ones, without withdrawn ones. Links are never answered again.
    """
    query = invites.of_workspace(authorize_in(workspace_id))
    page = paged(query, args, sorts={"created": Invite.created_at}, id=Invite.id, dump=lambda row: row)
    return page | {"items": _with_people(page["items"])}


@blp.route(OF_WORKSPACE, methods=["POST"], endpoint="create")
@EndpointPolicy(USER, OWNER, RECENT, workspace_from="path")
@blp.arguments(InviteNew)
@blp.response(201, InviteCreated)
@blp.refuses("conflict")
def create(fields: dict[str, Any], workspace_id: UUID) -> tuple[Invite, int, dict[str, str]]:
    """Create an invitation

    `link` is answered once. It is valid once, for 7 days, and while its creator is an owner. With an email address
    only that address may accept; the link is mailed there where `mail` is listed.
    """
    now, role = datetime.now(UTC), Role(fields["role"])
    invite, link = invites.create(authorize_in(workspace_id), role, fields["email"], by=caller().user_id, now=now)
    location = url_for("invites.withdraw", workspace_id=workspace_id, invite_id=invite.id)
    invite.link = link
    return _with_people([invite])[0], 201, {"Location": location}


@blp.route(f"{OF_WORKSPACE}/<typeid(inv):invite_id>", methods=["DELETE"], endpoint="withdraw")
@EndpointPolicy(USER, OWNER, RECENT, workspace_from="path")
@blp.response(204)
@blp.refuses("conflict")
def withdraw(workspace_id: UUID, invite_id: UUID) -> None:
    """Revoke an invitation

    Its link is refused from then on. An accepted invitation cannot be withdrawn.
    """
    invites.withdraw(authorize_in(workspace_id), invite_id, by=caller().user_id, now=datetime.now(UTC))


@blp.route("/invites/preview", methods=["POST"], endpoint="preview")
@EndpointPolicy(NONE, workspace_from="none")
@blp.arguments(InviteToken)
@blp.response(200, InvitePreview)
@blp.refuses("invite_invalid", "rate_limited")
def preview(fields: dict[str, Any]) -> invites.InvitePreview:
    """Preview an invitation

    Public: requires the link's token only. A preview does not use it up.
    """
    return invites.preview(fields["token"], datetime.now(UTC), address=request.remote_addr or "")


@blp.route("/invites/accept", methods=["POST"], endpoint="accept")
@EndpointPolicy(NONE, workspace_from="none", optional_credential=USER)
@blp.arguments(InviteAcceptance)
@blp.response(200, InviteAccepted)
@blp.refuses("invite_invalid", "unauthenticated", "conflict", "rate_limited")
def accept(fields: dict[str, Any]) -> Response:
    """Accept an invitation

    A signed-in person sends the token alone and joins. A person without an account also sends `email`, `name` and
    `password`: this creates the account, joins, and signs in. Every refused invitation is the same 403
    `invite_invalid`.
    """
    now, token = datetime.now(UTC), fields["token"]
    if "email" in fields:
        new_account = invites.NewAccount(**{name: value for name, value in fields.items() if name != "token"})
        return _response(invites.accept_as_new(token, new_account, now, client=client()))
    joined = invites.accept(token, _who(), now, address=request.remote_addr or "")
    if joined is None:
        raise Unauthenticated("Sign in first, or send email, name and password for a new account.")
    return _response(joined)


def _with_people(rows: list[Invite]) -> list[Invite]:
    found = people([user_id for row in rows for user_id in (row.created_by_id, row.accepted_by_id)])
    for row in rows:
        row.creator, row.acceptor = found.get(row.created_by_id), found.get(row.accepted_by_id)
    return rows


def _who() -> UUID | None:
    """Returns the person who is signed in, if any. The policy requires no credential here."""
    try:
        return identify(devices_too=True).user_id
    except Unauthenticated:
        return None


def _response(joined: invites.AcceptedInvite) -> Response:
    response = {"user": joined.user, "workspace": with_settings(joined.workspace, joined.role)}
    answer = make_response(InviteAccepted().dump(response))
    if joined.token is not None:
        begin_session(answer, joined.token)
    return answer
