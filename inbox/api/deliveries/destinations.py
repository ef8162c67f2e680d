"""Destination endpoints."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from flask import url_for

from inbox.api.deliveries.schemas.destination_texts import TextPreview, TextPreviewRequest
from inbox.api.deliveries.schemas.destinations import (
    DestinationEdit,
    DestinationNew,
    DestinationRecord,
    DestinationsPage,
    DestinationsQuery,
    ReplayRequest,
    ReplayResponse,
    RetryResponse,
    TestReceipt,
    receipt_of_test,
)
from inbox.api.http.blueprint import Blueprint
from inbox.api.http.paging import containing, paged
from inbox.api.http.policy import (
    ADMIN,
    MEMBER,
    USER,
    VIEWER,
    EndpointPolicy,
    authorize,
    authorize_deleted,
    authorize_in,
    readable_workspaces,
)
from inbox.api.http.request_examples import RequestExample
from inbox.api.http.revisions import expected_rev, tagged
from inbox.domain.explaining import destination_text
from inbox.domain.explaining.destination_text import LastOutcome, Obstacle
from inbox.models.deliveries import reports as delivery_reports
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.notified import retrying
from inbox.models.routing import references as reference_queries
from inbox.services.deliveries import destination_texts, destinations, replays, unsaved_tests

blp = Blueprint(
    "destinations", __name__, url_prefix="/v1/destinations", description="Destinations of notices.", section="9.3"
)


@blp.route("/", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, VIEWER)
@blp.arguments(DestinationsQuery, location="query")
@blp.response(200, DestinationsPage)
def list_destinations(args: dict[str, Any]) -> dict[str, Any]:
    """List destinations

    Each with the routes, rules and profiles that use it, and the result of its last delivery. `deleted=true` lists the
    deleted ones of the last seven days.
    """
    reach = readable_workspaces(args.get("workspace_id"))
    page = paged(
        containing(
            destinations.deleted(reach) if args.get("deleted") else destinations.existing(reach), args, Destination.name
        ),
        args,
        sorts={"name": Destination.name, "created": Destination.created_at},
        id=Destination.id,
        dump=lambda row: row,
    )
    return {**page, "items": _with_url(page["items"])}


@blp.route("/", methods=["POST"], endpoint="create")
@EndpointPolicy(USER, ADMIN, workspace_from="body")
@RequestExample(leave_out=("digest", "template"))
@blp.arguments(DestinationNew, cross_check=lambda fields: _check_url(fields))
@blp.response(201, DestinationRecord)
@blp.refuses("conflict")
def create(fields: dict[str, Any]) -> tuple[Destination, int, dict[str, str]]:
    """Create a destination

    The caller generates the secret, which is never answered again. Notices are sent after a route, rule or profile
    names the destination.
    """
    workspace_id = authorize_in(fields.pop("workspace_id"))
    destination = destinations.create(workspace_id, fields, now=datetime.now(UTC))
    location = url_for("destinations.read", destination_id=destination.id)
    return _one(destination), 201, {"Location": location}


@blp.route("/preview-text", methods=["POST"], endpoint="preview_text")
@EndpointPolicy(USER, ADMIN, workspace_from="body", section="9.17")
@blp.arguments(TextPreviewRequest, cross_check=lambda order: _check_incident(order))
@blp.response(200, TextPreview)
def preview_text(order: dict[str, Any]) -> destination_texts.TextPreview:
    """Preview the text of messages

    What the newest notice of an incident would say with these templates, and all variables with their values in it.
    Nothing is stored or sent.
    """
    workspace_id = authorize_in(order["workspace_id"])
    return destination_texts.preview(workspace_id, order["template"], order["incident_id"])


@blp.route("/test", methods=["POST"], endpoint="test_unsaved")
@EndpointPolicy(USER, ADMIN, workspace_from="body", section="9.10")
@RequestExample(leave_out=("digest", "template"))
@blp.arguments(DestinationNew, cross_check=lambda fields: _check_url(fields))
@blp.response(200, TestReceipt)
def send_unsaved_test(fields: dict[str, Any]) -> dict[str, Any]:
    """Send a test before a destination is created

    Sends one request of type `test` with these settings at once and answers the receiver's response. No destination and
    no delivery is stored.
    """
    return receipt_of_test(unsaved_tests.test(authorize_in(fields.pop("workspace_id")), fields))


@blp.route("/<typeid(dst):destination_id>", methods=["GET"], endpoint="read")
@EndpointPolicy(USER, VIEWER, workspace_from="record")
@blp.response(200, DestinationRecord)
def read(destination_id: UUID) -> Destination:
    """Read a destination"""
    return _one(authorize(destinations.find(destination_id)))


@blp.route("/<typeid(dst):destination_id>", methods=["PATCH"], endpoint="edit")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@RequestExample(leave_out=("digest", "template"))
@blp.arguments(
    DestinationEdit,
    cross_check=lambda fields, destination_id: _check_url(fields, authorize(destinations.find(destination_id))),
)
@blp.response(200, DestinationRecord)
@blp.refuses("conflict")
def edit(fields: dict[str, Any], destination_id: UUID) -> Destination:
    """Change a destination

    The next attempt uses the new settings; an old secret signs nothing from then on. Any change resumes a stopped
    destination. A new scheme, host, port or path requires the stored secret that is sent there again. Otherwise the
    answer is 422 at its field.
    """
    destination = authorize(destinations.find(destination_id))
    return _one(destinations.edit(destination, fields, expected_rev=expected_rev(), now=datetime.now(UTC)))


@blp.route("/<typeid(dst):destination_id>", methods=["DELETE"], endpoint="remove")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@blp.response(204)
@blp.refuses("conflict")
def remove(destination_id: UUID) -> None:
    """Delete a destination

    Waiting deliveries are skipped. The default route, rules and routing profiles lose the destination. For a rule
    without destinations the next matching rule or the default route decides who is notified. 409 where a step of a
    profile has no other destination.
    """
    destination = authorize(destinations.find(destination_id))
    destinations.remove(destination, expected_rev=expected_rev(), now=datetime.now(UTC))


@blp.route("/<typeid(dst):deleted_destination_id>/restore", methods=["POST"], endpoint="restore")
@EndpointPolicy(USER, ADMIN, workspace_from="record", section="12.10")
@blp.response(200, DestinationRecord)
@blp.refuses("conflict")
def restore(deleted_destination_id: UUID) -> Destination:
    """Restore a deleted destination

    Within seven days of its deletion, with its secrets. Routes, rules and profiles do not get it back. 409 when it is not
    deleted.
    """
    destination = authorize_deleted(destinations.find_any(deleted_destination_id))
    return _one(destinations.restore(destination, now=datetime.now(UTC)))


@blp.route("/<typeid(dst):destination_id>/test", methods=["POST"], endpoint="test")
@EndpointPolicy(USER, ADMIN, workspace_from="record", section="9.10")
@blp.response(200, TestReceipt)
def send_test(destination_id: UUID) -> dict[str, Any]:
    """Send a test notice

    Sends one request of type `test` at once and answers the receiver's response. A 2xx response resumes a stopped
    destination.
    """
    return receipt_of_test(destinations.test(authorize(destinations.find(destination_id))))


@blp.route("/<typeid(dst):destination_id>/replay", methods=["POST"], endpoint="replay")
@EndpointPolicy(USER, ADMIN, workspace_from="record", section="9.10")
@RequestExample(values={"since": "@day-2", "until": "@day-1"})
@blp.arguments(ReplayRequest, cross_check=lambda fields, destination_id: _find(fields))
@blp.response(202, ReplayResponse)
@blp.refuses("conflict")
def replay(order: dict[str, Any], destination_id: UUID) -> replays.Replayed:
    """Replay failed deliveries

    Repeats permanently failed deliveries of this period as new deliveries, oldest first, up to 1,000 at once. Where the
    service keeps the state of an incident, notices that would set it back are left out.
    """
    destination, now = authorize(destinations.find(destination_id)), datetime.now(UTC)
    return replays.replay_failed(destination, order["since"], order.get("until", now), now=now)


@blp.route("/<typeid(dst):destination_id>/retry", methods=["POST"], endpoint="retry")
@EndpointPolicy(USER, MEMBER, workspace_from="record", section="9.10")
@blp.response(202, RetryResponse)
@blp.refuses("conflict")
def retry(destination_id: UUID) -> dict[str, int]:
    """Retry waiting deliveries now

    Makes the deliveries that failed and wait for their next attempt due at once. The last two attempts keep their times,
    so that a receiver that is down for hours gets them. 409 when the destination is stopped or disabled.
    """
    destination = authorize(destinations.find(destination_id))
    return {"deliveries": replays.retry_now(destination, now=datetime.now(UTC))}


def _find(order: Mapping[str, Any]) -> None:
    replays.check_span(order.get("since"), order.get("until"), datetime.now(UTC))


def _check_url(fields: Mapping[str, Any], stored: Destination | None = None) -> None:
    """Raises `ValidationFailed` for settings that the kind of the destination does not take."""
    destinations.check_choices(fields.get("kind", "") if stored is None else stored.kind, fields)
    if "config" in fields and stored is not None:
        destinations.vetted_of(stored, fields["config"])
    elif "config" in fields and "kind" in fields:
        destinations.checked_config(fields["kind"], fields["config"])


def _check_incident(order: Mapping[str, Any]) -> None:
    if "incident_id" in order:
        destination_texts.newest_notice(order["workspace_id"], order["incident_id"])


def _one(destination: Destination) -> Destination:
    return tagged(_with_url([destination])[0])


def _with_url(rows: list[Destination]) -> list[Destination]:
    ids = [row.id for row in rows]
    now = datetime.now(UTC)
    last, users = delivery_reports.last_deliveries(ids), reference_queries.of_destinations(ids)
    failing = retrying(ids, now)
    for row in rows:
        row.last_delivery = last[row.id]
        row.stopped = {"at": row.stopped_at, "reason": row.stopped_reason} if row.stopped_at else None
        row.used_by = users[row.id]
        row.health = destination_text.health(
            Obstacle(row.enabled, row.stopped_at, row.stopped_reason, row.next_call_at, failing.get(row.id)),
            rejections=row.rejections_in_a_row,
            last=LastOutcome(last[row.id].status, last[row.id].at, last[row.id].reason),
            now=now,
        )
    return rows
