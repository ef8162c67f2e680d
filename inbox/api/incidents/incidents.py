"""Incident endpoints."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from flask import Response, after_this_request, url_for

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.paging import scanned_page
from inbox.api.http.policy import MEMBER, USER, VIEWER, EndpointPolicy, authorize, readable_workspaces
from inbox.api.http.request_examples import RequestExample
from inbox.api.http.revisions import expected_rev, tagged
from inbox.api.incidents.records import present, presented
from inbox.api.incidents.schemas.bulk import UNDO
from inbox.api.incidents.schemas.facets import FACET_NAMES, IncidentFacets, IncidentFacetsQuery
from inbox.api.incidents.schemas.filters import IncidentsQuery
from inbox.api.incidents.schemas.incidents import (
    ActRequest,
    IncidentCounts,
    IncidentEdit,
    IncidentRecord,
    IncidentsPage,
    NoteRequest,
    SnoozeRequest,
    TimelineRecord,
)
from inbox.domain.incidents.incident import Act, Actor
from inbox.domain.values import ids, list_filters, times
from inbox.models.incidents import read as incident_read
from inbox.models.incidents.search import INCIDENTS
from inbox.models.incidents.tables import Incident
from inbox.services.explaining import timelines
from inbox.services.incidents import bulk, facets, incidents
from inbox.services.incidents import counts as incident_counts
from inbox.services.incidents.bulk import BulkAct
from inbox.services.incidents.undo_tokens import UndoToken

PAGING_FIELDS = ("limit", "cursor", "offset", "sort", "order")
"""The parameters of the list that are no filters."""

blp = Blueprint(
    "incidents",
    __name__,
    url_prefix="/v1/incidents",
    description="Incidents: list, acknowledge, snooze, resolve, edit, undo.",
    section="7.3",
)

UNDOABLE = {
    "X-Undo-Id": {
        "description": "Pass as `undoId` to `POST /v1/incidents/undo` within ten seconds to revert. Absent if nothing"
        " changed.",
        "schema": {"type": "string"},
    },
    "X-Undo-Until": {"description": "Until when.", "schema": {"type": "string", "format": "date-time"}},
}


@blp.route("/", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, VIEWER, replica=True, section="7.2")
@blp.arguments(IncidentsQuery, location="query")
@blp.response(200, IncidentsPage)
def list_incidents(args: dict[str, Any]) -> dict[str, Any]:
    """List incidents

    The incidents of all the caller's workspaces, or of one; those seen last come first. A page ends at a limit of
    examined rows, so it may have few items or none. More follow as long as `nextCursor` is not null.
    """
    readable = readable_workspaces(args.get("workspace_id"))
    page = scanned_page(INCIDENTS.search(readable, resolved(args)), args, dump=lambda row: row)
    return {**page, "items": presented(page["items"])}


@blp.route("/counts", methods=["GET"], endpoint="counts")
@EndpointPolicy(USER, VIEWER, replica=True, section="7.2")
@blp.arguments(IncidentsQuery(exclude=PAGING_FIELDS), location="query")
@blp.response(200, IncidentCounts)
@blp.refuses("unavailable")
def counts(args: dict[str, Any]) -> dict[str, Any]:
    """Count incidents

    Counts unresolved incidents by state, severity and workspace, and resolved ones, under the filters of the list.
    Covers all the caller's workspaces, or one. Leave `state` out to count for each tab.
    """
    workspace_ids = readable_workspaces(args.pop("workspace_id", None))
    return incident_counts.counts(workspace_ids, resolved(args), person=caller().user_id)


@blp.route("/facets", methods=["GET"], endpoint="facets")
@EndpointPolicy(USER, VIEWER, replica=True, section="7.11")
@blp.arguments(IncidentFacetsQuery, location="query")
@blp.response(200, IncidentFacets)
def list_facets(args: dict[str, Any]) -> dict[str, Any]:
    """List the facets of incidents

    The most frequent values of each dimension under the filters of the list, with their numbers of incidents. They cover
    all the caller's workspaces, or one. The filter by a dimension does not narrow its own facet. Of many incidents, the
    10,000 seen last are counted, and the answer is `partial`. `prefix` leaves the values that complete a text.
    """
    workspace_ids = readable_workspaces(args.pop("workspace_id", None))
    requested = [FACET_NAMES[name] for name in args.pop("facet", FACET_NAMES)]
    prefix = args.pop("prefix", "")
    return facets.of_incidents(workspace_ids, resolved(args), list(dict.fromkeys(requested)), prefix)


@blp.route("/<typeid(inc):incident_id>", methods=["GET"], endpoint="read")
@EndpointPolicy(USER, VIEWER, workspace_from="record", section="7.1")
@blp.response(200, IncidentRecord)
def read(incident_id: UUID) -> Incident:
    """Read an incident"""
    return tagged(present(find(incident_id)))


@blp.route("/<typeid(inc):incident_id>", methods=["PATCH"], endpoint="edit")
@EndpointPolicy(USER, MEMBER, workspace_from="record")
@blp.arguments(IncidentEdit, cross_check=lambda fields, incident_id: incidents.check(find(incident_id), fields))
@blp.response(200, IncidentRecord, headers=UNDOABLE)
@blp.refuses("invalid_transition")
def edit(fields: dict[str, Any], incident_id: UUID) -> Incident:
    """Change an incident

    Title, severity, assignee and tags. Destinations that were notified get `updated`, and a higher severity is
    `escalated`. A resolved incident takes an assignee and tags, without a notice. The change can be undone.
    """
    incident = find(incident_id)
    person, rev = caller().user_id, expected_rev()
    _add_undo_header(incidents.edit(incident, fields, datetime.now(UTC), by=actor(), person=person, expected_rev=rev))
    return tagged(present(find(incident_id)))


@blp.route("/<typeid(inc):incident_id>/acknowledge", methods=["POST"], endpoint="acknowledge")
@EndpointPolicy(USER, MEMBER, workspace_from="record")
@blp.arguments(ActRequest)
@blp.response(200, IncidentRecord, headers=UNDOABLE)
@blp.refuses("invalid_transition")
def acknowledge(order: dict[str, Any], incident_id: UUID) -> Incident:
    """Acknowledge an incident

    Escalation and reminders stop, and repeats are counted without notices, until the severity rises. A `note` becomes
    part of the timeline.
    """
    return perform(incident_id, Act.ACKNOWLEDGE, note=order.get("note"))


@blp.route("/<typeid(inc):incident_id>/unacknowledge", methods=["POST"], endpoint="unacknowledge")
@EndpointPolicy(USER, MEMBER, workspace_from="record")
@blp.response(200, IncidentRecord, headers=UNDOABLE)
@blp.refuses("invalid_transition")
def unacknowledge(incident_id: UUID) -> Incident:
    """Unacknowledge an incident

    The incident is open again and notifies (`renotify`).
    """
    return perform(incident_id, Act.UNACKNOWLEDGE)


@blp.route("/<typeid(inc):incident_id>/snooze", methods=["POST"], endpoint="snooze")
@EndpointPolicy(USER, MEMBER, workspace_from="record")
@RequestExample(leave_out=("forMinutes",), values={"until": "@day+1"})
@blp.arguments(SnoozeRequest, cross_check=lambda order, incident_id: _check_until(find(incident_id), order))
@blp.response(200, IncidentRecord, headers=UNDOABLE)
@blp.refuses("invalid_transition")
def snooze(order: dict[str, Any], incident_id: UUID) -> Incident:
    """Snooze an incident

    Until a time at most 30 days ahead, or for some minutes. The incident is open again at that time, or when its
    severity rises.
    """
    return perform(incident_id, Act.SNOOZE, until_of(order, datetime.now(UTC)), note=order.get("note"))


@blp.route("/<typeid(inc):incident_id>/unsnooze", methods=["POST"], endpoint="unsnooze")
@EndpointPolicy(USER, MEMBER, workspace_from="record")
@blp.response(200, IncidentRecord, headers=UNDOABLE)
@blp.refuses("invalid_transition")
def unsnooze(incident_id: UUID) -> Incident:
    """End a snooze early"""
    return perform(incident_id, Act.UNSNOOZE)


@blp.route("/<typeid(inc):incident_id>/resolve", methods=["POST"], endpoint="resolve")
@EndpointPolicy(USER, MEMBER, workspace_from="record")
@blp.arguments(ActRequest)
@blp.response(200, IncidentRecord, headers=UNDOABLE)
@blp.refuses("invalid_transition")
def resolve(order: dict[str, Any], incident_id: UUID) -> Incident:
    """Resolve an incident

    An event within the reopen window opens it again. A `note` becomes part of the timeline.
    """
    return perform(incident_id, Act.RESOLVE, note=order.get("note"))


@blp.route("/<typeid(inc):incident_id>/reopen", methods=["POST"], endpoint="reopen")
@EndpointPolicy(USER, MEMBER, workspace_from="record")
@blp.response(200, IncidentRecord, headers=UNDOABLE)
@blp.refuses("invalid_transition", "conflict")
def reopen(incident_id: UUID) -> Incident:
    """Reopen an incident

    409 (`conflict`) while a newer incident of the same fingerprint is unresolved.
    """
    return perform(incident_id, Act.REOPEN)


@blp.route("/<typeid(inc):incident_id>/notify", methods=["POST"], endpoint="notify")
@EndpointPolicy(USER, MEMBER, workspace_from="record")
@blp.response(200, IncidentRecord)
@blp.refuses("invalid_transition", "conflict")
def notify(incident_id: UUID) -> Incident:
    """Notify of an incident now

    Destinations on its present route that no notice of it addressed get `renotify`. 409 (`conflict`) if there are none.
    """
    return perform(incident_id, bulk.NOTIFY)


@blp.route("/<typeid(inc):incident_id>/notes", methods=["POST"], endpoint="note")
@EndpointPolicy(USER, MEMBER, workspace_from="record")
@blp.arguments(NoteRequest)
@blp.response(201, TimelineRecord)
def note(fields: dict[str, Any], incident_id: UUID) -> tuple[dict[str, Any], int, dict[str, str]]:
    """Add a note

    Adds it to the timeline, also of a resolved incident. For an unresolved one, destinations that were notified get
    `updated`.
    """
    incident = find(incident_id)
    entry = incidents.add_note(incident, fields["text"], datetime.now(UTC), by=actor())
    return (
        timelines.with_text([entry])[0],
        201,
        {"Location": url_for("incidents.timeline", incident_id=incident_id)},
    )


def find(incident_id: UUID) -> Incident:
    """Returns the incident, if the policy allows the caller to use this endpoint for it."""
    incident: Incident = authorize(incident_read.find(caller().workspace_ids, incident_id))
    return incident


def resolved(args: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the filters with `me` replaced by the caller, and `last` by the beginning of the period."""
    return list_filters.resolve(args, person=caller().user_id, now=datetime.now(UTC))


