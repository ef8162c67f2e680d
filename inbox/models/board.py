"""Incidents as people read them: one, some, their timelines, counts, and what was told of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import peewee

from inbox.domain.moves import UNRESOLVED
from inbox.models.base import db
from inbox.models.columns import array
from inbox.models.events import Event
from inbox.models.incidents import Incident, TimelineEntry
from inbox.models.notices import Notice
from inbox.models.sources import Source
from inbox.models.workspaces import Member, Workspace

SOURCE_NAME = peewee.fn.COALESCE(Source.name, "")


def told(workspace_ids: Sequence[UUID]) -> Any:
    """Incidents of these workspaces, each with its source's name and its workspace's slug."""
    return (
        Incident.select(Incident, SOURCE_NAME.alias("source_name"), Workspace.slug.alias("workspace_slug"))
        .join(Source, peewee.JOIN.LEFT_OUTER, on=(Source.id == Incident.source_id))
        .join(Workspace, on=(Workspace.id == Incident.workspace_id))
        .where(Incident.workspace_id.in_(list(workspace_ids)))
        .objects()
    )


def find(workspace_ids: Sequence[UUID], incident_id: UUID) -> Any:
    """One incident of these workspaces, or None."""
    return told(workspace_ids).where(Incident.id == incident_id).first()


def among(workspace_ids: Sequence[UUID], incident_ids: Sequence[UUID]) -> list[Any]:
    """Those of these incidents that are in these workspaces."""
    return list(told(workspace_ids).where(Incident.id.in_(list(incident_ids)))) if incident_ids else []


def unresolved(workspace_ids: Sequence[UUID]) -> list[tuple[str, str, int]]:
    """How many unresolved incidents there are of each state and severity."""
    found = db.execute_sql(
        "SELECT state, severity::text, count(*) FROM incidents"
        " WHERE workspace_id = ANY(%s::uuid[]) AND state = ANY(%s) GROUP BY state, severity",
        (array(workspace_ids, bare=True), array(sorted(UNRESOLVED), bare=True)),
    )
    return list(found.fetchall())


def entries(incident_id: UUID) -> Any:
    """The timeline of an incident."""
    return TimelineEntry.select().where(TimelineEntry.incident_id == incident_id)


def entry(entry_id: UUID) -> TimelineEntry:
    """One entry of a timeline."""
    found: TimelineEntry = TimelineEntry.get_by_id(entry_id)
    return found


def account(incident: Incident) -> tuple[Any, Any]:
    """(ids of the incident's events and notices as rows of `id`, that column): what happened, as one list to page."""
    events = Event.select(Event.id).where(Event.incident_id == incident.id)
    told_of = Notice.select(Notice.id).where(Notice.incident_id == incident.id)
    both = events.union_all(told_of).alias("account")
    return Event.select(both.c.id).from_(both).dicts(), both.c.id


def events(workspace_id: UUID, ids: Sequence[UUID]) -> dict[UUID, Event]:
    """Events by id, as far as they are told in an explanation."""
    wanted = (Event.id, Event.received_at, Event.title, Event.severity, Event.disposition, Event.routing)
    found = Event.select(*wanted).where(Event.workspace_id == workspace_id, Event.id.in_(list(ids)))
    return {event.id: event for event in found}


def notices(workspace_id: UUID, ids: Sequence[UUID]) -> dict[UUID, Notice]:
    """Notices by id."""
    found = Notice.select().where(Notice.workspace_id == workspace_id, Notice.id.in_(list(ids)))
    return {notice.id: notice for notice in found}


def is_member_of_any(workspace_ids: Sequence[UUID], user_id: UUID) -> bool:
    """Whether a person is a member of one of these workspaces."""
    return bool(Member.select().where(Member.workspace.in_(list(workspace_ids)), Member.user == user_id).exists())


def is_member(workspace_id: UUID, user_id: UUID) -> bool:
    """Whether a person is a member of a workspace."""
    return bool(Member.select().where(Member.workspace == workspace_id, Member.user == user_id).exists())
