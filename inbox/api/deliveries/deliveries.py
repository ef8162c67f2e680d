"""Delivery endpoints."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from flask import url_for

from inbox.api.deliveries.schemas.deliveries import DeliveriesPage, DeliveriesQuery, DeliveryRecord
from inbox.api.http.blueprint import Blueprint
from inbox.api.http.paging import scanned_page
from inbox.api.http.policy import ADMIN, USER, VIEWER, EndpointPolicy, authorize, readable_workspaces
from inbox.models.deliveries.search import DELIVERIES
from inbox.models.deliveries.tables import Delivery
from inbox.services.deliveries import replays
from inbox.services.deliveries.reports import with_details

blp = Blueprint(
    "deliveries",
    __name__,
    url_prefix="/v1/deliveries",
    description="Deliveries of notices to destinations.",
    section="9.5",
)


@blp.route("/", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, VIEWER, replica=True)
@blp.arguments(DeliveriesQuery, location="query")
@blp.response(200, DeliveriesPage)
def list_deliveries(args: dict[str, Any]) -> dict[str, Any]:
    """List deliveries

    Newest first, each with its attempts. A page may have few items or none: more follow as long as `nextCursor` is not null.
    """
    readable = readable_workspaces(args.get("workspace_id"))
    page = scanned_page(DELIVERIES.search(readable, args), args, dump=lambda row: row)
    return {**page, "items": with_details(page["items"])}


@blp.route("/<typeid(dlv):delivery_id>", methods=["GET"], endpoint="read")
@EndpointPolicy(USER, VIEWER, workspace_from="record")
@blp.response(200, DeliveryRecord)
def read(delivery_id: UUID) -> Delivery:
    """Read a delivery

    With every attempt at it, oldest first.
    """
    return with_details([authorize(replays.find(delivery_id))])[0]


@blp.route("/<typeid(dlv):delivery_id>/replay", methods=["POST"], endpoint="replay")
@EndpointPolicy(USER, ADMIN, workspace_from="record", section="9.10")
@blp.response(201, DeliveryRecord)
@blp.refuses("conflict")
def replay(delivery_id: UUID) -> tuple[Delivery, int, dict[str, str]]:
    """Replay a delivery

    Sends the same notice as a new delivery with a new `webhook-id`. 409 where the service keeps the state of the incident,
    and the notice would set it back.
    """
    replayed = replays.replay(authorize(replays.find(delivery_id)), now=datetime.now(UTC))
    return with_details([replayed])[0], 201, {"Location": url_for("deliveries.read", delivery_id=replayed.id)}
