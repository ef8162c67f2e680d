"""Event endpoints: senders push events, people read them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from flask import Response, request

from inbox.api.deliveries.schemas.explanations import ExplainedEvent
from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.csv_files import csv_file
from inbox.api.http.paging import scanned_page
from inbox.api.http.policy import SOURCE_KEY, USER, VIEWER, EndpointPolicy, authorize, readable_workspaces
from inbox.api.http.schemas.plain_rows import event_row
from inbox.api.senders.ingest import CAP, respond
from inbox.api.senders.schemas.event_facets import FACET_NAMES, EventFacets, EventFacetsQuery
from inbox.api.senders.schemas.events import EventBatch, EventNew, EventRecord, EventsAccepted, EventsPage, EventsQuery
from inbox.domain.values import list_filters
from inbox.models.events import read as event_read
from inbox.models.events.search import EVENTS
from inbox.services.explaining.explanations import explained_event
from inbox.services.incidents import facets

blp = Blueprint("events", __name__, url_prefix="/v1/events", description="Events and their outcomes.", section="4.10")

COLUMNS = (
    "receivedAt", "occurredAt", "severity", "title", "sourceName", "disposition", "action", "resource", "type", "tags", "dedupKey",
    "incidentId", "id", "url",
)  # fmt: skip
"""The columns of an export, with the names of `EventRecord`."""

BODY = {
    "required": True,
    "description": "One event, or a batch, as JSON in UTF-8. At most 2 MiB, uncompressed. Any `Content-Type` is taken, also that of "
    "`curl -d`. Unknown fields are warnings.",
    "content": {"application/json": {"schema": {"oneOf": [EventNew, EventBatch]}}},
}
REPLAYED = {
    "Idempotent-Replayed": {
        "description": "`true` when these bytes were first sent to an earlier request with the same key and body.",
        "schema": {"type": "string", "enum": ["true"]},
    }
}
KEY = {
    "in": "header",
    "name": "Idempotency-Key",
    "description": "The same key with the same body within 48 hours is answered the same bytes, with"
    " `Idempotent-Replayed: true`. An event's own `idempotencyKey` wins for that event.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
}


@blp.route("/", methods=["POST"], endpoint="create")
@EndpointPolicy(SOURCE_KEY, workspace_from="none", database=False, own_body=True, body_cap=CAP, section="4.7")
@blp.doc(requestBody=BODY, parameters=[KEY])
@blp.response(202, EventsAccepted, headers=REPLAYED)
@blp.refuses("rate_limited", "request_timeout", "idempotency_in_progress", "idempotency_mismatch")
def create() -> Response:
    """Send events

    One event, or a batch of up to 100 that is stored whole or not at all. The answer is given after the events are
    committed to the database.
    """
    # `inbox.api.senders.ingest` runs before Flask and answers most requests in the same way.
    reply = respond(request.environ)
    return Response(reply.body, reply.status, reply.headers)


@blp.route("/", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, VIEWER, replica=True)
@blp.arguments(EventsQuery, location="query")
@blp.response(200, EventsPage)
def list_events(args: dict[str, Any]) -> dict[str, Any]:
    """List events

    The events of all the caller's workspaces, or of one; newest first. A page ends at a limit of examined rows, so it
    may have few items or none. More follow as long as `nextCursor` is not null.
    """
    readable = readable_workspaces(args.get("workspace_id"))
    filters = list_filters.resolve(args, person=caller().user_id, now=datetime.now(UTC))
    return scanned_page(EVENTS.search(readable, filters), args, dump=lambda row: row)


@blp.route("/export", methods=["GET"], endpoint="export")
@EndpointPolicy(USER, VIEWER)
@blp.arguments(EventsQuery(exclude=("limit", "cursor", "offset")), location="query")
@blp.response(200, {"type": "string"}, content_type="text/csv", example=f"{','.join(COLUMNS)}\r\n")
def export(args: dict[str, Any]) -> Response:
    """Export events

    The list as a CSV file, under its filters and in its order, with at most 20,000 rows. A last line says that more may
    follow. A text that a spreadsheet would take for a formula begins with an apostrophe.
    """
    readable = readable_workspaces(args.get("workspace_id"))
    filters = list_filters.resolve(args, person=caller().user_id, now=datetime.now(UTC))
    rows = EVENTS.search(readable, filters)
    return csv_file(rows, args, name="events", columns=COLUMNS, present=lambda found: map(event_row, found))


@blp.route("/facets", methods=["GET"], endpoint="facets")
@EndpointPolicy(USER, VIEWER, replica=True, section="4.11")
@blp.arguments(EventFacetsQuery, location="query")
@blp.response(200, EventFacets)
def list_facets(args: dict[str, Any]) -> dict[str, Any]:
    """List the facets of events

    The most frequent values of each dimension under the filters of the list, with their numbers of events. They cover
    all the caller's workspaces, or one. The filter by a dimension does not narrow its own facet. Of many events, the
    newest 5,000 are counted, and the answer is `partial`. `prefix` leaves the values that complete a text.
    """
    workspace_ids = readable_workspaces(args.pop("workspace_id", None))
    requested = [FACET_NAMES[name] for name in args.pop("facet", FACET_NAMES)]
    prefix = args.pop("prefix", "")
    filters = list_filters.resolve(args, person=caller().user_id, now=datetime.now(UTC))
    return facets.of_events(workspace_ids, filters, list(dict.fromkeys(requested)), prefix)


@blp.route("/<typeid(evt):event_id>", methods=["GET"], endpoint="read")
@EndpointPolicy(USER, VIEWER, workspace_from="record")
@blp.response(200, EventRecord)
def read(event_id: UUID) -> Any:
    """Read an event

    `routing` has the result and its reasons.
    """
    return authorize(event_read.find(caller().workspace_ids, event_id))


@blp.route("/<typeid(evt):event_id>/explain", methods=["GET"], endpoint="explain")
@EndpointPolicy(USER, VIEWER, workspace_from="record", section="7.7")
@blp.response(200, ExplainedEvent)
def explain(event_id: UUID) -> dict[str, Any]:
    """Explain an event

    The result of routing, and the rules and clauses that led to it. For an event that was sent as information, its
    notice; otherwise the notices of its incident that it caused. Each notice has the decision for every destination,
    with the reason why it was notified or not.
    """
    event = authorize(event_read.find(caller().workspace_ids, event_id))
    return {"incident_id": event.incident_id, "items": explained_event(event)}
