"""Forwardings: somebody is on call in place of a person in all schedules, for a time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.paging import paged
from inbox.api.http.parsing import ParsedBody
from inbox.api.http.policy import (
    MEMBER,
    USER,
    VIEWER,
    EndpointPolicy,
    authorize,
    authorize_in,
    readable_workspaces,
)
from inbox.api.http.request_examples import RequestExample
from inbox.api.oncall.schemas.forwardings import ForwardingNew, ForwardingRecord, ForwardingsPage, ForwardingsQuery
from inbox.models.oncall.forwardings import OnCallForwarding
from inbox.services.oncall import forwardings
from inbox.services.oncall.editors import Editor

SORTS = {"startsAt": OnCallForwarding.starts_at, "created": OnCallForwarding.created_at}

blp = Blueprint(
    "forwardings",
    __name__,
    url_prefix="/v1/forwardings",
    description="Forwardings of people on call.",
    section="23.9",
)


@blp.route("/", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, VIEWER)
@blp.arguments(ForwardingsQuery, location="query")
@blp.response(200, ForwardingsPage)
def list_forwardings(args: dict[str, Any]) -> dict[str, Any]:
    """List forwardings

    Those that have not ended, or with `ended=true` the others.
    """
    reach, now = readable_workspaces(args.get("workspace_id")), datetime.now(UTC)
    ended = OnCallForwarding.ends_at <= now
    query = forwardings.of_workspaces(reach).where(ended if args.get("ended") else ~ended)
    return paged(query, args, sorts=SORTS, id=OnCallForwarding.id, dump=lambda row: row)


@blp.route("/", methods=["POST"], endpoint="create")
@EndpointPolicy(USER, MEMBER, workspace_from="body")
@RequestExample(values={"startsAt": "@day+1", "endsAt": "@day+2"})
@blp.arguments(ForwardingNew, cross_check=lambda fields: _check(fields["workspace_id"], fields))
@blp.response(201, ForwardingRecord)
@blp.refuses("conflict", "forbidden")
def create(fields: dict[str, Any]) -> OnCallForwarding:
    """Forward a person

    In all schedules of the workspace, after their overrides. The last forwarding of a person counts, and `to` is not
    forwarded again. To forward another person requires the role `admin`.
    """
    workspace_id, who = authorize_in(fields.pop("workspace_id")), caller()
    by = Editor(who.user_id, who.roles[workspace_id])
    return forwardings.create(workspace_id, fields, by=by, now=datetime.now(UTC))


@blp.route("/<typeid(fwd):forwarding_id>", methods=["DELETE"], endpoint="remove")
@EndpointPolicy(USER, MEMBER, workspace_from="record")
@blp.response(204)
@blp.refuses("conflict", "forbidden")
def remove(forwarding_id: UUID) -> None:
    """End a forwarding

    One that has not begun is removed. One of another person requires the role `admin`.
    """
    forwarding, who = authorize(forwardings.find(forwarding_id)), caller()
    by = Editor(who.user_id, who.roles[forwarding.workspace_id])
    forwardings.remove(forwarding, by=by, now=datetime.now(UTC))


def _check(workspace_id: UUID, fields: ParsedBody) -> None:
    forwardings.check(workspace_id, fields, datetime.now(UTC))
