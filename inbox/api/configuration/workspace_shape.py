"""The part of a file about the workspace itself: its time zone, settings and default route."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import marshmallow as ma

from inbox.api.configuration import shapes
from inbox.api.configuration.keys import Keys
from inbox.api.http.schemas.base import BoundedList, Schema, TypeId
from inbox.api.http.schemas.windows import TimeZone
from inbox.api.workspaces.schemas.workspaces import RouteRecord, SettingsShape, stored
from inbox.domain.routing.people import PageTarget
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.workspaces import settings as rules
from inbox.domain.workspaces.settings import DefaultRoute
from inbox.models.workspaces.tables import Workspace
from inbox.services.workspaces import workspaces

NOT_KEPT = "requireMfa"
"""The setting that no file has, because it can close the workspace to its members."""


class RouteShape(RouteRecord):
    """The default route. Missing fields have the values that every workspace has at first."""

    destination_ids = BoundedList(TypeId("dst"), load_default=list, validate=ma.validate.Length(max=50))


class WorkspaceShape(Schema):
    """The fields of a workspace that a file can set."""

    timezone = TimeZone()
    settings = ma.fields.Nested(SettingsShape(exclude=["require_mfa"]))
    default_route = ma.fields.Nested(RouteShape)


SHAPE = WorkspaceShape()

_SHIPPED = {name: value for name, value in rules.SHIPPED.items() if name != NOT_KEPT}
_ROUTE: Mapping[str, Any] = {
    "destinationIds": [],
    "people": [],
    "routingProfileId": None,
    "dispositions": {str(name): str(value) for name, value in rules.effective_route({}).dispositions.items()},
}


def document(workspace_id: UUID, keys: Keys) -> dict[str, Any]:
    """Returns the workspace as a file has it, without values that every workspace has at first."""
    workspace = Workspace.get_by_id(workspace_id)
    settings = rules.differences(rules.merged(rules.SHIPPED, workspace.settings))
    settings.pop(NOT_KEPT, None)
    fallback = settings.get("fallbackDestinationId")
    if fallback:
        settings["fallbackDestinationId"] = ids.encode(Prefix.DESTINATION, UUID(fallback))
    route = RouteRecord().dump(rules.effective_route(workspace.default_route))
    whole = {"timezone": workspace.timezone, "settings": settings, "defaultRoute": rules.differences(route, _ROUTE)}
    return shapes.ordered(SHAPE, shapes.exchanged(SHAPE, whole, keys.of_id))


def loaded(document: Mapping[str, Any], exchange: shapes.Exchange) -> dict[str, Any]:
    """Returns the loaded fields of a file. Raises `marshmallow.ValidationError`."""
    fields: dict[str, Any] = SHAPE.load(shapes.exchanged(SHAPE, document, exchange))
    return fields


def apply(workspace_id: UUID, fields: Mapping[str, Any], now: datetime) -> None:
    """Applies the loaded fields of a file. A missing setting gets its default; a missing field stays as it is.

    Raises `ValidationFailed`. Without a difference nothing is stored.
    """
    changes: dict[str, Any] = {"timezone": fields["timezone"]} if "timezone" in fields else {}
    if "settings" in fields:
        changes["settings"] = rules.merged(_SHIPPED, stored(fields["settings"]))
    if changes:
        workspaces.change(workspace_id, changes, expected_rev=None, now=now)
    if "default_route" in fields:
        workspaces.set_route(workspace_id, _route(fields["default_route"]), expected_rev=None, now=now)


def _route(fields: Mapping[str, Any]) -> DefaultRoute:
    return DefaultRoute(
        tuple(fields["destination_ids"]),
        fields["routing_profile_id"],
        {**rules.effective_route({}).dispositions, **fields["dispositions"]},
        tuple(PageTarget(**each) for each in fields["people"]),
    )
