"""Workspaces, their settings and their default route (specification 12.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from flask import url_for

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.paging import paged
from inbox.api.http.policy import (
    ADMIN,
    OWNER,
    REAUTH,
    USER,
    VIEWER,
    EndpointPolicy,
    StepUp,
    authorize_in,
    require_step_up,
)
from inbox.api.http.request_examples import RequestExample
from inbox.api.http.revisions import expected_rev, tagged
from inbox.api.workspaces.schemas.workspaces import (
    QuietHoursPreview,
    QuietHoursPreviewRequest,
    RouteRecord,
    RouteReplacement,
    WorkspaceChange,
    WorkspaceNew,
    WorkspaceRecord,
    WorkspacesPage,
    WorkspacesQuery,
    stored,
)
from inbox.config import settings
from inbox.domain.explaining.quiet_hours_text import status, upcoming
from inbox.domain.routing.people import PageTarget
from inbox.domain.values import ids
from inbox.domain.values.refusals import Fault, NotFound, ValidationFailed, run_checks
from inbox.domain.values.windows import QuietHours
from inbox.domain.workspaces import settings as rules
from inbox.domain.workspaces.roles import Role
from inbox.domain.workspaces.settings import DefaultRoute
from inbox.models.insight import reachability
from inbox.models.workspaces.tables import Workspace
from inbox.runtime import work_budget
from inbox.services.people import authentication_factors
from inbox.services.workspaces import deletion, workspaces

FARTHEST = timedelta(days=366)
"""The farthest time of a preview of quiet hours from now, in both directions."""

blp = Blueprint(
    "workspaces", __name__, url_prefix="/v1/workspaces", description="Workspaces and their settings.", section="12.1"
)


@blp.route("/", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, workspace_from="caller")
@blp.arguments(WorkspacesQuery, location="query")
@blp.response(200, WorkspacesPage)
def list_workspaces(args: dict[str, Any]) -> dict[str, Any]:
    """List your workspaces"""
    query, sorts = (
        workspaces.existing(caller().workspace_ids),
        {"name": Workspace.name, "created": Workspace.created_at},
    )
    page = paged(query, args, sorts=sorts, id=Workspace.id, dump=lambda row: row)
    shown = work_budget.spending(presented(page["items"], caller().roles))
    return {**page, "items": [WorkspaceRecord().dump(each) for each in shown]}


@blp.route("/", methods=["POST"], endpoint="create")
@EndpointPolicy(USER, workspace_from="none")
@blp.arguments(WorkspaceNew)
@blp.response(201, WorkspaceRecord)
@blp.refuses("forbidden", "conflict")
def create(fields: dict[str, Any]) -> tuple[dict[str, Any], int, dict[str, str]]:
    """Create a workspace

    The caller becomes its owner. 403 where `workspaceCreation` of `GET /v1/info` is `administrators` and the caller is
    no administrator. 409 for a person who owns too many workspaces.
    """
    workspace = workspaces.create(
        fields["name"],
        fields["timezone"],
        caller().user_id,
        datetime.now(UTC),
        creation=settings.current().workspace_creation,
    )
    location = url_for("workspaces.read", workspace_id=workspace.id)
    return with_settings(tagged(workspace), Role.OWNER), 201, {"Location": location}


@blp.route("/<typeid(wsp):workspace_id>", methods=["GET"], endpoint="read")
@EndpointPolicy(USER, VIEWER, workspace_from="path")
@blp.response(200, WorkspaceRecord)
def read(workspace_id: UUID) -> dict[str, Any]:
    """Read a workspace"""
    workspace = _find(authorize_in(workspace_id))
    return with_settings(tagged(workspace), caller().roles[workspace_id])


@blp.route("/<typeid(wsp):workspace_id>", methods=["PATCH"], endpoint="change")
@EndpointPolicy(USER, ADMIN, workspace_from="path")
@RequestExample(values={"settings.requireMfa": False})
@blp.arguments(WorkspaceChange, cross_check=lambda fields, workspace_id: _check(authorize_in(workspace_id), fields))
@blp.response(200, WorkspaceRecord)
@blp.refuses("reauth_required")
def change(fields: dict[str, Any], workspace_id: UUID) -> dict[str, Any]:
    """Change a workspace's name, time zone and settings

    Members that the body leaves out stay, also within `settings`; lists are replaced as a whole. `requireMfa` closes
    the workspace to members without a second factor. Only a person with a second factor can set it. A shorter
    `retention` purges records, so it needs a proof of the last 15 minutes.
    """
    _check(authorize_in(workspace_id), fields)
    changes = {**fields, **({"settings": stored(fields["settings"])} if "settings" in fields else {})}
    now = datetime.now(UTC)
    workspace = workspaces.change(
        workspace_id,
        changes,
        expected_rev=expected_rev(),
        now=now,
        before_shorter_retention=lambda: require_step_up(StepUp.RECENT),
    )
    return with_settings(tagged(workspace), caller().roles[workspace_id])


@blp.route("/<typeid(wsp):workspace_id>/default-route", methods=["GET"], endpoint="read_default_route")
@EndpointPolicy(USER, VIEWER, workspace_from="path", section="6.6")
@blp.response(200, RouteRecord)
def read_default_route(workspace_id: UUID) -> DefaultRoute:
    """Read the default route

    It applies to events that no rule decides: the severities that open incidents, and the destinations.
    """
    workspace = _find(authorize_in(workspace_id))
    tagged({"rev": workspace.default_route_rev})
    return rules.effective_route(workspace.default_route)


@blp.route("/<typeid(wsp):workspace_id>/default-route", methods=["PUT"], endpoint="change_default_route")
@EndpointPolicy(USER, ADMIN, workspace_from="path", section="6.6")
@blp.arguments(
    RouteReplacement, cross_check=lambda fields, workspace_id: _check_route(authorize_in(workspace_id), fields)
)
@blp.response(200, RouteRecord)
def change_default_route(fields: dict[str, Any], workspace_id: UUID) -> DefaultRoute:
    """Replace the default route

    Severities that `dispositions` leaves out have the default: `WARNING` and above open incidents. `SUCCESS` always
    resolves. Without `people` the present ones stay. The route has its own revision, which an unchanged route does not
    raise.
    """
    shipped = rules.effective_route({}).dispositions
    route = DefaultRoute(
        tuple(fields["destination_ids"]),
        fields["routing_profile_id"],
        {**shipped, **fields["dispositions"]},
        tuple(PageTarget(**each) for each in fields.get("people", ())),
    )
    now, keeps = datetime.now(UTC), "people" not in fields
    workspace = workspaces.set_route(
        authorize_in(workspace_id), route, expected_rev=expected_rev(), now=now, keeps_people=keeps
    )
    tagged({"rev": workspace.default_route_rev})
    return rules.effective_route(workspace.default_route)


@blp.route("/<typeid(wsp):workspace_id>/quiet-hours/preview", methods=["POST"], endpoint="preview_quiet_hours")
@EndpointPolicy(USER, VIEWER, workspace_from="path", section="8.5")
@blp.arguments(QuietHoursPreviewRequest, cross_check=lambda order, workspace_id: _moment(order, datetime.now(UTC)))
@blp.response(200, QuietHoursPreview)
def preview_quiet_hours(order: dict[str, Any], workspace_id: UUID) -> dict[str, Any]:
    """Preview quiet hours

    Whether these quiet hours cover a time, and the next ones. Nothing is stored.
    """
    workspace, now = _find(authorize_in(workspace_id)), datetime.now(UTC)
    at = _moment(order, now)
    settings = rules.merged(
        rules.merged(rules.SHIPPED, workspace.settings), {"quietHours": stored(order["quiet_hours"])}
    )
    quiet = QuietHours.of(settings["quietHours"], order.get("timezone", workspace.timezone))
    periods = [{"start": start, "end": end} for start, end in upcoming(quiet, at)]
    return {**asdict(status(quiet, at)), "upcoming": periods}


@blp.route("/<typeid(wsp):workspace_id>", methods=["DELETE"], endpoint="delete")
@EndpointPolicy(USER, OWNER, step_up=REAUTH, workspace_from="path", section="12.5")
@blp.response(204)
@blp.refuses("last_workspace")
def close_workspace(workspace_id: UUID) -> None:
    """Close a workspace

    Its keys are refused from the next request on, and no notice leaves it. Its data are removed after 7 days.
    """
    here = authorize_in(workspace_id)
    deletion.close_workspace(here, caller().user_id, expected_rev=expected_rev(), now=datetime.now(UTC))


def _check(workspace_id: UUID, fields: Mapping[str, Any]) -> None:
    """Checks settings that this workspace, or this person, cannot have. Raises `ValidationFailed`."""
    settings = fields.get("settings", {})
    run_checks(lambda: workspaces.check(workspace_id, stored(settings)), lambda: _prove_second(settings))


def _prove_second(settings: Mapping[str, Any]) -> None:
    if settings.get("require_mfa") and not authentication_factors.second(caller().user_id):
        raise ValidationFailed(errors=[Fault("/settings/requireMfa", "Add a second factor to your own account first.")])


def _moment(order: Mapping[str, Any], now: datetime) -> datetime:
    """Returns the time of a preview. Raises `ValidationFailed`."""
    at: datetime = order.get("at", now)
    if abs(at - now) > FARTHEST:
        raise ValidationFailed(errors=[Fault("/at", "Must be within a year of now.")])
    return at


def _check_route(workspace_id: UUID, fields: Mapping[str, Any]) -> None:
    people = [PageTarget(**each) for each in fields.get("people", ())]
    workspaces.check_route(workspace_id, fields.get("destination_ids", ()), fields.get("routing_profile_id"), people)


def with_settings(workspace: Workspace, role: Role) -> dict[str, Any]:
    """Returns one workspace as `presented` does."""
    return presented([workspace], {workspace.id: role})[0]


def presented(rows: Iterable[Workspace], roles: Mapping[UUID, Role]) -> list[dict[str, Any]]:
    """Returns workspaces for their schema: effective settings, present quiet hours, and whether they notify nobody."""
    found = list(rows)
    notifying = reachability.that_notify(found)
    return [
        {**_with_settings(each, roles[each.id]), "notifies_nobody": each.id not in notifying}
        for each in work_budget.spending(found, "Leave workspaces that you do not need.")
    ]


def _with_settings(workspace: Workspace, role: Role) -> dict[str, Any]:
    settings = rules.merged(rules.SHIPPED, workspace.settings)
    fallback = settings["fallbackDestinationId"]
    settings["fallbackDestinationId"] = ids.encode("dst", UUID(fallback)) if fallback else None
    quiet = status(QuietHours.of(settings["quietHours"], workspace.timezone), datetime.now(UTC))
    return {**workspace.__data__, "role": str(role), "settings": settings, "quiet": quiet}


def _find(workspace_id: UUID) -> Workspace:
    workspace = workspaces.find(workspace_id)
    if workspace is None:
        raise NotFound()
    return workspace
