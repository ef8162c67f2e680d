"""Lists of one incident: timeline, events, deliveries, similar incidents, and the explanation of notices.

It completes the blueprint of `inbox.api.incidents.incidents`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from inbox.api.deliveries.schemas.explanations import ExplainedRecord, ExplainPage, ExplainQuery, Forecast
from inbox.api.deliveries.schemas.notices import NoticeRecord, NoticesPage, NoticesQuery
from inbox.api.http.paging import keyset_page, offset_page, paged
from inbox.api.http.policy import USER, VIEWER, EndpointPolicy
from inbox.api.incidents.exports import blp
from inbox.api.incidents.incidents import find
from inbox.api.incidents.records import presented
from inbox.api.incidents.schemas.alerts import AlertRecord, AlertsPage, AlertsQuery
from inbox.api.incidents.schemas.incidents import (
    IncidentDeliveriesPage,
    IncidentDeliveriesQuery,
    IncidentEventsPage,
    IncidentEventsQuery,
    SimilarIncidents,
    TimelinePage,
    TimelineQuery,
    TimelineRecord,
)
from inbox.api.incidents.schemas.pages import PageRecord, PagesPage, PagesQuery
from inbox.domain.values.refusals import Fault, ValidationFailed
from inbox.models.deliveries import pages as stored_pages
from inbox.models.deliveries.pages import PageRow
from inbox.models.deliveries.tables import Delivery
from inbox.models.events import read as event_read
from inbox.models.events.tables import RoutedEventView
from inbox.models.incidents import alerts as incident_alerts
from inbox.models.incidents import read as incident_read
from inbox.models.incidents import similar as similar_incidents
from inbox.models.incidents.alerts import IncidentAlert
from inbox.models.incidents.last_notes import last_notes
from inbox.models.incidents.tables import Incident, TimelineEntry
from inbox.models.insight import explanations
from inbox.runtime.work_budget import spending
from inbox.services.deliveries import replays
from inbox.services.deliveries.reports import with_details
from inbox.services.explaining import forecasts, notices, timelines
from inbox.services.explaining import pages as paged_people
from inbox.services.explaining.explanations import FEWER, explained, longest_page

__all__ = ["blp"]

ALERT, EXPLAINED, NOTICE, PAGE = AlertRecord(), ExplainedRecord(), NoticeRecord(), PageRecord()
OUTLOOK, TIMELINE = Forecast(), TimelineRecord()


@blp.route("/<typeid(inc):incident_id>/timeline", methods=["GET"], endpoint="timeline")
@EndpointPolicy(USER, VIEWER, workspace_from="record", section="7.6")
@blp.arguments(TimelineQuery, location="query")
@blp.response(200, TimelinePage)
def timeline(args: dict[str, Any], incident_id: UUID) -> dict[str, Any]:
    """Read the timeline of an incident

    What happened to it and who did it, newest first. Repeats that were only counted are among its events. `kind` leaves
    the entries of some kinds.
    """
    incident = find(incident_id)
    query = incident_read.timeline(incident.id, args.get("kind"))
    page = paged(query, args, sorts={"at": TimelineEntry.id}, id=TimelineEntry.id, dump=lambda row: row)
    entries = timelines.with_text(page["items"])
    return {**page, "items": [TIMELINE.dump(each) for each in entries]}


@blp.route("/<typeid(inc):incident_id>/alerts", methods=["GET"], endpoint="alerts")
@EndpointPolicy(USER, VIEWER, workspace_from="record", section="7.13")
@blp.arguments(AlertsQuery, location="query")
@blp.response(200, AlertsPage)
def alerts(args: dict[str, Any], incident_id: UUID) -> dict[str, Any]:
    """List the alerts of an incident

    What the keys of the sender name inside it, and which of them fire. By `urgency` those that fire come first, the most
    severe of them before the others, and of these the last seen.
    """
    incident = find(incident_id)
    query = incident_alerts.of_incident(incident, args.get("state"))
    sorts = {
        "urgency": incident_alerts.urgency(incident),
        "firstSeen": IncidentAlert.id,
        "lastSeen": IncidentAlert.last_seen_at,
    }
    page = paged(query, args, sorts=sorts, id=IncidentAlert.id, dump=lambda row: row)
    return {**page, "items": [ALERT.dump(incident_alerts.present(each, incident)) for each in page["items"]]}


@blp.route("/<typeid(inc):incident_id>/pages", methods=["GET"], endpoint="pages")
@EndpointPolicy(USER, VIEWER, workspace_from="record", section="23.13")
@blp.arguments(PagesQuery, location="query")
@blp.response(200, PagesPage)
def pages(args: dict[str, Any], incident_id: UUID) -> dict[str, Any]:
    """List the pages of an incident

    Who was paged, how, and when the person answered, newest first. A page without a person says why nobody was paged.
    """
    incident = find(incident_id)
    query = stored_pages.of_incident(incident.id)
    page = paged(query, args, sorts={"at": PageRow.id}, id=PageRow.id, dump=lambda row: row)
    return {**page, "items": [PAGE.dump(each) for each in paged_people.reported(incident.id, page["items"])]}


@blp.route("/<typeid(inc):incident_id>/events", methods=["GET"], endpoint="events")
@EndpointPolicy(USER, VIEWER, workspace_from="record", section="7.2")
@blp.arguments(IncidentEventsQuery, location="query")
@blp.response(200, IncidentEventsPage)
def events(args: dict[str, Any], incident_id: UUID) -> dict[str, Any]:
    """List the events of an incident

    Newest first.
    """
    incident = find(incident_id)
    query = event_read.of_incident(incident.workspace_id, incident.id)
    return paged(query, args, sorts={"received": RoutedEventView.id}, id=RoutedEventView.id, dump=lambda row: row)


@blp.route("/<typeid(inc):incident_id>/deliveries", methods=["GET"], endpoint="deliveries")
@EndpointPolicy(USER, VIEWER, workspace_from="record", section="7.2")
@blp.arguments(IncidentDeliveriesQuery, location="query")
@blp.response(200, IncidentDeliveriesPage)
def list_deliveries(args: dict[str, Any], incident_id: UUID) -> dict[str, Any]:
    """List the deliveries of an incident

    Newest first, each with its attempts.
    """
    incident = find(incident_id)
    query = replays.of_workspaces([incident.workspace_id]).where(Delivery.incident_id == incident.id)
    page = paged(query, args, sorts={"created": Delivery.id}, id=Delivery.id, dump=lambda row: row)
    return {**page, "items": with_details(page["items"])}


@blp.route("/<typeid(inc):incident_id>/similar", methods=["GET"], endpoint="similar")
@EndpointPolicy(USER, VIEWER, workspace_from="record", section="7.8")
@blp.response(200, SimilarIncidents)
def similar(incident_id: UUID) -> dict[str, Any]:
    """List similar incidents

    The twenty last seen incidents with the same fingerprint, resource, or title apart from numbers, times and
    addresses. `why` names the reason. Each has its newest note.
    """
    incident = find(incident_id)
    alike = similar_incidents.find_similar(incident)
    found = incident_read.by_ids([incident.workspace_id], [id for id, _ in alike])
    rows, notes = {row.id: row for row in presented(found)}, last_notes(id for id, _ in alike)
    items = [{"why": why, "incident": rows[id], "last_note": notes.get(id)} for id, why in alike if id in rows]
    return {"items": items}


@blp.route("/<typeid(inc):incident_id>/explain", methods=["GET"], endpoint="explain")
@EndpointPolicy(USER, VIEWER, workspace_from="record", section="7.7")
@blp.arguments(ExplainQuery, location="query")
@blp.response(200, ExplainPage)
def explain(args: dict[str, Any], incident_id: UUID) -> dict[str, Any]:
    """Explain an incident

    Its events with their routing, and its notices with the decision for each destination and its reason. Newest first.
    Then the present state, and what follows if nothing changes.
    """
    incident = find(incident_id)
    kind = args.get("kind")
    page = _page_of_ids(incident, args, kind, None if kind == "event" else longest_page(incident.workspace_id))
    items = [EXPLAINED.dump(each) for each in spending(explained(incident.workspace_id, page["items"]), FEWER)]
    return {**page, "items": items, **OUTLOOK.dump(forecasts.forecast(incident, datetime.now(UTC)))}


@blp.route("/<typeid(inc):incident_id>/notices", methods=["GET"], endpoint="notices")
@EndpointPolicy(USER, VIEWER, workspace_from="record", section="7.7")
@blp.arguments(NoticesQuery, location="query")
@blp.response(200, NoticesPage)
def list_notices(args: dict[str, Any], incident_id: UUID) -> dict[str, Any]:
    """List the notices of an incident

    Newest first, each with the decision for every destination, the deliveries and their attempts. Bodies leave out what
    the newest event said: get the notice for it.
    """
    incident = find(incident_id)
    page = _page_of_ids(incident, args, "notice", longest_page(incident.workspace_id, notices.MAX_DECISIONS))
    items = notices.detailed(incident.workspace_id, page["items"])
    return {**page, "items": [NOTICE.dump(each) for each in spending(items, FEWER)]}


def _page_of_ids(incident: Incident, args: dict[str, Any], kind: str | None, longest: int | None) -> dict[str, Any]:
    """Returns a page of the ids of the incident's events and notices, or of one `kind` of them.

    A page has at most `longest` ids, and is `partial` when it has fewer than requested. Pages by number cannot be
    partial: raises `ValidationFailed`.
    """
    limit = args["limit"] if longest is None else min(args["limit"], longest)
    if "offset" in args:
        if limit < args["limit"]:
            detail = f"Must be at most {limit}: each notice has a decision for every destination of the workspace."
            raise ValidationFailed(errors=[Fault("/query/limit", detail)])
        rows, column = explanations.id_query(incident, kind)
        return offset_page(rows, args, columns=(column,), id=column, dump=lambda row: row["id"])
    way = {"kind": kind, "descending": args["order"] == "desc", "limit": limit}
    return keyset_page(lambda after: explanations.page(incident, after=after, **way), args, dump=lambda id: id)
