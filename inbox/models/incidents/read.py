"""Incidents for readers: single incidents, lists, timelines and counts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple
from uuid import UUID

import peewee

from inbox.domain.state_machine import UNRESOLVED
from inbox.models.sql.base import StatementTimeout, db, execute_within
from inbox.models.sql.bulk_sql import array_literal
from inbox.models.sql.read_query import ReadQuery, Row
from inbox.models.tables.accounts import User
from inbox.models.tables.incidents import Incident, TimelineEntry
from inbox.models.tables.sources import Source
from inbox.models.tables.workspaces import Member, Workspace

SOURCE_NAME = peewee.fn.COALESCE(Source.name, "")


def with_source(workspace_ids: Sequence[UUID]) -> Any:
    """Incidents of these workspaces, each with its source's name and its workspace's slug."""
    return _with_source().where(Incident.workspace_id.in_(list(workspace_ids))).objects()


def find(workspace_ids: Sequence[UUID], incident_id: UUID) -> Any:
    """One incident of these workspaces, or None."""
    return with_source(workspace_ids).where(Incident.id == incident_id).first()


def by_ids(workspace_ids: Sequence[UUID], incident_ids: Sequence[UUID]) -> list[Row]:
    """Those of these incidents that belong to these workspaces, with the columns of `with_source`."""
    return _BY_IDS(workspace_ids, incident_ids) if incident_ids else []


def _with_source() -> Any:
    return (
        Incident.select(Incident, SOURCE_NAME.alias("source_name"), Workspace.slug.alias("workspace_slug"))
        .join(Source, peewee.JOIN.LEFT_OUTER, on=(Source.id == Incident.source_id))
        .join(Workspace, on=(Workspace.id == Incident.workspace_id))
    )


_BY_IDS = ReadQuery(
    lambda workspaces, ids: _with_source().where(Incident.workspace_id == workspaces, Incident.id == ids),
)


class IncidentGroup(NamedTuple):
    """The number of incidents of one workspace, state and severity, and how many of them have this assignment."""

    workspace_id: UUID
    state: str
    severity: str
    total: int
    mine: int
    unassigned: int


def unresolved_groups(workspace_ids: Sequence[UUID], person: UUID) -> list[IncidentGroup]:
    """Count all unresolved incidents of these workspaces. `mine` are those assigned to `person`."""
    found = db.execute_sql(
        "SELECT workspace_id, state, severity::text, count(*), count(*) FILTER (WHERE assignee_id = %s),"
        " count(*) FILTER (WHERE assignee_id IS NULL) FROM incidents"
        " WHERE workspace_id = ANY(%s::uuid[]) AND state = ANY(%s) GROUP BY workspace_id, state, severity",
        (person, array_literal(workspace_ids, unquoted=True), array_literal(sorted(UNRESOLVED), unquoted=True)),
    )
    return [IncidentGroup(*row) for row in found.fetchall()]


def filtered_groups(query: Any, person: UUID, seconds: float) -> list[IncidentGroup] | None:
    """Count the incidents of a query likewise; None when this takes longer than `seconds`. Not in a transaction."""
    total, keys = peewee.fn.COUNT(peewee.SQL("*")), (Incident.workspace_id, Incident.state, Incident.severity)
    mine, unassigned = (total.filter(each) for each in (Incident.assignee_id == person, Incident.assignee_id.is_null()))
    sql, values = query.order_by().select(*keys, total, mine, unassigned).group_by(*keys).sql()
    with suppress(StatementTimeout):
        return [IncidentGroup(*row) for row in execute_within(sql, values, seconds)]
    return None


def bounded_count(query: Any, limit: int, seconds: float) -> int | None:
    """The number of rows; None above `limit` and when this takes longer than `seconds`. Not in a transaction."""
    sql, values = query.order_by().select(peewee.SQL("1")).limit(limit + 1).sql()
    with suppress(StatementTimeout):
        ((found,),) = execute_within(f"SELECT count(*) FROM ({sql}) found", values, seconds)
        return None if found > limit else int(found)
    return None


def timeline(incident_id: UUID) -> Any:
    """The timeline of an incident."""
    return TimelineEntry.select().where(TimelineEntry.incident_id == incident_id)


def timeline_entry(entry_id: UUID) -> TimelineEntry:
    """One entry of a timeline."""
    found: TimelineEntry = TimelineEntry.get_by_id(entry_id)
    return found


def is_member_of_any(workspace_ids: Sequence[UUID], user_id: UUID) -> bool:
    """Whether a person is a member of one of these workspaces, and their account is not disabled."""
    able = Member.select().join(User).where(Member.user == user_id, User.disabled_at.is_null())
    return bool(able.where(Member.workspace.in_(list(workspace_ids))).exists())


def is_member(workspace_id: UUID, user_id: UUID) -> bool:
    """Whether a person is a member of a workspace, and their account is not disabled."""
    return is_member_of_any([workspace_id], user_id)
