"""Sources: the senders of events of a workspace, and the grouping of their events (specification 5.1)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import peewee

from inbox.domain import ids
from inbox.domain.audit_actions import AuditAction
from inbox.domain.ids import Prefix
from inbox.domain.refusals import NotFound, ValidationFailed, check_rev
from inbox.flow.timers import recheck
from inbox.flow.timers import source_deletion as gone
from inbox.flow.unit_of_work import work
from inbox.models import routing_config
from inbox.models.sql.base import new_id
from inbox.models.tables.sources import Source
from inbox.models.tables.workspaces import Workspace
from inbox.services import audit, reference_checks
from inbox.services import references as service_references

RECORDED = (
    *("name", "kind", "enabled", "default_severity", "group_by", "resolve_by", "routing_profile_id"),
    *("allow_query_token", "expect_every_seconds", "recovery_pattern", "created_at"),
)
"""The columns of a deleted source that the audit log keeps."""


def existing(workspace_ids: list[UUID]) -> peewee.ModelSelect[Source]:
    """Select the sources of these workspaces that are not deleted."""
    return Source.select().where(Source.workspace.in_(workspace_ids), Source.deleted_at.is_null())


def find(source_id: UUID) -> Source | None:
    """Return the source, or None when it is unknown or deleted. The endpoint checks the access."""
    found: Source | None = Source.get_or_none(Source.id == source_id, Source.deleted_at.is_null())
    return found


def create(workspace_id: UUID, fields: Mapping[str, Any], *, now: datetime) -> Source:
    """Create a source without a key. Raises `ValidationFailed` for a routing profile of another workspace."""
    with work() as done:
        routing_config.bump_revision(workspace_id)
        check(workspace_id, fields)
        source: Source = Source.create(id=new_id(now), workspace=Workspace(id=workspace_id), created_at=now, **fields)
        _note("source.created", source, now)
        done.publish_change("source", source.id, workspace_id, op="created", rev=source.rev)
    return source


def edit(source: Source, fields: Mapping[str, Any], *, expected_rev: int | None, now: datetime) -> Source:
    """Change the given fields. The changes apply to events that are accepted from the next transaction on.

    Raises `RevMismatch`, and `ValidationFailed` for a routing profile of another workspace.
    """
    with work() as done:
        routing_config.bump_revision(source.workspace_id)
        check(source.workspace_id, fields)
        source = _locked(source, expected_rev)
        _note("source.changed", source, now, audit.changes(_audit_view(source.__data__), _audit_view(fields)))
        for name, value in fields.items():
            setattr(source, name, value)
        source.rev += 1
        source.save()
        done.publish_change("source", source.id, source.workspace_id, rev=source.rev)
    return source


def remove(source: Source, *, expected_rev: int | None, now: datetime) -> None:
    """Delete the source. Its keys end at once. Its events and incidents stay until the purge. Raises `RevMismatch`.

    Its unresolved incidents are resolved soon. Rules lose the source, and rules for it alone are disabled.
    """
    with work() as done:
        routing_config.bump_revision(source.workspace_id)
        source = _locked(source, expected_rev)
        source.deleted_at = now
        source.rev += 1
        source.save()
        service_references.detach_source(source.id, source.workspace_id, done, now)
        recheck.schedule_with_recheck(gone.KINDS, source.id, source.workspace_id, now, done)
        _note("source.deleted", source, now, audit.removed(_audit_view(audit.columns(source, *RECORDED))))
        done.publish_change("source", source.id, source.workspace_id, op="deleted", rev=source.rev)


def check(workspace_id: UUID, fields: Mapping[str, Any]) -> None:
    """Raises `ValidationFailed` for a routing profile of another workspace."""
    profile = fields.get("routing_profile_id")
    faults = reference_checks.profile(workspace_id, profile, "/routingProfileId") if profile is not None else []
    if faults:
        raise ValidationFailed(errors=faults)


def _audit_view(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns as the audit log shows them."""
    profile = values.get("routing_profile_id")
    return {**values, **({"routing_profile_id": ids.encode(Prefix.PROFILE, profile)} if profile else {})}


def _note(action: AuditAction, source: Source, now: datetime, details: Mapping[str, Any] | None = None) -> None:
    about = audit.target("source", source.id, source.name)
    audit.record(action, target=about, now=now, workspace_id=source.workspace_id, details=details)


def _locked(source: Source, expected_rev: int | None) -> Source:
    locked = (
        Source.select()
        .where(Source.id == source.id, Source.deleted_at.is_null())
        .for_update("FOR NO KEY UPDATE")
        .first()
    )
    if locked is None:
        raise NotFound
    check_rev(locked.rev, expected_rev)
    return locked
