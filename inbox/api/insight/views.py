"""Saved views: named filters of a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import marshmallow as ma
from flask import url_for

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.paging import paged
from inbox.api.http.parsing import INVALID, faults
from inbox.api.http.policy import (
    USER,
    VIEWER,
    EndpointPolicy,
    authorize,
    authorize_deleted,
    authorize_in,
    readable_workspaces,
)
from inbox.api.http.revisions import expected_rev, tagged
from inbox.api.incidents.records import people
from inbox.api.insight.schemas.views import ViewEdit, ViewNew, ViewRecord, ViewsPage, ViewsQuery, checked
from inbox.domain.values.refusals import ValidationFailed
from inbox.domain.workspaces.roles import Role
from inbox.models.insight.views import SavedView, visible
from inbox.services.insight import views

blp = Blueprint("views", __name__, url_prefix="/v1/views", description="Saved filters of the lists.", section="7.10")


@blp.route("/", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, VIEWER)
@blp.arguments(ViewsQuery, location="query")
@blp.response(200, ViewsPage)
def list_views(args: dict[str, Any]) -> dict[str, Any]:
    """List saved views

    The caller's own views and those shared in the workspaces, or in one. `deleted=true` lists the deleted ones of the
    last seven days.
    """
    query = _readable(readable_workspaces(args.get("workspace_id")), deleted=args.get("deleted", False))
    if "list" in args:
        query = query.where(SavedView.list == args["list"])
    sorts = {"name": SavedView.name, "created": SavedView.created_at, "order": SavedView.position}
    page = paged(query, args, sorts=sorts, id=SavedView.id, dump=lambda row: row)
    return {**page, "items": _with_makers(page["items"])}


@blp.route("/", methods=["POST"], endpoint="create")
@EndpointPolicy(USER, VIEWER, workspace_from="body")
@blp.arguments(ViewNew)
@blp.response(201, ViewRecord)
@blp.refuses("conflict", "forbidden")
def create(fields: dict[str, Any]) -> tuple[SavedView, int, dict[str, str]]:
    """Save a view

    For the caller or, as a member, for the workspace. A person keeps at most 100. Views of the audit log require the
    role `admin`.
    """
    workspace_id = authorize_in(fields.pop("workspace_id"))
    who = caller()
    view = views.create(workspace_id, fields, person=who.user_id, role=who.roles[workspace_id], now=datetime.now(UTC))
    return tagged(_with_makers([view])[0]), 201, {"Location": url_for("views.read", view_id=view.id)}


@blp.route("/<typeid(view):view_id>", methods=["GET"], endpoint="read")
@EndpointPolicy(USER, VIEWER, workspace_from="record")
@blp.response(200, ViewRecord)
def read(view_id: UUID) -> SavedView:
    """Read a saved view"""
    return tagged(_with_makers([_find(view_id)])[0])


@blp.route("/<typeid(view):view_id>", methods=["PATCH"], endpoint="edit")
@EndpointPolicy(USER, VIEWER, workspace_from="record")
@blp.arguments(ViewEdit, cross_check=lambda fields, view_id: _fitting(_find(view_id), fields.get("filters", {})))
@blp.response(200, ViewRecord)
@blp.refuses("forbidden")
def edit(fields: dict[str, Any], view_id: UUID) -> SavedView:
    """Change a saved view

    The caller's own; another person's shared view requires the role `admin`.
    """
    view, who = _find(view_id), caller()
    if "filters" in fields:
        fields["filters"] = _fitting(view, fields["filters"])
    role = who.roles[view.workspace_id]
    edited = views.edit(view, fields, person=who.user_id, role=role, expected_rev=expected_rev())
    return tagged(_with_makers([edited])[0])


@blp.route("/<typeid(view):view_id>", methods=["DELETE"], endpoint="remove")
@EndpointPolicy(USER, VIEWER, workspace_from="record")
@blp.response(204)
@blp.refuses("forbidden")
def remove(view_id: UUID) -> None:
    """Delete a saved view

    The caller's own; another person's shared view requires the role `admin`.
    """
    view, who = _find(view_id), caller()
    role = who.roles[view.workspace_id]
    views.remove(view, person=who.user_id, role=role, expected_rev=expected_rev(), now=datetime.now(UTC))


@blp.route("/<typeid(view):deleted_view_id>/restore", methods=["POST"], endpoint="restore")
@EndpointPolicy(USER, VIEWER, workspace_from="record", section="12.10")
@blp.response(200, ViewRecord)
@blp.refuses("conflict", "forbidden")
def restore(deleted_view_id: UUID) -> SavedView:
    """Restore a deleted view

    Within seven days of its deletion. It is not the default view. Another person's shared view requires the role
    `admin`. 409 when it is not deleted.
    """
    who = caller()
    found = (
        _readable(who.workspace_ids, deleted=each).where(SavedView.id == deleted_view_id) for each in (True, False)
    )
    view = authorize_deleted(next((row for query in found if (row := query.first()) is not None), None))
    restored = views.restore(view, person=who.user_id, role=who.roles[view.workspace_id])
    return tagged(_with_makers([restored])[0])


def _with_makers(rows: list[SavedView]) -> list[SavedView]:
    makers = people([row.user_id for row in rows])
    for row in rows:
        row.maker = makers.get(row.user_id) if row.user_id is not None else None
    return rows


def _fitting(view: SavedView, filters: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the filters as the view's list accepts them. Raises `ValidationFailed`."""
    try:
        return checked(view.list, filters)
    except ma.ValidationError as error:
        raise ValidationFailed(INVALID, errors=list(faults(error.normalized_messages()))) from None


def _find(view_id: UUID) -> SavedView:
    view: SavedView = authorize(_readable(caller().workspace_ids).where(SavedView.id == view_id).first())
    return view


def _readable(workspace_ids: Sequence[UUID], *, deleted: bool = False) -> Any:
    """Returns the views that the caller can read in these workspaces.

    Views of the audit log need the role that reads it.
    """
    roles = caller().roles
    of_audit = [each for each in workspace_ids if roles[each].allows(Role.ADMIN)]
    return visible(workspace_ids, caller().user_id, deleted=deleted).where(
        (SavedView.list != "audit") | SavedView.workspace_id.in_(of_audit)
    )
