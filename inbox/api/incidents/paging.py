"""Acts that page people: page, escalate, take, and open an incident (specification 23.17).

It completes the blueprint of `inbox.api.incidents.incidents`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from inbox.api.http.policy import MEMBER, USER, EndpointPolicy, authorize_in
from inbox.api.http.revisions import tagged
from inbox.api.incidents.incidents import UNDOABLE, actor, find, perform
from inbox.api.incidents.lists import blp
from inbox.api.incidents.records import present
from inbox.api.incidents.schemas.incidents import ActRequest, IncidentRecord
from inbox.api.incidents.schemas.pages import IncidentAccepted, IncidentNew, PageRequest
from inbox.domain.routing.people import PageTarget
from inbox.models.incidents.tables import Incident
from inbox.services.incidents import bulk, by_hand, paging
from inbox.services.incidents.by_hand import Opened

__all__ = ["blp"]


@blp.route("/", methods=["POST"], endpoint="create")
@EndpointPolicy(USER, MEMBER, workspace_from="body", section="23.17")
@blp.arguments(IncidentNew, cross_check=lambda fields: by_hand.check(fields["workspace_id"], _people(fields)))
@blp.response(202, IncidentAccepted)
@blp.refuses("conflict")
def create(fields: dict[str, Any]) -> Opened:
    """Open an incident by hand

    By an event of a source that the workspace has for this purpose, so that its rules decide. The people are paged once
    the incident is open, besides whom its route notifies. 409 (`conflict`) if nobody of them can be paged.
    """
    workspace_id = authorize_in(fields["workspace_id"])
    return by_hand.create(workspace_id, fields, _people(fields), by=actor(), now=datetime.now(UTC))


@blp.route("/<typeid(inc):incident_id>/page", methods=["POST"], endpoint="page")
@EndpointPolicy(USER, MEMBER, workspace_from="record", section="23.17")
@blp.arguments(PageRequest, cross_check=lambda order, incident_id: paging.check(find(incident_id), _people(order)))
@blp.response(200, IncidentRecord)
@blp.refuses("invalid_transition", "conflict")
def page(order: dict[str, Any], incident_id: UUID) -> Incident:
    """Page people of an incident now

    Members, or whoever is on call by schedules. Silences, snoozes and delays do not hold it. 409 (`conflict`) if nobody
    of them can be paged.
    """
    paging.page(find(incident_id), _people(order), order.get("note"), datetime.now(UTC), by=actor())
    return tagged(present(find(incident_id)))


@blp.route("/<typeid(inc):incident_id>/escalate", methods=["POST"], endpoint="escalate")
@EndpointPolicy(USER, MEMBER, workspace_from="record", section="23.17")
@blp.arguments(ActRequest)
@blp.response(200, IncidentRecord)
@blp.refuses("invalid_transition", "conflict")
def escalate(order: dict[str, Any], incident_id: UUID) -> Incident:
    """Escalate an incident now

    The next step of its routing profile that takes the severity is taken at once. 409 (`conflict`) if none follows.
    """
    paging.escalate(find(incident_id), order.get("note"), datetime.now(UTC), by=actor())
    return tagged(present(find(incident_id)))


@blp.route("/<typeid(inc):incident_id>/take", methods=["POST"], endpoint="take")
@EndpointPolicy(USER, MEMBER, workspace_from="record", section="23.17")
@blp.arguments(ActRequest)
@blp.response(200, IncidentRecord, headers=UNDOABLE)
@blp.refuses("invalid_transition")
def take(order: dict[str, Any], incident_id: UUID) -> Incident:
    """Take an incident

    It is acknowledged and assigned to the caller, in one step.
    """
    return perform(incident_id, bulk.TAKE, note=order.get("note"))


def _people(order: Mapping[str, Any]) -> list[PageTarget]:
    return [PageTarget(**each) for each in order.get("people", ())]
