"""Silences: incidents that cause no notices for some time, with the creator and the reason (specification 8.1)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from flask import url_for

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.paging import containing, paged
from inbox.api.http.parsing import ParsedBody
from inbox.api.http.policy import (
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
from inbox.api.incidents.records import presented
from inbox.api.routing import costs
from inbox.api.routing.schemas.silences import (
    SilenceEdit,
    SilenceExtension,
    SilenceNew,
    SilencePreview,
    SilencePreviewRequest,
    SilenceRecord,
    SilencesPage,
    SilencesQuery,
)
from inbox.api.workspaces.schemas.workspaces import stored
from inbox.domain.explaining import preview_text
from inbox.domain.routing import matchers
from inbox.models.incidents import read as incident_read
from inbox.models.incidents.tables import Incident
from inbox.models.lists.pages import FEWER
from inbox.models.routing.silences import Silence, creators, silenced_counts
from inbox.runtime import work_budget
from inbox.services.records.match_costs import match_size
from inbox.services.routing import configuration_texts, silence_previews, silences

MATCH_AND_TIMES = ("match", "match_text", "starts_at", "ends_at", "recurrence")

blp = Blueprint(
    "silences",
    __name__,
    url_prefix="/v1/silences",
    description="Silences: notifications suppressed for a time.",
    section="8.1",
)

SORTS = {"endsAt": Silence.ends_at, "startsAt": Silence.starts_at, "created": Silence.created_at}


@blp.route("/", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, VIEWER)
@blp.arguments(SilencesQuery, location="query")
@blp.response(200, SilencesPage)
def list_silences(args: dict[str, Any]) -> dict[str, Any]:
    """List silences

    Each with its creator, its comment, and the number of incidents that it covers now. A recurring silence is `pending`
    between two periods. `deleted=true` lists the deleted ones of the last seven days.
    """
    reach, is_deleted = readable_workspaces(args.get("workspace_id")), args.get("deleted", False)
    query = silences.deleted(reach) if is_deleted else silences.existing(reach)
    if "state" in args:
        query = query.where(silences.in_state(reach, args["state"], datetime.now(UTC), deleted=is_deleted))
    query = containing(query, args, Silence.comment, Silence.match.cast("text"))
    page = paged(query, args, sorts=SORTS, id=Silence.id, dump=lambda row: row, size=match_size)
    return {**page, "items": _with_counts(page["items"])}


@blp.route("/", methods=["POST"], endpoint="create")
@EndpointPolicy(USER, MEMBER, workspace_from="body")
@RequestExample(leave_out=("matchText",), values={"startsAt": "@day+1", "endsAt": "@day+30"})
@blp.arguments(SilenceNew, cross_check=lambda fields: _check_new(fields["workspace_id"], fields))
@blp.response(201, SilenceRecord)
@blp.refuses("conflict")
def create(fields: dict[str, Any]) -> tuple[Silence, int, dict[str, str]]:
    """Create a silence

    While it is active, matching events are stored and counted without notices. Unresolved incidents that match become
    `silenced` when it begins, and return to the state before when it ends.
    """
    workspace_id = authorize_in(fields.pop("workspace_id"))
    silence = silences.create(workspace_id, _recurring(fields), by=caller().user_id, now=datetime.now(UTC))
    return _one(silence), 201, {"Location": url_for("silences.read", silence_id=silence.id)}


@blp.route("/<typeid(sil):silence_id>", methods=["GET"], endpoint="read")
@EndpointPolicy(USER, VIEWER, workspace_from="record")
@blp.response(200, SilenceRecord)
def read(silence_id: UUID) -> Silence:
    """Read a silence"""
    return _one(authorize(silences.find(silence_id)))


@blp.route("/<typeid(sil):silence_id>", methods=["PATCH"], endpoint="edit")
@EndpointPolicy(USER, MEMBER, workspace_from="record")
@RequestExample(leave_out=("matchText",), values={"startsAt": "@day+1", "endsAt": "@day+30"})
@blp.arguments(
    SilenceEdit, cross_check=lambda fields, silence_id: _check_edit(authorize(silences.find(silence_id)), fields)
)
@blp.response(200, SilenceRecord)
@blp.refuses("conflict")
def edit(fields: dict[str, Any], silence_id: UUID) -> Silence:
    """Change a silence

    Incidents that no longer match are released at once. An ended silence cannot be changed (`conflict`).
    """
    silence = authorize(silences.find(silence_id))
    return _one(silences.edit(silence, _recurring(fields), expected_rev=expected_rev(), now=datetime.now(UTC)))


@blp.route("/<typeid(sil):silence_id>", methods=["DELETE"], endpoint="remove")
@EndpointPolicy(USER, MEMBER, workspace_from="record")
@blp.response(204)
def remove(silence_id: UUID) -> None:
    """Delete a silence

    Its incidents are released at once. To keep its record, end it instead.
    """
    silences.remove(authorize(silences.find(silence_id)), expected_rev=expected_rev(), now=datetime.now(UTC))


@blp.route("/<typeid(sil):deleted_silence_id>/restore", methods=["POST"], endpoint="restore")
@EndpointPolicy(USER, MEMBER, workspace_from="record", section="12.10")
@blp.response(200, SilenceRecord)
@blp.refuses("conflict", "validation_failed")
def restore(deleted_silence_id: UUID) -> Silence:
    """Restore a deleted silence

    Within seven days of its deletion, with its times. If it is active now, it covers matching incidents again. 409 when it
    is not deleted.
    """
    return _one(silences.restore(authorize_deleted(silences.find_any(deleted_silence_id)), now=datetime.now(UTC)))


@blp.route("/<typeid(sil):silence_id>/end", methods=["POST"], endpoint="end")
@EndpointPolicy(USER, MEMBER, workspace_from="record")
@blp.response(200, SilenceRecord)
def end(silence_id: UUID) -> Silence:
    """End a silence

    Ends it now, also one that recurs or has not begun. Open incidents that nobody was told of notify (`silence_expired`).
    """
    silence = authorize(silences.find(silence_id))
    return _one(silences.end(silence, expected_rev=expected_rev(), now=datetime.now(UTC)))


@blp.route("/<typeid(sil):silence_id>/extend", methods=["POST"], endpoint="extend")
@EndpointPolicy(USER, MEMBER, workspace_from="record")
@RequestExample(values={"endsAt": "@day+30"})
@blp.arguments(
    SilenceExtension,
    cross_check=lambda order, silence_id: _check(authorize(silences.find(silence_id)).workspace_id, order),
)
@blp.response(200, SilenceRecord)
@blp.refuses("conflict")
def extend(order: dict[str, Any], silence_id: UUID) -> Silence:
    """Extend a silence

    Sets a later end. An ended silence cannot be extended (`conflict`).
    """
    silence = authorize(silences.find(silence_id))
    return _one(silences.extend(silence, order["ends_at"], expected_rev=expected_rev(), now=datetime.now(UTC)))


@blp.route("/preview", methods=["POST"], endpoint="preview")
@EndpointPolicy(USER, MEMBER, workspace_from="body")
@RequestExample(leave_out=("matchText",))
@blp.arguments(SilencePreviewRequest, cross_check=lambda order: _check(order["workspace_id"], order))
@blp.response(200, SilencePreview)
def preview(order: dict[str, Any]) -> dict[str, Any]:
    """Preview a silence

    The unresolved incidents that it would cover now, and how many events of the last seven days match. Nothing is stored or
    changed.
    """
    workspace_id = authorize_in(order["workspace_id"])
    found = silence_previews.preview(workspace_id, order, now=datetime.now(UTC))
    rows = {row.id: row for row in incident_read.with_source([workspace_id]).where(Incident.id.in_(found.incident_ids))}
    shown = presented(rows[each] for each in found.incident_ids if each in rows)
    text = preview_text.of_silence(found.count, complete=found.complete)
    events = {"count": found.events, "complete": found.events_complete}
    return {
        "count": found.count,
        "text": text,
        "incidents": shown,
        "complete": found.complete,
        "recent_events": events,
    }


def _check_new(workspace_id: UUID, fields: ParsedBody) -> None:
    """Checks a silence beyond its schema. Raises `ValidationFailed` with all faults."""
    if fields.judgeable(*MATCH_AND_TIMES) and "ends_at" in fields:
        silences.build(workspace_id, {"comment": "", **_recurring(fields)}, by=None, now=datetime.now(UTC))
    else:
        _check(workspace_id, fields)


def _check_edit(silence: Silence, fields: ParsedBody) -> None:
    if fields.judgeable(*MATCH_AND_TIMES):
        silences.check_edit(silence, _recurring(fields), datetime.now(UTC))
    else:
        _check(silence.workspace_id, fields)


def _check(workspace_id: UUID, fields: Mapping[str, Any]) -> None:
    silences.check(workspace_id, fields, datetime.now(UTC))


def _recurring(fields: dict[str, Any]) -> dict[str, Any]:
    return {**fields, "recurrence": stored(fields["recurrence"])} if "recurrence" in fields else fields


def _one(silence: Silence) -> Silence:
    return tagged(_with_counts([silence])[0])


def _with_counts(rows: list[Silence]) -> list[Silence]:
    now, hides, people = datetime.now(UTC), silenced_counts([row.id for row in rows]), creators(rows)
    texts, costly = configuration_texts.of_silences(rows, now), costs.of_matches([row.id for row in rows], now)
    for row in work_budget.spending(rows, FEWER):
        row.text = texts[row.id]
        span = silences.active_periods(row)
        row.state, row.next_change_at = span.state(now), span.next_change(now)
        found = span.within(now, now + silences.SHOWN_AHEAD, silences.MAX_SHOWN)
        row.periods = [{"starts_at": begin, "ends_at": end} for begin, end in found]
        row.silenced_incidents, row.maker = hides[row.id], people.get(row.created_by)
        row.match_text = matchers.to_text(row.match)
        row.too_costly = costly.get(row.id)
    return rows
