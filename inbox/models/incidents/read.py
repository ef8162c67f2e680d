"""Reads incidents for display: single incidents, lists and timelines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import peewee

from inbox.database.read_query import ReadQuery, Row
from inbox.domain.incidents.timeline import EntryKind
from inbox.models.incidents.tables import Incident, TimelineEntry
from inbox.models.people.accounts import User
from inbox.models.people.members import Member
from inbox.models.senders.sources import Source
from inbox.models.workspaces.tables import Workspace

ANSWERS = (EntryKind.ACKNOWLEDGED, EntryKind.SNOOZED, EntryKind.RESOLVED)
"""The acts that answer a page."""

SOURCE_NAME = peewee.fn.COALESCE(Source.name, "")


def with_source(workspace_ids: Sequence[UUID]) -> Any:
    """Returns incidents of these workspaces, each with its source's name and its workspace's slug."""
    return _with_source().where(Incident.workspace_id.in_(list(workspace_ids))).objects()


def find(workspace_ids: Sequence[UUID], incident_id: UUID) -> Any:
    """Returns one incident of these workspaces, or None."""
    return with_source(workspace_ids).where(Incident.id == incident_id).first()


def by_ids(workspace_ids: Sequence[UUID], incident_ids: Sequence[UUID]) -> list[Row]:
    """Returns the incidents among these that belong to these workspaces, with the columns of `with_source`."""
    return _ROWS(workspace_id=workspace_ids, id=incident_ids) if incident_ids else []


def _with_source() -> Any:
    return (
        Incident.select(Incident, SOURCE_NAME.alias("source_name"), Workspace.slug.alias("workspace_slug"))
        .join(Source, peewee.JOIN.LEFT_OUTER, on=(Source.id == Incident.source_id))
        .join(Workspace, on=(Workspace.id == Incident.workspace_id))
    )


_ROWS = ReadQuery(_with_source)


def timeline(incident_id: UUID, kinds: Sequence[str] | None = None) -> Any:
    """Returns the timeline of an incident, or its entries of these kinds."""
    entries = TimelineEntry.select().where(TimelineEntry.incident_id == incident_id)
    return entries if kinds is None else entries.where(TimelineEntry.kind.in_(list(kinds)))


def answers(incident_id: UUID, user_ids: Sequence[str]) -> list[TimelineEntry]:
    """Returns the acts by which these people took or ended an incident, the oldest first."""
    own = (TimelineEntry.incident_id == incident_id) & TimelineEntry.kind.in_(ANSWERS)
    return list(
        TimelineEntry.select().where(own, TimelineEntry.actor["id"].in_(list(user_ids))).order_by(TimelineEntry.id)
    )


def timeline_entry(entry_id: UUID) -> TimelineEntry:
    """Returns one entry of a timeline."""
    found: TimelineEntry = TimelineEntry.get_by_id(entry_id)
    return found


def is_member_of_any(workspace_ids: Sequence[UUID], user_id: UUID) -> bool:
    """Returns whether a person is a member of one of these workspaces, with an account that is not disabled."""
    active_members = Member.select().join(User).where(Member.user == user_id, User.disabled_at.is_null())
    return bool(active_members.where(Member.workspace.in_(list(workspace_ids))).exists())


def is_member(workspace_id: UUID, user_id: UUID) -> bool:
    """Returns whether a person is a member of a workspace, with an account that is not disabled."""
    return is_member_of_any([workspace_id], user_id)
