"""Routing profiles: the destinations that are notified of an incident, after which time, and how often."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from flask import url_for

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.paging import containing, paged
from inbox.api.http.policy import ADMIN, USER, VIEWER, EndpointPolicy, authorize, authorize_in, readable_workspaces
from inbox.api.http.revisions import expected_rev, tagged
from inbox.api.routing.schemas.profiles import (
    DraftSimulationRequest,
    ProfileEdit,
    ProfileNew,
    ProfileRecord,
    ProfilesPage,
    ProfilesQuery,
    SimulationRequest,
    SimulationResponse,
)
from inbox.domain.values.refusals import Fault, ValidationFailed, run_checks
from inbox.models.routing import references as reference_queries
from inbox.models.routing.profiles import RoutingProfile
from inbox.services.explaining import simulations
from inbox.services.routing import configuration_texts, profiles

FARTHEST = timedelta(days=366)
"""The farthest time of a simulation from now, in both directions."""

blp = Blueprint(
    "profiles",
    __name__,
    url_prefix="/v1/routing-profiles",
    description="Routing profiles (escalation policies): who is notified, when, how often.",
    section="6.7",
)


@blp.route("/", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, VIEWER)
@blp.arguments(ProfilesQuery, location="query")
@blp.response(200, ProfilesPage)
def list_profiles(args: dict[str, Any]) -> dict[str, Any]:
    """List routing profiles

    Each with the rules and sources that route by it. `deleted=true` lists the deleted ones of the last seven days.
    """
    reach = readable_workspaces(args.get("workspace_id"))
    page = paged(
        containing(
            profiles.deleted(reach) if args.get("deleted") else profiles.existing(reach), args, RoutingProfile.name
        ),
        args,
        sorts={"name": RoutingProfile.name, "created": RoutingProfile.created_at},
        id=RoutingProfile.id,
        dump=lambda row: row,
    )
    return {**page, "items": presented(page["items"])}


@blp.route("/", methods=["POST"], endpoint="create")
@EndpointPolicy(USER, ADMIN, workspace_from="body")
@blp.arguments(ProfileNew, cross_check=lambda fields: profiles.check(fields["workspace_id"], fields))
@blp.response(201, ProfileRecord)
@blp.refuses("conflict")
def create(fields: dict[str, Any]) -> tuple[RoutingProfile, int, dict[str, str]]:
    """Create a routing profile

    It applies after a rule, a source or the default route names it.
    """
    workspace_id = authorize_in(fields.pop("workspace_id"))
    profile = profiles.create(workspace_id, fields, now=datetime.now(UTC))
    return _one(profile), 201, {"Location": url_for("profiles.read", profile_id=profile.id)}


@blp.route("/<typeid(prf):profile_id>", methods=["GET"], endpoint="read")
@EndpointPolicy(USER, VIEWER, workspace_from="record")
@blp.response(200, ProfileRecord)
def read(profile_id: UUID) -> RoutingProfile:
    """Read a routing profile"""
    return _one(authorize(profiles.find(profile_id)))


@blp.route("/<typeid(prf):profile_id>", methods=["PATCH"], endpoint="edit")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@blp.arguments(
    ProfileEdit,
    cross_check=lambda fields, profile_id: profiles.check(authorize(profiles.find(profile_id)).workspace_id, fields),
)
@blp.response(200, ProfileRecord)
def edit(fields: dict[str, Any], profile_id: UUID) -> RoutingProfile:
    """Change a routing profile

    Incidents that follow the profile continue with the new values.
    """
    profile = authorize(profiles.find(profile_id))
    return _one(profiles.edit(profile, fields, expected_rev=expected_rev(), now=datetime.now(UTC)))


@blp.route("/<typeid(prf):profile_id>", methods=["DELETE"], endpoint="remove")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@blp.response(204)
@blp.refuses("conflict")
def remove(profile_id: UUID) -> None:
    """Delete a routing profile

    409 while a rule, a source or the default route names it; `usedBy` says which.
    """
    profile = authorize(profiles.find(profile_id))
    profiles.remove(profile, expected_rev=expected_rev(), now=datetime.now(UTC))


@blp.route("/<typeid(prf):profile_id>/simulate", methods=["POST"], endpoint="simulate")
@EndpointPolicy(USER, VIEWER, workspace_from="record", section="6.10")
@blp.arguments(SimulationRequest, cross_check=lambda order, profile_id: _moment(order, datetime.now(UTC)))
@blp.response(200, SimulationResponse)
def simulate(order: dict[str, Any], profile_id: UUID) -> dict[str, Any]:
    """Simulate a routing profile

    The notices that an incident would send within 24 hours without an act or a further event. Nothing is sent.
    """
    return _foreseen(authorize(profiles.find(profile_id)), order)


@blp.route("/simulate", methods=["POST"], endpoint="simulate_draft")
@EndpointPolicy(USER, VIEWER, workspace_from="body", section="6.10")
@blp.arguments(DraftSimulationRequest, cross_check=lambda order: _imagined(order, datetime.now(UTC)))
@blp.response(200, SimulationResponse)
def simulate_draft(order: dict[str, Any]) -> dict[str, Any]:
    """Simulate an unsaved routing profile

    As the simulation of a saved one. Nothing is sent or stored.
    """
    workspace_id, now = authorize_in(order["workspace_id"]), datetime.now(UTC)
    _imagined(order, now)
    return _foreseen(profiles.build(workspace_id, order["profile"], now=now, at="/profile"), order)


def _imagined(order: Mapping[str, Any], now: datetime) -> None:
    """Raises `ValidationFailed` with all faults of a draft and its time."""
    run_checks(
        lambda: profiles.check(order["workspace_id"], order.get("profile", {}), "/profile"), lambda: _moment(order, now)
    )


def _moment(order: Mapping[str, Any], now: datetime) -> datetime:
    """Returns the time at which the incident opens. Raises `ValidationFailed`."""
    at: datetime = order.get("at", now)
    if abs(at - now) > FARTHEST:
        raise ValidationFailed(errors=[Fault("/at", "Must be within a year of now.")])
    return at


def _foreseen(profile: RoutingProfile, order: dict[str, Any]) -> dict[str, Any]:
    at = _moment(order, datetime.now(UTC))
    return {"items": simulations.simulate(profile, order["severity"], at), "until": at + simulations.AHEAD}


def _one(profile: RoutingProfile) -> RoutingProfile:
    return tagged(presented([profile])[0])


def presented(rows: list[RoutingProfile]) -> list[RoutingProfile]:
    """Returns the profiles with their users and texts, as the API shows them."""
    users = reference_queries.of_profiles([row.id for row in rows])
    for row, text in zip(rows, configuration_texts.of_each_profile(rows), strict=True):
        row.used_by, row.text = users[row.id], text
    return rows