def actor() -> Actor:
    """Returns the caller as the actor."""
    return Actor(**caller().actor)


def until_of(order: Mapping[str, Any], now: datetime) -> datetime | None:
    """Returns the end of a snooze, given as a time or as minutes from now."""
    return now + timedelta(minutes=order["for_minutes"]) if "for_minutes" in order else order.get("until")


def _check_until(_: Incident, order: Mapping[str, Any]) -> None:
    bulk.check_until(order.get("until"), datetime.now(UTC))


def perform(incident_id: UUID, what: str, until: datetime | None = None, note: str | None = None) -> Incident:
    """Does an act on one incident; returns the incident. The answer has the id that can undo it."""
    order, now = BulkAct(str(what), until=until, note=note), datetime.now(UTC)
    outcomes, token = bulk.run(order, [find(incident_id).id], now, by=actor(), person=caller().user_id)
    refusal = outcomes[incident_id]
    if refusal is not None:
        raise refusal
    _add_undo_header(token)
    return tagged(present(find(incident_id)))


def _add_undo_header(token: UndoToken | None) -> None:
    """Adds the id that can undo the act, if anything changed."""
    if token is None:
        return

    @after_this_request
    def _head(response: Response) -> Response:
        response.headers["X-Undo-Id"] = ids.encode(UNDO, token.id)
        response.headers["X-Undo-Until"] = times.rfc3339(token.until)
        return response
