"""Destinations: where notices go."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from flask import url_for

from inbox.api.blueprint import Blueprint
from inbox.api.paging import paged
from inbox.api.policy import authorize, authorize_in, readable_workspaces
from inbox.api.revisions import expected_rev, tagged
from inbox.api.schemas.destinations import (
    DestinationEdit,
    DestinationNew,
    DestinationRecord,
    DestinationsPage,
    DestinationsQuery,
    ReplayRequest,
    ReplayResponse,
    TestReceipt,
    receipt_of_test,
)
from inbox.domain.explanation import destination_text
from inbox.domain.explanation.destination_text import LastOutcome
from inbox.models import references as reference_queries
from inbox.models.deliveries import reports as delivery_reports
from inbox.models.tables.destinations import Destination
from inbox.services import deliveries, destinations

blp = Blueprint("destinations", __name__, url_prefix="/v1/destinations", description="Destinations of notices.")


@blp.route("/", methods=["GET"], endpoint="list")
@blp.arguments(DestinationsQuery, location="query")
@blp.response(200, DestinationsPage)
def list_destinations(args: dict[str, Any]) -> dict[str, Any]:
    """List destinations

    Each with what sends to it and what became of the last message.
    """
    page = paged(
        destinations.existing(readable_workspaces(args.get("workspace_id"))),
        args,
        sorts={"name": Destination.name, "created": Destination.created_at},
        id=Destination.id,
        dump=lambda row: row,
    )
    return {**page, "items": _with_url(page["items"])}


@blp.route("/", methods=["POST"], endpoint="create")
@blp.arguments(DestinationNew, cross_check=lambda fields: _check_url(fields))
@blp.response(201, DestinationRecord)
def create(fields: dict[str, Any]) -> tuple[Destination, int, dict[str, str]]:
    """Create a destination

    The secret is made by the caller, and never answered again. Nothing is sent there until a route names it.
    """
    workspace_id = authorize_in(fields.pop("workspace_id"))
    destination = destinations.create(workspace_id, fields, now=datetime.now(UTC))
    location = url_for("destinations.read", destination_id=destination.id)
    return _one(destination), 201, {"Location": location}


@blp.route("/<typeid(dst):destination_id>", methods=["GET"], endpoint="read")
@blp.response(200, DestinationRecord)
def read(destination_id: UUID) -> Destination:
    """Read a destination"""
    return _one(authorize(destinations.find(destination_id)))


@blp.route("/<typeid(dst):destination_id>", methods=["PATCH"], endpoint="edit")
@blp.arguments(
    DestinationEdit,
    cross_check=lambda fields, destination_id: _check_url(fields, authorize(destinations.find(destination_id))),
)
@blp.response(200, DestinationRecord)
@blp.refuses("conflict")
def edit(fields: dict[str, Any], destination_id: UUID) -> Destination:
    """Change a destination

    The next attempt uses the new settings; an old secret signs nothing from then on. Any change resumes a destination
    that is stopped.
    """
    destination = authorize(destinations.find(destination_id))
    return _one(destinations.edit(destination, fields, expected_rev=expected_rev(), now=datetime.now(UTC)))


@blp.route("/<typeid(dst):destination_id>", methods=["DELETE"], endpoint="remove")
@blp.response(204)
@blp.refuses("conflict")
def remove(destination_id: UUID) -> None:
    """Delete a destination

    What waits for it is never sent. It is taken off the default route, off rules, which without destinations leave it to
    what comes next who is told, and off routing profiles; 409 where it is all that a step of a profile has.
    """
    destination = authorize(destinations.find(destination_id))
    destinations.remove(destination, expected_rev=expected_rev(), now=datetime.now(UTC))


@blp.route("/<typeid(dst):destination_id>/test", methods=["POST"], endpoint="test")
@blp.response(200, TestReceipt)
def send_test(destination_id: UUID) -> dict[str, Any]:
    """Send a test notice

    One request of type `test`, at once; the answer waits for the receiver's. A 2xx resumes a stopped destination.
    """
    return receipt_of_test(destinations.test(authorize(destinations.find(destination_id))))


@blp.route("/<typeid(dst):destination_id>/replay", methods=["POST"], endpoint="replay")
@blp.arguments(ReplayRequest, cross_check=lambda fields, destination_id: _find(fields))
@blp.response(202, ReplayResponse)
@blp.refuses("conflict")
def replay(order: dict[str, Any], destination_id: UUID) -> dict[str, Any]:
    """Replay failed deliveries

    Those that failed for good in this time, oldest first, up to 1,000 at once, each as a new delivery.
    """
    destination, now = authorize(destinations.find(destination_id)), datetime.now(UTC)
    made, more = deliveries.replay_failed(destination, order["since"], order.get("until", now), now=now)
    return {"deliveries": made, "more": more}


def _find(order: Mapping[str, Any]) -> None:
    deliveries.check_span(order.get("since"), order.get("until"), datetime.now(UTC))


def _check_url(fields: Mapping[str, Any], stored: Destination | None = None) -> None:
    """Raises `ValidationFailed` for settings that the kind of the destination does not take."""
    if "config" in fields and stored is not None:
        destinations.vetted_of(stored, fields["config"])
    elif "config" in fields and "kind" in fields:
        destinations.checked_config(fields["kind"], fields["config"])


def _one(destination: Destination) -> Destination:
    return tagged(_with_url([destination])[0])


def _with_url(rows: list[Destination]) -> list[Destination]:
    ids = [row.id for row in rows]
    last, users = delivery_reports.last_deliveries(ids), reference_queries.of_destinations(ids)
    for row in rows:
        row.last_delivery = last[row.id]
        row.stopped = {"at": row.stopped_at, "reason": row.stopped_reason} if row.stopped_at else None
        row.used_by = users[row.id]
        row.health = destination_text.health(
            enabled=row.enabled,
            stopped_at=row.stopped_at,
            stopped_reason=row.stopped_reason,
            rejections=row.rejections_in_a_row,
            last=LastOutcome(last[row.id].status, last[row.id].at, last[row.id].reason),
        )
    return rows
