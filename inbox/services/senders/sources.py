"""Sources: the senders of events of a workspace, and the grouping of their events (specification 5.1)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Conflict, ValidationFailed
from inbox.flow.ingest import test_event
from inbox.flow.ingest.request import EventResult
from inbox.flow.timers import recheck
from inbox.flow.timers import source_deletion as gone
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.live.feed import Parents
from inbox.models.heartbeats import monitors
from inbox.models.routing import routing_config
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.senders.sources import Source
from inbox.models.workspaces.tables import Workspace
from inbox.services.heartbeats import watchers
from inbox.services.records import audit, record_limits, reference_checks, versions
from inbox.services.records.resources import Resource
from inbox.services.routing import references as service_references

MAX_SOURCES = 1_000
"""The most sources of a workspace."""

TOO_MANY = "A workspace has at most {} sources. Delete one that is not used."

RECORDED = (
    *("name", "kind", "enabled", "default_severity", "group_by", "incident_for", "resolve_by", "resolve_when"),
    "routing_profile_id",
    *("allow_query_token", "allow_sender_acknowledge", "keep_open_on_missing_data", "expect_every_seconds"),
    *("recovery_pattern", "recovery_preset", "mapping", "created_at"),
)
"""The columns of a deleted source that the audit log keeps."""

SOURCES = Resource(Source, "source")
existing, find = SOURCES.existing, SOURCES.find
deleted, find_any = SOURCES.deleted, SOURCES.find_any


def create(workspace_id: UUID, fields: Mapping[str, Any], *, now: datetime) -> Source:
    """Create a source without a key. Raises `ValidationFailed` for a routing profile of another workspace.

    Raises `Conflict` beyond `MAX_SOURCES`.
    """
    with work() as done:
        routing_config.bump_revision(workspace_id)
        record_limits.check_room(existing([workspace_id]), MAX_SOURCES, TOO_MANY)
        check(workspace_id, fields)
        source: Source = Source.create(id=new_id(now), workspace=Workspace(id=workspace_id), created_at=now, **fields)
        SOURCES.note("source.created", source, now)
        SOURCES.publish(done, source, "created")
    return source


def edit(source: Source, fields: Mapping[str, Any], *, expected_rev: int | None, now: datetime) -> Source:
    """Change the given fields. The changes apply to events that are accepted from the next transaction on.

    Raises `RevMismatch`, and `ValidationFailed` for a routing profile of another workspace.
    """
    with work() as done:
        routing_config.bump_revision(source.workspace_id)
        check(source.workspace_id, fields)
        source = SOURCES.lock(source, expected_rev)
        SOURCES.note("source.changed", source, now, audit.changes(_audit_view(source.__data__), _audit_view(fields)))
        SOURCES.save(source, **fields)
        SOURCES.publish(done, source)
    return source


def remove(source: Source, *, expected_rev: int | None, now: datetime) -> None:
    """Delete the source. Its keys end at once. Its events and incidents stay until the purge. Raises `RevMismatch`.

    Its unresolved incidents are resolved soon. Rules lose the source, and rules for it alone are disabled.
    """
    with work() as done:
        routing_config.bump_revision(source.workspace_id)
        source = SOURCES.lock(source, expected_rev)
        SOURCES.save(source, deleted_at=now)
        watchers.remove_of_source(source, done, now)
        _remove_monitors(source, done, now)
        service_references.detach_source(source.id, source.workspace_id, done, now)
        recheck.schedule_with_recheck(gone.KINDS, source.id, source.workspace_id, now, done)
        SOURCES.note("source.deleted", source, now, audit.removed(_audit_view(audit.columns(source, *RECORDED))))
        SOURCES.publish(done, source, "deleted")


def restore(source: Source, *, now: datetime) -> Source:
    """Restore a deleted source. Its keys are valid again. Its monitors, watchers and places in rules are not restored.

    A routing profile that has been deleted since is left out. Raises `Conflict` when the source is not deleted, and
    beyond `MAX_SOURCES`.
    """
    with work() as done:
        routing_config.bump_revision(source.workspace_id)
        source = SOURCES.lock_deleted(source)
        record_limits.check_room(existing([source.workspace_id]), MAX_SOURCES, TOO_MANY)
        profile = source.routing_profile_id
        if profile is not None and not versions.existing_ids(RoutingProfile, source.workspace_id, [profile]):
            source.routing_profile_id = None
        SOURCES.save(source, deleted_at=None)
        SOURCES.note("source.restored", source, now)
        SOURCES.publish(done, source, "created")
    return source


def _remove_monitors(source: Source, done: AfterCommit, now: datetime) -> None:
    """Delete the heartbeat monitors of a source. Their incidents resolve with the source's."""
    for row in monitors.delete_of_source(source.id, now):
        about = audit.target("monitor", row.id, row.name)
        details = {"source": source.name, "sourceId": ids.encode(Prefix.SOURCE, source.id)}
        audit.record("monitor.deleted", target=about, now=now, workspace_id=source.workspace_id, details=details)
        done.publish_change("monitor", row.id, source.workspace_id, op="deleted", rev=row.rev)


def send_test(source: Source, fields: Mapping[str, Any], *, by: str, now: datetime) -> EventResult:
    """Store a test event of the source. `by` is the name of the person, for the text of the event.

    Raises `Conflict` for a disabled source, and `RateLimited`.
    """
    test_event.charge(source.id, source.workspace_id)
    with work() as done:
        source = SOURCES.lock(source, None)
        if not source.enabled:
            raise Conflict("The source is disabled. Enable it first.")
        result = test_event.store(source, fields.get("severity"), fields.get("title"), by=by, now=now, done=done)
        SOURCES.note("source.tested", source, now, {"eventId": ids.encode(Prefix.EVENT, result.event_id)})
        parents = Parents(source_id=source.id)
        done.publish_change("event", result.event_id, source.workspace_id, op="created", parents=parents)
    return result


def check(workspace_id: UUID, fields: Mapping[str, Any]) -> None:
    """Check that the routing profile belongs to the workspace. Raises `ValidationFailed`."""
    profile = fields.get("routing_profile_id")
    faults = reference_checks.profile(workspace_id, profile, "/routingProfileId") if profile is not None else []
    if faults:
        raise ValidationFailed(errors=faults)


def _audit_view(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns as the audit log shows them."""
    profile = values.get("routing_profile_id")
    return {**values, **({"routing_profile_id": ids.encode(Prefix.PROFILE, profile)} if profile else {})}
