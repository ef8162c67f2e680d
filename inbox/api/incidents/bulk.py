"""Endpoints for one action on many incidents and for its undo, with an answer for each id (specification 7.4).

It completes the blueprint of `inbox.api.incidents.incidents`, which the app takes from here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from inbox.api.http.callers import caller
from inbox.api.http.policy import MEMBER, USER, EndpointPolicy, authorize, readable_workspaces
from inbox.api.http.problems import KINDS
from inbox.api.http.request_examples import RequestExample
from inbox.api.incidents.incidents import actor, resolved, until_of
from inbox.api.incidents.paging import blp
from inbox.api.incidents.records import presented
from inbox.api.incidents.schemas.bulk import BulkRequest, BulkResponse, UndoRequest, UndoResponse
from inbox.database.read_query import Row
from inbox.domain.values.refusals import Fault, NotFound, Refusal, ValidationFailed
from inbox.models.incidents import read as incident_read
from inbox.services.incidents import bulk
from inbox.services.incidents.bulk import BulkAct, Outcomes

__all__ = ["blp"]


@blp.route("/bulk", methods=["POST"], endpoint="bulk")
@EndpointPolicy(USER, MEMBER, section="7.4")
@RequestExample(leave_out=("filter", "expectedCount", "until", "forMinutes", "assigneeId", "tags"))
@blp.arguments(BulkRequest, cross_check=lambda fields: _check(fields))
@blp.response(200, BulkResponse)
@blp.refuses("conflict")
def run_bulk_action(fields: dict[str, Any]) -> dict[str, Any]:
    """Bulk actions on incidents

    Applies one action to up to 500 incidents separately. `results` has an answer for each id, in the given order. With
    `filter` the action applies to all incidents that pass it, if their number is `expectedCount`. `POST
    /v1/incidents/undo` with `undoId` reverts the action within ten seconds.
    """
    _check(fields)
    ids = _requested(fields)
    until = until_of(fields, datetime.now(UTC))
    fields.pop("for_minutes", None)
    order = BulkAct(**{**fields, "until": until, "tags": tuple(fields.get("tags", ()))})
    allowed, outcomes = _permitted(ids)
    done, token = bulk.run(order, allowed, datetime.now(UTC), by=actor(), person=caller().user_id)
    return {
        "results": _results(ids, {**outcomes, **done}),
        "undo_id": token.id if token else None,
        "undo_until": token.until if token else None,
    }


@blp.route("/undo", methods=["POST"], endpoint="undo")
@EndpointPolicy(USER, MEMBER, section="7.5")
@blp.arguments(UndoRequest)
@blp.response(200, UndoResponse)
@blp.refuses("not_found")
def undo(fields: dict[str, Any]) -> dict[str, Any]:
    """Undo an action

    Reverts an action of the caller within ten seconds. Each incident that has not changed since gets its earlier state.
    Destinations that were notified of the action get one notice.
    """
    readable_workspaces(None)
    undone = bulk.find_undo(fields["undo_id"], caller().user_id)
    ids = [each.incident_id for each in undone]
    allowed, outcomes = _permitted(ids)
    readable = (each for each in undone if each.incident_id in allowed)
    return {"results": _results(ids, {**outcomes, **bulk.undo(readable, datetime.now(UTC), by=actor())})}


def _check(fields: Mapping[str, Any]) -> None:
    """Checks the assignee and the end of a snooze. Raises `ValidationFailed`."""
    readable, assignee = readable_workspaces(None), fields.get("assignee_id")
    bulk.check_until(fields.get("until"), datetime.now(UTC))
    if assignee is not None and not incident_read.is_member_of_any(readable, assignee):
        raise ValidationFailed(errors=[Fault("/assigneeId", "Not a member of any of your workspaces.")])


def _requested(fields: dict[str, Any]) -> Sequence[UUID]:
    """Returns the ids of the request, or the ids of the incidents that pass its filter."""
    filters, expected_count = fields.pop("filter", None), fields.pop("expected_count", 0)
    if filters is None:
        ids: list[UUID] = fields.pop("ids")
        return ids
    readable = readable_workspaces(filters.pop("workspace_id", None))
    return bulk.matching(readable, resolved(filters), expected_count=expected_count)


def _permitted(ids: Sequence[UUID]) -> tuple[set[UUID], Outcomes]:
    """Returns the ids on which the caller may act, and for each other id the refusal of a single act."""
    incidents_by_id, allowed, refused = _find(ids), set(), {}
    for incident_id in ids:
        try:
            authorize(incidents_by_id.get(incident_id))
            allowed.add(incident_id)
        except Refusal as refusal:
            refused[incident_id] = refusal
    return allowed, dict(refused)


def _results(ids: Sequence[UUID], outcomes: Mapping[UUID, Refusal | None]) -> list[dict[str, Any]]:
    now_standing = _find([id for id in ids if outcomes[id] is None])
    return [_result(id, outcomes[id], now_standing.get(id)) for id in ids]


def _result(incident_id: UUID, refusal: Refusal | None, incident: Row | None) -> dict[str, Any]:
    if refusal is None and incident is None:
        refusal = NotFound()
    if refusal is None:
        return {"id": incident_id, "status": 200, "incident": incident}
    kind = KINDS[refusal.code]
    detail = " ".join(fault.detail for fault in refusal.errors) or refusal.detail or kind.meaning
    return {"id": incident_id, "status": kind.status, "code": refusal.code, "detail": detail}


def _find(ids: Sequence[UUID]) -> dict[UUID, Row]:
    return {incident.id: incident for incident in presented(incident_read.by_ids(caller().workspace_ids, ids))}
