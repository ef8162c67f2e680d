"""Source endpoints."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from flask import url_for

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
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
from inbox.api.http.revisions import expected_rev, tagged
from inbox.api.senders.schemas.source_samples import SourceSampleRecord
from inbox.api.senders.schemas.sources import (
    SourceEdit,
    SourceNew,
    SourceRecord,
    SourcesPage,
    SourcesQuery,
    TestEventAccepted,
    TestEventNew,
)
from inbox.domain.workspaces.roles import Role
from inbox.models.senders import source_summary, source_warnings
from inbox.models.senders.sources import Source, activity
from inbox.services.senders import source_samples, sources

blp = Blueprint(
    "sources", __name__, url_prefix="/v1/sources", description="Sources of events, and their keys.", section="5.1"
)


@blp.route("/", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, VIEWER)
@blp.arguments(SourcesQuery, location="query")
@blp.response(200, SourcesPage)
def list_sources(args: dict[str, Any]) -> dict[str, Any]:
    """List sources

    The sources of all the caller's workspaces, or of one. `deleted=true` lists the deleted ones of the last seven days.
    """
    reach = readable_workspaces(args.get("workspace_id"))
    page = paged(
        containing(sources.deleted(reach) if args.get("deleted") else sources.existing(reach), args, Source.name),
        args,
        sorts={"name": Source.name, "created": Source.created_at},
        id=Source.id,
        dump=lambda row: row,
    )
    return {**page, "items": _with_url(page["items"])}


@blp.route("/", methods=["POST"], endpoint="create")
@EndpointPolicy(USER, ADMIN, workspace_from="body")
@blp.arguments(SourceNew, cross_check=lambda fields: sources.check(fields["workspace_id"], fields))
@blp.response(201, SourceRecord)
@blp.refuses("conflict")
def create(fields: dict[str, Any]) -> tuple[Source, int, dict[str, str]]:
    """Create a source

    It has no key yet: create one with `POST /v1/sources/{id}/keys`.
    """
    workspace_id = authorize_in(fields.pop("workspace_id"))
    source = sources.create(workspace_id, fields, now=datetime.now(UTC))
    return tagged(_with_url([source])[0]), 201, {"Location": url_for("sources.read", source_id=source.id)}


@blp.route("/<typeid(src):source_id>", methods=["GET"], endpoint="read")
@EndpointPolicy(USER, VIEWER, workspace_from="record")
@blp.response(200, SourceRecord)
def read(source_id: UUID) -> Source:
    """Read a source"""
    return tagged(_with_url([authorize(sources.find(source_id))])[0])


@blp.route("/<typeid(src):source_id>", methods=["PATCH"], endpoint="edit")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@blp.arguments(
    SourceEdit,
    cross_check=lambda fields, source_id: sources.check(authorize(sources.find(source_id)).workspace_id, fields),
)
@blp.response(200, SourceRecord)
def edit(fields: dict[str, Any], source_id: UUID) -> Source:
    """Change a source

    The change applies to events that are accepted from now on.
    """
    source = authorize(sources.find(source_id))
    source = sources.edit(source, fields, expected_rev=expected_rev(), now=datetime.now(UTC))
    return tagged(_with_url([source])[0])


@blp.route("/<typeid(src):source_id>", methods=["DELETE"], endpoint="remove")
@EndpointPolicy(USER, ADMIN, workspace_from="record", section="5.5")
@blp.response(204)
def remove(source_id: UUID) -> None:
    """Delete a source

    Its keys end at once. Its events and incidents stay until the purge. The system resolves its unresolved incidents,
    and destinations that were notified get the resolution. Rules lose the source, and a rule for it alone is disabled.
    """
    sources.remove(authorize(sources.find(source_id)), expected_rev=expected_rev(), now=datetime.now(UTC))


@blp.route("/<typeid(src):deleted_source_id>/restore", methods=["POST"], endpoint="restore")
@EndpointPolicy(USER, ADMIN, workspace_from="record", section="12.10")
@blp.response(200, SourceRecord)
@blp.refuses("conflict")
def restore(deleted_source_id: UUID) -> Source:
    """Restore a deleted source

    Within seven days of its deletion. Its keys are valid again. Rules do not get it back, and its heartbeat monitors and
    watchers stay deleted. 409 when it is not deleted.
    """
    source = sources.restore(authorize_deleted(sources.find_any(deleted_source_id)), now=datetime.now(UTC))
    return tagged(_with_url([source])[0])


@blp.route("/<typeid(src):source_id>/sample", methods=["GET"], endpoint="read_sample")
@EndpointPolicy(USER, ADMIN, workspace_from="record", section="19.14")
@blp.response(200, SourceSampleRecord)
def read_sample(source_id: UUID) -> dict[str, Any]:
    """Read the last sample of a source

    The last payload that was refused or read in part, without secrets. It is kept for a day.
    """
    source = authorize(sources.find(source_id))
    return {"sample": source_samples.of_source(source, datetime.now(UTC))}


@blp.route("/<typeid(src):source_id>/test-event", methods=["POST"], endpoint="send_test_event")
@EndpointPolicy(USER, MEMBER, workspace_from="record", section="5.6")
@blp.arguments(TestEventNew)
@blp.response(202, TestEventAccepted)
@blp.refuses("conflict")
def send_test_event(fields: dict[str, Any], source_id: UUID) -> dict[str, Any]:
    """Send a test event

    It takes the whole path of an event: grouping, rules, notices. It counts for the rate limits of the source and has the
    flag `test`. 409 for a disabled source.
    """
    source = authorize(sources.find(source_id))
    result = sources.send_test(source, fields, by=caller().actor["name"], now=datetime.now(UTC))
    return {"id": result.event_id, "fingerprint": result.fingerprint, "warnings": result.event.warnings}


def _with_url(rows: list[Source]) -> list[Source]:
    if not rows:
        return rows
    now, ids, roles = datetime.now(UTC), [row.id for row in rows], caller().roles
    lately, warnings = activity(rows, now), source_warnings.of_sources(ids)
    keys, incidents = source_summary.working_keys(ids, now), source_summary.open_incidents(ids)
    recent = source_warnings.counts_since(ids, now - timedelta(hours=24))
    for row in rows:
        row.warnings, row.warnings_last_24h = warnings[row.id], recent[row.id]
        row.last_event_at, row.events_last_24h = lately[row.id]
        row.key_counts = keys[row.id] if roles[row.workspace_id].allows(Role.ADMIN) else None
        row.open_incidents = incidents[row.id]
    return rows
